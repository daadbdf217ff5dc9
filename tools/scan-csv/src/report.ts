import { styleText } from 'node:util';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Outcome, ScanResult } from './api.js';
import type { Chunk } from './chunks.js';
import { columnName } from '@invoicecontrol/ledger-csv/columns';
import { KEY_VARIABLE } from './options.js';
import { nameOf } from './plan.js';
import type { Plan } from './plan.js';
import { printable } from '@invoicecontrol/ledger-csv/printable';
import { counted, table } from './text-table.js';
import { scanFields } from '@invoicecontrol/ledger-csv/scan-row';

const ROWS_SHOWN_MAX = 5;
const LINES_SHOWN_MAX = 10;
const SCANS_SHOWN_MAX = 3;
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'];

/** The result of `scan-csv`, as printed with `--json`. */
export interface Summary {
  /** False if `scan-csv` ended before every row was sent. */
  readonly complete: boolean;
  readonly rowsRead: number;
  /** Number of rows in the history scan requests that got a response. */
  readonly rowsSent: number;
  readonly rowsNotSent: number;
  /** Skipped rows in the order of the CSV file. `line` is the line in which the row begins. */
  readonly rowsSkipped: readonly { readonly line: number; readonly reason: string; readonly externalId?: string }[];
  readonly invoicesAnalyzed: number;
  /**
   * Totals with one entry for each currency. There are several entries only if the base currency changed between two
   * requests.
   */
  readonly analyzedValues: readonly { readonly value: string; readonly currency: string }[];
  readonly unconvertedInvoices: number;
  readonly decisionCounts: Readonly<Record<string, number>>;
  /**
   * The most severe finding types come first. `severity` is the highest severity that the type can have, or null if the
   * type is unknown.
   */
  readonly findings: readonly { readonly type: string; readonly severity: string | null; readonly count: number }[];
  readonly scans: readonly { readonly id: string; readonly invoicesAnalyzed: number; readonly sentBefore: boolean }[];
}

export interface Sent {
  readonly chunk: Chunk;
  readonly outcome: Outcome;
}

/**
 * Summarizes the responses to all history scan requests.
 * @param severitiesByType the possible severities of each type, least severe first
 */
export function summarize(
  plan: Plan,
  sent: readonly Sent[],
  severitiesByType: ReadonlyMap<string, readonly string[]>,
): Summary {
  const scans = sent.flatMap(({ outcome }) => (outcome.kind === 'scanned' ? [outcome] : []));
  const results = scans.map(({ scan }) => scan);
  const rowsSent = sent.reduce((sum, { chunk }) => sum + chunk.rows.length, 0);
  const skipped = [...plan.skipped, ...sent.flatMap(skippedByService)].sort((a, b) => a.line - b.line);
  return {
    complete: rowsSent === plan.rowsToSend,
    rowsRead: plan.recordsRead,
    rowsSent,
    rowsNotSent: plan.rowsToSend - rowsSent,
    rowsSkipped: skipped,
    invoicesAnalyzed: results.reduce((sum, { invoicesAnalyzed }) => sum + invoicesAnalyzed, 0),
    analyzedValues: sumValues(results),
    unconvertedInvoices: results.reduce((sum, { unconvertedInvoices }) => sum + unconvertedInvoices, 0),
    decisionCounts: sumCounts(results.map(({ decisionCounts }) => decisionCounts)),
    findings: Object.entries(sumCounts(results.map(({ findingCounts }) => findingCounts)))
      .map(([type, count]) => ({ type, severity: severitiesByType.get(type)?.at(-1) ?? null, count }))
      .sort((a, b) => rankOf(a.severity) - rankOf(b.severity) || b.count - a.count || (a.type < b.type ? -1 : 1)),
    scans: scans.map(({ scan, wasSentBefore }) => ({
      id: scan.id,
      invoicesAnalyzed: scan.invoicesAnalyzed,
      sentBefore: wasSentBefore,
    })),
  };
}

function skippedByService({ chunk, outcome }: Sent): Summary['rowsSkipped'] {
  if (outcome.kind === 'scanned') {
    return outcome.scan.skippedRows.map(({ sourceRowNumber, externalId, reason }) => ({
      line: sourceRowNumber,
      reason,
      externalId,
    }));
  }
  return chunk.rows.map(({ sourceRowNumber, externalId = '' }) => ({
    line: sourceRowNumber,
    reason: 'ALREADY_IMPORTED',
    externalId,
  }));
}

function sumValues(results: readonly ScanResult[]): Summary['analyzedValues'] {
  const micro = new Map<string, bigint>();
  const decimals = new Map<string, number>();
  for (const { analyzedValue, analyzedValueCurrency: currency } of results) {
    micro.set(currency, (micro.get(currency) ?? 0n) + toMicro(analyzedValue));
    decimals.set(currency, analyzedValue.split('.')[1]?.length ?? 0);
  }
  return [...micro].map(([currency, sum]) => ({
    value: withDecimals(microToDecimal(sum), decimals.get(currency) ?? 0),
    currency,
  }));
}

/** Formats an amount with as many decimals as the service shows for this currency. */
function withDecimals(amount: string, decimals: number): string {
  const [integer = '0', fraction = ''] = amount.split('.');
  return decimals === 0 && fraction === '' ? integer : `${integer}.${fraction.padEnd(decimals, '0')}`;
}

function sumCounts(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) {
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

function rankOf(severity: string | null): number {
  const rank = severity === null ? -1 : severities.indexOf(severity);
  return rank === -1 ? severities.length : rank;
}

export type Paint = (format: 'bold' | 'red' | 'yellow' | 'green' | 'dim', text: string) => string;

export function painter(hasColours: boolean): Paint {
  return (format, text) => (hasColours ? styleText(format, text, { validateStream: false }) : text);
}

/** Returns the output lines that state how the CSV file was read. */
export function describeReading({ form, conventions, notes }: Plan, paint: Paint): string {
  const { encoding, delimiter, header, columns } = form;
  const order = conventions.dates === 'dmy' ? 'day before month' : 'month before day';
  const used = new Set(Object.values(columns));
  const unused = header.flatMap((name, column) =>
    used.has(column) || name === '' ? [] : [columnName(header, column)],
  );
  const mapping = scanFields.flatMap((field) => (columns[field] === undefined ? [] : [[field, nameOf(form, field)]]));
  return [
    `Read as ${encoding}, cells separated by ${delimiterNames[delimiter]}, decimal ${conventions.decimal}, ${order}.`,
    table(mapping),
    ...(conventions.currency === undefined ? [] : [`Rows without a currency are in ${conventions.currency}.`]),
    ...(unused.length === 0 ? [] : [`Not used: ${unused.join(', ')}`]),
    ...notes.map((note) => paint('yellow', `Note: ${note}`)),
    '',
  ].join('\n');
}

const delimiterNames = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' } as const;

/** Returns the result of a dry run of `scan-csv` as text. */
export function describePlan({ chunks, rowsToSend, recordsRead, skipped, form }: Plan, paint: Paint): string {
  const fields = scanFields.filter((field) => form.columns[field] !== undefined || field === 'currency');
  const first = chunks.flatMap(({ rows }) => rows.slice(0, ROWS_SHOWN_MAX)).slice(0, ROWS_SHOWN_MAX);
  const shown = first.map((row) => [
    String(row.sourceRowNumber),
    ...fields.map((field) => printable(row[field] ?? '', 28)),
  ]);
  const last = chunks.at(-1)?.rows.at(-1);
  return [
    paint('bold', `${counted(rowsToSend, 'row')} would be sent in ${counted(chunks.length, 'request')}`) +
      `, of ${recordsRead} read, sorted by date from ${first[0]?.issueDate} to ${last?.issueDate}. The first ones:`,
    table([['line', ...fields], ...shown], (column) => column === 0 || fields[column - 1] === 'grossAmount'),
    ...describeSkipped(skipped),
    '',
  ].join('\n');
}

/** Returns the result of a dry run of `scan-csv` as JSON. */
export function planAsJson({ chunks, rowsToSend, recordsRead, skipped, form, conventions, notes }: Plan): unknown {
  const { encoding, delimiter, header, columns } = form;
  return {
    encoding,
    delimiter,
    decimal: conventions.decimal,
    dates: conventions.dates,
    columns: Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, header[column]])),
    rowsRead: recordsRead,
    rowsToSend,
    requests: chunks.length,
    rowsSkipped: skipped,
    firstRows: chunks[0]?.rows.slice(0, ROWS_SHOWN_MAX) ?? [],
    notes,
  };
}

const reasons: Readonly<Record<string, string>> = {
  NOT_AN_INVOICE: 'not an invoice: two of supplier, number and date are empty, as in totals',
  HEADING_REPEATED: 'repeated heading',
  FAULTY: 'cannot be read',
  ALREADY_IMPORTED: 'imported by an earlier scan (same externalId)',
  DUPLICATE_EXTERNAL_ID_IN_FILE: 'same externalId as an earlier row of the file',
};

function describeSkipped(skipped: readonly { readonly line: number; readonly reason: string }[]): string[] {
  const occurring = [...new Set(skipped.map(({ reason }) => reason))];
  return occurring.map((reason) => {
    const rows = skipped.filter((row) => row.reason === reason);
    const lines = rows.slice(0, LINES_SHOWN_MAX).map(({ line }) => line);
    const rest = rows.length > lines.length ? ', ...' : '';
    return `Skipped ${rows.length}: ${reasons[reason] ?? printable(reason)} (line ${lines.join(', ')}${rest})`;
  });
}

/** Values from which the command for reading the findings is built. */
export interface FindingsLink {
  readonly baseUrl: string;
  readonly keyFile: string | undefined;
}

/** Returns the summary of the history scan as text. */
export function describeSummary(summary: Summary, { baseUrl, keyFile }: FindingsLink, paint: Paint): string {
  const { rowsRead, rowsSent, rowsSkipped, rowsNotSent, scans, unconvertedInvoices, analyzedValues, findings } =
    summary;
  const sentBefore = scans.filter((scan) => scan.sentBefore).length;
  const value = analyzedValues.map((each) => `${each.currency} ${each.value}`).join(' + ') || 'none';
  const decisions = ['PASS', 'REVIEW', 'BLOCK'].map((name) =>
    paint(decisionColours[name] ?? 'bold', `${name} ${summary.decisionCounts[name] ?? 0}`),
  );
  const key = keyFile === undefined ? `$${KEY_VARIABLE}` : `$(cat '${keyFile.replaceAll("'", String.raw`'\''`)}')`;
  return [
    paint('bold', `${counted(rowsRead, 'row')} read, ${rowsSent} sent, ${rowsSkipped.length} skipped`) +
      (rowsNotSent > 0 ? paint('red', `, ${rowsNotSent} not sent`) : ''),
    ...describeSkipped(rowsSkipped),
    ...(sentBefore === 0
      ? []
      : [`${counted(sentBefore, 'request')} had been sent before; the results are from that run.`]),
    '',
    `Invoices analyzed  ${summary.invoicesAnalyzed}`,
    `Analyzed value     ${value}${unconvertedInvoices > 0 ? `, without ${counted(unconvertedInvoices, 'invoice')} that ${unconvertedInvoices === 1 ? 'has' : 'have'} no exchange rate` : ''}`,
    `Decisions          ${decisions.join('   ')}`,
    findings.length === 0 ? 'Findings           none' : 'Findings by type, with its highest possible severity:',
    ...(findings.length === 0
      ? []
      : [
          table(
            findings.map(({ severity, type, count }) => [severity ?? '', type, String(count)]),
            (column) => column === 2,
          ),
        ]),
    ...(scans.length === 0
      ? []
      : [
          '',
          'Read the findings:',
          ...scans
            .slice(0, SCANS_SHOWN_MAX)
            .map(({ id }) => `  curl -s "${baseUrl}/findings?scan_id=${id}" -H "Authorization: Bearer ${key}"`),
          ...(scans.length > SCANS_SHOWN_MAX
            ? [`  and so on for ${scans.length - SCANS_SHOWN_MAX} more scans: --json lists their ids`]
            : []),
        ]),
    '',
  ].join('\n');
}

const decisionColours: Readonly<Record<string, 'red' | 'yellow' | 'green'>> = {
  PASS: 'green',
  REVIEW: 'yellow',
  BLOCK: 'red',
};
