// Runs `npm run check-payments -- FILE`, which checks a file for the bank against a running system.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const API_DEFAULT = 'http://127.0.0.1:8080/v1';
/** File in which `npm start` keeps the keys of the demonstration. */
const DEMONSTRATION = '.data/demo.json';
const PAGE_SIZE = '100';

const usage = `Checks a payment run (pain.001 or JSON) line by line before the money leaves, and prints the lines that are not PAY.

  npm run check-payments -- run.xml                       checks the file with the demonstration of npm start
  npm run check-payments -- run.xml --key ick_live_...    another key; INVOICE_CONTROL_KEY=... keeps it out of the history
  npm run check-payments -- run.xml --api URL             another API (default ${API_DEFAULT})
  npm run check-payments -- run.xml --out clean.xml       also gives out what may be paid, once, into this file
  npm run check-payments -- run.xml --all                 prints the lines that may be paid too

The exit code is 0 if every line may be paid, 3 if a line is held or unknown, and 1 after an error.
`;

const SOME_NOT_PAID = 3;

/** Error of the command that checks a payment file. Its message is a sentence that states what to change. */
class UsageError extends Error {}

interface Line {
  readonly id: string;
  readonly verdict: string;
  readonly amount: string;
  readonly currency: string;
  readonly creditorName: string | null;
  readonly reasons: readonly { readonly code: string; readonly summary: string }[];
  readonly candidates: readonly { readonly invoiceId: string; readonly whyNot: string }[];
}

interface Run {
  readonly id: string;
  readonly lineCount: number;
  readonly pay: Count;
  readonly hold: Count;
  readonly unknown: Count;
}

interface Count {
  readonly count: number;
  readonly sums: readonly { readonly currency: string; readonly amount: string }[];
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      api: { type: 'string', default: API_DEFAULT },
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
  // npm runs scripts in the directory of the package; INIT_CWD is the directory of the user.
  const directory = process.env['INIT_CWD'] ?? process.cwd();
  const bytes = await readFile(resolve(directory, file)).catch(() => {
    throw new UsageError(`The file ${file} cannot be read. Check its name.`);
  });
  const api = apiOf(values.api, values.key ?? process.env['INVOICE_CONTROL_KEY'] ?? (await demonstrationKey()));
  const isJson = bytes.subarray(0, 1_000).toString('latin1').trimStart().startsWith('{');
  const sent = await api('/payment-runs', {
    method: 'POST',
    headers: { 'content-type': isJson ? 'application/json' : 'application/xml' },
    body: bytes,
  });
  const run = (await sent.json()) as Run;
  for (const line of await linesOf(api, run.id)) {
    if (line.verdict !== 'PAY' || values.all) process.stdout.write(`${describe(line)}\n`);
  }
  const counts = [
    describeCount('pay', run.pay),
    describeCount('hold', run.hold),
    describeCount('unknown', run.unknown),
  ];
  process.stdout.write(`${run.lineCount} lines: ${counts.join(', ')}. Run ${run.id}.\n`);
  if (values.out !== undefined) {
    const given = await api(`/payment-runs/${run.id}/file`, {});
    await writeFile(resolve(directory, values.out), new Uint8Array(await given.arrayBuffer()));
    process.stdout.write(`The lines that may be paid are in ${values.out}. They are given out once.\n`);
  }
  return run.hold.count + run.unknown.count === 0 ? 0 : SOME_NOT_PAID;
}

type Api = (path: string, request: RequestInit) => Promise<Response>;

function apiOf(base: string, key: string): Api {
  return async (path, request) => {
    const headers = { authorization: `Bearer ${key}`, ...(request.headers as Record<string, string> | undefined) };
    const response = await fetch(`${base}${path}`, { ...request, headers }).catch(() => {
      throw new UsageError(`No service responds at ${base}. Start it with npm start, or name another one with --api.`);
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: { message: string } };
    throw new UsageError(error.message);
  };
}

async function demonstrationKey(): Promise<string> {
  try {
    const { keys } = JSON.parse(await readFile(DEMONSTRATION, 'utf8')) as { keys: { owner: string } };
    return keys.owner;
  } catch {
    throw new UsageError('There is no API key. Pass one with --key, or run npm start first.');
  }
}

async function linesOf(api: Api, runId: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  let cursor: string | null = null;
  do {
    const search: string = new URLSearchParams({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) }).toString();
    const response = await api(`/payment-runs/${runId}/lines?${search}`, {});
    const page = (await response.json()) as { items: readonly Line[]; nextCursor: string | null };
    lines.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return lines;
}

function describe({ id, verdict, amount, currency, creditorName, reasons, candidates }: Line): string {
  const head = `${verdict.padEnd(7)} ${id.padEnd(8)} ${currency} ${amount}  ${creditorName ?? ''}`;
  const near = candidates.map(({ invoiceId, whyNot }) => `near ${invoiceId}: ${whyNot}`);
  return [
    head,
    ...reasons.map(({ code, summary }) => `        ${code}: ${summary}`),
    ...near.map((text) => `        ${text}`),
  ].join('\n');
}

function describeCount(name: string, { count, sums }: Count): string {
  const amounts = sums.map(({ currency, amount }) => `${currency} ${amount}`).join(', ');
  return `${count} ${name}${amounts === '' ? '' : ` (${amounts})`}`;
}
