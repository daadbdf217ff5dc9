import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import type { Finding } from '../explanation/evidence.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { COMPANY_ID, inMemoryHistory, typesIn } from '../testing/in-memory-history.js';
import type { InvoiceOrigin } from '../facts/invoice.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { Billed, BillOptions } from '../testing/in-memory-history.js';

const typesOf = typesIn('DUP');

const supplier = { tax_id: 'DE136695976' };
const otherSupplier = { name: 'Borealis', tax_id: 'DE811569869' };
const bank_account = { iban: 'DE89370400440532013000' };

type Bill = readonly [changes: InvoiceChanges, options?: BillOptions];

/** Sends the bills in order and returns the last one. */
function billLast(...bills: readonly Bill[]): Billed {
  const history = inMemoryHistory();
  const billed = bills.map(([changes, options]) =>
    history.bill(invoiceOf({ ...changes, supplier: { ...supplier, ...changes.supplier } }), options),
  );
  return billed.at(-1) as Billed;
}

const duplicatesIn = (billed: Billed): readonly Finding[] =>
  billed.analysis.findings.filter(({ family }) => family === 'DUP');
const findingIn = (billed: Billed, type: string): Finding | undefined =>
  billed.analysis.findings.find((finding) => finding.type === type);

describe('DUPLICATE_INVOICE', () => {
  test('blocks a second copy and names the first', () => {
    const billed = billLast([{}], [{}]);
    expect(billed.analysis).toMatchObject({ decision: 'BLOCK', riskScore: 91 });
    expect(findingIn(billed, 'DUPLICATE_INVOICE')).toMatchObject({
      severity: 'CRITICAL',
      confidence: 99,
      summary:
        'INV-01042 repeats INV-01042 (2025-03-10, EUR 1,200.00) with the same number; same amount, date and tax id.',
      recommendedAction:
        'Do not pay the invoice. Confirm with Acme Supplies Ltd that the invoice repeats INV-01042 of 2025-03-10, then void this record. If both were paid, claim the money back.',
      evidence: { points: 10.5, amountAtRisk: '1200.00', rule: 'DUPLICATE_INVOICE@1.21.0' },
    });
  });

  test('lists every copy, best first, in one finding', () => {
    const billed = billLast([{ issue_date: '2025-03-08' }], [{}], [{}]);
    const finding = findingIn(billed, 'DUPLICATE_INVOICE');
    expect(duplicatesIn(billed)).toHaveLength(1);
    expect(finding?.relatedInvoiceIds).toHaveLength(2);
    expect(finding?.evidence['matched']).toMatchObject([{ points: 10.5 }, { points: 9 }]);
  });

  test('names its copies and not neighbours of the same price', () => {
    const billed = billLast(
      [{ invoice_number: 'INV-01041', issue_date: '2025-03-09' }],
      [{}],
      [{ invoice_number: 'INV-01042 COPY' }],
      [{}],
    );
    const finding = findingIn(billed, 'DUPLICATE_INVOICE');
    const matched = finding?.evidence['matched'] as readonly { readonly invoiceNumber: string }[];
    expect(matched.map(({ invoiceNumber }) => invoiceNumber)).toEqual(['INV-01042', 'INV-01042 COPY']);
    expect(finding?.relatedInvoiceIds).toHaveLength(2);
  });

  test('a number in letters that only look Latin is the number they show', () => {
    const billed = billLast([{ invoice_number: 'BX-01042' }], [{ invoice_number: 'ΒΧ-01042' }]);
    expect(typesOf(billed)).toEqual(['DUPLICATE_INVOICE']);
  });

  test('an equal invoice weeks apart is reviewed, not blocked', () => {
    const billed = billLast([{}], [{ issue_date: '2025-04-20' }]);
    expect(billed.analysis.decision).toBe('REVIEW');
    expect(typesOf(billed)).toEqual(['SUSPECTED_DUPLICATE']);
  });

  test('two equal invoices received at once: only the one with the larger id is the copy', () => {
    const history = inMemoryHistory();
    const smaller = history.factsOf(invoiceOf({ supplier }), { origin: { receivedAtMs: 5, invoiceId: 'a' } });
    const larger = history.factsOf(invoiceOf({ supplier }), { origin: { receivedAtMs: 5, invoiceId: 'b' } });
    history.record(smaller, { status: 'RECEIVED' });
    history.record(larger, { status: 'RECEIVED' });
    expect(typesOf(history.bill(invoiceOf({ supplier }), { origin: { receivedAtMs: 5, invoiceId: 'a' } }))).toEqual([]);
    const again = history.bill(invoiceOf({ supplier }), { origin: { receivedAtMs: 5, invoiceId: 'b' } });
    expect(findingIn(again, 'DUPLICATE_INVOICE')?.relatedInvoiceIds).toEqual(['a']);
  });

  test('a record that is still being analyzed is an original, though it has no supplier yet', () => {
    const history = inMemoryHistory();
    const origin = { invoiceId: 'a', companyId: COMPANY_ID, source: 'API', receivedAtMs: 5 } as const;
    history.receive(invoiceOf({ supplier }), origin);
    expect(typesOf(history.bill(invoiceOf({ supplier })))).toEqual(['DUPLICATE_INVOICE']);
  });

  test('a record confirmed as a duplicate no longer counts as an original', () => {
    const history = inMemoryHistory();
    const first = history.bill(invoiceOf({ supplier }));
    history.amend(first.facts.invoice.invoiceId, { confirmedAs: 'DUPLICATE' });
    expect(typesOf(history.bill(invoiceOf({ supplier })))).toEqual([]);
  });

  test.each(['VOID', 'REJECTED', 'FAILED'] as const)('a %s record does not count as an original', (status) => {
    const history = inMemoryHistory();
    history.record(history.factsOf(invoiceOf({ supplier })), { status });
    expect(typesOf(history.bill(invoiceOf({ supplier })))).toEqual([]);
  });
});

describe('a contract number on every monthly bill', () => {
  const monthly = (index: number): Bill => [
    { invoice_number: 'C-77801', issue_date: addDays('2025-01-15', index * 30) },
  ];

  test('is reviewed the second time and passes from the third', () => {
    expect(billLast(monthly(0), monthly(1)).analysis.decision).toBe('REVIEW');
    const third = billLast(monthly(0), monthly(1), monthly(2));
    expect(third.analysis.decision).toBe('PASS');
    expect(findingIn(third, 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'LOW', confidence: 70 });
  });
  test('is not reported as a copy of an earlier month, however the copy was written', () => {
    const copy: Bill = [{ invoice_number: 'C-77801 COPY', issue_date: '2025-01-15' }];
    const billed = billLast(monthly(0), copy, monthly(1), monthly(2));
    expect(billed.analysis.decision).toBe('PASS');
  });
  test('is a duplicate again on the same day or within five days', () => {
    const copy: Bill = [{ invoice_number: 'C-77801', issue_date: addDays('2025-01-15', 92) }];
    const billed = billLast(monthly(0), monthly(1), monthly(2), monthly(3), copy);
    expect(findingIn(billed, 'DUPLICATE_INVOICE')?.relatedInvoiceIds).toHaveLength(1);
  });
});

describe('SUSPECTED_DUPLICATE', () => {
  test('of a copy lists its copies, not another bill of the same price with a number that is alike', () => {
    const billed = billLast(
      [{ invoice_number: 'KX-4821' }],
      [{ invoice_number: 'KX-48210' }],
      [{ invoice_number: 'KX-4821A' }],
    );
    const finding = findingIn(billed, 'SUSPECTED_DUPLICATE');
    expect(finding?.evidence).toMatchObject({ matchedTotal: 1, matched: [{ invoiceNumber: 'KX-4821' }] });
    expect(finding?.relatedInvoiceIds).toHaveLength(1);
  });
  test.each<[string, InvoiceChanges, InvoiceChanges, string, number]>([
    ['a suffix', { invoice_number: 'INV-1042' }, { invoice_number: 'INV-1042A' }, 'HIGH', 99],
    ['a typing error', { invoice_number: 'INV-10423' }, { invoice_number: 'INV-19423' }, 'HIGH', 98],
    ['a moved decimal point', {}, { gross_amount: '12000.00' }, 'HIGH', 99],
    [
      'a number found inside, days apart',
      { invoice_number: 'AC10423' },
      { invoice_number: 'ZZAC10423', issue_date: '2025-03-12' },
      'MEDIUM',
      89,
    ],
  ])('%s', (_, earlier, later, severity, confidence) => {
    const billed = billLast([earlier], [later]);
    expect(billed.analysis.decision).toBe('REVIEW');
    expect(findingIn(billed, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity, confidence });
  });

  test.each<[string, readonly Bill[]]>([
    ['neighbouring numbers of one day', [[{ invoice_number: 'INV-10423' }], [{ invoice_number: 'INV-10424' }]]],
    [
      'monthly invoices of one amount',
      [
        [{ invoice_number: 'FV/19/09/2024', issue_date: '2024-09-30' }],
        [{ invoice_number: 'FV/19/10/2024', issue_date: '2024-10-31' }],
      ],
    ],
    ['instalments', [[{ invoice_number: '10423/1' }], [{ invoice_number: '10423/2', issue_date: '2025-04-10' }]]],
    ['a price list', ['Q-881', 'R-1904', 'T-33', 'V-640', 'K-5'].map((invoice_number): Bill => [{ invoice_number }])],
    [
      'billing again after a credit note',
      [
        [{ invoice_number: 'AB-20417' }],
        [{ invoice_number: 'G-1', gross_amount: '-1200.00', issue_date: '2025-03-12' }],
        [{ invoice_number: 'AB-29417', issue_date: '2025-03-14' }],
      ],
    ],
    ['a credit note with the number of its invoice', [[{}], [{ gross_amount: '-1200.00' }]]],
  ])('is not raised for %s', (_, bills) => {
    expect(typesOf(billLast(...bills))).not.toContain('SUSPECTED_DUPLICATE');
    expect(typesOf(billLast(...bills))).not.toContain('DUPLICATE_INVOICE');
  });

  test('a credit is used up by the first invoice that replaces it', () => {
    const billed = billLast(
      [{ invoice_number: 'AB-20417' }],
      [{ invoice_number: 'G-1', gross_amount: '-1200.00', issue_date: '2025-03-12' }],
      [{ invoice_number: 'AB-20455', issue_date: '2025-03-13' }],
      [{ invoice_number: 'AB-20955', issue_date: '2025-03-13' }],
    );
    expect(typesOf(billed)).toContain('SUSPECTED_DUPLICATE');
  });
});

describe('DUPLICATE_ACROSS_SUPPLIERS', () => {
  test('blocks the same invoice on the same account under another supplier', () => {
    const billed = billLast([{ supplier: { bank_account } }], [{ supplier: { ...otherSupplier, bank_account } }]);
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toMatchObject({
      severity: 'CRITICAL',
      confidence: 99,
      evidence: { sharedKey: 'bank' },
    });
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')?.evidence['supplierIds']).toHaveLength(2);
  });
  test('is reviewed when only the names agree', () => {
    const billed = billLast([{ supplier: { tax_id: 'DE136695976' } }], [{ supplier: { tax_id: 'DE000000001' } }]);
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toMatchObject({ severity: 'HIGH' });
  });
  test('is not raised for equal numbers and amounts of unrelated suppliers', () => {
    expect(typesOf(billLast([{}], [{ supplier: otherSupplier }]))).toEqual([]);
  });

  const contractor = (name: string, more: InvoiceChanges['supplier'] = {}, changes: InvoiceChanges = {}): Bill => [
    { invoice_number: '1/03/2025', gross_amount: '16482.00', ...changes, supplier: { name, ...more } },
  ];
  const billAll = (...bills: readonly Bill[]): Billed => {
    const history = inMemoryHistory();
    return bills.map(([changes, options]) => history.bill(invoiceOf(changes), options)).at(-1) as Billed;
  };
  test('is not raised for strangers who share a simple number, a day and a whole fee', () => {
    expect(typesOf(billAll(contractor('Ewa Mazur'), contractor('Tomasz Lis')))).toEqual([]);
  });
  test('is MEDIUM when only number, day and amount agree and the number is not a simple one', () => {
    const odd = { invoice_number: '1204/2025' };
    const billed = billAll(contractor('Ewa Mazur', {}, odd), contractor('Tomasz Lis', {}, odd));
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')).toMatchObject({ severity: 'MEDIUM' });
  });
  test('is raised for an odd amount on one day, whatever the tax ids', () => {
    const odd = { invoice_number: '1204/2025', gross_amount: '16482.37' };
    const second = (tax_id: string): Bill => contractor('Tomasz Lis', { tax_id }, odd);
    const first = contractor('Ewa Mazur', { tax_id: '9186510629' }, odd);
    expect(typesOf(billAll(first, second('3114218678')))).toEqual(['DUPLICATE_ACROSS_SUPPLIERS']);
    expect(typesOf(billAll(first, second('9186510692')))).toEqual(['DUPLICATE_ACROSS_SUPPLIERS']);
  });
  test('is not raised for a whole amount where the tax ids differ in more than a slip, with or without a country', () => {
    const whole = { invoice_number: '1204/2025', gross_amount: '16482.00' };
    const second = (tax_id: string): Bill => contractor('Tomasz Lis', { tax_id }, whole);
    const first = contractor('Ewa Mazur', { tax_id: '9186510629' }, whole);
    expect(typesOf(billAll(first, second('3114218678')))).toEqual([]);
    expect(typesOf(billAll(first, second('9186510692')))).toEqual(['DUPLICATE_ACROSS_SUPPLIERS']);
  });
  test('does not block numbers that coincide months apart at one factoring company', () => {
    const billed = billLast(
      [{ supplier: { bank_account }, invoice_number: 'AR-2025-00011' }],
      [{ supplier: { ...otherSupplier, bank_account }, invoice_number: '2025/0011', issue_date: '2025-06-17' }],
    );
    expect(findingIn(billed, 'DUPLICATE_ACROSS_SUPPLIERS')?.severity).not.toBe('CRITICAL');
    expect(billed.analysis.decision).not.toBe('BLOCK');
  });
});

describe('CROSS_COMPANY_DUPLICATE', () => {
  const otherCompany = { origin: { companyId: '0192a000-0000-7000-8000-00000000c002' } };
  test('names both companies', () => {
    const billed = billLast([{}], [{}, otherCompany]);
    expect(duplicatesIn(billed).map(({ type }) => type)).toEqual(['CROSS_COMPANY_DUPLICATE']);
    expect(findingIn(billed, 'CROSS_COMPANY_DUPLICATE')).toMatchObject({ severity: 'HIGH', confidence: 99 });
    expect(findingIn(billed, 'CROSS_COMPANY_DUPLICATE')?.evidence['companyIds']).toHaveLength(2);
  });
  test('is not raised for a recharge with its own number', () => {
    expect(typesOf(billLast([{}], [{ invoice_number: 'R-77' }, otherCompany]))).toEqual([]);
  });
});

describe('DUPLICATE_DOCUMENT', () => {
  const upload: BillOptions = { origin: { source: 'UPLOAD', documentSha256: 'ab'.repeat(32) } };
  test('blocks the same file while the earlier record is live', () => {
    const billed = billLast([{}, upload], [{ invoice_number: 'read differently' }, upload]);
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'DUPLICATE_DOCUMENT')).toMatchObject({ severity: 'CRITICAL', confidence: 100 });
  });
  test('is INFO when the earlier upload failed', () => {
    const history = inMemoryHistory();
    history.record(history.factsOf(invoiceOf({ supplier }), upload), { status: 'FAILED' });
    const billed = history.bill(invoiceOf({ supplier }), upload);
    expect(billed.analysis.decision).toBe('PASS');
    expect(findingIn(billed, 'DUPLICATE_DOCUMENT')).toMatchObject({ severity: 'INFO' });
  });
});

describe('SPLIT_DUPLICATE', () => {
  const part = (index: number, gross_amount: string): Bill => [
    { invoice_number: `INV-10423/${index}`, gross_amount, issue_date: addDays('2025-03-10', index) },
  ];
  const whole: Bill = [{ invoice_number: 'INV-10423', gross_amount: '1200.00' }];

  test('is raised on the part that completes the sum', () => {
    expect(typesOf(billLast(whole, part(1, '500.00')))).not.toContain('SPLIT_DUPLICATE');
    const billed = billLast(whole, part(1, '500.00'), part(2, '700.01'));
    expect(findingIn(billed, 'SPLIT_DUPLICATE')).toMatchObject({
      severity: 'HIGH',
      confidence: 93,
      recommendedAction:
        'The partial invoices add up to invoice INV-10423. Pay either the whole invoice or the partial invoices, not both.',
      evidence: { sum: '1200.01', parts: [{ invoiceNumber: 'INV-10423/1' }, { invoiceNumber: 'INV-10423/2' }] },
    });
  });
  test('is raised on a whole that comes after its parts', () => {
    const billed = billLast(part(1, '500.00'), part(2, '700.00'), whole);
    expect(findingIn(billed, 'SPLIT_DUPLICATE')?.relatedInvoiceIds).toHaveLength(2);
  });
  test.each([
    ['of so many', 'INV-10423 1/2', 'INV-10423 2/2'],
    ['with the number of the whole', 'INV-10423', 'INV-10423'],
    ['the first one without a mark', 'INV-10423', 'INV-10423/2'],
    ['by letters', 'INV-10423-A', 'INV-10423-B'],
    ['by a word', 'INV-10423 Teil 1', 'INV-10423 Teil 2'],
  ])('knows parts %s', (_, one, two) => {
    const [first, second]: [Bill, Bill] = [
      [{ invoice_number: one, gross_amount: '500.00' }],
      [{ invoice_number: two, gross_amount: '700.00' }],
    ];
    expect(typesOf(billLast(whole, first, second))).toContain('SPLIT_DUPLICATE');
  });
  test.each<[string, Bill[]]>([
    ['came before', [whole, part(3, '310.50'), part(1, '500.00'), part(2, '700.00')]],
    ['came between', [whole, part(1, '500.00'), part(3, '310.50'), part(2, '700.00')]],
    ['came before the whole does', [part(1, '500.00'), part(3, '310.50'), part(2, '700.00'), whole]],
    ['is a copy of a part', [whole, part(1, '500.00'), part(1, '500.00'), part(2, '700.00')]],
  ])('is raised next to a sibling that %s, and says that it is left out', (_, bills) => {
    expect(findingIn(billLast(...bills), 'SPLIT_DUPLICATE')).toMatchObject({
      evidence: {
        sum: '1200.00',
        observed: { parts: 2, otherParts: 1 },
        explanation: expect.arrayContaining(['1 other bill with this number is for something else.']),
      },
    });
  });
  test('finds four parts of one day among many siblings of other days', () => {
    const many = [5, 6, 7, 8, 9].map((index): Bill => [
      {
        invoice_number: `INV-10423/${index}`,
        gross_amount: `${200 + index * 13}.17`,
        issue_date: addDays('2025-03-10', index * 9),
      },
    ]);
    const ofDay = (index: number, gross_amount: string): Bill => [
      { invoice_number: `INV-10423/${index}`, gross_amount, issue_date: '2025-03-12' },
    ];
    const parts = [ofDay(1, '100.00'), ofDay(2, '250.50'), ofDay(3, '349.50'), ofDay(4, '500.00')];
    expect(findingIn(billLast(whole, ...many, ...parts), 'SPLIT_DUPLICATE')?.relatedInvoiceIds).toHaveLength(4);
  });
  test('is not raised for instalments of one amount of which some add up to a bill by chance', () => {
    const instalment = (index: number): Bill => [
      { invoice_number: `INV-10423/${index}`, gross_amount: '400.00', issue_date: addDays('2025-03-10', index * 30) },
    ];
    const advance: Bill = [{ invoice_number: 'INV-10423', gross_amount: '800.00' }];
    const [first, ...later] = [1, 2, 3, 4, 5].map(instalment);
    if (first === undefined) throw new Error('no instalment');
    // The second instalment and the first add up to the whole bill. From the third instalment on, any two of them
    // would.
    for (let count = 2; count <= later.length; count += 1)
      expect(typesOf(billLast(advance, first, ...later.slice(0, count)))).not.toContain('SPLIT_DUPLICATE');
  });
  test('is not raised for bills under a customer number of which some of other days add up to one', () => {
    const month = (index: number, gross_amount: string): Bill => [
      { invoice_number: 'K-10423', gross_amount, issue_date: addDays('2025-01-10', index * 30) },
    ];
    const billed = billLast(month(0, '1200.00'), month(1, '500.00'), month(2, '333.10'), month(3, '700.00'));
    expect(typesOf(billed)).not.toContain('SPLIT_DUPLICATE');
  });
  test('is not raised for instalments without a whole and for parts of another sum', () => {
    expect(typesOf(billLast(part(1, '500.00'), part(2, '700.00')))).not.toContain('SPLIT_DUPLICATE');
    expect(typesOf(billLast(whole, part(1, '500.00'), part(2, '600.00')))).not.toContain('SPLIT_DUPLICATE');
  });
});

describe('INVOICE_NUMBER_REUSED', () => {
  test('is raised for a number that was used before with another amount and date', () => {
    const billed = billLast([{}], [{ gross_amount: '777.00', issue_date: '2025-06-10' }]);
    expect(findingIn(billed, 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM', confidence: 70 });
  });
  test('is raised for a short number that was used on the same day', () => {
    const billed = billLast([{ invoice_number: '156' }], [{ invoice_number: '156', gross_amount: '211.62' }]);
    expect(findingIn(billed, 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM' });
  });
  test('is raised for a number that is short but for its zeros, within the year of its counter', () => {
    const later: InvoiceChanges = { invoice_number: 'INV-00128', gross_amount: '911.62', issue_date: '2025-11-10' };
    const earlier: InvoiceChanges = { invoice_number: 'INV-00128' };
    expect(findingIn(billLast([earlier], [later]), 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM' });
    const unpadded = billLast([earlier], [{ ...later, invoice_number: 'INV-128' }]);
    expect(findingIn(unpadded, 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM' });
    expect(
      typesOf(billLast([{ ...earlier, issue_date: '2024-11-10' }], [{ ...later, issue_date: '2025-03-10' }])),
    ).toEqual([]);
  });
  test('is LOW from the third bill on for a customer number, weeks apart and over different amounts', () => {
    const bills = ['2025-03-10', '2025-04-09', '2025-05-12'].map((issue_date, index): Bill => [
      { invoice_number: 'KD-48213', issue_date, gross_amount: `${100 + index * 37}.00` },
    ]);
    expect(findingIn(billLast(...bills.slice(0, 2)), 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM' });
    expect(findingIn(billLast(...bills), 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'LOW' });
    const again: Bill = [{ invoice_number: 'KD-48213', issue_date: '2025-05-20', gross_amount: '900.00' }];
    expect(findingIn(billLast(...bills, again), 'INVOICE_NUMBER_REUSED')).toMatchObject({ severity: 'MEDIUM' });
  });
  test.each<[string, InvoiceChanges, InvoiceChanges]>([
    ['a yearly restart', {}, { gross_amount: '777.00', issue_date: '2026-01-10' }],
    [
      'short numbers',
      { invoice_number: '17' },
      { invoice_number: '17', gross_amount: '777.00', issue_date: '2025-06-10' },
    ],
  ])('is not raised for %s', (_, earlier, later) => {
    expect(typesOf(billLast([earlier], [later]))).toEqual([]);
  });
});

describe('CREDIT_NOTE_UNMATCHED', () => {
  const credit = (changes: InvoiceChanges): Bill => [{ gross_amount: '-80.00', issue_date: '2025-04-01', ...changes }];
  test('is raised for a credit that matches no invoice', () => {
    const billed = billLast([{}], credit({ invoice_number: 'CN-9001' }));
    expect(findingIn(billed, 'CREDIT_NOTE_UNMATCHED')).toMatchObject({
      severity: 'INFO',
      summary: expect.stringContaining(
        'Credit note CN-9001 for EUR 80.00 matches no earlier invoice from Acme Supplies Ltd.',
      ),
      evidence: { searchedKeys: ['9001', 'CN9001'] },
    });
    expect(billed.analysis.decision).toBe('PASS');
  });
  test('is not raised when the number names the invoice or the amount is that of one', () => {
    expect(typesOf(billLast([{}], credit({ invoice_number: 'CN-INV-01042' })))).toEqual([]);
    expect(typesOf(billLast([{}], credit({ invoice_number: 'CN-9001', gross_amount: '-1200.00' })))).toEqual([]);
    for (const [number, credited] of [
      ['CN-B26097', 'B26097'],
      ['DS-2026-4711-CR', 'DS-2026-4711'],
    ] as const) {
      expect(typesOf(billLast([{ invoice_number: credited }], credit({ invoice_number: number })))).toEqual([]);
    }
  });
});

describe('an ERP bill', () => {
  const bill: BillOptions = { origin: { source: 'ERP' } };
  test('that was received before the invoice means that it is already booked', () => {
    expect(typesOf(billLast([{}, bill], [{}]))).toEqual(['DUPLICATE_INVOICE']);
  });
  test('that books this very invoice is the same document', () => {
    const history = inMemoryHistory();
    const booked = history.factsOf(invoiceOf({ supplier }), bill);
    history.record(booked);
    const next = history.factsOf(invoiceOf({ supplier }));
    history.amend(booked.invoice.invoiceId, { bookedInvoiceId: next.invoice.invoiceId });
    const origin = { invoiceId: next.invoice.invoiceId, receivedAtMs: next.invoice.receivedAtMs };
    expect(typesOf(history.bill(invoiceOf({ supplier }), { origin }))).toEqual([]);
  });
  test.each<[string, InvoiceChanges, Partial<InvoiceOrigin>, string]>([
    ['does not make its copy a re-issue', { invoice_number: 'G-1' }, {}, 'DUPLICATE_INVOICE'],
    [
      'of another company does not either',
      { invoice_number: 'CN-INV-01042' },
      { companyId: 'c-2' },
      'DUPLICATE_INVOICE',
    ],
    ['does where it names the bill that it takes back', { invoice_number: 'CN-INV-01042' }, {}, 'SUSPECTED_DUPLICATE'],
  ])('as a credit note over the amount of an invoice %s', (_, changes, origin, expected) => {
    const credit = { gross_amount: '-1200.00', issue_date: '2025-03-12', ...changes };
    const issue_date = '2025-03-13';
    expect(typesOf(billLast([{}], [{ issue_date }]))).toEqual(['DUPLICATE_INVOICE']);
    const fromBooks: BillOptions = { origin: { source: 'ERP', ...origin } };
    expect(typesOf(billLast([{}], [credit, fromBooks], [{ issue_date }]))).toEqual([expected]);
  });
  test('that books an invoice hides no copy of it with a slip in its number', () => {
    const slip = { supplier, invoice_number: 'INV-01024' };
    const withoutBooks = inMemoryHistory();
    withoutBooks.bill(invoiceOf({ supplier }));
    const expected = typesOf(withoutBooks.bill(invoiceOf(slip)));
    expect(expected).toEqual(['SUSPECTED_DUPLICATE']);
    const history = inMemoryHistory();
    const { invoice } = history.bill(invoiceOf({ supplier })).facts;
    const origin = { invoiceId: 'bill', companyId: COMPANY_ID, source: 'ERP' as const };
    history.receive(invoiceOf({ supplier }), { ...origin, receivedAtMs: invoice.receivedAtMs + 1 });
    history.amend('bill', { supplierId: invoice.supplierId, bookedInvoiceId: invoice.invoiceId });
    expect(typesOf(history.bill(invoiceOf(slip)))).toEqual(expected);
  });
});

describe('a cleared pair', () => {
  const pairKeysOf = (finding: Finding): string[] =>
    (finding.evidence['matched'] as { pairKey: string }[]).map(({ pairKey }) => pairKey);

  test('is left out of a later finding, which names the other pairs', () => {
    const first = billLast([{}], [{}], [{}]);
    const finding = findingIn(first, 'DUPLICATE_INVOICE') as Finding;
    const [cleared = ''] = pairKeysOf(finding);
    const again = billLast([{}], [{}], [{}, { facts: { clearedPairs: [cleared] } }]);
    const remaining = findingIn(again, 'DUPLICATE_INVOICE');
    expect(remaining?.relatedInvoiceIds).toHaveLength(1);
    expect(remaining?.subjects).toEqual([{ kind: 'PAIR', pairKey: pairKeysOf(finding)[1] }]);
    expect(again.analysis.decision).toBe('BLOCK');
  });

  test('is still what a finding names when no other is left', () => {
    const finding = findingIn(billLast([{}], [{}]), 'DUPLICATE_INVOICE') as Finding;
    const clearedPairs = pairKeysOf(finding);
    const again = billLast([{}], [{}, { facts: { clearedPairs } }]);
    expect(findingIn(again, 'DUPLICATE_INVOICE')).toEqual(finding);
    expect(finding.subjects).toEqual([{ kind: 'PAIR', pairKey: clearedPairs[0] }]);
  });
});
