// Runs npm run bench:reading, which measures how many fields of the hand-written invoices are read, and how reliable
// their confidence is.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { sniffMediaType } from '@invoicecontrol/extraction/media-type';
import { closeRecogniser } from '@invoicecontrol/extraction/ocr/recogniser';
import { countFindings, fieldBands, measureInvoice } from '@invoicecontrol/extraction/testing/measure-reading';
import type { FieldBand, MeasuredField, Sending } from '@invoicecontrol/extraction/testing/measure-reading';
import { evaluationSets, readEvaluationSet } from '@invoicecontrol/extraction/testing/evaluated-invoice';
import { asScan } from '@invoicecontrol/extraction/testing/scan-invoice';
import { step } from './progress.js';
import { endAfter, onEnd, runProgram } from './run-program.js';

/** Maximum time for reading all images of the invoices; PDFs take some seconds. */
const MINUTES_MAX = 15;

const usage = `Reads the invoices of packages/extraction/evaluation and prints the share of right fields, and the errors.

  npm run bench:reading                          all sets as PDFs with a text layer, about a minute
  npm run bench:reading -- --scan 200            as pictures of 200 dpi by OCR, some minutes
  npm run bench:reading -- --scan 200 --rough    slightly turned, blurred and grainy
  npm run bench:reading -- --set second-set.txt  one set; third-set has PDFs of other programs,
                                                 and fourth-set has scans and photos too

Ends after ${MINUTES_MAX} minutes at the latest.
`;
const evaluation = new URL('../../../packages/extraction/evaluation/', import.meta.url);
const DPI_MIN = 72;
const DPI_MAX = 600;

const { values } = parseArgs({
  options: {
    scan: { type: 'string' },
    rough: { type: 'boolean', default: false },
    set: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await runProgram(run);

async function run(): Promise<void> {
  const dpi = values.scan === undefined ? undefined : Number(values.scan);
  if (dpi !== undefined && !(dpi >= DPI_MIN && dpi <= DPI_MAX)) {
    throw new Error(`--scan is "${values.scan}"; it must be between ${DPI_MIN} and ${DPI_MAX} dpi.`);
  }
  endAfter(MINUTES_MAX);
  onEnd(closeRecogniser);
  for (const set of values.set === undefined ? evaluationSets : [values.set]) {
    step(set);
    const invoices = readEvaluationSet(set);
    const measured: MeasuredField[] = [];
    for (const invoice of invoices) {
      measured.push(...(await measureInvoice(invoice, dpi === undefined ? undefined : asScan(dpi, values.rough))));
    }
    print(set, measured);
    // With the option `--scan`, the PDF invoices are also read as pictures.
    const scans = dpi === undefined ? scansOf(set) : new Map<string, URL>();
    if (scans.size === 0) continue;
    step(`${set}, scans`);
    const scanned: MeasuredField[] = [];
    for (const invoice of invoices) {
      const scan = scans.get(invoice.name);
      if (scan !== undefined) scanned.push(...(await measureInvoice(invoice, asFile(scan))));
    }
    print(`${set}, scans`, scanned);
  }
}

/**
 * Returns the scans and photos of the invoices in a set, by the name of the invoice. The scan of `NAME.pdf` is the file
 * `NAME-scan.jpg` next to it; some invoices have no scan.
 */
function scansOf(set: string): Map<string, URL> {
  const scans = new Map<string, URL>();
  for (const path of readdirSync(evaluation, { recursive: true, encoding: 'utf8' })) {
    const [, folder, name] = /^([^/]+)\/([^/]+)-scan\.(?:pdf|png|jpg)$/u.exec(path) ?? [];
    if (folder === set && name !== undefined) scans.set(name, new URL(path, evaluation));
  }
  return scans;
}

/** Returns a stored scan of the invoice in place of the PDF. */
function asFile(scan: URL): Sending {
  return async () => {
    const bytes = await readFile(scan);
    const mediaType = sniffMediaType(bytes);
    if (mediaType === undefined) throw new Error(`${scan.pathname} is neither a PDF nor a picture.`);
    return { bytes, mediaType };
  };
}

function print(set: string, measured: readonly MeasuredField[]): void {
  const lines = [`${set}\n`];
  for (const { invoice, field, expected, found, isRight } of measured) {
    if (isRight) continue;
    const read = found === undefined ? 'nothing' : `${found.value} (${found.confidence})`;
    lines.push(`  ${invoice}: ${field} is ${expected ?? 'not stated'}, read ${read}`);
  }
  lines.push('', `  ${'field'.padEnd(16)} stated   right  wrong  missing`);
  const fields = [...new Set(measured.map((one) => one.field))];
  for (const field of fields)
    lines.push(
      lineOf(
        field,
        measured.filter((one) => one.field === field),
      ),
    );
  lines.push(lineOf('all', measured));
  lines.push('', '  right/wrong by confidence', `  ${''.padEnd(16)} ${bandsOf(fields[0] ?? '', measured, nameOfBand)}`);
  for (const field of fields) lines.push(`  ${field.padEnd(16)} ${bandsOf(field, measured, countsOfBand)}`);
  const { keyFields, wrongWithoutFinding, invoices, invoicesWithFinding } = countFindings(measured);
  const share = ((100 * wrongWithoutFinding.length) / Math.max(1, keyFields)).toFixed(1);
  lines.push(
    '',
    `  key fields wrong without a finding: ${wrongWithoutFinding.length} of ${keyFields} (${share} %)`,
    ...wrongWithoutFinding.map(({ invoice, field }) => `    ${invoice}: ${field}`),
    `  invoices with a finding about a key field: ${invoicesWithFinding} of ${invoices}`,
  );
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

function bandsOf(field: string, measured: readonly MeasuredField[], text: (band: FieldBand) => string): string {
  return fieldBands(measured, field)
    .map((band) => text(band).padStart(8))
    .join('');
}

function nameOfBand({ from }: FieldBand): string {
  return `${from.toFixed(1)}+`;
}

function countsOfBand({ right, wrong }: FieldBand): string {
  return right + wrong === 0 ? '-' : `${right}/${wrong}`;
}

/** A value that was read from a document although the invoice states none counts as wrong. */
function lineOf(name: string, own: readonly MeasuredField[]): string {
  const share = (matches: (one: MeasuredField) => boolean): string => percent(own.filter(matches).length / own.length);
  const shares = [
    share(({ isRight }) => isRight),
    share(({ isRight, found }) => !isRight && found !== undefined),
    share(({ isRight, found }) => !isRight && found === undefined),
  ];
  const [right = '', wrong = '', missing = ''] = shares;
  return `  ${name.padEnd(16)} ${String(own.length).padStart(6)} ${right.padStart(7)} ${wrong.padStart(6)} ${missing.padStart(8)}`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
