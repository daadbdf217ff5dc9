// Runs `npm run bench:documents`, which measures the time from the bytes of a document to its decision, and how
// accurately documents are read.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTenant } from '@invoicecontrol/dev/tenant';
import { newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { calibrate, readingWays } from './calibration.js';
import type { Calibration, ReadingWay, Share } from './calibration.js';
import { documentKinds } from './document-files.js';
import type { DocumentKind } from './document-files.js';
import { measureReading } from './document-reading.js';
import type { ReadingMeasured } from './document-reading.js';
import { measureUploads } from './document-uploads.js';
import type { KindMeasured } from './document-uploads.js';
import { machine, writeReport } from './one-core.js';
import { say, step } from './progress.js';
import { closingAfter, endAfter, logDirectory, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import { startStores } from './stores.js';
import { goodIn, table, times } from './table.js';
import type { Good } from './table.js';

const parts = ['reading', ...documentKinds, 'calibration'] as const;
type Part = (typeof parts)[number];

const MINUTES_MAX = 40;

const usage = `Measures invoice documents.

  reading            reading and validating XML, on one core, without the service around it
  ${documentKinds.join(', ')}   uploads through the running product, each service in a process of its own: XML, PDF with XML
                     inside, printed PDF and scanned page, from the PUT to the decision, next to the bare parser
  calibration        how many fields are read rightly, and whether their confidence says so

  npm run bench:documents                    every part; ten minutes on a quiet machine
  npm run bench:documents -- --only xml,ocr  some parts
  npm run bench:documents -- --quick         fewer documents: two minutes, less certain
  npm run bench:documents -- --wrong         with what was read wrongly (calibration)
  npm run bench:documents -- --json FILE     the figures as JSON too
  npm run bench:documents -- --keep          keeps the logs of all processes
  npm run bench:documents -- --samples DIR   documents of others with a manifest.json (../shared/samples/documents)

Progress goes to standard error. Ends with code 1 if an aim was missed, and after ${MINUTES_MAX} minutes at the latest.
`;

const AIMS = {
  /**
   * Maximum number of milliseconds by which the product may be slower than the XML parser alone, both in the time from
   * the upload of an XML invoice to its decision and in the CPU time of reading it.
   */
  overParserMs: 15,
  /** Maximum time for reading a PDF or a scan, as a multiple of the time that the parser alone needs. */
  parserRatio: 1.5,
  /** Maximum time for checking one invoice against all rules that apply to it. */
  validationMs: 3,
  /** Minimum share of correctly read values among number, dates, gross amount, currency and account. */
  keyFieldsRight: { XML: 1, TEXT: 0.9, OCR: 0.85 },
} as const;
/** Number of invoices that are also read as scans. */
const CALIBRATION = { full: { scans: 32 }, quick: { scans: 8 } } as const;
const READING_SECONDS = { full: 0.5, quick: 0.1 } as const;

await runProgram(main);

interface Figures extends ReturnType<typeof machine> {
  reading?: readonly ReadingMeasured[];
  uploads?: KindMeasured[];
  calibration?: Calibration;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      wrong: { type: 'boolean', default: false },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      samples: { type: 'string', default: '../shared/samples/documents' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const chosen = partsOf(values.only);
  endAfter(MINUTES_MAX);
  const size = values.quick ? 'quick' : 'full';
  const figures: Figures = machine();
  const good = goodIn(process.stdout.isTTY);
  let missed = 0;
  const judge: Good = (text, isGood) => {
    if (!isGood) missed += 1;
    return good(text, isGood);
  };
  const print = (title: string, rows: readonly (readonly string[])[], ...notes: string[]): void => {
    process.stdout.write(`\n${title}\n\n${table(rows, 0)}\n${notes.map((note) => `\n${note}`).join('')}\n`);
  };
  if (chosen.includes('reading')) {
    step('reading');
    figures.reading = measureReading(READING_SECONDS[size]);
    print(
      'Reading XML: milliseconds of processor time on one core',
      readingRows(figures.reading, judge),
      `Aims: at most ${AIMS.overParserMs} ms over libxml2; validation of one ordinary invoice in at most ${AIMS.validationMs} ms, warm.`,
    );
  }
  const kinds = documentKinds.filter((kind) => chosen.includes(kind));
  if (kinds.length > 0) {
    figures.uploads = await closingAfter(() => measureKinds(kinds, values.quick, values.keep));
    print(
      'From the PUT to the decision: milliseconds of one document at a time, and documents a second of several clients',
      uploadRows(figures.uploads, judge),
      `Parser: libxml2, pdf.js, or PDFium with tesseract, alone. Aims: XML at most ${AIMS.overParserMs} ms over it, the others at most ${AIMS.parserRatio} times as long (p50).`,
    );
  }
  if (chosen.includes('calibration')) {
    const samplesFolder = resolve(fileURLToPath(new URL('../../..', import.meta.url)), values.samples);
    figures.calibration = await calibrate({ ...CALIBRATION[size], samplesFolder });
    printCalibration(figures.calibration, judge, print);
    if (values.wrong) process.stdout.write(`\n${figures.calibration.wrong.join('\n')}\n`);
  }
  await writeReport(values, figures);
  if (missed > 0) {
    say(`${missed} aims missed`);
    process.exitCode = 1;
  }
}

function partsOf(only: string | undefined): readonly Part[] {
  if (only === undefined) return parts;
  const names = only.split(',');
  const unknown = names.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`--only has "${unknown}"; it takes some of ${parts.join(', ')}.`);
  return parts.filter((part) => names.includes(part));
}

async function measureKinds(
  kinds: readonly DocumentKind[],
  isQuick: boolean,
  keepsLogs: boolean,
): Promise<KindMeasured[]> {
  step('starting MongoDB, NATS and the services');
  const logDir = await logDirectory('bench-documents', keepsLogs);
  const { mongodbUrl, natsUrl, databasePrefix } = await startStores();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const system = await startSystem({
    mongodbUrl,
    natsUrl,
    databasePrefix,
    secrets,
    identities,
    logDir,
    name: 'documents',
  });
  const measured: KindMeasured[] = [];
  for (const kind of kinds) {
    // Each kind of document uses a separate organization, so that it is not compared with documents of another kind.
    const tenant = await createTenant(system.organization.address, identities, `Bench ${kind}`);
    const target = { origin: `http://${system.gateway.address}`, key: tenant.keys.owner };
    measured.push(await measureUploads(kind, target, isQuick));
  }
  return measured;
}

function readingRows(measured: readonly ReadingMeasured[], judge: Good): string[][] {
  return [
    ['document', 'size', 'parser', 'read', 'over', 'validate'],
    ...measured.map(({ document, bytes, isLong, parseMs, readMs, validateMs }) => [
      document,
      kib(bytes),
      parseMs.toFixed(3),
      readMs.toFixed(3),
      judge((readMs - parseMs).toFixed(3), readMs - parseMs <= AIMS.overParserMs),
      isLong ? validateMs.toFixed(3) : judge(validateMs.toFixed(3), validateMs <= AIMS.validationMs),
    ]),
  ];
}

function uploadRows(measured: readonly KindMeasured[], judge: Good): string[][] {
  return [
    [
      'kind',
      'size',
      'PUT',
      'analyze',
      'p50',
      'p95',
      'parser',
      'over',
      'p50 : parser',
      'a second',
      'parser',
      'unread',
      'busy',
    ],
    ...measured.map(({ kind, bytes, unread, product, ceiling, busy }) => {
      const over = product.p50Ms - ceiling.p50Ms;
      const ratio = product.p50Ms / ceiling.p50Ms;
      return [
        kind,
        kib(bytes),
        ms(product.putP50Ms),
        ms(product.analyzeP50Ms),
        ms(product.p50Ms),
        ms(product.p95Ms),
        ms(ceiling.p50Ms),
        kind === 'xml' ? judge(ms(over), over <= AIMS.overParserMs) : ms(over),
        kind === 'xml' ? times(ratio) : judge(times(ratio), ratio <= AIMS.parserRatio),
        product.perSecond.toFixed(1),
        ceiling.perSecond.toFixed(1),
        percent(unread),
        percent(busy),
      ];
    }),
  ];
}

function printCalibration(
  { documents, byField, byBand, keyFields }: Calibration,
  judge: Good,
  print: (title: string, rows: readonly (readonly string[])[], ...notes: string[]) => void,
): void {
  const heads = readingWays.map((way) => `${way} (${documents[way]})`);
  const ofWays = <T>(of: Readonly<Record<ReadingWay, T>>, show: (one: T, way: ReadingWay) => string): string[] =>
    readingWays.map((way) => show(of[way], way));
  print(
    'Right fields, of those that a document states; in brackets how many documents',
    [
      ['field', ...heads],
      ...byField.map(({ field, shares }) => [field, ...ofWays(shares, shareOfKnown)]),
      [
        'number, dates, gross, currency, IBAN',
        ...ofWays(keyFields, (share, way) =>
          share.known === 0
            ? '-'
            : judge(shareOfKnown(share), share.right / share.known >= AIMS.keyFieldsRight[way] - 1e-9),
        ),
      ],
    ],
    `Aims for the last row: XML all, printed PDFs ${percent(AIMS.keyFieldsRight.TEXT)}, scans ${percent(AIMS.keyFieldsRight.OCR)}.`,
  );
  print(
    'Right fields, of those that were read, by their confidence',
    [
      ['confidence', ...readingWays],
      ...byBand.map(({ from, to, shares }) => [
        `${from.toFixed(2)} to ${to.toFixed(2)}`,
        ...ofWays(shares, ({ read, right, meanConfidence }) =>
          read === 0 ? '-' : `${percent(right / read)} of ${read}, said ${percent(meanConfidence)}`,
        ),
      ]),
    ],
    'Calibrated: in each band as many are right as the confidence says, or more.',
  );
}

function shareOfKnown({ known, right }: Share): string {
  return known === 0 ? '-' : `${percent(right / known)} of ${known}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function kib(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`;
}
