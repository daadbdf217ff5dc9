import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PAYMENT_FILE_BYTES } from './payment-file.js';
import { identifiersOfPart } from './identifiers-of-part.js';
import { readPaymentFile } from './read-payment-file.js';
import { paymentRunText, runLines } from './testing/payment-run.js';
import type { RunLine, RunStyle } from './testing/payment-run.js';
import { checkStructure } from './testing/structure.js';
import { writePaymentFile } from './write-payment-file.js';

/** Characters of each encoding with the bytes that it has for them. */
const alphabets: Readonly<Record<string, { readonly encode: (text: string) => Buffer; readonly letters: string }>> = {
  'UTF-8': { encode: (text) => Buffer.from(text), letters: 'aZ 9&<>äłß€😀' },
  'us-ascii': { encode: (text) => Buffer.from(text, 'latin1'), letters: 'aZ 9&<>' },
  'ISO-8859-1': { encode: (text) => Buffer.from(text, 'latin1'), letters: 'aZ 9&<>äöüßéÿ' },
  'ISO-8859-2': { encode: (text) => encodeWith('iso-8859-2', text), letters: 'aZ 9&<>ąęłżźőű' },
  'ISO-8859-15': { encode: (text) => encodeWith('iso-8859-15', text), letters: 'aZ 9&<>äßœ€Ž' },
  'windows-1250': { encode: (text) => encodeWith('windows-1250', text), letters: 'aZ 9&<>ąśźŁ€„' },
  'windows-1252': {
    encode: (text) => encodeWith('latin1', text, { '€': 0x80, '“': 0x93, œ: 0x9c }),
    letters: 'aZ 9&<>äß€“œ',
  },
};

/** TextDecoder of Node 20 takes windows-1252 for ISO-8859-1, so that its other characters are given. */
function encodeWith(encoding: string, text: string, others: Readonly<Record<string, number>> = {}): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytesByCharacter = new Map<string, number>(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const),
  );
  return Buffer.from([...text].map((character) => others[character] ?? bytesByCharacter.get(character) ?? 0x3f));
}

const currencies = [
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['PLN', 2],
] as const;

function lineOf(letters: string): fc.Arbitrary<RunLine> {
  const text = fc
    .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 20 })
    .map((characters) => `x${characters.join('')}x`);
  return fc
    .record({
      money: fc.constantFrom(...currencies),
      units: fc.integer({ min: 0, max: 99_999_999 }),
      name: text,
      texts: fc.array(text, { maxLength: 2 }),
    })
    .map(({ money: [currency, decimals], units, name, texts }) => {
      const digits = String(units).padStart(decimals + 1, '0');
      const cut = digits.length - decimals;
      const amount = decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
      return { amount, currency, name, account: 'DE75512108001245126199', ...(texts.length > 0 && { texts }) };
    });
}

interface GeneratedRun {
  readonly bytes: Buffer;
  readonly lines: readonly RunLine[];
}

const runs: fc.Arbitrary<GeneratedRun> = fc.constantFrom(...Object.entries(alphabets)).chain(([encoding, alphabet]) =>
  fc
    .record({
      lines: fc.array(lineOf(alphabet.letters), { minLength: 1, maxLength: 12 }),
      style: fc.record({
        encoding: fc.constant(encoding),
        version: fc.constantFrom('pain.001.001.03', 'pain.001.001.08', 'pain.001.001.09'),
        prefix: fc.constantFrom('', 'p:', 'ns0:'),
        space: fc.constantFrom('', '\n', '\r\n  ', '\t', ' <!-- a <PmtInf> comment --> ', '\r'),
        blockSize: fc.integer({ min: 1, max: 5 }),
        blockTotals: fc.boolean(),
      }),
      mark: fc.boolean(),
    })
    .map(({ lines, style, mark }) => {
      const body = alphabet.encode(paymentRunText(lines, style satisfies RunStyle));
      const bytes = mark && encoding === 'UTF-8' ? Buffer.concat([Buffer.from('\ufeff'), body]) : body;
      return { bytes, lines };
    }),
);

const withoutPlace = (transactions: ReturnType<typeof readPaymentFile>['transactions']) =>
  transactions.map(({ lineId, position, block, ...rest }) => rest);

test('a file is read as it was written, and given back byte for byte if all is kept', () => {
  fc.assert(
    fc.property(runs, ({ bytes, lines }) => {
      const file = readPaymentFile(bytes);
      expect(
        file.transactions.map(({ amount, currency, creditorName, remittance }) => [
          amount,
          currency,
          creditorName,
          remittance,
        ]),
      ).toEqual(lines.map(({ amount, currency, name, texts = [] }) => [amount, currency, name, texts]));
      const all = new Set(file.transactions.map(({ lineId }) => lineId));
      expect(Buffer.compare(writePaymentFile(bytes, file, all, 1), bytes)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('pieces of a file hold each transaction exactly once, and each is a file with right sums', () => {
  const split = runs.chain((run) =>
    fc.record({
      run: fc.constant(run),
      verdicts: fc.array(fc.constantFrom('PAY', 'HOLD', 'UNKNOWN'), {
        minLength: run.lines.length,
        maxLength: run.lines.length,
      }),
      part: fc.integer({ min: 1, max: 12 }),
    }),
  );
  fc.assert(
    fc.property(split, ({ run: { bytes }, verdicts, part }) => {
      const file = readPaymentFile(bytes);
      const read = new Map<number, unknown>();
      const identifiers = identifiersOfPart(file, part);
      for (const verdict of ['PAY', 'HOLD', 'UNKNOWN']) {
        const kept = file.transactions.filter((_, index) => verdicts[index] === verdict);
        if (kept.length === 0) continue;
        const written = writePaymentFile(bytes, file, new Set(kept.map(({ lineId }) => lineId)), part);
        const piece = readPaymentFile(written);
        checkStructure(file.version, written);
        expect(piece.messageId).toBe(identifiers.messageId);
        const blocks = [...new Set(kept.map(({ block }) => block))];
        expect(piece.blocks.map(({ paymentInformationId }) => paymentInformationId)).toEqual(
          blocks.map((block) => identifiers.paymentInformationIds[block]),
        );
        expect(withoutPlace(piece.transactions)).toEqual(withoutPlace(kept));
        for (const { position } of kept) {
          expect(read.has(position)).toBe(false);
          read.set(position, verdict);
        }
      }
      expect(read.size).toBe(file.transactionCount);
    }),
    { numRuns: 300 },
  );
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const minimal = (more: (file: string) => string = (file) => file) =>
  Buffer.from(
    more(
      paymentRunText(
        [
          { amount: '10.00', name: 'One', account: 'DE75512108001245126199' },
          { amount: '20.50', name: 'Two', account: 'DE75512108001245126199' },
        ],
        { space: '' },
      ),
    ),
  );
const write = (bytes: Buffer, kept: readonly string[], part = 1) =>
  text(writePaymentFile(bytes, readPaymentFile(bytes), new Set(kept), part));

test.each([
  ['30.5', '10'],
  ['30.50', '10.00'],
  ['30.500000000', '10.000000000'],
  ['+30.5', '10.0'],
  ['030.50', '10.00'],
])('a sum that was %s is written as %s', (before, after) => {
  const bytes = minimal((file) => file.replaceAll('<CtrlSum>30.5<', `<CtrlSum>${before}<`));
  if (before === '30.5') expect(write(bytes, ['1.1'])).toContain('<CtrlSum>10.0</CtrlSum>');
  else expect(write(bytes, ['1.1'])).toContain(`<CtrlSum>${after}</CtrlSum>`);
});

test('a sum without decimals gets those that the amounts need', () => {
  const bytes = Buffer.from(
    paymentRunText(
      [
        { amount: '10.25', name: 'One' },
        { amount: '0.75', name: 'Two' },
      ],
      { space: '' },
    ),
  );
  expect(text(bytes)).toContain('<CtrlSum>11</CtrlSum>');
  expect(write(bytes, ['1.1'])).toContain('<CtrlSum>10.25</CtrlSum>');
});

test('numbers keep the white space around them', () => {
  const bytes = minimal((file) =>
    file.replaceAll('<NbOfTxs>2</NbOfTxs>', '<NbOfTxs>\n 2 </NbOfTxs>').replaceAll('30.5<', ' 30.50\t<'),
  );
  const written = write(bytes, ['1.2']);
  expect(written).toContain('<NbOfTxs>\n 1 </NbOfTxs>');
  expect(written).toContain('<CtrlSum> 20.50\t</CtrlSum>');
});

test.each([
  ['<![CDATA[2]]>', '1'],
  ['&#50;', '1'],
])('a number that is written as %s is replaced', (before, after) => {
  const bytes = minimal((file) => file.replace('<NbOfTxs>2<', `<NbOfTxs>${before}<`));
  expect(write(bytes, ['1.1'])).toContain(`<NbOfTxs>${after}</NbOfTxs>`);
});

test.each([
  ['RUN-7', 2, 'RUN-7-2'],
  ['A'.repeat(35), 3, `${'A'.repeat(33)}-3`],
  ['A'.repeat(33), 2, `${'A'.repeat(33)}-2`],
  ['A'.repeat(35), 12, `${'A'.repeat(32)}-12`],
  ['Ä'.repeat(35), 2, `${'Ä'.repeat(33)}-2`],
  ['😀'.repeat(35), 2, `${'😀'.repeat(33)}-2`],
  ['A&amp;B', 2, 'A&#38;B-2'],
  ['<![CDATA[A<B]]>', 2, 'A&#60;B-2'],
  ['&#321;A', 2, '&#321;A-2'],
])('the identifier %s ends in part %i as %s', (id, part, expected) => {
  const bytes = minimal((file) => file.replace('<MsgId>RUN<', `<MsgId>${id}<`));
  expect(write(bytes, ['1.1', '1.2'], part)).toBe(
    text(bytes).replace(`<MsgId>${id}<`, `<MsgId>${expected}<`).replace('RUN-B1<', `RUN-B1-${part}<`),
  );
});

test('blocks whose identifiers the cut would make equal stay different', () => {
  const ids = ['1', '2', '3'].map((end) => `${'P'.repeat(34)}${end}`);
  const run = {
    messageId: 'M',
    blocks: ids.map((paymentInformationId) => ({ paymentInformationId, debtorTaxIds: [] })),
  };
  expect(identifiersOfPart(run, 2).paymentInformationIds).toEqual(
    ['1', '2', '3'].map((number) => `${'P'.repeat(31)}-${number}-2`),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^P{30}[12-]{1,5}$/), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 2, max: 120 }),
      (some, part) => {
        const blocks = some.map((paymentInformationId) => ({ paymentInformationId, debtorTaxIds: [] }));
        const { paymentInformationIds } = identifiersOfPart({ messageId: 'M', blocks }, part);
        expect(new Set(paymentInformationIds).size).toBe(some.length);
        for (const id of paymentInformationIds) {
          expect(id.length).toBeLessThanOrEqual(35);
          expect(id.endsWith(`-${part}`)).toBe(true);
        }
      },
    ),
  );
});

test('refuses to write a file without transactions, or from other bytes', () => {
  const bytes = minimal();
  const file = readPaymentFile(bytes);
  expect(() => writePaymentFile(bytes, file, new Set(), 1)).toThrow('must have at least one transaction');
  expect(() => writePaymentFile(bytes, file, new Set(['1.1', '7.1']), 1)).toThrow(
    'transactions that the original file does not have',
  );
  expect(() => writePaymentFile(bytes.subarray(1), file, new Set(['1.1']), 1)).toThrow(
    'have changed since it was read',
  );
});

test('10,000 transactions in almost 10 MiB are read and written in less than 2 s of computing', () => {
  const lines = runLines(10_000).map((line) => ({ ...line, texts: [...(line.texts ?? []), 'Ü'.repeat(80)] }));
  const bytes = Buffer.from(paymentRunText(lines, { space: '\n              ', blockSize: 200 }));
  expect(bytes.length).toBeGreaterThan(8_000_000);
  expect(bytes.length).toBeLessThan(MAX_PAYMENT_FILE_BYTES);
  const before = process.cpuUsage();
  const file = readPaymentFile(bytes);
  const kept = file.transactions.filter(({ position }) => position % 3 > 0);
  const written = writePaymentFile(bytes, file, new Set(kept.map(({ lineId }) => lineId)), 2);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(2_000);
  expect(readPaymentFile(written).transactionCount).toBe(kept.length);
});
