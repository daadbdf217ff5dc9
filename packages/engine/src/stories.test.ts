import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import type { FindingType } from './explanation/catalogue.js';
import type { Billed } from './testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from './testing/ledger.js';
import type { Bill } from './testing/ledger.js';

// Each story describes a fraud, a mistake or an honest case that looks like one, by its bills in order of arrival.

const HOME = { iban: 'DE89370400440532013000' };
const OTHER = ibanOf('DE', '500105175407324931');
const decisionOf = ({ analysis }: Billed): string => analysis.decision;
const severityOf = (billed: Billed, type: FindingType) => findingIn(billed, type)?.severity;

/**
 * Creates a trader with thirty bills of odd amounts, each with a different order, under numbers that rise by varying
 * steps.
 */
function trader() {
  const trades = ledger();
  let number = 4100;
  const next = (step: number): string => `RE-2025-${(number += step)}`;
  for (let index = 0; index < 30; index += 1) {
    trades.bill({
      account: HOME,
      invoice_number: next(3 + ((index * 7) % 11)),
      issue_date: addDays('2025-01-03', index * 9),
      gross_amount: `${400 + ((index * 977) % 2900)}.${10 + ((index * 37) % 89)}`,
      purchase_order_ref: `PO-${7000 + index}`,
    });
  }
  const bill = (issue_date: string, gross_amount: string, more: Bill = {}) =>
    trades.bill({ account: HOME, invoice_number: next(5), issue_date, gross_amount, ...more });
  return { ...trades, bill };
}

describe('one supply that is billed twice', () => {
  test('under the next number weeks later on the same order is a question where each order was billed once', () => {
    const { bill } = trader();
    const onOrder = { purchase_order_ref: 'PO-9001' };
    expect(decisionOf(bill('2025-10-01', '1733.47', onOrder))).toBe('PASS');
    expect(decisionOf(bill('2025-10-08', '612.11', { purchase_order_ref: 'PO-9002' }))).toBe('PASS');
    expect(severityOf(bill('2025-10-22', '1733.47', onOrder), 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
  });

  test('by two halves of an order is asked about once, where a person says that the supplier bills so', () => {
    const { bill, dismiss } = trader();
    const halvesOf = (order: number): Billed[] =>
      [0, 21].map((days) =>
        bill(addDays('2025-10-01', order * 30 + days), `${1500 + order * 131}.47`, {
          purchase_order_ref: `PO-8${order}00`,
        }),
      );
    const [, second] = halvesOf(0);
    expect(severityOf(second as Billed, 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
    dismiss(second as Billed);
    expect([1, 2].flatMap(halvesOf).map(decisionOf)).toEqual(Array(4).fill('PASS'));
  });

  test.each([['with', { purchase_order_ref: 'PO-9001' }] as const, ['without', {}] as const])(
    'is issued again after a credit note, and once more under one more number, %s an order',
    (_, onOrder) => {
      const { bill } = trader();
      bill('2025-10-01', '1733.47', onOrder);
      bill('2025-10-06', '-1733.47', { ...onOrder, invoice_number: 'GS-2025-77' });
      expect(decisionOf(bill('2025-10-07', '1733.47', onOrder))).toBe('PASS');
      expect(severityOf(bill('2025-10-14', '1733.47', onOrder), 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
    },
  );

  test('under the words of the name in another order, without tax id, to another account and with a digit doubled', () => {
    const { bill } = ledger();
    const same = { issue_date: '2025-10-01', gross_amount: '1733.47' };
    bill({ ...same, by: { name: 'Brandt Werkzeugbau GmbH' }, account: HOME, invoice_number: 'RE-2025-4821' });
    const again = { ...same, account: OTHER, invoice_number: 'RE-2025-48821' };
    expect(severityOf(bill({ ...again, by: { name: 'Werkzeugbau Brandt' } }), 'DUPLICATE_ACROSS_SUPPLIERS')).toBe(
      'HIGH',
    );
    expect(decisionOf(bill({ ...same, by: { name: 'Werkzeugbau Kessler' }, invoice_number: 'RE-2025-48921' }))).toBe(
      'PASS',
    );
  });

  test('whole and by instalments of a third of it is found at the second instalment', () => {
    const { bill } = trader();
    const numbered = (mark: string): Bill => ({ invoice_number: `RE-2025-9900${mark}` });
    bill('2025-10-01', '3000.00', numbered(''));
    expect(decisionOf(bill('2025-10-02', '1000.00', numbered('-1')))).toBe('PASS');
    const second = bill('2025-11-03', '1000.00', numbered('-2'));
    expect(findingIn(second, 'SPLIT_DUPLICATE')).toMatchObject({
      severity: 'HIGH',
      summary: 'RE-2025-9900-1 and RE-2025-9900-2 are 2 of 3 equal parts of RE-2025-9900 (2025-10-01, EUR 3,000.00).',
    });
  });

  test('by parts that come before the whole is found next to a third part', () => {
    const { bill } = trader();
    const numbered = (mark: string): Bill => ({ invoice_number: `RE-2025-9900${mark}` });
    bill('2025-10-01', '1000.00', numbered('-1'));
    bill('2025-10-02', '1200.00', numbered('-2'));
    bill('2025-10-03', '800.00', numbered('-3'));
    expect(severityOf(bill('2025-10-05', '2200.00', numbered('')), 'SPLIT_DUPLICATE')).toBe('HIGH');
  });

  test('once with its net amount as the gross one, at the reduced rate of Poland', () => {
    const { bill } = ledger();
    const by = { name: 'Zielona Hurtownia Sp. z o.o.', tax_id: 'PL5260001246' };
    const same = { by, currency: 'PLN', invoice_number: 'FV/120/10/2025', issue_date: '2025-10-01' };
    bill({ ...same, net_amount: '1604.70', tax_amount: '128.38', gross_amount: '1733.08' });
    const again = bill({ ...same, net_amount: '1485.83', tax_amount: '118.87', gross_amount: '1604.70' });
    expect(severityOf(again, 'SUSPECTED_DUPLICATE')).toBe('HIGH');
  });
});

describe('a regular fee', () => {
  const fees = (monthlyPercent: (month: number) => number): Billed[] => {
    const { bill } = ledger();
    let cents = 100_000;
    return Array.from({ length: 24 }, (_, month) => {
      cents = Math.round(cents * (1 + monthlyPercent(month) / 100));
      return bill(
        {
          invoice_number: `M-${4100 + month * 17}`,
          issue_date: addDays('2025-01-01', month * 30),
          gross_amount: (cents / 100).toFixed(2),
        },
        { asOf: addDays('2025-01-01', month * 30) },
      );
    });
  };

  test('that rises by six per cent each month is asked about from a quarter above that of half a year ago', () => {
    const bills = fees((month) => (month < 8 ? 0 : 6));
    expect(bills.slice(0, 11).map(decisionOf)).not.toContain('REVIEW');
    expect(bills.slice(11).map((billed) => severityOf(billed, 'RECURRING_AMOUNT_CHANGED'))).toEqual(
      Array(13).fill('MEDIUM'),
    );
    expect(findingIn(bills.at(-1) as Billed, 'RECURRING_AMOUNT_CHANGED')?.summary).toMatch(/after small increases/);
  });

  test('that rises by two per cent each month, or once a year by eight, passes', () => {
    expect(fees(() => 2).map(decisionOf)).toEqual(Array(24).fill('PASS'));
    expect(fees((month) => (month % 12 === 0 ? 8 : 0)).map(decisionOf)).toEqual(Array(24).fill('PASS'));
  });
});

describe('an account that differs in a digit from a known one', () => {
  const virtual = (index: number) => ibanOf('DE', `37040044053201${String(1000 + index * 7)}`);

  test('blocks where the known one has been in use, also behind an earlier attempt', () => {
    const { bill, repeat } = ledger();
    repeat(5, { account: virtual(0) });
    expect(decisionOf(bill({ account: virtual(1) }))).toBe('BLOCK');
    expect(decisionOf(bill({ account: ibanOf('DE', '370400440532011008') }))).toBe('BLOCK');
  });

  test('is asked about and never blocks where each bill names another one', () => {
    const { bill } = ledger();
    const bills = Array.from({ length: 8 }, (_, index) => bill({ account: virtual(index) }));
    expect(bills.map(decisionOf)).toEqual(['PASS', ...Array<string>(7).fill('REVIEW')]);
  });

  test('is a notice once people have dismissed it for three of them', () => {
    const { bill, dismiss } = ledger();
    for (let index = 0; index < 4; index += 1) dismiss(bill({ account: virtual(index) }));
    expect(severityOf(bill({ account: virtual(4) }), 'BANK_ACCOUNT_CHANGED')).toBe('LOW');
  });
});

describe('a new account under an imitated name', () => {
  const original = { name: 'Nordlicht GmbH', tax_id: 'DE136695976' };
  const imitated = (name: string): Billed => {
    const { bill, repeat } = ledger();
    repeat(4, { by: original, account: HOME });
    return bill({ by: { name }, account: OTHER });
  };

  test.each(['Nerdlict GmbH', 'Nordlecht Gmbh', 'Nardlichd', 'Nodrlicth'])(
    'is asked about where two characters differ, one in either half of the only word: %s',
    (name) => {
      expect(severityOf(imitated(name), 'SUPPLIER_LOOKALIKE_NAME')).toBeDefined();
      expect(decisionOf(imitated(name))).toBe('REVIEW');
    },
  );

  test.each(['Noրdlicht GmbH', 'Ոօrdlicհt GmbH', 'NՕRDLICHT GmbH', 'Nordliꮯht GmbH', 'NORᎠLᎥᏟHT GmbH'])(
    'is one of the supplier where the letters only look Latin: %s',
    (name) => {
      const billed = imitated(name);
      expect(severityOf(billed, 'BANK_ACCOUNT_CHANGED')).toBe('HIGH');
      expect(decisionOf(billed)).toBe('REVIEW');
    },
  );

  test.each(['Nordstern GmbH', 'Sudlicht GmbH', 'Nordlicht Immobilien GmbH'])(
    'passes for another company: %s',
    (name) => {
      expect(decisionOf(imitated(name))).toBe('PASS');
    },
  );
});

describe('two equal bills of a day that a person has accepted', () => {
  const PAIR_DAYS = ['2025-06-03', '2025-07-08', '2025-08-12'];

  /**
   * Bills rooms at one price. A person dismisses each pair on the given day. Then one more bill follows whose number
   * differs in one digit.
   */
  function pairThenSlip(reviewOf: (pair: number) => { day: number; reviewer: string }): Billed | undefined {
    const { bill, dismiss } = ledger();
    for (let index = 0; index < 12; index += 1) {
      bill({
        invoice_number: `Z-${20113 + index * 7}`,
        issue_date: addDays('2025-01-05', index * 11),
        gross_amount: `${310 + index * 13}.40`,
      });
    }
    let last: Billed | undefined;
    for (const [pair, issue_date] of PAIR_DAYS.entries()) {
      const number = 21000 + pair * 60;
      bill({ invoice_number: `Z-${number}`, issue_date, gross_amount: `${187 + pair * 16}.30` });
      last = bill({ invoice_number: `Z-${number + 20}`, issue_date, gross_amount: `${187 + pair * 16}.30` });
      if (pair < 2) dismiss(last, reviewOf(pair));
    }
    return last;
  }

  test('do not make it a habit when one person accepted them within days', () => {
    const third = pairThenSlip((pair) => ({ day: 20_300 + pair, reviewer: 'ann' }));
    expect(third?.analysis.decision).toBe('REVIEW');
  });

  test.each([
    ['two people accepted them', (pair: number) => ({ day: 20_300 + pair, reviewer: `person-${pair}` })],
    ['thirty days lie between', (pair: number) => ({ day: 20_300 + pair * 30, reviewer: 'ann' })],
  ])('make it one when %s', (_, reviewOf) => {
    expect(pairThenSlip(reviewOf)?.analysis.decision).toBe('PASS');
  });
});

describe('a second bill of each month with a count behind its number', () => {
  const monthlyPairs = (reviewOf: (month: number) => { day: number; reviewer: string }): Billed[] => {
    const { bill, dismiss } = ledger();
    const seconds: Billed[] = [];
    for (let month = 1; month <= 12; month += 1) {
      const text = String(month).padStart(2, '0');
      const same = { issue_date: `2025-${text}-28`, gross_amount: '240.00' };
      bill({ ...same, invoice_number: `W-1180/2025-${text}` });
      if (month < 9) continue;
      const second = bill({ ...same, invoice_number: `W-1180/2025-${text}-2` });
      seconds.push(second);
      if (month < 12) dismiss(second, reviewOf(month));
    }
    return seconds;
  };

  test('is asked about until people have accepted some over a month or two', () => {
    const decisions = monthlyPairs((month) => ({ day: 20_000 + month * 30, reviewer: 'ann' })).map(decisionOf);
    expect(decisions[0]).toBe('REVIEW');
    expect(decisions.at(-1)).toBe('PASS');
  });

  test('is asked about again where one person accepted all within days', () => {
    const decisions = monthlyPairs((month) => ({ day: 20_000 + month, reviewer: 'ann' })).map(decisionOf);
    expect(decisions).toEqual(Array(4).fill('REVIEW'));
  });
});

test('an amount in a question about a new account does not become usual until the question is answered', () => {
  const { bill, repeat } = ledger();
  repeat(12, { account: HOME });
  const forged = [1, 2, 3].map((index) => bill({ account: OTHER, gross_amount: `${80_000 + index * 500}.00` }));
  for (const billed of forged) expect(severityOf(billed, 'AMOUNT_OUTLIER')).toBe('HIGH');
  expect(severityOf(bill({ account: HOME, gross_amount: '81000.00' }), 'AMOUNT_OUTLIER')).toBe('HIGH');
});

describe('a seller who issues through KSeF', () => {
  const seller = { name: 'Wrona Sp. z o.o.', tax_id: 'PL5265877635' };
  const account = ibanOf('PL', '109010140000071219812874');
  const inbox = { from: '2026-04-01', receivedThrough: '2026-09-01T00:00:00.000Z' };
  const invoice = (month: number): Bill => ({
    by: seller,
    account,
    currency: 'PLN',
    invoice_number: `FV/${month * 17}/2026`,
    issue_date: `2026-0${month}-12`,
    net_amount: `${1000 + month * 37}.00`,
    tax_amount: '230.00',
    gross_amount: `${1230 + month * 37}.00`,
  });
  const known = () => {
    const history = ledger();
    for (let month = 4; month <= 7; month += 1) {
      history.bill(invoice(month), { origin: { source: 'KSEF', externalId: `invoice-${month}` } });
    }
    return history;
  };
  const byMail = { origin: { source: 'UPLOAD' as const }, facts: { inbox } };

  test('and is imitated under the next number is asked about, whatever small steps come before', () => {
    const history = known();
    const forged = { ...invoice(8), account: ibanOf('PL', '102055581111123456789012') };
    const small = {
      ...forged,
      invoice_number: 'FV/137/2026',
      net_amount: '10.00',
      tax_amount: '2.30',
      gross_amount: '12.30',
    };
    for (const bill of [small, forged]) {
      const billed = history.bill(bill, byMail);
      expect(severityOf(billed, 'KSEF_INVOICE_MISSING')).toBe('MEDIUM');
      expect(decisionOf(billed)).not.toBe('PASS');
    }
  });

  test('and mails a picture of each invoice is paid once', () => {
    const history = known();
    for (let month = 4; month <= 7; month += 1) {
      const billed = history.bill(invoice(month), byMail);
      expect(severityOf(billed, 'DUPLICATE_INVOICE')).toBe('CRITICAL');
      expect(severityOf(billed, 'KSEF_INVOICE_MISSING')).toBeUndefined();
    }
  });
});
