import { describe, expect, test } from 'vitest';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { inMemoryHistory } from '../testing/in-memory-history.js';
import type { Billed } from '../testing/in-memory-history.js';
import { wordingFaults } from '../testing/wording-contract.js';

const OTHER_COMPANY = '0192a000-0000-7000-8000-00000000c0c0';
const DATE = '2025-08-12';
const ODD = '1468.37';

type History = ReturnType<typeof inMemoryHistory>;

function supplied(changes: InvoiceChanges): CanonicalInvoice {
  return invoiceOf({ ...changes, supplier: { tax_id: 'DE136695976', ...changes.supplier } });
}

/**
 * Builds the history of a supplier with one bill a week, each with a different amount, under the invoice numbers
 * RE-5010, RE-5020, ...
 */
function supplierOf(bills: number, amountOf = (index: number): string => `${900 + index * 37}.${11 + index}`): History {
  const history = inMemoryHistory();
  for (let index = 0; index < bills; index += 1) {
    const issue_date = addDays(DATE, -9 * (bills - index));
    history.bill(supplied({ invoice_number: `RE-${5010 + index * 10}`, issue_date, gross_amount: amountOf(index) }));
  }
  return history;
}

/**
 * Returns the severity at which the second bill is reported as a duplicate of the first, and the relations that led to
 * it.
 */
function ofTwo(history: History, first: InvoiceChanges, second: InvoiceChanges): string[] {
  const changes = { issue_date: DATE, gross_amount: ODD };
  history.bill(supplied({ ...changes, invoice_number: 'RE-5250', ...first }));
  return saidOf(history.bill(supplied({ ...changes, ...second })));
}

function saidOf({ analysis }: Billed): string[] {
  const finding = analysis.findings.find(({ type }) => type === 'SUSPECTED_DUPLICATE');
  if (finding === undefined) return [];
  expect(wordingFaults(finding)).toEqual([]);
  const rows = finding.evidence['comparisons'] as readonly { field: string; relation: string }[];
  const telling = rows.filter(({ field }) => ['rarity', 'form', 'rhythm'].includes(field));
  return [finding.severity, ...telling.map(({ relation }) => relation)];
}

describe('a bill that is sent again under an unrelated number is found', () => {
  test.each<[string, InvoiceChanges, InvoiceChanges, string[]]>([
    [
      'the order typed as the number',
      { purchase_order_ref: 'PO 4500123456' },
      { invoice_number: '4500123456' },
      ['HIGH', 'NEVER', 'ORDER'],
    ],
    [
      'number and order swapped',
      { purchase_order_ref: '4500123456' },
      { invoice_number: '4500123456', purchase_order_ref: 'RE-5250' },
      ['HIGH', 'NEVER', 'ORDER'],
    ],
    ['a delivery note', {}, { invoice_number: 'LS 80012345' }, ['HIGH', 'NEVER', 'DOCUMENT']],
    ['a number of many digits', {}, { invoice_number: '80012345' }, ['HIGH', 'NEVER', 'UNLIKE_ALL']],
    [
      'a pro forma before the bill',
      { invoice_number: 'PF-17' },
      { invoice_number: 'RE-5250' },
      ['HIGH', 'NEVER', 'DOCUMENT'],
    ],
    ['a number far above the series', {}, { invoice_number: 'RE-9941' }, ['HIGH', 'NEVER', 'HEIGHT']],
    ['the next number on the same day', {}, { invoice_number: 'RE-5251' }, ['MEDIUM', 'NEVER', 'OWN']],
    [
      'the next number three days later',
      {},
      { invoice_number: 'RE-5257', issue_date: addDays(DATE, 3) },
      ['MEDIUM', 'NEVER', 'OWN'],
    ],
    [
      'the next number two weeks later',
      {},
      { invoice_number: 'RE-5257', issue_date: addDays(DATE, 14) },
      ['MEDIUM', 'NEVER'],
    ],
    [
      'the month before in the number, on a bill that is dated after both months',
      { invoice_number: '7712345/2025-06' },
      { invoice_number: '7712345/2025-05' },
      ['MEDIUM', 'NEVER', 'OWN'],
    ],
    ['a project', {}, { invoice_number: 'Projekt 7100' }, ['HIGH', 'NEVER', 'DOCUMENT']],
    [
      'the number of a reminder a month later',
      {},
      { invoice_number: 'MAHN 48050', issue_date: addDays(DATE, 30) },
      ['HIGH', 'NEVER', 'DOCUMENT'],
    ],
    [
      'a foreign number two weeks later',
      {},
      { invoice_number: '80012345', issue_date: addDays(DATE, 14) },
      ['HIGH', 'NEVER', 'UNLIKE_ALL'],
    ],
  ])('%s', (_, first, second, said) => {
    expect(ofTwo(supplierOf(24), first, second)).toEqual(said);
  });

  test('under the next number days later, but not from a supplier that has repeated an amount', () => {
    const ofRepeater = (daysLater: number): string[] => {
      const history = supplierOf(60);
      for (const [number, days] of [
        ['RE-4010', -400],
        ['RE-4011', -369],
      ] as const) {
        history.bill(supplied({ invoice_number: number, issue_date: addDays(DATE, days), gross_amount: '733.21' }));
      }
      history.bill(supplied({ invoice_number: 'RE-5250', issue_date: DATE, gross_amount: ODD }));
      const second = { invoice_number: 'RE-5257', issue_date: addDays(DATE, daysLater), gross_amount: ODD };
      return saidOf(history.bill(supplied(second)));
    };
    expect(ofRepeater(14)).toEqual([]);
    expect(ofRepeater(3)).toEqual(['MEDIUM', 'SELDOM', 'OWN']);
  });

  test('under a number that another bill has used', () => {
    const history = supplierOf(9);
    history.bill(supplied({ invoice_number: 'RE-5250', issue_date: DATE, gross_amount: ODD }));
    history.bill(supplied({ invoice_number: 'RE-5251', issue_date: DATE, gross_amount: '377.41' }));
    const copy = history.bill(supplied({ invoice_number: 'RE-5251', issue_date: DATE, gross_amount: ODD }));
    expect(saidOf(copy)).toEqual(['HIGH', 'NEVER', 'USED']);
  });

  test('that is an order or names another document, also without any history', () => {
    expect(ofTwo(supplierOf(0), { purchase_order_ref: '4500123456' }, { invoice_number: '4500123456' })[0]).toBe(
      'HIGH',
    );
    expect(ofTwo(supplierOf(0), {}, { invoice_number: 'DN 80012345' })[0]).toBe('MEDIUM');
  });

  test.each<[string, InvoiceChanges, InvoiceChanges, string[]]>([
    ['a delivery note', {}, { invoice_number: 'LS 80012345' }, ['HIGH', 'ONCE_A_DAY', 'DOCUMENT']],
    ['a number of many digits', {}, { invoice_number: '80012345' }, ['HIGH', 'ONCE_A_DAY', 'UNLIKE_ALL']],
    [
      'an order, days later',
      { purchase_order_ref: '4500123456' },
      { invoice_number: '4500123456', issue_date: addDays(DATE, 4) },
      ['MEDIUM', 'ORDER'],
    ],
  ])('of a supplier with a list of prices, one bill a day: %s', (_, first, second, said) => {
    const price = { gross_amount: '900.11' };
    expect(ofTwo(priceList(), { ...price, ...first }, { ...price, ...second })).toEqual(said);
  });

  test('when a weekly bill comes twice for one week', () => {
    const history = inMemoryHistory();
    const weekly = (week: number, invoice_number: string): string[] =>
      saidOf(
        history.bill(supplied({ invoice_number, issue_date: addDays('2025-03-03', 7 * week), gross_amount: '240.00' })),
      );
    for (let week = 0; week < 12; week += 1) expect(weekly(week, `W-${8000 + week * 19}`)).toEqual([]);
    expect(weekly(11, 'W-8231')).toEqual(['MEDIUM', 'TWICE']);
    expect(weekly(12, 'W-8249')).toEqual([]);
  });

  test('when a monthly bill comes twice for one month', () => {
    const history = monthlyFee(7);
    const fee = { issue_date: '2025-08-01', gross_amount: '99.00' };
    expect(saidOf(history.bill(supplied({ ...fee, invoice_number: 'M-8207' })))).toEqual([]);
    expect(saidOf(history.bill(supplied({ ...fee, invoice_number: 'M-8231' })))).toEqual(['MEDIUM', 'TWICE']);
  });
});

describe('two bills of one amount stay silent', () => {
  test('when the supplier is hardly known', () => {
    expect(ofTwo(supplierOf(3), {}, { invoice_number: 'RE-5251' })).toEqual([]);
    expect(ofTwo(supplierOf(3), {}, { invoice_number: '80012345' })).toEqual([]);
  });

  test('when the supplier has a list of prices', () => {
    const price = { gross_amount: '900.11' };
    expect(ofTwo(priceList(), {}, { invoice_number: 'RE-5251' })).toEqual([]);
    expect(ofTwo(priceList(), price, { ...price, invoice_number: 'RE-5251' })).toEqual([]);
    const later = { ...price, invoice_number: '80012345', issue_date: addDays(DATE, 4) };
    expect(ofTwo(priceList(), price, later)).toEqual([]);
  });

  test.each([
    ['gross', '450.00', undefined],
    ['net', '535.50', '450.00'],
    ['below the next whole unit', '449.99', undefined],
  ])('when the amount is a price: %s', (_, gross_amount, net_amount) => {
    const price = { gross_amount, ...(net_amount === undefined ? {} : { net_amount, tax_amount: '85.50' }) };
    expect(ofTwo(supplierOf(24), price, { ...price, invoice_number: 'RE-5251' })).toEqual([]);
  });

  test('when each is on an order of its own', () => {
    const second = { invoice_number: 'RE-5251', purchase_order_ref: '4500123999' };
    expect(ofTwo(supplierOf(24), { purchase_order_ref: '4500123456' }, second)).toEqual([]);
  });

  test('when they are a deposit and a final bill of equal halves', () => {
    const order = { purchase_order_ref: '4500123456' };
    const final = { ...order, invoice_number: 'RE-5269', issue_date: addDays(DATE, 16) };
    expect(ofTwo(supplierOf(24), order, final)).toEqual([]);
  });

  test('when they are a month apart', () => {
    const second = { invoice_number: 'RE-5281', issue_date: addDays(DATE, 30) };
    expect(ofTwo(supplierOf(24), {}, second)).toEqual([]);
  });

  test('when they are for two companies', () => {
    const history = supplierOf(24);
    const bill = { issue_date: DATE, gross_amount: ODD };
    history.bill(supplied({ ...bill, invoice_number: 'RE-5250' }));
    const second = history.bill(supplied({ ...bill, invoice_number: 'RE-5251' }), {
      origin: { companyId: OTHER_COMPANY },
    });
    expect(second.analysis.findings.filter(({ family }) => family === 'DUP')).toEqual([]);
  });

  test('when the first was credited in between', () => {
    const history = supplierOf(24);
    const bill = { issue_date: DATE, gross_amount: ODD };
    history.bill(supplied({ ...bill, invoice_number: 'RE-5250' }));
    history.bill(supplied({ ...bill, gross_amount: `-${ODD}`, invoice_number: 'GS-31' }));
    expect(saidOf(history.bill(supplied({ ...bill, invoice_number: 'RE-5251' })))).toEqual([]);
  });

  test('when a supplier sends a monthly bill twice from some month on and was asked about it once', () => {
    const history = monthlyFee(6);
    const twice = (issue_date: string, ...numbers: readonly string[]): string[][] =>
      numbers.map((invoice_number) =>
        saidOf(history.bill(supplied({ issue_date, invoice_number, gross_amount: '99.00' }))),
      );
    expect(twice('2025-07-01', 'M-8177', 'M-8178')).toEqual([[], ['MEDIUM', 'TWICE']]);
    expect(twice('2025-08-01', 'M-8203', 'M-8204')).toEqual([[], []]);
  });

  test('when the supplier has sent two bills of one amount on one day before, as two people said', () => {
    const history = supplierOf(24);
    for (const [pair, gross_amount] of ['2311.46', '2412.87'].entries()) {
      for (const number of [5243, 5244]) {
        const invoice_number = `RE-${number + pair * 2}`;
        const billed = history.bill(supplied({ invoice_number, issue_date: addDays(DATE, pair - 5), gross_amount }));
        history.dismiss(billed, { reviewer: `person-${pair}` });
      }
    }
    expect(ofTwo(history, {}, { invoice_number: 'RE-5251' })).toEqual([]);
  });

  test('when a counter gets one digit more', () => {
    const history = inMemoryHistory();
    for (let index = 0; index < 12; index += 1) {
      const issue_date = addDays(DATE, -4 * (12 - index));
      history.bill(supplied({ invoice_number: `R-${988 + index}`, issue_date, gross_amount: `${300 + index * 7}.31` }));
    }
    const first = { invoice_number: 'R-999', issue_date: addDays(DATE, -20) };
    expect(ofTwo(history, first, { invoice_number: 'R-1000' })).toEqual([]);
  });

  test('when a monthly bill makes up for one that did not come', () => {
    const history = monthlyFee(6);
    const fee = { issue_date: '2025-08-01', gross_amount: '99.00' };
    history.bill(supplied({ ...fee, invoice_number: 'M-8207' }));
    expect(saidOf(history.bill(supplied({ ...fee, invoice_number: 'M-8208' })))).toEqual([]);
  });

  test('when both numbers are of a second series of the supplier', () => {
    const history = supplierOf(18);
    for (const [index, gross_amount] of ['311.41', '412.87', '518.23', '619.71'].entries())
      history.bill(
        supplied({ invoice_number: `SRV/25/${31 + index}`, issue_date: addDays(DATE, index - 9), gross_amount }),
      );
    const first = { issue_date: addDays(DATE, -24) };
    expect(ofTwo(history, first, { invoice_number: 'SRV/25/44', purchase_order_ref: 'A-77' }).slice(1)).not.toContain(
      'FOREIGN',
    );
  });
});

describe('numbers one digit apart', () => {
  const loads = (amounts: readonly string[]): History => {
    const history = inMemoryHistory();
    for (let index = 0; index < 16; index += 1)
      history.bill(
        supplied({
          invoice_number: `RE-${105010 + index * 13}`,
          issue_date: addDays(DATE, -3 * (16 - index)),
          gross_amount: amounts[index % amounts.length] ?? '',
        }),
      );
    return history;
  };
  const first = { invoice_number: 'RE-105230' };
  const copy = { invoice_number: 'RE-105290', issue_date: addDays(DATE, 2) };

  test('are those of two loads where amounts repeat and numbers rise by steps as large', () => {
    expect(ofTwo(loads(['312.00', '412.00', '508.00']), first, copy)).toEqual([]);
  });

  test('are a slip where no amount repeats, or the numbers are far apart', () => {
    const odd = Array.from({ length: 16 }, (_, index) => `${300 + index * 17}.23`);
    expect(ofTwo(loads(odd), first, copy)).toEqual(['HIGH']);
    expect(ofTwo(loads(['312.00', '412.00', '508.00']), first, { ...copy, invoice_number: 'RE-108230' })).toEqual([
      'HIGH',
    ]);
  });
});

describe('rooms at one price on one day', () => {
  test('stay silent from the third on, however alike their numbers are', () => {
    const history = inMemoryHistory();
    const room = (invoice_number: string): string[] =>
      saidOf(history.bill(supplied({ invoice_number, issue_date: DATE, gross_amount: '129.00' })));
    expect(['88120345', '88120398', '88120445', '88120498', '88120545'].map(room)).toEqual([[], [], [], [], []]);
  });

  test('are found when one of them is sent again under its own number', () => {
    const history = inMemoryHistory();
    const room = (invoice_number: string): Billed =>
      history.bill(supplied({ invoice_number, issue_date: DATE, gross_amount: '129.00' }));
    for (const number of ['88120345', '88120398', '88120445']) room(number);
    expect(room('88120398').analysis.findings.map(({ type }) => type)).toContain('DUPLICATE_INVOICE');
  });
});

/** Builds the history of a supplier with three prices in no particular order. */
function priceList(): History {
  return supplierOf(24, (index) => `${900 + ((index * index * 7 + index * 3) % 5) * 37}.11`);
}

/**
 * Builds the history of a supplier that bills 99.00 on the first of each month from January on, under numbers 25 apart.
 */
function monthlyFee(months: number): History {
  const history = inMemoryHistory();
  for (let month = 1; month <= months; month += 1)
    history.bill(
      supplied({ invoice_number: `M-${8000 + month * 25}`, issue_date: `2025-0${month}-01`, gross_amount: '99.00' }),
    );
  return history;
}
