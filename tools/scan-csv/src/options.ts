import { parseArgs } from 'node:util';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { parseUrl } from '@invoicecontrol/values/url';
import type { DecimalMark } from '@invoicecontrol/ledger-csv/amounts';
import { decimalMarks } from '@invoicecontrol/ledger-csv/amounts';
import type { Overrides } from '@invoicecontrol/ledger-csv/columns';
import type { DateOrder } from '@invoicecontrol/ledger-csv/dates';
import { dateOrders } from '@invoicecontrol/ledger-csv/dates';
import { isScanField, requiredFields, scanFields } from '@invoicecontrol/ledger-csv/scan-row';
import type { ScanField } from '@invoicecontrol/ledger-csv/scan-row';
import { UsageError } from '@invoicecontrol/ledger-csv/usage-error';

const DEFAULT_BASE_URL = 'http://localhost:8080/v1';
export const KEY_VARIABLE = 'INVOICE_CONTROL_API_KEY';

export interface Options {
  readonly help: boolean;
  readonly file: string;
  readonly baseUrl: string;
  readonly keyFile: string | undefined;
  readonly companyId: string | undefined;
  readonly currency: string | undefined;
  readonly overrides: Overrides;
  /** Decimal separator of the amounts in the CSV file. Undefined if it is to be detected from the column. */
  readonly decimal: DecimalMark | undefined;
  /** Order of day and month in the dates of the CSV file. Undefined if it is to be detected from the column. */
  readonly dates: DateOrder | undefined;
  /** Encoding of the CSV file. Undefined if the program is to detect the encoding. */
  readonly encoding: string | undefined;
  readonly negate: boolean;
  readonly skipFaulty: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Reads the options of `scan-csv` from the command line.
 * @throws UsageError that names the option and its allowed values
 */
export function readOptions(args: readonly string[]): Options {
  refuseKeys(args);
  const { values, positionals } = parse(args);
  const { help = false, json = false } = values;
  const [file, ...more] = positionals;
  if (file === undefined && !help) throw new UsageError('Pass the file to read. Run with --help to see how.');
  if (more.length > 0)
    throw new UsageError(`Only one file can be scanned at a time, but ${positionals.length} were passed.`);
  return {
    help,
    json,
    file: file ?? '',
    baseUrl: baseUrl(values['base-url'] ?? DEFAULT_BASE_URL),
    keyFile: values['key-file'],
    companyId: company(values.company),
    currency: currency(values.currency),
    overrides: overrides(values.map ?? []),
    decimal: oneOf('decimal', decimalMarks, values.decimal),
    dates: oneOf('dates', dateOrders, values.dates),
    encoding: encoding(values.encoding),
    negate: values.negate ?? false,
    skipFaulty: values['skip-faulty'] ?? false,
    dryRun: values['dry-run'] ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'base-url': { type: 'string' },
        'key-file': { type: 'string' },
        company: { type: 'string' },
        currency: { type: 'string' },
        map: { type: 'string', multiple: true },
        decimal: { type: 'string' },
        dates: { type: 'string' },
        encoding: { type: 'string' },
        negate: { type: 'boolean' },
        'skip-faulty': { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. Run with --help to see the options.`);
  }
}

/** Refuses an API key on the command line, because all users of a machine can read the arguments of its processes. */
function refuseKeys(args: readonly string[]): void {
  if (args.some((argument) => /ick_(?:live|test)_|^--(?:api-)?key(?:=|$)/.test(argument))) {
    throw new UsageError(
      `Other users can read an API key on the command line: put it into ${KEY_VARIABLE} or a file named by --key-file. If it was a real one, replace it.`,
    );
  }
}

function baseUrl(text: string): string {
  const url = parseUrl(text);
  const isUsable =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    [url.search, url.hash, url.username, url.password].every((part) => part === '');
  if (!isUsable) throw new UsageError(`--base-url must be an address such as ${DEFAULT_BASE_URL}.`);
  return url.href.replace(/(?<!\/)\/+$/, '');
}

function company(text: string | undefined): string | undefined {
  if (text === undefined || UUID.test(text)) return text;
  throw new UsageError('--company must be the id of a company, a UUID. GET /companies lists the ids.');
}

function currency(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // The option `--currency` applies to all rows, so only its code is checked here. Whether the currency was valid on
  // the date of an invoice is checked for each row.
  const read = invoiceCurrency(text, '2000-01-01');
  if ('code' in read) return read.code;
  throw new UsageError(`--currency: ${read.refusal}`);
}

function overrides(texts: readonly string[]): Overrides {
  const result = new Map<ScanField, string>();
  for (const text of texts) {
    const field = text.split('=', 1)[0] ?? '';
    if (!isScanField(field) || !text.includes('=')) {
      throw new UsageError(`--map must be field="Column" with one of the fields ${scanFields.join(', ')}.`);
    }
    result.set(field, text.slice(field.length + 1).trim());
  }
  return result;
}

function oneOf<T extends string>(name: string, allowed: readonly T[], text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new UsageError(`--${name} must be ${allowed.join(' or ')}.`);
  return found;
}

function encoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new UsageError('--encoding must be a name such as utf-8, windows-1250, windows-1252 or utf-16le.');
  }
}

export const HELP = `Scans a ledger: sends the invoices of a CSV file to POST /scans and prints a summary.

Usage: npm run scan-csv -- FILE.csv [options]

  --base-url URL         the address of the service (default ${DEFAULT_BASE_URL})
  --key-file FILE        a file with the API key (default: the environment variable ${KEY_VARIABLE})
  --company ID           the company of the ledger (default: the default company)
  --currency EUR         the currency of rows without one (default: the base currency of the organization)
  --map FIELD="Column"   the column of a field, by name or as "#3"; empty: none. May be repeated.
  --decimal comma|point  the decimal separator, if the file is ambiguous
  --dates dmy|mdy        whether day or month comes first, if the file is ambiguous
  --encoding NAME        the encoding, such as windows-1250 (default: detected)
  --negate               invert the sign of every amount: for ledgers with negative liabilities
  --skip-faulty          skip rows that cannot be read, instead of sending none
  --dry-run              show how the file is read and send nothing; needs no key
  --json                 print only the summary, as one line of JSON
  --help                 print this help

Fields: ${scanFields.map((field) => (requiredFields.includes(field) ? `${field} (required)` : field)).join(', ')}.

Examples:
  npm run scan-csv -- ledger-2025.csv --dry-run
  ${KEY_VARIABLE}=... npm run scan-csv -- ledger-2025.csv --map supplierName="Firma 1" --dates dmy --currency PLN

To continue an interrupted run, run the same command again: nothing is sent twice.
Exit codes: 0 every row was sent, now or earlier; 1 the service refused or is unavailable, run it again;
2 nothing was sent, the message says what to change; 130 stopped with Ctrl-C.
`;
