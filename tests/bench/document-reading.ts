// Measures how fast a structured invoice is read and validated on one core. The speed of the XML parser alone is
// measured too, because reading cannot be faster.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { XmlDocument } from 'libxml2-wasm';
import { validateXml } from '@invoicecontrol/compliance/validate-xml';
import { readXml } from '@invoicecontrol/extraction/xml/read-xml';
import { median } from './cell.js';

const ROUNDS = 5;
const WARM_UP_MS = 300;
const LINES = 1_000;
const fixtures = new URL('../../../packages/extraction/fixtures/', import.meta.url);

/** CPU time of each part of reading a document in milliseconds, as the median of the rounds. */
export interface ReadingMeasured {
  readonly document: string;
  readonly bytes: number;
  /** True if the document has more lines than an ordinary invoice. */
  readonly isLong: boolean;
  readonly parseMs: number;
  readonly readMs: number;
  readonly validateMs: number;
}

/**
 * Measures how fast each kind of document is read.
 * @param seconds duration of each measurement
 */
export function measureReading(seconds: number): ReadingMeasured[] {
  return [
    ...handwritten().map(({ name, bytes }) => measure(name, bytes, seconds * 1_000)),
    { ...measure(`UBL with ${LINES.toLocaleString('en')} lines`, manyLines(), seconds * 1_000), isLong: true },
  ];
}

interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
}

function handwritten(): readonly Sample[] {
  const folder = fileURLToPath(fixtures);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.xml'))
    .map((name) => ({ name, bytes: readFileSync(new URL(name, fixtures)) }));
}

/** Returns a bill with as many lines as the bills of telephone companies and wholesalers have. */
function manyLines(): Buffer {
  const invoice = readFileSync(new URL('ubl-pint-aunz.xml', fixtures), 'utf8');
  return Buffer.from(invoice.replace(/<cac:InvoiceLine>[^]*<\/cac:InvoiceLine>/, (line) => line.repeat(LINES)));
}

function measure(document: string, bytes: Buffer, forMs: number): ReadingMeasured {
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
  const medianOf = (part: number): number => median(rounds.map((round) => round[part] ?? Number.NaN));
  return {
    document,
    bytes: bytes.length,
    isLong: false,
    parseMs: medianOf(0),
    readMs: medianOf(1),
    validateMs: medianOf(2),
  };
}

/**
 * Returns the CPU time of reading a document once. Unlike elapsed time, it does not depend on other work on the
 * machine.
 */
function cpuMs(work: () => void, forMs: number): number {
  const before = process.cpuUsage();
  for (let done = 1; ; done += 1) {
    work();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= forMs * 1_000) return (user + system) / 1_000 / done;
  }
}
