// Runs `npm run listen`, a webhook receiver for development.
import { parseArgs } from 'node:util';
import { ApiError, NetworkError } from '@invoicecontrol/client';
import { publicEventTypes } from '@invoicecontrol/public-events';
import { registerOwnWebhook } from './own-webhook.js';
import { startWebhookListener } from './webhook-listener.js';

const PORT_DEFAULT = 4100;
const API_DEFAULT = 'http://127.0.0.1:8080/v1';

const usage = `Receives webhooks on 127.0.0.1, verifies them and prints them. Stop it with Ctrl-C.

  npm run listen -- --key ick_live_...     registers its own webhook, verifies, and deletes the webhook at the end
  npm run listen -- --key ... --api URL    the API to register with (default ${API_DEFAULT})
  npm run listen -- --key ... --events finding.created,scan.completed    receives only these events (default all)
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

/** Error for a wrong command line of `npm run listen`. Its message is a sentence that states what to change. */
class UsageError extends Error {}

await main().catch(fail);

function fail(error: unknown): void {
  if (error instanceof ApiError || error instanceof NetworkError) {
    const details = error instanceof ApiError ? error.details.map(({ path, message }) => ` ${path}: ${message}`) : [];
    process.stderr.write(`The webhook is not changed. ${error.message}${details.join('')}\n`);
    process.exitCode = 1;
    return;
  }
  const isSaid = error instanceof UsageError || error instanceof TypeError;
  process.stderr.write(`${isSaid ? `${error.message} For all options: npm run listen -- --help` : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: String(PORT_DEFAULT) },
      secret: { type: 'string', multiple: true },
      key: { type: 'string' },
      api: { type: 'string', default: API_DEFAULT },
      events: { type: 'string', default: publicEventTypes.join(',') },
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
  if (values.key !== undefined && values.secret !== undefined) {
    throw new UsageError('Pass either --key or --secret: with --key, the secret of the new webhook is used.');
  }
  const secrets = [...(values.secret ?? (fromEnvironment === '' ? [] : [fromEnvironment]))];
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
  // The webhook is registered after the port is known to be free, and its secret applies from then on.
  const own =
    values.key === undefined
      ? undefined
      : await registerOwnWebhook({
          api: values.api,
          key: values.key,
          url: `${listener.url}/hooks`,
          events: values.events.split(','),
        }).catch(async (error: unknown) => {
          await listener.stop();
          throw error;
        });
  if (own !== undefined) secrets.splice(0, secrets.length, own.secret);
  const how = secrets.length === 0 ? 'without a secret, so webhooks are not verified' : 'verifying';
  process.stderr.write(`Listening on ${listener.url}, ${how}. Stop with Ctrl-C.\n`);
  const stop = (): void => {
    const { verified, refused, unverified } = listener.counts;
    process.stderr.write(`\n${verified} verified, ${refused} refused, ${unverified} not verified.\n`);
    void Promise.allSettled([own?.remove(), listener.stop()]).then(([removed]) => {
      if (removed.status === 'rejected') fail(removed.reason);
    });
  };
  // The second Ctrl-C ends the process, because its signal no longer has a listener.
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`The option ${option} is "${text}", but it must be a whole number from ${min} to ${max}.`);
}
