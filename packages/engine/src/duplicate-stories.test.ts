import { describe, expect, test } from 'vitest';
import { crc8 } from '@invoicecontrol/values/ksef-number';
import type { FindingType } from './explanation/catalogue.js';
import type { Billed } from './testing/in-memory-history.js';
import { findingIn, ibanOf, ledger, usualSupplier } from './testing/ledger.js';
import type { Bill } from './testing/ledger.js';

// Each story tells of a supply that was billed twice and of honest bills that resemble it, by the bills in order of
// arrival.

const FIRST = { issue_date: '2025-03-10', gross_amount: '1733.47' };
const decisionOf = ({ analysis }: Billed): string => analysis.decision;
const severityOf = (billed: Billed, type: FindingType) => findingIn(billed, type)?.severity;

/** Bills a supplier's first bill and then another one, with the fields of the first unless stated otherwise. */
function followed(first: Bill, second: Bill, { known = 0, between = [] }: Before = {}): Billed {
  const { bill, repeat } = ledger();
  const by = first.by ?? usualSupplier;
  if (known > 0) repeat(known, { by });
  bill({ ...FIRST, ...first });
  for (const other of between) bill({ ...FIRST, by, ...other });
  return bill({ ...FIRST, ...first, ...second });
}

interface Before {
  /** Number of bills of the supplier before the first bill of the story. */
  readonly known?: number;
  readonly between?: readonly Bill[];
}

describe('codes that contain the letters of a document', () => {
  const RECEIPT = { issue_date: '2025-03-10', gross_amount: '12.45' };

  test('are two receipts of one price, whatever letters the codes contain', () => {
    expect(decisionOf(followed({ ...RECEIPT, invoice_number: 'BC8HV3' }, { invoice_number: 'QX7RT2' }))).toBe('PASS');
    expect(decisionOf(followed({ ...RECEIPT, invoice_number: 'LS4-K2' }, { invoice_number: 'WZ9-D7' }))).toBe('PASS');
  });

  test('are a delivery note in front of its digits', () => {
    const billed = followed({ invoice_number: 'RE-20418' }, { invoice_number: 'LS 88312' });
    expect(severityOf(billed, 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
  });
});

describe('freight bills whose numbers end with a check digit', () => {
  const FREIGHT = { issue_date: '2025-03-10', gross_amount: '184.20' };

  test('are two shipments at one rate, if number and check digit differ', () => {
    const [first, second] = [{ ...FREIGHT, invoice_number: '214560814-4' }, { invoice_number: '214560815-9' }];
    expect(decisionOf(followed(first, second))).toBe('PASS');
    expect(decisionOf(followed(first, { ...second, issue_date: '2025-03-12' }))).toBe('PASS');
  });

  test('are one shipment, if only the check digit is missing or the number is mistyped', () => {
    const first = { ...FREIGHT, invoice_number: '2145608-4' };
    expect(severityOf(followed(first, { invoice_number: '2145608' }), 'SUSPECTED_DUPLICATE')).toBe('HIGH');
    expect(severityOf(followed(first, { invoice_number: '2145680-4' }), 'SUSPECTED_DUPLICATE')).toBe('HIGH');
  });
});

describe('one bill that was booked under two suppliers', () => {
  const PORT = { name: 'Rhenus Port GmbH', tax_id: 'DE136695976' };
  const SISTER = { name: 'Helm Logistik AG', tax_id: 'DE811907980' };

  test('is found by number, date and an odd amount, although the tax ids differ', () => {
    const billed = followed({ invoice_number: '4018-77', by: PORT }, { by: SISTER });
    expect(severityOf(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toBe('MEDIUM');
    const short = followed({ invoice_number: '2025/0377', by: PORT }, { by: SISTER });
    expect(severityOf(short, 'DUPLICATE_ACROSS_SUPPLIERS')).toBe('MEDIUM');
  });

  test('are two bills, if the amount is a round price or the date is another', () => {
    const first = { invoice_number: '4018-77', by: PORT };
    expect(decisionOf(followed({ ...first, gross_amount: '1700.00' }, { by: SISTER }))).toBe('PASS');
    expect(decisionOf(followed(first, { by: SISTER, issue_date: '2025-03-12' }))).toBe('PASS');
    expect(decisionOf(followed({ ...first, invoice_number: '77' }, { by: SISTER }))).toBe('PASS');
  });
});

describe('one bill under a shorter and a longer name of its supplier', () => {
  const SHORT = { name: 'Nordwind Energie' };
  const LONG = { name: 'Nordwind Energie Vertrieb Hamburg' };

  test('is found days apart by its long number and odd amount', () => {
    const first = { invoice_number: '4500123987', by: SHORT };
    const billed = followed(first, { by: LONG, issue_date: '2025-03-13' });
    expect(severityOf(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toBe('HIGH');
    const unrelated = followed(first, { by: { name: 'Kaltenbach Netze' }, issue_date: '2025-03-13' });
    expect(severityOf(unrelated, 'DUPLICATE_ACROSS_SUPPLIERS')).toBe('MEDIUM');
  });

  test('is another bill, if the number is short or the amount round, or if the tax ids are those of two firms', () => {
    const second = { by: { name: 'Kaltenbach Netze' }, issue_date: '2025-03-13' };
    expect(decisionOf(followed({ invoice_number: '450012', by: SHORT }, second))).toBe('PASS');
    const round = { invoice_number: '4500123987', gross_amount: '1700.00', by: SHORT };
    expect(decisionOf(followed(round, second))).toBe('PASS');
    const stated = { invoice_number: '4500123987', by: { ...SHORT, tax_id: 'DE136695976' } };
    const other = { ...second, by: { ...LONG, tax_id: 'DE811907980' } };
    expect(severityOf(followed(stated, other), 'DUPLICATE_ACROSS_SUPPLIERS')).toBeUndefined();
  });
});

describe('a bill that was issued again with another amount', () => {
  const BILL = { invoice_number: 'IN-2001', gross_amount: '950.17' };
  const again = (invoice_number: string, more: Bill = {}): Bill => ({
    invoice_number,
    gross_amount: '912.43',
    issue_date: '2025-03-19',
    ...more,
  });

  test.each([
    'REV',
    'R',
    'R1',
    'V2',
    'REV2',
    'rev. 1',
    'CORRECTED',
    'Korrektur',
    'rectificative',
    'rettifica',
    'korekta',
  ])('is asked about where the number says so: %s', (word) => {
    const billed = followed(BILL, again(`IN-2001-${word}`));
    expect(severityOf(billed, 'INVOICE_NUMBER_REUSED')).toBe('MEDIUM');
    expect(findingIn(billed, 'INVOICE_NUMBER_REUSED')?.summary).toBe(
      `IN-2001-${word} may replace IN-2001 (2025-03-10, EUR 950.17) with a suffix added; same tax id, different amount, 9 days apart.`,
    );
    expect(decisionOf(billed)).toBe('REVIEW');
  });

  test.each(['CN-2001', 'IN-2001-CN', 'IN-2001'])('is no second claim after a credit note %s', (invoice_number) => {
    const between = [{ invoice_number, gross_amount: '-950.17', issue_date: '2025-03-14' }];
    expect(decisionOf(followed(BILL, again('IN-2001-REV'), { between }))).toBe('PASS');
  });

  test('is an addition, if the number only counts or the amount is a small difference', () => {
    expect(decisionOf(followed(BILL, again('IN-2001-2')))).toBe('PASS');
    expect(decisionOf(followed(BILL, again('IN-2001-KOR', { gross_amount: '41.20' })))).toBe('PASS');
  });

  test('passes under the same number after a credit note for the whole amount, and not after one for a part', () => {
    const credited = (gross_amount: string): Bill[] => [
      { invoice_number: 'IN-2001', gross_amount, issue_date: '2025-03-14' },
    ];
    expect(decisionOf(followed(BILL, again('IN-2001'), { between: credited('-950.17') }))).toBe('PASS');
    const partly = followed(BILL, again('IN-2001'), { between: credited('-95.00') });
    expect(severityOf(partly, 'INVOICE_NUMBER_REUSED')).toBe('MEDIUM');
  });
});

describe('an amount to which a spreadsheet added zeros', () => {
  test('is that of the bill with the number', () => {
    const billed = followed({ invoice_number: 'RE-20418' }, { gross_amount: '1733470.00', issue_date: '2025-03-12' });
    expect(severityOf(billed, 'SUSPECTED_DUPLICATE')).toBe('HIGH');
  });

  test('is another amount under another number, or with other digits', () => {
    const many = { gross_amount: '1733470.00' };
    expect(
      severityOf(
        followed({ invoice_number: 'RE-20418' }, { ...many, invoice_number: 'RE-20431' }),
        'SUSPECTED_DUPLICATE',
      ),
    ).toBeUndefined();
    const other = followed({ invoice_number: 'RE-20418' }, { gross_amount: '1733480.00' });
    expect(severityOf(other, 'SUSPECTED_DUPLICATE')).toBeUndefined();
  });
});

describe('a bill with a suffix that arrives seven months later', () => {
  const ORDER = { purchase_order_ref: 'PO-77123' };
  const LATER = { invoice_number: 'RE-20418B', issue_date: '2025-10-20' };

  test('is a copy, if the order and an odd amount are the same', () => {
    const billed = followed({ invoice_number: 'RE-20418', ...ORDER }, LATER);
    expect(severityOf(billed, 'SUSPECTED_DUPLICATE')).toBe('HIGH');
  });

  test('is a part of the order, if the amount is round or billed more than once, or without an order', () => {
    const round = { invoice_number: 'RE-20418', gross_amount: '1700.00', ...ORDER };
    expect(severityOf(followed(round, LATER), 'SUSPECTED_DUPLICATE')).toBeUndefined();
    const between = [{ invoice_number: 'RE-20771', issue_date: '2025-06-20', ...ORDER }];
    expect(
      severityOf(followed({ invoice_number: 'RE-20418', ...ORDER }, LATER, { between }), 'SUSPECTED_DUPLICATE'),
    ).toBeUndefined();
    expect(severityOf(followed({ invoice_number: 'RE-20418' }, LATER), 'SUSPECTED_DUPLICATE')).toBeUndefined();
  });
});

describe('a reminder or a statement that is entered as a bill', () => {
  const BILL = { invoice_number: 'RE-20418' };
  const LATER = { issue_date: '2025-03-31' };

  test.each([
    '2. Mahnung RE-20418',
    'Mahnung 2 RE-20418',
    '1st reminder RE-20418',
    '2nd payment reminder 20418',
    'Zweite Mahnung zu RE-20418',
    '2ème relance RE-20418',
    '2° sollecito 20418',
    'II wezwanie RE-20418',
    '1a reclamación RE-20418',
    '2:a påminnelsen 20418',
    'RE-20418/M1',
    'RE-20418 P2',
    'Quittung 20418',
  ])('is found by the number of its bill: %s', (invoice_number) => {
    expect(severityOf(followed(BILL, { ...LATER, invoice_number }), 'SUSPECTED_DUPLICATE')).toBe('HIGH');
    const withFee = followed(BILL, { ...LATER, invoice_number, gross_amount: '1788.47' });
    expect(decisionOf(withFee)).toBe('REVIEW');
  });

  test.each(['STATEMENT 3318', 'Statement 03/2025', 'Mahnung 88123', 'Kontoauszug 03/2025'])(
    'is found by the amount of its bill: %s',
    (invoice_number) => {
      expect(severityOf(followed(BILL, { ...LATER, invoice_number }), 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
    },
  );

  test('is a bill of its own, if all bills are statements or the amount is another', () => {
    const statement = { invoice_number: 'Statement 3301' };
    expect(decisionOf(followed(statement, { ...LATER, invoice_number: 'Statement 3318' }))).toBe('PASS');
    expect(decisionOf(followed(BILL, { ...LATER, invoice_number: 'Statement 3318', gross_amount: '411.20' }))).toBe(
      'PASS',
    );
    expect(decisionOf(followed(BILL, { ...LATER, invoice_number: 'RE-20418/M1', gross_amount: '411.20' }))).toBe(
      'PASS',
    );
  });
});

describe('an order that is billed twice within days under two numbers', () => {
  const ORDER = { ...FIRST, invoice_number: 'S006426', purchase_order_ref: 'L591736' };
  const AGAIN = { invoice_number: 'S006465', issue_date: '2025-03-13' };

  test('is asked about, if no other bill has the order and the odd amount, however little is known of the supplier', () => {
    const billed = followed(ORDER, AGAIN);
    expect(severityOf(billed, 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
    expect(severityOf(followed(ORDER, { ...AGAIN, invoice_number: '88317/A' }), 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
  });

  test('is two deliveries, if the order has further bills or the amount is round, weeks apart or on another order', () => {
    const third = { ...ORDER, invoice_number: 'S006301', issue_date: '2025-02-20', gross_amount: '981.15' };
    const { bill } = ledger();
    bill(third);
    bill(ORDER);
    expect(decisionOf(bill({ ...ORDER, ...AGAIN }))).toBe('PASS');
    const round = { gross_amount: '1700.00' };
    expect(decisionOf(followed({ ...ORDER, ...round }, { ...AGAIN, ...round }))).toBe('PASS');
    expect(decisionOf(followed(ORDER, { ...AGAIN, issue_date: '2025-04-02' }))).toBe('PASS');
    expect(decisionOf(followed(ORDER, { ...AGAIN, purchase_order_ref: 'L591801' }))).toBe('PASS');
  });
});

describe('a bill that is billed again by store or by cost centre', () => {
  const parts = (marks: readonly string[], amounts: readonly string[], invoice_number = 'RE-20418'): Billed => {
    const { bill } = ledger();
    const whole = { ...FIRST, invoice_number };
    bill(whole);
    const billed = marks.map((mark, index) =>
      bill({ ...whole, invoice_number: `${invoice_number}${mark}`, gross_amount: amounts[index] ?? '' }),
    );
    return billed.at(-1) as Billed;
  };
  const SUM = ['1000.00', '733.47'];

  test.each([
    [[' CC3', ' CC4']],
    [['-S4', '-S5']],
    [['/KST12', '/KST14']],
    [[' Filiale 3', ' Filiale 4']],
    [[' Kst 4100', ' Kst 4200']],
  ])('is found when the parts add up to it: %j', (marks) => {
    expect(severityOf(parts(marks, SUM), 'SPLIT_DUPLICATE')).toBe('HIGH');
  });

  test('is found behind a number that ends with its year', () => {
    expect(severityOf(parts(['-S3', '-S4'], SUM, '4054/2025'), 'SPLIT_DUPLICATE')).toBe('HIGH');
  });

  test('is two other bills, if they add up to another amount or only the month is common', () => {
    expect(decisionOf(parts([' CC3', ' CC4'], ['1000.00', '633.47']))).toBe('PASS');
    expect(decisionOf(parts(['/A12', '/A13'], SUM, 'FA/2025/03'))).toBe('PASS');
  });
});

describe('a number that a spreadsheet has rounded', () => {
  const LATER = { issue_date: '2025-03-12' };

  test.each([
    ['402133771205', '4.02134E+11'],
    ['4500123987', '4.5E+09'],
    ['4500123987', '4,50012E+09'],
    ['402133771205998123', '402133771205998000'],
  ])('is that of the bill that it comes from: %s and %s', (invoice_number, rounded) => {
    expect(severityOf(followed({ invoice_number }, { ...LATER, invoice_number: rounded }), 'SUSPECTED_DUPLICATE')).toBe(
      'HIGH',
    );
  });

  test('is another number, if a digit, the length or the amount differs', () => {
    const rounded = { ...LATER, invoice_number: '4.5E+09' };
    expect(decisionOf(followed({ invoice_number: '4600123987' }, rounded))).toBe('PASS');
    expect(decisionOf(followed({ invoice_number: '45001239871' }, rounded))).toBe('PASS');
    expect(decisionOf(followed({ invoice_number: '4500123987' }, { ...rounded, gross_amount: '811.20' }))).toBe('PASS');
  });

  test('is asked about once, if the spreadsheet has rounded the numbers of many bills', () => {
    const { bill } = ledger();
    const bills = [11, 12, 13, 14, 15].map((day) =>
      bill({ invoice_number: '4.02134E+11', gross_amount: `${day * 71}.${day}`, issue_date: `2025-03-${day}` }),
    );
    expect(bills.map(decisionOf)).toEqual(['PASS', 'REVIEW', 'PASS', 'PASS', 'PASS']);
  });
});

describe('a number with its month in Roman digits', () => {
  const BILL = { invoice_number: 'FV/12/III/2025' };

  test('is the same number with the month in other digits', () => {
    const billed = followed(BILL, { invoice_number: 'FV/12/03/2025', issue_date: '2025-03-12' });
    expect(severityOf(billed, 'DUPLICATE_INVOICE')).toBe('CRITICAL');
    const short = followed({ invoice_number: '12/III/25' }, { invoice_number: '12/3/2025' });
    expect(severityOf(short, 'SUSPECTED_DUPLICATE')).toBe('HIGH');
  });

  test('is another number in another month, and Roman digits that are not the month name a series', () => {
    expect(decisionOf(followed(BILL, { invoice_number: 'FV/12/04/2025', issue_date: '2025-04-10' }))).toBe('PASS');
    expect(decisionOf(followed({ invoice_number: 'FV/12/V/2025' }, { invoice_number: 'FV/12/05/2025' }))).toBe('PASS');
  });
});

describe('a KSeF number in place of the invoice number', () => {
  const NIP = '5260001246';
  const ksefNumber = (of: string): string => `${of}-${crc8(of)}`;
  const BY_KSEF = ksefNumber(`${NIP}-20250311-0100001AF629`);
  const by = { name: 'Polna Hurtownia Sp. z o.o.', tax_id: `PL${NIP}` };

  test('is asked about, if a bill of the seller has the amount', () => {
    const billed = followed({ by, invoice_number: 'FV/12/2025' }, { invoice_number: BY_KSEF.toLowerCase() });
    expect(severityOf(billed, 'SUSPECTED_DUPLICATE')).toBe('MEDIUM');
  });

  test('names the invoice that came through KSeF', () => {
    const { bill } = ledger();
    const origin = { source: 'KSEF', externalId: BY_KSEF } as const;
    bill({ ...FIRST, by, invoice_number: 'FV/12/2025' }, { origin });
    const billed = bill({ ...FIRST, by, invoice_number: BY_KSEF });
    expect(severityOf(billed, 'DUPLICATE_INVOICE')).toBe('CRITICAL');
    expect(findingIn(billed, 'KSEF_CONTENT_DIFFERS')).toBeUndefined();
  });

  test('is a bill of its own, if both bills state one or the amount is another', () => {
    const other = { by, invoice_number: ksefNumber(`${NIP}-20250310-0100001AF111`) };
    expect(decisionOf(followed(other, { invoice_number: BY_KSEF }))).toBe('PASS');
    const first = { by, invoice_number: 'FV/12/2025' };
    expect(decisionOf(followed(first, { invoice_number: BY_KSEF, gross_amount: '811.20' }))).toBe('PASS');
  });
});

describe('a bill whose debt an agency collects', () => {
  const account = ibanOf('CH', '00761000012345678');
  const BILL = { by: { name: 'Alpenbrot AG', tax_id: 'CHE-116.281.710 MWST' }, account, invoice_number: '20418' };
  const demand = (more: Bill = {}): Bill => ({
    by: { name: 'Helvetia Inkasso AG' },
    invoice_number: 'IN-883112',
    issue_date: '2025-05-30',
    ...more,
  });

  test('is found by the odd amount at the same account', () => {
    const billed = followed(BILL, demand());
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toMatchObject({
      severity: 'MEDIUM',
      summary:
        'IN-883112 looks like 20418 (2025-03-10, EUR 1,733.47) under another number; same amount and bank account, 81 days apart.',
    });
  });

  test('is another bill, if the name is not that of an agency or the amount is round', () => {
    const noAgency = followed(BILL, demand({ by: { name: 'Helvetia Catering AG' } }));
    expect(severityOf(noAgency, 'DUPLICATE_ACROSS_SUPPLIERS')).toBeUndefined();
    const round = followed({ ...BILL, gross_amount: '1700.00' }, demand());
    expect(severityOf(round, 'DUPLICATE_ACROSS_SUPPLIERS')).toBeUndefined();
  });
});

describe('other letters before the same digits', () => {
  test('name another series of numbers', () => {
    const first = { invoice_number: 'W-24159' };
    expect(decisionOf(followed(first, { issue_date: '2025-03-12', invoice_number: 'S-24159' }))).toBe('PASS');
    expect(decisionOf(followed({ invoice_number: '250310-01/N' }, { invoice_number: '250310-01/S' }))).toBe('PASS');
  });
});
