import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { InvoiceOrigin, MatchPart, NormalisedInvoice } from '../facts/invoice.js';
import { applyCandidateCaps, CANDIDATES_PER_KEY_MAX, lookupKeys, matchPartOf, storedKeys } from './match-keys.js';
import { normaliseInvoice } from './normalise-invoice.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';

let nextId = 0;

function normalised(changes: InvoiceChanges, origin: Partial<InvoiceOrigin> = {}): NormalisedInvoice {
  nextId += 1;
  const invoiceId = `invoice-${String(nextId).padStart(6, '0')}`;
  return normaliseInvoice(invoiceOf(changes), {
    invoiceId,
    companyId: 'c',
    source: 'API',
    receivedAtMs: nextId,
    ...origin,
  });
}

function find(earlier: InvoiceChanges, later: InvoiceChanges): boolean {
  const stored = new Set(storedKeys(normalised(earlier)));
  return lookupKeys(normalised(later)).some(({ key }) => stored.has(key));
}

describe('an invoice from KSeF and a document that shows it', () => {
  const number = '5265877635-20260511-0100A0D6723E-30';
  const sha256 = 'a1'.repeat(32);
  const registered = () =>
    normalised({ issue_date: '2026-05-11' }, { source: 'KSEF', externalId: number, documentSha256: sha256 });
  const other = { supplier: { name: 'Kruk' }, invoice_number: 'X1', gross_amount: '7', issue_date: '2026-06-01' };
  const code = { sellerNip: '5265877635', issueDate: '2026-05-11', sha256 };
  const finds = (earlier: NormalisedInvoice, later: NormalisedInvoice): boolean =>
    applyCandidateCaps(later, [matchPartOf(earlier)]).candidates.length === 1;

  test.each([
    ['number', { number }],
    ['code', { code }],
  ])('find each other by its %s in both orders of arrival', (_, ksefReference) => {
    const shown = () => normalised(other, { source: 'UPLOAD', ksefReference });
    expect(finds(registered(), shown())).toBe(true);
    expect(finds(shown(), registered())).toBe(true);
    expect(finds(shown(), shown())).toBe(true);
  });

  test('find each other whatever number of documents names the invoice', () => {
    const invoice = registered();
    const documents = Array.from({ length: CANDIDATES_PER_KEY_MAX + 1 }, (_, index) =>
      normalised(
        { ...other, supplier: { name: `Kruk ${index}` }, invoice_number: `X${index}`, gross_amount: `${index + 1}` },
        { source: 'UPLOAD', ksefReference: { number } },
      ),
    );
    const forged = normalised({ ...other, gross_amount: '999' }, { source: 'UPLOAD', ksefReference: { number } });
    const { candidates } = applyCandidateCaps(
      forged,
      [invoice, ...documents].map((record) => matchPartOf(record)),
    );
    expect(candidates.map(({ invoiceId }) => invoiceId)).toContain(invoice.invoiceId);
  });
});

describe('an invoice is found', () => {
  test.each<[string, InvoiceChanges, InvoiceChanges]>([
    ['by supplier and number, whatever amount and date', {}, { gross_amount: '7', issue_date: '2020-01-01' }],
    [
      'by supplier and misread number',
      { invoice_number: 'RE20250118' },
      { invoice_number: 'RE2O25O118', gross_amount: '7' },
    ],
    [
      'by supplier and number with a suffix',
      { invoice_number: 'INV-1042' },
      { invoice_number: 'INV-1042A', gross_amount: '7' },
    ],
    [
      'as the whole of a part that came first',
      { invoice_number: '1042/1' },
      { invoice_number: '1042', gross_amount: '7' },
    ],
    [
      'by supplier and amount in the neighbouring quarter',
      { issue_date: '2025-02-01' },
      { invoice_number: 'X-9', issue_date: '2025-05-01' },
    ],
    [
      'by number and amount under another supplier',
      { invoice_number: 'INV-2025-01042' },
      { supplier: { name: 'Other' }, invoice_number: 'INV-2025-01042', issue_date: '2020-01-01' },
    ],
    ['by day and amount', {}, { supplier: { name: 'Other' }, invoice_number: 'X-9' }],
    ['by its credit note', { invoice_number: 'INV-1042' }, { invoice_number: 'CN-INV-1042', gross_amount: '-3.00' }],
    [
      'by a credit note over its amount',
      {},
      { invoice_number: 'G-9', gross_amount: '-1200.00', issue_date: '2025-04-01' },
    ],
    [
      'by the German spelling of an umlaut',
      { supplier: { name: 'Müller' } },
      { supplier: { name: 'Mueller' }, gross_amount: '7' },
    ],
  ])('%s', (_, earlier, later) => {
    expect(find(earlier, later)).toBe(true);
  });

  test('not by a supplier alone', () => {
    expect(find({}, { invoice_number: 'X-9', gross_amount: '7', issue_date: '2025-03-11' })).toBe(false);
  });
});

test('what is stored under a key is found again by the same record', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (name, invoice_number) => {
      const record = normalised({ supplier: { name }, invoice_number });
      const keys = new Set(lookupKeys(record).map(({ key }) => key));
      for (const key of storedKeys(record)) expect(keys.has(key)).toBe(true);
    }),
  );
});

test('keys are 8 bytes in hex', () => {
  for (const key of storedKeys(normalised({}))) expect(key).toMatch(/^[0-9a-f]{16}$/);
});

describe('the cap on candidates', () => {
  const checked = normalised({ invoice_number: 'INV-2025-0001' }, { receivedAtMs: 1_000_000 });
  const many = (changes: (index: number) => InvoiceChanges): MatchPart[] =>
    Array.from({ length: CANDIDATES_PER_KEY_MAX + 1 }, (_, index) => matchPartOf(normalised(changes(index))));

  test('drops hot amounts', () => {
    const sameAmount = many((index) => ({ invoice_number: `Z-${index}-A` }));
    expect(applyCandidateCaps(checked, sameAmount)).toEqual({ candidates: [], candidateCapHit: true });
  });

  test('keeps the newest of a hot number', () => {
    const sameNumber = many((index) => ({
      invoice_number: 'INV-2025-0001',
      gross_amount: `${index + 1}.00`,
      issue_date: index === 0 ? '2019-01-01' : '2025-01-01',
    }));
    const { candidates, candidateCapHit } = applyCandidateCaps(checked, sameNumber);
    expect(candidateCapHit).toBe(true);
    expect(candidates).toHaveLength(CANDIDATES_PER_KEY_MAX);
    expect(candidates.every((candidate) => candidate.issueDate === '2025-01-01')).toBe(true);
  });

  test('keeps those of one day that arrived last, whatever their ids', () => {
    const sameDay = Array.from({ length: CANDIDATES_PER_KEY_MAX + 1 }, (_, index) =>
      matchPartOf(
        normalised(
          { invoice_number: 'INV-2025-0001', gross_amount: `${index + 1}.00` },
          { receivedAtMs: index, invoiceId: `id-${999 - index}` },
        ),
      ),
    );
    const { candidates } = applyCandidateCaps(checked, sameDay);
    expect(candidates.map(({ receivedAtMs }) => receivedAtMs)).toEqual(
      Array.from({ length: CANDIDATES_PER_KEY_MAX }, (_, index) => index + 1),
    );
  });

  test('leaves out the invoice itself and later ones', () => {
    const later = normalised({ invoice_number: 'INV-2025-0001' }, { receivedAtMs: 2_000_000 });
    const hits = [matchPartOf(checked), matchPartOf(later)];
    expect(applyCandidateCaps(checked, hits)).toEqual({ candidates: [], candidateCapHit: false });
  });

  test('gives the same candidates in any order of hits', () => {
    const hits = many((index) => ({ invoice_number: 'INV-2025-0001', gross_amount: `${index}.50` }));
    fc.assert(
      fc.property(fc.shuffledSubarray(hits, { minLength: hits.length }), (shuffled) => {
        expect(applyCandidateCaps(checked, shuffled)).toEqual(applyCandidateCaps(checked, hits));
      }),
      { numRuns: 20 },
    );
  });
});
