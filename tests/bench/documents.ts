// `npm run bench:documents`: what reading and validating an invoice document costs on one core, beside the bare parser as its ceiling.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { XmlDocument } from 'libxml2-wasm';
import { validateXml } from '@invoicecontrol/compliance/validate-xml';
import { readXml } from '@invoicecontrol/extraction/xml/read-xml';
import { median } from './cell.js';
import { failWith, machine, readOptions, writeReport } from './one-core.js';

const usage = `Measures reading and validation of structured invoices, on one core, without the service around it.

  npm run bench:documents                    about half a minute
  npm run bench:documents -- --seconds 1     per measurement (0.5 by default)
  npm run bench:documents -- --json FILE     the figures as JSON too
`;

const ROUNDS = 5;
const WARM_UP_MS = 300;
const LINES = 1_000;
/** The target of the project: milliseconds over the bare parser, from the bytes to the decision. */
const OVER_PARSER_MS_MAX = 15;
/** The target for holding one invoice against all rules that apply to it. */
const VALIDATION_MS_MAX = 3;
const fixtures = new URL('../../../packages/extraction/fixtures/', import.meta.url);

await main().catch(failWith);

interface Measured {
  readonly document: string;
  readonly bytes: number;
  readonly parseMs: number;
  readonly readMs: number;
  readonly validateMs: number;
}

async function main(): Promise<void> {
  const options = readOptions(usage, '0.5');
  if (options === undefined) return;
  const { seconds } = options;
  const rows = [...handwritten(), manyLines()].map(({ name, bytes }) => measure(name, bytes, seconds * 1_000));
  const report = { ...machine(), rows };
  const width = Math.max(...rows.map(({ document }) => document.length));
  const lines = rows.map(({ document, bytes, parseMs, readMs, validateMs }) => {
    const size = `${(bytes / 1_024).toFixed(1)} KB`.padStart(10);
    return `${document.padEnd(width)} ${size} ${ms(parseMs)} ${ms(readMs)} ${ms(readMs - parseMs)} ${ms(validateMs)}`;
  });
  process.stdout.write(
    `\nMilliseconds of CPU time a document on one core, medians of ${ROUNDS} rounds; Node ${report.node}, ${report.processor}\n\n` +
      `${' '.repeat(width + 11)}    parser      read      over  validate\n${lines.join('\n')}\n\n` +
      `Aims: at most ${OVER_PARSER_MS_MAX} ms over the bare parser (libxml2) from bytes to decision; validation of one invoice in at most ${VALIDATION_MS_MAX} ms.\n`,
  );
  await writeReport(options, report);
}

function ms(value: number): string {
  return value.toFixed(3).padStart(9);
}

interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
}

function handwritten(): readonly Sample[] {
  const folder = fileURLToPath(fixtures);
  return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(new URL(name, fixtures)) }));
}

/** A bill with as many lines as those of telephone companies and wholesalers have. */
function manyLines(): Sample {
  const invoice = readFileSync(new URL('ubl-pint-aunz.xml', fixtures), 'utf8');
  const lines = invoice.replace(/<cac:InvoiceLine>[^]*<\/cac:InvoiceLine>/, (line) => line.repeat(LINES));
  return { name: `UBL with ${LINES.toLocaleString('en')} lines`, bytes: Buffer.from(lines) };
}

function measure(document: string, bytes: Buffer, forMs: number): Measured {
  const parse = (): void => XmlDocument.fromBuffer(bytes).dispose();
  const read = (): void => {
    const outcome = readXml(bytes, { embeddedInPdf: false });
    if ('failure' in outcome) throw new Error(`${document} is not read: ${outcome.failure.message}`);
  };
  const validate = (): void => void validateXml(bytes, 'ALL');
  for (const work of [parse, read, validate]) cpuMs(work, WARM_UP_MS);
  const rounds = Array.from({ length: ROUNDS }, () =>
    [parse, read, validate].map((work) => cpuMs(work, forMs / ROUNDS)),
  );
  const medianOf = (part: number): number => median(rounds.map((round) => round[part] ?? NaN));
  return { document, bytes: bytes.length, parseMs: medianOf(0), readMs: medianOf(1), validateMs: medianOf(2) };
}

/** CPU time of one repetition, so that other work on the machine does not count. */
function cpuMs(work: () => void, forMs: number): number {
  const before = process.cpuUsage();
  for (let done = 1; ; done += 1) {
    work();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= forMs * 1_000) return (user + system) / 1_000 / done;
  }
}
