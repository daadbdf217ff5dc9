import { parseArgs } from 'node:util';
import { ApiError, NetworkError, createClient } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import { postFile } from './post-file.js';
import { replay } from './replay.js';
import { tail } from './tail.js';
import type { Terminal } from './terminal.js';
import { UsageError, wholeNumber } from './usage-error.js';

const API_DEFAULT = 'http://127.0.0.1:8080/v1';

/** Exit codes of the command line client. A script can branch on the decision without reading the output. */
export const EXIT = { ok: 0, failed: 1, usage: 2, review: 3, block: 4 } as const;

const USAGE = `The command line of the invoice control API.

  invoice-control post FILE       sends an invoice (JSON, PDF, image or XML), waits, and prints the decision
  invoice-control tail            prints each new decision until you press Ctrl-C
  invoice-control replay ID...    sends webhook deliveries again
  invoice-control replay --webhook ID    sends again what this webhook did not receive

In the repository, \`npm run api -- post FILE\` does the same.

Options of every command:
  --key ick_live_...    the API key; INVOICE_CONTROL_API_KEY=... keeps it out of the history of the shell
  --api URL             the address of the API, which ends in /v1; also INVOICE_CONTROL_URL
                        Without both, the demonstration of \`npm start\` in this directory is used, else ${API_DEFAULT}.
  --json                prints one line of JSON for each result
  -h, --help            prints this text

Options of post:
  --idempotency-key KEY    for JSON: repeating the command with the same key creates no second invoice
  --company ID             for files: the company that the invoice is for
  --purchase-order REF     for files: the reference of the purchase order

Options of tail:
  --last N       first prints the last N decisions (default 0, at most 100)
  --count N      ends after N decisions
  --seconds N    looks for new decisions every N seconds (default 2)

Options of replay:
  --webhook ID    the webhook whose failed deliveries are sent again, at most 1,000
  --dry-run       prints the deliveries and sends nothing

Exit codes: 0 done (post: PASS), 1 error, 2 wrong command line, 3 post: REVIEW, 4 post: BLOCK.`;

/**
 * Runs one command of the command line client.
 * @returns the exit code
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(args, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.printError(`${error.message} For all options: invoice-control --help`);
      return EXIT.usage;
    }
    if (terminal.signal.aborted) {
      terminal.printError('The command was interrupted before it finished.');
      return EXIT.failed;
    }
    if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
    terminal.printError(sentenceOf(error));
    return EXIT.failed;
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = read(args);
  if (values.help) {
    terminal.print(USAGE);
    return EXIT.ok;
  }
  const [command, ...operands] = positionals;
  const { json: isJson } = values;
  switch (command) {
    case 'post': {
      const [path] = operands;
      if (path === undefined || operands.length > 1) throw new UsageError('post needs exactly one file.');
      const bytes = await terminal.readFile(path).catch(() => {
        throw new UsageError(`The file ${path} cannot be read. Check its name.`);
      });
      const decision = await postFile(
        await clientOf(values, terminal),
        { path, bytes },
        { ...values, isJson },
        terminal,
      );
      return { PASS: EXIT.ok, REVIEW: EXIT.review, BLOCK: EXIT.block }[decision];
    }
    case 'tail': {
      if (operands.length > 0) throw new UsageError('tail takes no operands.');
      const options = {
        last: wholeNumber('--last', values.last, 0, 100),
        count: values.count === undefined ? Infinity : wholeNumber('--count', values.count, 1, 1_000_000),
        pauseMs: wholeNumber('--seconds', values.seconds, 1, 3_600) * 1_000,
        isJson,
      };
      await tail(await clientOf(values, terminal), options, terminal).catch((error: unknown) => {
        // The user usually ends the command `tail` by an interruption, so this is not an error.
        if (!terminal.signal.aborted) throw error;
      });
      return EXIT.ok;
    }
    case 'replay': {
      const { webhook } = values;
      if ((webhook === undefined) === (operands.length === 0)) {
        throw new UsageError('replay needs either the ids of deliveries, or --webhook with the id of a webhook.');
      }
      const what = webhook === undefined ? { deliveryIds: operands } : { webhookId: webhook };
      const failed = await replay(
        await clientOf(values, terminal),
        what,
        { isDryRun: values['dry-run'], isJson },
        terminal,
      );
      return failed === 0 ? EXIT.ok : EXIT.failed;
    }
    case undefined:
      throw new UsageError('The command is missing: choose post, tail or replay.');
    default:
      throw new UsageError(`The command line client has no command ${command}: choose post, tail or replay.`);
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        key: { type: 'string' },
        api: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        'idempotency-key': { type: 'string' },
        company: { type: 'string' },
        'purchase-order': { type: 'string' },
        last: { type: 'string', default: '0' },
        count: { type: 'string' },
        seconds: { type: 'string', default: '2' },
        webhook: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]?.replace(/\.?$/, '.') ?? ''}`);
  }
}

async function clientOf(values: { key?: string; api?: string }, terminal: Terminal): Promise<Client> {
  const { env } = terminal;
  const key = values.key ?? env['INVOICE_CONTROL_API_KEY'];
  const api = values.api ?? env['INVOICE_CONTROL_URL'];
  // The API key of the demonstration installation is never sent to another address.
  const demonstration = key === undefined ? await demonstrationOf(terminal, api) : undefined;
  try {
    return createClient({
      baseUrl: api ?? demonstration?.baseUrl ?? API_DEFAULT,
      apiKey: key ?? demonstration?.keys.owner,
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

interface Demonstration {
  readonly baseUrl: string;
  readonly keys: { readonly owner: string };
}

async function demonstrationOf({ readDemonstration }: Terminal, api: string | undefined): Promise<Demonstration> {
  const found = api === undefined ? await readDemonstration().catch(() => undefined) : undefined;
  try {
    return JSON.parse(found ?? '') as Demonstration;
  } catch {
    throw new UsageError('The command needs an API key. Pass the key with --key, or set INVOICE_CONTROL_API_KEY.');
  }
}

function sentenceOf(error: ApiError | NetworkError): string {
  if (error instanceof NetworkError) return error.message;
  const { message, code, requestId, details } = error;
  const named = [...(code === undefined ? [] : [code]), ...(requestId === undefined ? [] : [requestId])].join(', ');
  return [
    `${message}${named === '' ? '' : ` (${named})`}`,
    ...details.map((fault) => `  ${fault.path}: ${fault.message}`),
  ].join('\n');
}
