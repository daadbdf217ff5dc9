import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { readInvoiceNumber } from '@invoicecontrol/engine/normalisation/invoice-number';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { namesInvoice } from './join.js';
import type { LineFacts } from './join.js';
import type { Payable, PayableAccount, ReceivedCredit } from './payable.js';
import type { PaymentLine } from './payment-line.js';
import { referencesOf } from './references.js';
import { holdReasons, judgeOf, noticeCodes, RULES_VERSION } from './verdict.js';
import type { LineResult, RunFacts } from './verdict.js';

const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE02120300000000202051';
const NAME = 'Nordlicht Energie GmbH';

function account(iban: string, from: PayableAccount['from'] = 'INVOICE'): PayableAccount {
  const { key, masked } = readBankAccount({ iban });
  return { key, masked, from };
}

interface Bill extends Partial<Omit<Payable, 'amountMinor' | 'paidMinor'>> {
  readonly number_?: string;
  readonly amount?: string;
  readonly paid?: string;
}

function bill({ number_: printed = 'RE-2026-0101', amount = '100.00', paid = '0', ...part }: Bill = {}): Payable {
  const currency = part.currency ?? 'EUR';
  return {
    invoiceId: `id of ${printed}`,
    invoiceNumber: printed,
    number: readInvoiceNumber(printed),
    source: 'API',
    status: 'ANALYZED',
    receivedAtMs: 1,
    companyId: 'company',
    supplierId: 'supplier',
    supplierName: NAME,
    nameKeys: [readName(NAME).key],
    issueDay: dayNumber('2026-03-01'),
    verdict: { decision: 'PASS', riskScore: 4 },
    accounts: [account(IBAN)],
    payments: [],
    ...part,
    currency,
    amountMinor: String(toMinorUnits(amount, minorUnitsOf(currency))),
    paidMinor: String(toMinorUnits(paid, minorUnitsOf(currency))),
  };
}

interface Payment extends Partial<Omit<PaymentLine, 'creditorAccount'>> {
  readonly iban?: string | null;
}

let position = 0;
function line({ iban = IBAN, ...part }: Payment = {}): PaymentLine {
  position += 1;
  return {
    lineId: String(position),
    position,
    amount: '100.00',
    currency: 'EUR',
    creditorName: NAME,
    ...(iban === null ? {} : { creditorAccount: readBankAccount({ iban }) }),
    creditorTaxIds: [],
    executionDate: '2026-03-20',
    documents: [],
    texts: ['RE-2026-0101'],
    ...part,
  };
}

const run: RunFacts = { companyId: 'company', ksefNumbersFrom: '2027-01-01', openCredits: {} };

function judged(lines: readonly LineFacts[], about: RunFacts = run): readonly LineResult[] {
  const judge = judgeOf(about);
  return lines.map((facts) => judge(facts));
}

function one(
  payment: Payment,
  payables: readonly Payable[],
  about: Partial<RunFacts> = {},
  facts: Partial<LineFacts> = {},
): LineResult {
  const [result] = judged([{ line: line(payment), payables, ...facts }], { ...run, ...about });
  if (result === undefined) throw new Error('The line was not judged.');
  return result;
}

const credit: ReceivedCredit = {
  invoiceId: 'id of CN-1',
  invoiceNumber: 'CN-1',
  supplierId: 'supplier',
  companyId: 'company',
  currency: 'EUR',
};

const codes = ({ verdict, reasons }: LineResult) => [verdict, ...reasons.map(({ code }) => code)];

describe('a payment that names its invoice', () => {
  const KSEF_NUMBER = '5265877635-20260412-010080615740-77';
  const named = bill({ ksefNumber: KSEF_NUMBER });
  test.each<[string, Payment, readonly string[]]>([
    ['by its number', {}, []],
    ['by its KSeF number', { texts: [KSEF_NUMBER] }, []],
    ['in the release of a person', { texts: [] }, [named.invoiceId]],
  ])('%s is judged alike whatever other bills of the supplier have its amount', (_, payment, namedIds) => {
    const paying = line(payment);
    const references = referencesOf(paying);
    expect(namesInvoice({ line: paying, payables: [named], namedIds }, references)).toBe(true);
    const alone = judgeOf(run)({ line: paying, payables: [named], namedIds });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 5 }), (days) => {
        const others = days.map((day) => bill({ number_: `X-${day}`, issueDay: dayNumber('2026-03-20') - day }));
        expect(judgeOf(run)({ line: paying, payables: [...others, named], namedIds })).toEqual(alone);
      }),
    );
  });

  test.each<[string, Payment, Payable]>([
    ['no number', { texts: ['Miete'] }, named],
    [
      'the number of a bill of somebody else with another amount',
      { amount: '7.00', iban: OTHER_IBAN, creditorName: 'Hafen AG' },
      named,
    ],
    ['the number of a rejected bill', {}, bill({ status: 'REJECTED' })],
  ])('is none that states %s', (_, payment, payable) => {
    const paying = line(payment);
    expect(namesInvoice({ line: paying, payables: [payable] }, referencesOf(paying))).toBe(false);
  });
});

describe('a payment of one invoice', () => {
  test('to its account with its number and amount is PAY', () => {
    const result = one({}, [bill()]);
    expect(codes(result)).toEqual(['PAY']);
    expect(result.invoices).toEqual([
      { invoiceId: 'id of RE-2026-0101', invoiceNumber: 'RE-2026-0101', amountMinor: '10000', currency: 'EUR' },
    ]);
  });

  test.each<[string, Payment]>([
    ['in a field for documents', { documents: [{ number: 'RE 2026/0101' }], texts: [] }],
    ['as creditor reference', { creditorReference: 'RF18 RE20260101', texts: [] }],
    ['as end-to-end id', { endToEndId: 'RE-2026-0101', texts: [] }],
    ['in words around it', { texts: ['Rechnung RE-2026-0101, Kd.-Nr. 88123 vom 01.03.2026'] }],
    ['split by spaces', { texts: ['RE 2026 0101'] }],
    ['in the title of a Polish split payment', { texts: ['/VAT/18,70/IDC/5260250995/INV/RE-2026-0101/TXT/marzec'] }],
  ])('is found by the number %s', (_, payment) => {
    expect(codes(one(payment, [bill()]))).toEqual(['PAY']);
  });

  test.each<[string, string, string]>([
    ['the month and a counter', '2024-02-1', 'Rechnung 2024-02-1 vom 14.02.2024'],
    ['the day', '2024-02-14', 'Rechnung 2024-02-14'],
    ['the day as people write it', '14.02.2024', 'Rg. 14.02.2024'],
  ])('is found by a number that consists of %s, and no other bill with its amount is', (_, number, text) => {
    const [other, own] = [bill({ number_: '2024-11-1', receivedAtMs: 0 }), bill({ number_: number })];
    const result = one({ texts: [text] }, [other, own]);
    expect(codes(result)).toEqual(['PAY']);
    expect(result.invoices).toMatchObject([{ invoiceNumber: number }]);
    const paid = bill({ number_: number, paid: '100.00' });
    expect(codes(one({ texts: [text] }, [other, paid]))).toEqual(['HOLD', 'PAID_ALREADY']);
  });

  test('with a month and a counter as its number is UNKNOWN while no bill has the number', () => {
    expect(codes(one({ texts: ['Rechnung 2024-02-1'] }, [bill({ number_: '2024-11-1' })]))).toEqual(['UNKNOWN']);
  });

  test.each(['BLOCK', 'REVIEW'] as const)(
    'is joined to the bill and not to its copy of the same time, on which the decision is %s',
    (decision) => {
      const copy = bill({ invoiceId: 'a copy', verdict: { decision, riskScore: 60 } });
      for (const payables of [
        [copy, bill()],
        [bill(), copy],
      ]) {
        expect(codes(one({}, payables))).toEqual(['PAY']);
        expect(codes(one({ iban: OTHER_IBAN }, payables))).toEqual(['HOLD', 'ACCOUNT_DIFFERS']);
      }
      expect(codes(one({}, [copy, bill({ paid: '100.00' })]))).toEqual(['HOLD', 'PAID_ALREADY']);
      const twice = judged([
        { line: line(), payables: [copy, bill()] },
        { line: line(), payables: [copy, bill()] },
      ]);
      expect(twice.map(codes)).toEqual([['PAY'], ['HOLD', 'TWICE_IN_RUN']]);
    },
  );

  test('with a contract number pays the oldest bill with its amount that is open, in each line another one', () => {
    const months = ['paid', 'first', 'second', 'third'].map((month, index) =>
      bill({ invoiceId: month, number_: 'V-720629', receivedAtMs: index, paid: month === 'paid' ? '100.00' : '0' }),
    );
    const payables = months.filter(({ invoiceId }) => invoiceId !== 'third');
    const lines = Array.from({ length: 3 }, () => ({ line: line({ texts: ['V-720629'] }), payables }));
    const results = judged(lines);
    expect(results.map(({ verdict, invoices }) => [verdict, invoices[0]?.invoiceId])).toEqual([
      ['PAY', 'first'],
      ['PAY', 'second'],
      ['HOLD', 'paid'],
    ]);
  });

  test('of another supplier is not joined by its number alone', () => {
    const foreign = bill({ nameKeys: ['ACME'], supplierName: 'Acme', accounts: [account(OTHER_IBAN)], amount: '250' });
    expect(codes(one({}, [foreign]))).toEqual(['UNKNOWN']);
  });

  test.each<[string, Bill, string]>([
    ['blocked', { verdict: { decision: 'BLOCK', riskScore: 90 } }, 'INVOICE_BLOCKED'],
    ['in review', { verdict: { decision: 'REVIEW', riskScore: 50 } }, 'INVOICE_IN_REVIEW'],
    ['paid in full', { paid: '100.00' }, 'PAID_ALREADY'],
    ['of another company', { companyId: 'other' }, 'OTHER_COMPANY'],
    ['in another currency', { currency: 'USD' }, 'CURRENCY_DIFFERS'],
  ])('that is %s is held', (_, part, code) => {
    expect(codes(one({}, [bill(part)]))).toEqual(['HOLD', code]);
  });

  test('without a decision yet is held, and a bill of an ERP without findings is not', () => {
    const { verdict: _, ...undecided } = bill();
    expect(codes(one({}, [undecided]))).toEqual(['HOLD', 'INVOICE_IN_REVIEW']);
    expect(codes(one({}, [{ ...undecided, source: 'ERP' }]))).toEqual(['PAY']);
    expect(codes(one({}, [{ ...undecided, source: 'ERP', openFindingIds: ['f'] }]))).toEqual([
      'HOLD',
      'INVOICE_IN_REVIEW',
    ]);
  });

  test('to another account is held, even if everything else agrees', () => {
    const result = one({ iban: OTHER_IBAN }, [bill()]);
    expect(codes(result)).toEqual(['HOLD', 'ACCOUNT_DIFFERS']);
    expect(result.reasons[0]?.evidence.comparisons).toMatchObject([{ field: 'creditor_account' }]);
    expect(JSON.stringify(result)).not.toContain(OTHER_IBAN);
  });

  test('of a supplier without a known account is held, because a name proves nothing', () => {
    expect(codes(one({}, [bill({ accounts: [] })]))).toEqual(['HOLD', 'ACCOUNT_DIFFERS']);
  });

  test('to an account with confirmed fraud is held even if no invoice is found', () => {
    const fraud = { confirmedFraud: { reviewId: 'r', confirmedAt: '2026-03-02T10:00:00.000Z' } };
    expect(codes(one({}, [bill()], {}, fraud))).toEqual(['HOLD', 'ACCOUNT_CONFIRMED_FRAUD']);
    expect(codes(one({}, [], {}, fraud))).toEqual(['HOLD', 'ACCOUNT_CONFIRMED_FRAUD']);
  });

  test('to another name is held, and to a shortened name is not', () => {
    expect(codes(one({ creditorName: 'Petrol Trading' }, [bill()]))).toEqual(['HOLD', 'PAYEE_NAME_DIFFERS']);
    expect(codes(one({ creditorName: 'NORDLICHT ENERGIE' }, [bill()]))).toEqual(['PAY']);
  });

  test('that the bank did not find under this name is held, and a match makes nothing PAY', () => {
    expect(codes(one({}, [bill()], {}, { payeeCheck: { result: 'NO_MATCH' } }))).toEqual([
      'HOLD',
      'PAYEE_NAME_DIFFERS',
    ]);
    expect(codes(one({ iban: OTHER_IBAN }, [bill()], {}, { payeeCheck: { result: 'MATCH' } }))).toEqual([
      'HOLD',
      'ACCOUNT_DIFFERS',
    ]);
  });

  test.each([
    ['100.00', 'PAY'],
    ['100.01', 'PAY'],
    ['100.02', 'HOLD'],
    ['97.00', 'PAY'],
    ['1.00', 'PAY'],
  ])('of 100.00 with %s is %s', (amount, verdict) => {
    expect(codes(one({ amount }, [bill()]))).toEqual(verdict === 'PAY' ? ['PAY'] : ['HOLD', 'AMOUNT_EXCEEDS']);
  });

  test('in a currency without hundredths may not exceed the amount at all', () => {
    const yen = bill({ currency: 'JPY', amount: '1000' });
    expect(codes(one({ currency: 'JPY', amount: '1000' }, [yen]))).toEqual(['PAY']);
    expect(codes(one({ currency: 'JPY', amount: '1001' }, [yen]))).toEqual(['HOLD', 'AMOUNT_EXCEEDS']);
  });

  test('counts what was paid before', () => {
    expect(codes(one({ amount: '60.00' }, [bill({ paid: '40.00' })]))).toEqual(['PAY']);
    expect(codes(one({ amount: '61.00' }, [bill({ paid: '40.00' })]))).toEqual(['HOLD', 'AMOUNT_EXCEEDS']);
  });

  test('without an account, such as a cheque, is UNKNOWN', () => {
    expect(codes(one({ iban: null }, [bill()]))).toEqual(['UNKNOWN']);
  });

  test('that names no known number is UNKNOWN, with the nearest invoice and why not', () => {
    const result = one({ texts: ['RE-2026-0999'] }, [bill()]);
    expect(codes(result)).toEqual(['UNKNOWN']);
    expect(result.candidates).toEqual([{ invoiceId: 'id of RE-2026-0101', whyNot: 'OTHER_NUMBER' }]);
  });

  test('that names no number is joined by account and amount, to the oldest open bill', () => {
    const bills = [bill({ number_: 'B-2', issueDay: 3 + dayNumber('2026-03-01') }), bill({ number_: 'B-1' })];
    expect(one({ texts: ['Miete'] }, bills).invoices).toMatchObject([{ invoiceNumber: 'B-1' }]);
    expect(codes(one({ texts: ['Miete'], amount: '99.00' }, bills))).toEqual(['UNKNOWN']);
  });

  test.each(['Miete 11/2026', 'Miete November 2026', 'Abo 2'])(
    'that names only a period, "%s", is joined by its amount',
    (text) => {
      expect(codes(one({ texts: [text] }, [bill()]))).toEqual(['PAY']);
    },
  );

  test.each(['RE-7', 'Rechnung 7712', 'RE 77'])(
    'that names an unknown bill, "%s", is never joined by its amount',
    (text) => {
      expect(codes(one({ texts: [text] }, [bill()]))).toEqual(['UNKNOWN']);
    },
  );

  test('that a voided bill resembles is UNKNOWN', () => {
    const result = one({}, [bill({ status: 'VOID', source: 'ERP' })]);
    expect(result).toMatchObject({ verdict: 'UNKNOWN', candidates: [{ whyNot: 'WITHDRAWN' }] });
  });

  test('is decided by the received invoice, not by the bill that books it', () => {
    const booking = bill({ invoiceId: 'booked', source: 'ERP' });
    const received = bill({ bookedAs: 'booked', verdict: { decision: 'BLOCK', riskScore: 80 } });
    expect(codes(one({}, [booking, received]))).toEqual(['HOLD', 'INVOICE_BLOCKED']);
  });
});

describe('several lines and several invoices', () => {
  test('a line that repeats another one is held, and the first one is not', () => {
    const payables = [bill()];
    const results = judged([1, 2, 3].map(() => ({ line: line(), payables })));
    expect(results.map(codes)).toEqual([['PAY'], ['HOLD', 'TWICE_IN_RUN'], ['HOLD', 'TWICE_IN_RUN']]);
  });

  test('two parts of one bill are clean as long as they do not exceed it', () => {
    const payables = [bill()];
    const parts = ['50.00', '50.00', '0.50'].map((amount) => ({ line: line({ amount }), payables }));
    expect(judged(parts).map(codes)).toEqual([['PAY'], ['PAY'], ['HOLD', 'TWICE_IN_RUN']]);
  });

  test('two equal rents without a number pay two bills, and a third one pays nothing', () => {
    const payables = [bill({ number_: 'B-1' }), bill({ number_: 'B-2' })];
    const results = judged([1, 2, 3].map(() => ({ line: line({ texts: ['Miete'] }), payables })));
    expect(results.map(codes)).toEqual([['PAY'], ['PAY'], ['HOLD', 'TWICE_IN_RUN']]);
    expect(results.slice(0, 2).map(({ invoices }) => invoices[0]?.invoiceNumber)).toEqual(['B-1', 'B-2']);
  });

  test('bills and a netted credit note are added up', () => {
    const payables = [
      bill({ number_: 'B-1' }),
      bill({ number_: 'B-2', amount: '50.00' }),
      bill({ number_: 'CN-1', amount: '-30.00' }),
    ];
    const texts = ['B-1, B-2, CN-1'];
    const result = one({ texts, amount: '120.00' }, payables);
    expect(codes(result)).toEqual(['PAY']);
    expect(result.invoices.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0)).toBe(12_000);
    expect(codes(one({ texts, amount: '121.00' }, payables))).toEqual(['HOLD', 'AMOUNT_EXCEEDS']);
  });

  test('one blocked bill among several holds the line', () => {
    const payables = [
      bill({ number_: 'B-1' }),
      bill({ number_: 'B-2', verdict: { decision: 'BLOCK', riskScore: 99 } }),
    ];
    expect(codes(one({ texts: ['B-1 B-2'], amount: '200.00' }, payables))).toEqual(['HOLD', 'INVOICE_BLOCKED']);
  });

  test('a copy with a higher amount does not raise what the original allows', () => {
    const payables = [
      bill({ invoiceId: 'original', receivedAtMs: 1 }),
      bill({ invoiceId: 'copy', receivedAtMs: 2, amount: '900.00', verdict: { decision: 'BLOCK', riskScore: 90 } }),
    ];
    expect(codes(one({}, payables))).toEqual(['PAY']);
    expect(codes(one({ amount: '900.00' }, payables))).toEqual(['HOLD', 'INVOICE_BLOCKED']);
    expect(codes(one({ amount: '500.00' }, payables))).toEqual(['HOLD', 'AMOUNT_EXCEEDS']);
  });
});

describe('KSeF numbers', () => {
  const FIRST = '5265877635-20260412-010080615740-77';
  const polish = { taxKey: '5265877635', taxCountry: 'PL', currency: 'PLN' } as const;
  const poland = { debtorCountry: 'PL' } as const;

  test('join a payment to its invoice', () => {
    const result = one(
      { currency: 'PLN', texts: [`${FIRST} przelew`] },
      [bill({ ...polish, ksefNumber: FIRST })],
      poland,
    );
    expect(codes(result)).toEqual(['PAY']);
  });

  test('of another invoice than the one that is named hold the payment', () => {
    const payables = [bill({ ...polish, ksefNumber: FIRST }), bill({ ...polish, number_: 'FV-22', ksefNumber: 'x' })];
    expect(codes(one({ currency: 'PLN', texts: [`${FIRST} FV-22`] }, payables, poland))).toEqual([
      'HOLD',
      'KSEF_NUMBER_OF_ANOTHER_INVOICE',
    ]);
  });

  test.each([
    ['2026-12-31', 'PL', 'PLN', 0],
    ['2027-01-01', 'PL', 'PLN', 1],
    ['2027-01-01', 'DE', 'PLN', 0],
  ])('are missed in a transfer on %s of a payer in %s in %s: %i', (executionDate, debtorCountry, currency, count) => {
    const payables = [bill({ ...polish, ksefNumber: FIRST })];
    const { verdict, notices } = one({ executionDate, currency }, payables, { debtorCountry });
    expect([verdict, notices.filter(({ code }) => code === 'KSEF_NUMBER_MISSING').length]).toEqual(['PAY', count]);
  });
});

describe('notices', () => {
  test('say that a bill is not due, that a discount comes late, that credit is open, and that a message id repeats', () => {
    const about = { openCredits: { supplier: ['CN-7'] }, repeatedMessageId: 'M-1' };
    const notices = (result: LineResult) => result.notices.map(({ code }) => code);
    expect(notices(one({}, [bill({ dueDate: '2026-04-01' })], about))).toEqual([
      'CREDIT_OPEN',
      'NOT_DUE',
      'MESSAGE_ID_REPEATED',
    ]);
    expect(notices(one({ amount: '98.00' }, [bill({ dueDate: '2026-03-10' })]))).toEqual(['DISCOUNT_BEYOND_TERMS']);
  });

  test.each<[string, Partial<ReceivedCredit>, boolean]>([
    ['of the supplier', {}, true],
    ['of another supplier', { supplierId: 'other' }, false],
    ['of another company', { companyId: 'other' }, false],
    ['in another currency', { currency: 'USD' }, false],
  ])('name a received credit note %s, and never hold the line: %s', (_, part, isNamed) => {
    const { verdict, notices } = one({}, [bill()], {}, { receivedCredits: [{ ...credit, ...part }] });
    expect(verdict).toBe('PAY');
    expect(notices.map(({ summary }) => summary)).toEqual(
      isNamed ? ['The supplier has given credit that no payment has used: CN-1.'] : [],
    );
  });

  test('name no received credit note that the line, or an earlier line of the run, nets', () => {
    const facts = (number: string, ...more: Payable[]): LineFacts => ({
      line: line({ texts: [number, ...more.map(({ invoiceNumber }) => invoiceNumber)], amount: '70.00' }),
      payables: [bill({ number_: number }), ...more],
      receivedCredits: [credit],
    });
    const note = bill({ invoiceId: credit.invoiceId, number_: credit.invoiceNumber, amount: '-30.00' });
    const results = judged([facts('B-10'), facts('B-20', note), facts('B-30')]);
    expect(results.map(({ verdict, notices }) => [verdict, ...notices.map(({ code }) => code)])).toEqual([
      ['PAY', 'CREDIT_OPEN'],
      ['PAY'],
      ['PAY'],
    ]);
  });

  test('name a credit note once that is open in the ERP and was received', () => {
    const { notices } = one({}, [bill()], { openCredits: { supplier: ['CN-1'] } }, { receivedCredits: [credit] });
    expect(notices.map(({ summary }) => summary)).toEqual([
      'The supplier has given credit that no payment has used: CN-1.',
    ]);
  });
});

test('the sum that lines may pay never exceeds what is open, however many lines name the bill', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(amounts, (cents) => {
      const payables = [bill()];
      const results = judged(cents.map((cent) => ({ line: line({ amount: (cent / 100).toFixed(2) }), payables })));
      const paid = results.reduce(
        (sum, { verdict }, index) => (verdict === 'PAY' ? sum + (cents[index] ?? 0) : sum),
        0,
      );
      expect(paid).toBeLessThanOrEqual(10_000 + 1);
    }),
    { numRuns: 200 },
  );
});

test('the same facts give the same results, byte for byte', () => {
  const payables = [bill(), bill({ number_: 'CN-1', amount: '-30.00' })];
  const lines = ['RE-2026-0101', 'CN-1', 'nothing'].map((text) => ({ line: line({ texts: [text] }), payables }));
  const again = JSON.parse(JSON.stringify(lines)) as typeof lines;
  expect(JSON.stringify(judged(again))).toBe(JSON.stringify(judged(lines)));
});

describe('the recorded results', () => {
  const KSEF = '5265877635-20260412-010080615740-77';
  const polish = { taxKey: '5265877635', taxCountry: 'PL', currency: 'PLN' } as const;
  const about: RunFacts = {
    companyId: 'company',
    debtorCountry: 'PL',
    repeatedMessageId: 'M-1',
    ksefNumbersFrom: '2026-01-01',
    openCredits: { supplier: ['CN-7', 'CN-8'] },
  };
  const of = (number: string, payment: Payment = {}, part: Bill = {}, facts: Partial<LineFacts> = {}): LineFacts => ({
    line: line({ texts: [number], ...payment }),
    payables: [bill({ number_: number, ...part })],
    ...facts,
  });
  const fraud = { confirmedFraud: { reviewId: 'r', confirmedAt: '2026-03-02T10:00:00.000Z' } };
  const earlier = {
    paid: '100.00',
    payments: [
      { kind: 'ERP', id: 'p', amountMinor: '4000', on: '2026-03-05' },
      { kind: 'RUN', id: 'r', lineId: '1', amountMinor: '6000', on: '2026-03-04' },
    ],
  } as const;
  const several = [1, 2, 3, 4, 5].map((index) => bill({ number_: `B-${index}0`, receivedAtMs: index }));
  const credited = [bill({ number_: 'B-60' }), bill({ number_: 'CN-7', amount: '-30.00' })];
  const recent = [{ key: readBankAccount({ iban: OTHER_IBAN }).key, masked: 'DE02', since: '2026-03-01' }];
  const { verdict: _, ...undecided } = bill({ number_: 'RE-104' });
  const facts: readonly LineFacts[] = [
    of('RE-101'),
    of('RE-101'),
    of('RE-102', {}, { verdict: { decision: 'BLOCK', riskScore: 90 } }),
    of('RE-103', {}, { verdict: { decision: 'REVIEW', riskScore: 50 } }),
    { line: line({ texts: ['RE-104'] }), payables: [undecided] },
    { line: line({ texts: ['RE-104'] }), payables: [{ ...undecided, source: 'ERP', openFindingIds: ['f', 'g'] }] },
    of('RE-105', { iban: OTHER_IBAN }, { newVendorAccounts: recent }),
    of('RE-106', {}, { accounts: [] }),
    of('RE-107', {}, earlier),
    of('RE-108', { amount: '100.02' }),
    of('RE-109', {}, { currency: 'USD' }),
    of('RE-110', { creditorName: 'Petrol Trading' }),
    of('RE-111', {}, {}, { payeeCheck: { result: 'NO_MATCH', name: 'Petrol Trading' } }),
    of('RE-112', {}, { companyId: 'other' }),
    of('RE-113', {}, {}, fraud),
    of('RE-114', { currency: 'PLN' }, { ...polish, ksefNumber: KSEF }),
    of('RE-115', { currency: 'PLN', texts: [`RE-115 ${KSEF}`] }, { ...polish, ksefNumber: 'another' }),
    of('RE-116', {}, { dueDate: '2026-04-01' }),
    of('RE-117', { amount: '98.00' }, { dueDate: '2026-03-10' }),
    of('RE-118', { iban: null }),
    of('RE-119', { texts: ['RE-999'] }),
    { line: line({ texts: ['nothing'] }), payables: [], ...fraud },
    { line: line({ texts: ['B-10, B-20, B-30, B-40, B-50'], amount: '500.00', iban: OTHER_IBAN }), payables: several },
    { line: line({ texts: ['B-60, CN-7'], amount: '70.00' }), payables: credited },
    of(
      'RE-120',
      {},
      {},
      { receivedCredits: [credit, { ...credit, invoiceId: 'n', invoiceNumber: 'CN-2', currency: 'USD' }] },
    ),
  ];

  test('for known facts are still found: any change of them is a new version of the rules', () => {
    const recorded = JSON.parse(readFileSync(new URL('./golden-verdicts.json', import.meta.url), 'utf8')) as unknown;
    expect(JSON.parse(JSON.stringify({ rulesVersion: RULES_VERSION, results: judged(facts, about) }))).toEqual(
      recorded,
    );
  });

  test('have every verdict, every reason and every notice', () => {
    const results = judged(facts, about);
    const found = (list: readonly string[]) => [...new Set(list)].sort();
    expect(found(results.map(({ verdict }) => verdict))).toEqual(['HOLD', 'PAY', 'UNKNOWN']);
    expect(found(results.flatMap(({ reasons }) => reasons.map(({ code }) => code)))).toEqual(found(holdReasons));
    expect(found(results.flatMap(({ notices }) => notices.map(({ code }) => code)))).toEqual(found(noticeCodes));
  });
});
