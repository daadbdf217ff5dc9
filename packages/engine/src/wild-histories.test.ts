import { expect, test } from 'vitest';
import fc from 'fast-check';
import { fixedParities } from '@invoicecontrol/values/currency';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { FINDING_JSON_BYTES_MAX } from './explanation/evidence.js';
import { ratesPerEuro } from './facts/exchange-rates.js';
import { COMPANY_ID, inMemoryHistory } from './testing/in-memory-history.js';

// The engine must finish in bounded time for every accepted invoice, and its findings must have valid
// evidence and sentences.

const RUNS = { numRuns: 60 };
/**
 * Maximum CPU time for one invoice. A usual invoice takes a tenth of a millisecond. The margin is for busy machines and
 * code that is not optimized yet.
 */
const INVOICE_MS_MAX = 1_000;

const DAY = '2026-05-08';
const pegged = fixedParities.map(({ code }) => code);
/**
 * Currencies with zero, two, three and four decimals, with and without a rate. Most of them have a fixed parity to
 * another currency.
 */
const CURRENCIES = ['EUR', 'USD', 'JPY', 'KWD', 'CLF', 'IDR', 'ISK', 'TND', ...pegged];
const published = { USD: '1.13217', JPY: '176.43', IDR: '18733.51', ISK: '142.3', GBP: '0.86123', SGD: '1.4911' };
const rates = ratesPerEuro(CURRENCIES, DAY, DAY, () => published);

/** Legal names in forms that people and programs print. */
const anyName = fc.oneof(
  fc
    .record({
      words: fc.array(
        fc.constantFrom(
          'Acme',
          'Supplies',
          'Ltd',
          'GmbH',
          'S.r.l.',
          '&',
          'Muller',
          'Müller',
          '🧾',
          'Łódź',
          'ΒΑΥ',
          'Асме',
        ),
        { minLength: 1, maxLength: 6 },
      ),
      blank: fc.constantFrom(' ', '  ', '\u00a0', ' \u00a0 ', '\t', '\u200b ', '\u3000'),
    })
    .map(({ words, blank }) => words.join(blank)),
  fc.constantFrom('A'.repeat(400), '😀'.repeat(400), 'Ab '.repeat(133).trim(), 'A.'.repeat(200), '株式会社'),
);

/**
 * Generates invoice numbers of up to 1,000 characters: digits, letters, emoji, groups, and characters that look like
 * other characters.
 */
const anyNumber = fc.oneof(
  fc.constantFrom('INV-01042', 'inv 1042', 'INV-1042A', '1042/2', '7', '-', 'n/a', '2026-05-08/0001', 'RE-2026-00017'),
  fc.constantFrom('RE-2026-00018', 'Pro forma 1042', '4711.00123', '２０２６', '٤٢', 'ΒΟ-1042', '🧾1042', '0'),
  fc
    .record({
      unit: fc.constantFrom('1', '0', 'A', '1A', '12-', '9/', 'O0', '😀', 'İ', '- ', 'INV ', '٣', '2026-'),
      end: fc.constantFrom('', '1', '2', 'A', '/2'),
    })
    .map(({ unit, end }) => `${unit.repeat(Math.floor(990 / unit.length)).trim()}${end}`),
);

const anyAmount = fc.constantFrom(
  '999999999999999.999999',
  '-999999999999999.999999',
  '999999999999998',
  '0',
  '-0.00',
  '0.000001',
  '0.004',
  '0.01',
  '1',
  '100',
  '119',
  '119.00',
  '1190.00',
  '11900',
  '12750.3',
  '12750.3005',
  '100000',
  '9999.99',
  '-119',
);

/** Days from the first accepted day to the last, including some that are close together. */
const anyDay = fc.constantFrom(
  '1900-01-01',
  '2199-12-31',
  '2024-02-29',
  '1970-01-01',
  '2026-01-31',
  '2026-02-28',
  '2026-03-31',
  '2026-04-30',
  '2026-05-01',
  '2026-05-02',
  '2026-05-03',
  '2026-05-04',
  '2026-05-05',
  '2026-05-06',
  '2026-05-07',
  '2026-05-08',
);

const anyInvoice: fc.Arbitrary<CanonicalInvoice> = fc
  .record(
    {
      name: anyName,
      tax_id: fc.constantFrom('DE136695976', '136695976', 'GB 0', 'DE'.repeat(500), '😀1', 'XX000', 'PL5260001246'),
      iban: fc.constantFrom(
        'DE89370400440532013000',
        'DE89 3704 0044 0532 0130 08',
        '1'.repeat(1_000),
        '😀7',
        'XK051212',
      ),
      invoice_number: anyNumber,
      issue_date: anyDay,
      due_date: anyDay,
      currency: fc.constantFrom(...CURRENCIES),
      gross_amount: anyAmount,
      net_amount: anyAmount,
      tax_amount: anyAmount,
      purchase_order_ref: anyNumber,
      buyer: fc.constantFrom({ name: 'Musterwerk AG' }, { name: '😀'.repeat(400) }, { tax_id: '1'.repeat(1_000) }),
    },
    { requiredKeys: ['name', 'invoice_number', 'issue_date', 'currency', 'gross_amount'] },
  )
  .map(({ name, tax_id, iban, ...fields }) => ({
    ...fields,
    supplier: {
      name,
      ...(tax_id === undefined ? {} : { tax_id }),
      ...(iban === undefined ? {} : { bank_account: { iban } }),
    },
  }));

/**
 * History that mostly has one supplier, so that its profile grows. Each bill is sent twice, so that every text is also
 * compared with itself.
 */
const anyHistory = fc
  .record({
    bills: fc.array(anyInvoice, { minLength: 1, maxLength: 16 }),
    isOneSupplier: fc.boolean(),
    asScan: fc.boolean(),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ bills, isOneSupplier, asScan, times }) => {
    const first = bills[0]?.supplier;
    const own = bills.map((bill) => (isOneSupplier && first !== undefined ? { ...bill, supplier: first } : bill));
    return { asScan, bills: Array.from({ length: times }, () => own).flat() };
  });

test('no accepted invoice makes the engine throw, break the contracts of evidence and wording, or take long', () => {
  fc.assert(
    fc.property(anyHistory, ({ bills, asScan }) => {
      const history = inMemoryHistory();
      const companies = [{ companyId: COMPANY_ID, name: 'Musterwerk AG', taxId: 'DE811907980' }];
      for (const [index, bill] of bills.entries()) {
        const row = { source: 'SCAN', scanId: 's', rowNo: index, position: index, receivedAtMs: 7 } as const;
        const before = process.cpuUsage();
        // The function `bill` throws if a finding breaks the contract for evidence or sentences.
        const { analysis } = history.bill(bill, {
          ...(asScan ? { origin: row } : {}),
          companies,
          asOf: DAY,
          ratesPerEuro: rates,
          base: null,
        });
        const { user, system } = process.cpuUsage(before);
        expect((user + system) / 1_000).toBeLessThan(INVOICE_MS_MAX);
        expect(analysis.riskScore).toBeLessThanOrEqual(100);
        for (const finding of analysis.findings) {
          // Numbers in findings must be written without exponents, however large they are.
          expect(JSON.stringify(finding)).not.toMatch(/[0-9]e\+[0-9]/);
          expect(Buffer.byteLength(JSON.stringify(finding))).toBeLessThan(FINDING_JSON_BYTES_MAX);
        }
      }
    }),
    RUNS,
  );
});
