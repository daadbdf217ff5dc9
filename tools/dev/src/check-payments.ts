// Runs `npm run check-payments -- FILE`, which checks a file for the bank against a running system.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiError, createClient, NetworkError } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';

const API_DEFAULT = 'http://127.0.0.1:8080/v1';
/** File in which `npm start` keeps the address and the API keys of the demonstration installation. */
const DEMONSTRATION = '.data/demo.json';
const PAGE_SIZE = 100;

const usage = `Checks a payment run (pain.001 or JSON) line by line before the money leaves, and prints the lines that are not PAY.

  npm run check-payments -- run.xml                       checks the file with the demonstration of npm start
  npm run check-payments -- run.xml --key ick_live_...    another key; INVOICE_CONTROL_KEY=... keeps it out of the history
  npm run check-payments -- run.xml --api URL             another API, which needs its own key (default ${API_DEFAULT})
  npm run check-payments -- run.xml --out clean.xml       also gives out what may be paid, once, into this file
  npm run check-payments -- run.xml --all                 prints the lines that may be paid too

The exit code is 0 if every line may be paid, 3 if a line is held or unknown, and 1 after an error.
`;

const SOME_NOT_PAID = 3;

/** Error of the command that checks a payment file. Its message is a sentence that states what to change. */
class UsageError extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      api: { type: 'string' },
      out: { type: 'string' },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [file] = positionals;
  if (values.help || file === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 1;
  }
  // npm runs a script in the directory of its package. INIT_CWD is the directory in which the user called npm.
  const directory = process.env['INIT_CWD'] ?? process.cwd();
  const bytes = await readFile(resolve(directory, file)).catch(() => {
    throw new UsageError(`The file ${file} cannot be read. Check its name.`);
  });
  const key = values.key ?? process.env['INVOICE_CONTROL_KEY'];
  // The API key of the demonstration installation is never sent to another address.
  const demonstration = key === undefined ? await demonstrationOf(values.api) : undefined;
  const apiKey = key ?? demonstration?.keys.owner;
  const baseUrl = values.api ?? demonstration?.baseUrl ?? API_DEFAULT;
  // The client repeats no request, because each payment line of a run can be downloaded only once: after a lost
  // response, a second download would contain nothing.
  const api = createClient({ baseUrl, apiKey, attemptsMax: 1 });
  const run = await send(api, bytes);
  const path = { runId: run.id };
  for await (const line of api.items('/payment-runs/{runId}/lines', { path, query: { limit: PAGE_SIZE } })) {
    if (line.verdict !== 'PAY' || values.all) process.stdout.write(`${describe(line)}\n`);
  }
  const counts = [
    describeCount('pay', run.pay),
    describeCount('hold', run.hold),
    describeCount('unknown', run.unknown),
  ];
  process.stdout.write(`${run.lineCount} lines: ${counts.join(', ')}. Run ${run.id}.\n`);
  if (values.out !== undefined) {
    const { data: given } = await api.file('/payment-runs/{runId}/file', { path });
    await writeFile(resolve(directory, values.out), new Uint8Array(await given.arrayBuffer()));
    process.stdout.write(`The lines that may be paid are in ${values.out}. They are given out once.\n`);
  }
  return run.hold.count + run.unknown.count === 0 ? 0 : SOME_NOT_PAID;
}

/** Sends a payment file. The same file is the same payment run, so a repeat returns the stored run. */
async function send(api: Client, bytes: Buffer): Promise<Schemas['PaymentRun']> {
  const isJson = bytes.subarray(0, 1_000).toString('latin1').trimStart().startsWith('{');
  if (!isJson) return (await api.postXml('/payment-runs', bytes)).data;
  // The Idempotency-Key is derived from the list of payments. Otherwise the client would make a new key for each call,
  // and the same list, sent again, would create a second payment run.
  const idempotencyKey = createHash('sha256').update(bytes).digest('hex');
  return (await api.post('/payment-runs', { body: listOf(bytes), idempotencyKey })).data;
}

function listOf(bytes: Buffer): Schemas['PaymentRunRequest'] {
  try {
    // The contents of the list are not checked here, because the service checks them.
    return JSON.parse(bytes.toString('utf8')) as Schemas['PaymentRunRequest'];
  } catch (error) {
    throw new UsageError(
      `The file is not valid JSON: ${(error as Error).message}. Correct it, or send the pain.001 file.`,
    );
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof NetworkError) {
    return `${error.message} Start the service with npm start, or name another one with --api.`;
  }
  if (error instanceof ApiError) {
    return [error.message, ...error.details.map(({ path, message }) => `${path}: ${message}`)].join(' ');
  }
  return error instanceof UsageError || error instanceof TypeError ? error.message : String(error);
}

interface Demonstration {
  readonly baseUrl: string;
  readonly keys: { readonly owner: string };
}

async function demonstrationOf(api: string | undefined): Promise<Demonstration> {
  try {
    if (api === undefined) return JSON.parse(await readFile(DEMONSTRATION, 'utf8')) as Demonstration;
  } catch {
    // Without a demonstration installation, the user must pass an API key, as for another address.
  }
  throw new UsageError('There is no API key. Pass one with --key, or run npm start first.');
}

function describe({
  id,
  verdict,
  amount,
  currency,
  creditorName,
  reasons,
  candidates,
}: Schemas['PaymentLine']): string {
  const head = `${verdict.padEnd(7)} ${id.padEnd(8)} ${currency} ${amount}  ${creditorName ?? ''}`;
  const near = candidates.map(({ invoiceId, whyNot }) => `near ${invoiceId}: ${whyNot}`);
  return [
    head,
    ...reasons.map(({ code, summary }) => `        ${code}: ${summary}`),
    ...near.map((text) => `        ${text}`),
  ].join('\n');
}

function describeCount(name: string, { count, sums }: Schemas['PaymentRun']['pay']): string {
  const amounts = sums.map(({ currency, amount }) => `${currency} ${amount}`).join(', ');
  return `${count} ${name}${amounts === '' ? '' : ` (${amounts})`}`;
}
