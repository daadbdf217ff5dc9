// Runs `npm run listen`, a webhook receiver for development.
import { parseArgs } from 'node:util';
import { startWebhookListener } from './webhook-listener.js';

const PORT_DEFAULT = 4100;

const usage = `Receives webhooks on 127.0.0.1, verifies them and prints them. Stop it with Ctrl-C.

  npm run listen -- --secret whsec_...     verifies; may be passed twice, for the new and the previous secret
  npm run listen                           prints webhooks without verifying them
  npm run listen -- --port 4200            listens on another port than ${PORT_DEFAULT}
  npm run listen -- --status 503           responds with this status, to watch retries (default 200)
  npm run listen -- --json                 one line of JSON for each request

  WEBHOOK_SECRET=whsec_...                 instead of --secret, so that no secret is in the history of the shell

A webhook that cannot be verified is printed with the reason and gets the response 400. Every path is accepted.
Receivers for production: docs/guides/receiving-webhooks.md

A service calls 127.0.0.1 only if it was started with these settings; otherwise it refuses to register the receiver:

  EGRESS_ALLOW_CIDRS=127.0.0.1/32 EGRESS_ALLOW_HTTP=true npm start

Then register the receiver. Only this response contains the secret:

  curl -s $API/webhooks -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{ "url": "http://127.0.0.1:${PORT_DEFAULT}/hooks", "events": ["invoice.analysis.completed", "finding.created"] }'
`;

/** Error for a wrong command line. Its message is a sentence that states what to change. */
class UsageError extends Error {}

await main().catch((error: unknown) => {
  const isSaid = error instanceof UsageError || error instanceof TypeError;
  process.stderr.write(`${isSaid ? `${error.message} For all options: npm run listen -- --help` : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: String(PORT_DEFAULT) },
      secret: { type: 'string', multiple: true },
      status: { type: 'string', default: '200' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const fromEnvironment = process.env['WEBHOOK_SECRET'] ?? '';
  const secrets = values.secret ?? (fromEnvironment === '' ? [] : [fromEnvironment]);
  if (secrets.some((secret) => !/^whsec_[\x21-\x7e]+$/.test(secret))) {
    throw new UsageError('A secret must begin with whsec_ and must not have spaces.');
  }
  const port = wholeNumber('--port', values.port, 0, 65_535);
  const listener = await startWebhookListener({
    port,
    secrets,
    status: wholeNumber('--status', values.status, 200, 599),
    isJson: values.json,
    print: (text) => void process.stdout.write(`${text}\n`),
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${port} is in use: choose another with --port.`);
  });
  const how = secrets.length === 0 ? 'without a secret, so webhooks are not verified' : 'verifying';
  process.stderr.write(`Listening on ${listener.url}, ${how}. Stop with Ctrl-C.\n`);
  const stop = (): void => {
    const { verified, refused, unverified } = listener.counts;
    process.stderr.write(`\n${verified} verified, ${refused} refused, ${unverified} not verified.\n`);
    void listener.stop();
  };
  // The second Ctrl-C ends the process, because no listener is left.
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`${option} is "${text}" but must be a whole number from ${min} to ${max}.`);
}
