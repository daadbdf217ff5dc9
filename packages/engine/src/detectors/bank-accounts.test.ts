import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('BANK');

// All bank accounts are valid. The second differs from the first in one digit of the account and in its check digits.
const HOME = { iban: 'DE89370400440532013000' };
const HOME_ONE_DIGIT = ibanOf('DE', '370400440532013001');
const HOME_SWAPPED = ibanOf('DE', '370400440532103000');
const OTHER_BANK = ibanOf('DE', '500105175407324931');
const FRANCE = { iban: 'FR1420041010050500013M02606' };
const LITHUANIA = ibanOf('LT', '3250012345678901');
const BRAZIL = ibanOf('BR', '00360305000010009795493P1');

describe('BANK_ACCOUNT_CHANGED', () => {
  test('asks for a call when an established supplier brings another account', () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    const billed = acme.bill({ account: OTHER_BANK });
    expect(billed.analysis).toMatchObject({ decision: 'REVIEW', riskScore: 54 });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'HIGH',
      confidence: 90,
      evidence: {
        escalators: [],
        knownAccounts: [
          { account: 'DE89**************3000', invoices: 3, firstSeen: '2025-01-21', lastSeen: '2025-03-02' },
        ],
        observed: { invoices: 3, invoicesOnOldAccount: 3 },
      },
    });
  });

  test('knows a supplier who prints no country before the tax id, whatever country the forged account is in', () => {
    const polish = { name: 'Hurtownia Papieru Sp. z o.o.', tax_id: '1132312688' };
    const hurtownia = ledger();
    hurtownia.repeat(6, { by: polish, account: ibanOf('PL', '109010140000071219812874') });
    const billed = hurtownia.bill({ by: polish, account: LITHUANIA });
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'CRITICAL',
      evidence: { escalators: ['OTHER_BANK_COUNTRY'] },
    });
  });

  test('never blocks a namesake of another legal form that states no tax id', () => {
    const trader = { name: 'Wiesner Gebäudereinigung e.K.', tax_id: 'DE136695976' };
    const checked = (name: string) => {
      const wiesner = ledger();
      wiesner.repeat(9, { by: trader, account: HOME });
      return wiesner.bill({ by: { name }, account: FRANCE });
    };
    const other = checked('Wiesner Gebäudereinigung AG');
    expect(findingIn(other, 'BANK_ACCOUNT_CHANGED')).toMatchObject({ severity: 'HIGH', confidence: 90 });
    expect(other.analysis.decision).toBe('REVIEW');
    for (const name of [trader.name, 'Wiesner Gebäudereinigung']) expect(checked(name).analysis.decision).toBe('BLOCK');
  });

  test('is MEDIUM for a young supplier', () => {
    const acme = ledger();
    acme.repeat(2, { account: HOME });
    expect(findingIn(acme.bill({ account: OTHER_BANK }), 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
    });
  });

  test('is repeated until a person trusts the account, naming the invoice that first stated it', () => {
    const acme = ledger();
    acme.repeat(4, { account: HOME });
    const first = acme.bill({ account: OTHER_BANK });
    const later = acme.repeat(2, { account: OTHER_BANK });
    expect(findingIn(later, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
      evidence: { firstInvoiceNumber: first.facts.invoice.invoiceNumber },
    });
    const latest = acme.bill({ account: OTHER_BANK });
    expect(typesOf(latest)).toContain('BANK_ACCOUNT_CHANGED');
    acme.dismiss(latest);
    expect(typesOf(acme.bill({ account: OTHER_BANK }))).not.toContain('BANK_ACCOUNT_CHANGED');
  });

  test('is not raised once a reviewer or the vendor master trusts the account', () => {
    for (const trust of ['REVIEWED', 'ERP'] as const) {
      const acme = ledger();
      acme.repeat(4, { account: HOME });
      const { facts } = acme.bill({ account: OTHER_BANK });
      acme.trustAccount(facts.supplier.supplierId, OTHER_BANK.iban, trust);
      expect(typesOf(acme.bill({ account: OTHER_BANK }))).toEqual([]);
    }
  });

  test('says where two accounts differ that show as one', () => {
    const harrow = ledger();
    const by = { name: 'Harrow Signs' };
    harrow.repeat(4, { account: { sort_code: '20-15-55', account_number: '55555555' }, by });
    const summaryOn = (sort_code: string, account_number: string) =>
      findingIn(harrow.bill({ account: { sort_code, account_number }, by }), 'BANK_ACCOUNT_CHANGED')?.summary;
    expect(summaryOn('20-16-55', '55555555')).toBe(
      'Harrow Signs asks for payment to 20****/****5555 instead of 20****/****5555, the account on 4 earlier invoices; the two accounts differ only in digit 4 of the sort code.',
    );
    expect(summaryOn('20-98-76', '12345555')).toContain(
      'Harrow Signs asks for payment to 20****/****5555 instead of 20****/****5555, the account on 4 earlier invoices; the two accounts differ in digits that are not shown.',
    );
  });

  test('is not raised for the same UK account in its other form', () => {
    const acme = ledger();
    acme.repeat(4, { account: { iban: 'GB29NWBK60161331926819' }, by: { name: 'Acme' } });
    const billed = acme.bill({ account: { sort_code: '60-16-13', account_number: '31926819' }, by: { name: 'Acme' } });
    expect(typesOf(billed)).toEqual([]);
  });
});

test('the first valid account is a first use, whatever text was stated before', () => {
  const acme = ledger();
  acme.repeat(3, { account: { iban: 'DE89370400440532013008' } });
  expect(typesOf(acme.bill({ account: HOME }))).toEqual(['BANK_ACCOUNT_FIRST_USE']);
  expect(typesOf(acme.bill({ account: HOME }))).toEqual([]);
});

describe('a second signal turns a changed account into a block', () => {
  const escalated = (prepare: Bill, change: Bill, before: (acme: ReturnType<typeof ledger>) => void = () => {}) => {
    const acme = ledger();
    before(acme);
    acme.repeat(6, { account: HOME, ...prepare });
    return acme.bill(change);
  };
  test.each<[string, Bill, Bill]>([
    ['OTHER_BANK_COUNTRY', {}, { account: FRANCE }],
    ['UNUSUAL_AMOUNT', {}, { account: OTHER_BANK, gross_amount: '3200.00' }],
    ['NEAR_MATCH', {}, { account: HOME_ONE_DIGIT }],
  ])('%s', (escalator, prepare, change) => {
    const billed = escalated(prepare, change);
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'CRITICAL',
      confidence: 95,
      evidence: { escalators: [escalator] },
    });
  });

  test('does not block an unusual amount of a supplier with a new account at one bank for each bill', () => {
    const virtual = (index: number) => ({ sort_code: '60-16-13', account_number: String(31_000_000 + index * 7_919) });
    const acme = ledger();
    for (let index = 0; index < 8; index += 1) acme.dismiss(acme.bill({ account: virtual(index) }));
    const billed = acme.bill({ account: virtual(9), gross_amount: '3200.00' });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({ severity: 'LOW', evidence: { escalators: [] } });
    expect(billed.analysis.decision).not.toBe('BLOCK');
  });

  test('TERMS_SHORTENED', () => {
    const acme = ledger();
    for (let index = 1; index <= 4; index += 1) {
      const issue_date = addDays('2025-01-01', index * 20);
      acme.bill({ account: HOME, issue_date, due_date: addDays(issue_date, 30) });
    }
    const change = { account: OTHER_BANK, issue_date: '2025-06-01', due_date: '2025-06-08' };
    const finding = findingIn(acme.bill(change), 'BANK_ACCOUNT_CHANGED');
    expect(finding?.evidence['escalators']).toEqual(['TERMS_SHORTENED']);
    expect(finding?.severity).toBe('CRITICAL');
  });

  test('LINKED_TO_OTHER_SUPPLIER', () => {
    const billed = escalated({}, { account: OTHER_BANK }, (acme) => {
      acme.bill({ account: OTHER_BANK, by: { name: 'Borealis', tax_id: 'DE811569869' } });
    });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')?.evidence['escalators']).toEqual(['LINKED_TO_OTHER_SUPPLIER']);
    expect(billed.analysis.decision).toBe('BLOCK');
  });

  test('does not escalate slightly shorter terms or a usual amount', () => {
    const acme = ledger();
    acme.repeat(6, { account: HOME });
    const billed = acme.bill({ account: OTHER_BANK, gross_amount: '2900.00' });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')?.severity).toBe('HIGH');
  });
});

describe('ordinary reasons for another account', () => {
  test('a supplier with an account per customer at one bank, once people have dismissed the question', () => {
    const acme = ledger();
    for (const tail of ['1001', '2002', '3003', '4004'])
      acme.dismiss(acme.bill({ account: ibanOf('DE', `37040044000000${tail}`) }));
    const billed = acme.bill({ account: ibanOf('DE', '370400440000004005') });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({ severity: 'LOW' });
    expect(typesOf(billed)).not.toContain('BANK_ACCOUNT_NEAR_MATCH');
  });

  test('a factor that collects for many suppliers', () => {
    const acme = ledger();
    for (const name of ['Alpha', 'Beta Works', 'Gamma Tools', 'Delta Foods', 'Epsilon']) {
      acme.dismiss(acme.bill({ account: OTHER_BANK, by: { name } }));
    }
    acme.repeat(4, { account: HOME });
    const billed = acme.bill({ account: OTHER_BANK });
    expect(findingIn(billed, 'BANK_ACCOUNT_CHANGED')).toMatchObject({ severity: 'MEDIUM' });
    expect(findingIn(billed, 'BANK_ACCOUNT_SHARED')).toMatchObject({ severity: 'LOW' });
  });
});

describe('BANK_ACCOUNT_NEAR_MATCH', () => {
  test.each([
    ['one digit', HOME_ONE_DIGIT, [22]],
    ['two neighbouring digits swapped', HOME_SWAPPED, [17, 18]],
  ])('%s', (_, account, differingPositions) => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    expect(findingIn(acme.bill({ account }), 'BANK_ACCOUNT_NEAR_MATCH')).toMatchObject({
      severity: 'HIGH',
      confidence: 88,
      evidence: { nearest: 'DE89**************3000', differingPositions },
    });
  });
  test('finds a misread digit behind an account that is not valid', () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    const billed = acme.bill({ account: { iban: 'DE89370400440532013008' } });
    expect(typesOf(billed)).toEqual(expect.arrayContaining(['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_INVALID']));
  });
  test('is not raised for another bank and for an account in use', () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    expect(typesOf(acme.bill({ account: OTHER_BANK }))).not.toContain('BANK_ACCOUNT_NEAR_MATCH');
    acme.bill({ account: HOME_ONE_DIGIT });
    expect(typesOf(acme.bill({ account: HOME_ONE_DIGIT }))).not.toContain('BANK_ACCOUNT_NEAR_MATCH');
  });
});

describe('BANK_ACCOUNT_REVERTED', () => {
  test('is raised once, on the invoice that returns', () => {
    const acme = ledger();
    acme.repeat(8, { account: HOME });
    acme.repeat(2, { account: OTHER_BANK });
    const billed = acme.bill({ account: HOME });
    expect(findingIn(billed, 'BANK_ACCOUNT_REVERTED')).toMatchObject({ severity: 'MEDIUM', confidence: 75 });
    expect(typesOf(acme.bill({ account: HOME }))).toEqual([]);
  });
  test('is more severe when the other account was paid', () => {
    const acme = ledger();
    acme.repeat(8, { account: HOME });
    acme.repeat(2, { account: OTHER_BANK });
    const billed = acme.bill({ account: HOME }, { facts: { paidAccounts: [OTHER_BANK.iban] } });
    expect(findingIn(billed, 'BANK_ACCOUNT_REVERTED')).toMatchObject({
      severity: 'HIGH',
      confidence: 85,
      evidence: { paidOnB: true },
    });
  });
  test('is not raised when both accounts are in regular use', () => {
    const acme = ledger();
    for (let index = 0; index < 8; index += 1) {
      acme.bill({ account: HOME });
      acme.bill({ account: OTHER_BANK });
    }
    expect(typesOf(acme.bill({ account: HOME }))).not.toContain('BANK_ACCOUNT_REVERTED');
  });
  test('is not raised when the first account had only a short run', () => {
    const acme = ledger();
    acme.repeat(7, { account: HOME });
    acme.bill({ account: OTHER_BANK });
    expect(typesOf(acme.bill({ account: HOME }))).not.toContain('BANK_ACCOUNT_REVERTED');
  });
});

describe('BANK_ACCOUNT_SHARED', () => {
  const borealis = { name: 'Borealis', tax_id: 'DE811569869' };
  test('is raised on each invoice of the supplier that came later, until a person answers, and on none of the other one', () => {
    const acme = ledger();
    acme.bill({ account: HOME });
    expect(findingIn(acme.bill({ account: HOME, by: borealis }), 'BANK_ACCOUNT_SHARED')).toMatchObject({
      severity: 'HIGH',
      confidence: 85,
      evidence: { otherSuppliers: [{ name: 'Acme Supplies Ltd' }], firstLinkedAt: '2025-01-21' },
    });
    const second = acme.bill({ account: HOME, by: borealis });
    expect(findingIn(second, 'BANK_ACCOUNT_SHARED')).toMatchObject({ severity: 'MEDIUM', confidence: 75 });
    expect(typesOf(acme.bill({ account: HOME }))).not.toContain('BANK_ACCOUNT_SHARED');
    acme.dismiss(second);
    expect(typesOf(acme.bill({ account: HOME, by: borealis }))).not.toContain('BANK_ACCOUNT_SHARED');
  });
  test('is LOW between two tax ids of one name, and names both', () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    const french = { name: 'ACME SUPPLIES LIMITED', tax_id: 'FR40303265045' };
    const billed = acme.bill({ account: HOME, by: french });
    expect(findingIn(billed, 'BANK_ACCOUNT_SHARED')).toMatchObject({
      severity: 'LOW',
      summary:
        'ACME SUPPLIES LIMITED with tax id FR40303265045 asks for payment to DE89**************3000, an account that Acme Supplies Ltd with tax id DE136695976 also uses.',
    });
    expect(billed.analysis.decision).toBe('PASS');
    acme.bill({ account: OTHER_BANK, by: french });
    const back = findingIn(acme.bill({ account: OTHER_BANK }), 'BANK_ACCOUNT_CHANGED');
    expect(back).toMatchObject({ severity: 'HIGH', evidence: { escalators: [] } });
  });
  test('is MEDIUM when one side has no tax id', () => {
    const acme = ledger();
    acme.bill({ account: HOME });
    const billed = acme.bill({ account: HOME, by: { name: 'Borealis' } });
    expect(findingIn(billed, 'BANK_ACCOUNT_SHARED')).toMatchObject({ severity: 'MEDIUM', confidence: 70 });
  });
});

test('BANK_ACCOUNT_BLOCKLISTED blocks every supplier that carries a confirmed account', () => {
  const acme = ledger();
  acme.confirmFraud('GB:60161331926819');
  const billed = acme.bill({ account: { iban: 'GB29 NWBK 6016 1331 9268 19' }, by: { name: 'Anyone' } });
  expect(billed.analysis.decision).toBe('BLOCK');
  expect(findingIn(billed, 'BANK_ACCOUNT_BLOCKLISTED')).toMatchObject({
    confidence: 99,
    evidence: { reviewId: 'review-1', confirmedAt: '2025-06-01T10:00:00Z' },
  });
});

describe('BANK_ACCOUNT_INVALID', () => {
  const broken = { iban: 'DE89370400440532013O08' };
  test('names the error', () => {
    expect(
      findingIn(ledger().bill({ account: { iban: 'DE89370400440532013008' } }), 'BANK_ACCOUNT_INVALID'),
    ).toMatchObject({
      severity: 'HIGH',
      confidence: 97,
      evidence: { reasonCodes: ['WRONG_CHECK_DIGITS'] },
    });
  });
  test('points at the characters that may be misread in a document', () => {
    expect(
      findingIn(ledger().bill({ account: broken }, { origin: { source: 'UPLOAD' } }), 'BANK_ACCOUNT_INVALID'),
    ).toMatchObject({
      severity: 'MEDIUM',
      evidence: { suspectCharacters: [{ position: 20, character: 'O' }] },
    });
  });
  test('is milder for a text that the supplier has always stated', () => {
    const acme = ledger();
    acme.repeat(3, { account: broken });
    expect(findingIn(acme.bill({ account: broken }), 'BANK_ACCOUNT_INVALID')).toMatchObject({ severity: 'MEDIUM' });
  });
});

describe('BANK_COUNTRY_MISMATCH', () => {
  test.each([
    ['in the economic area', FRANCE, 'MEDIUM'],
    ['at an electronic money institution', LITHUANIA, 'LOW'],
    ['outside the area', BRAZIL, 'HIGH'],
  ])('%s', (_, account, severity) => {
    expect(findingIn(ledger().bill({ account }), 'BANK_COUNTRY_MISMATCH')).toMatchObject({ severity, confidence: 75 });
  });
  test('is not raised after three invoices, and for a country that is only presumed', () => {
    const acme = ledger();
    const days = ['2026-01-10', '2026-02-10', '2026-03-20', '2026-04-10'];
    const bills = days.map((day) => acme.bill({ account: FRANCE }, { origin: { receivedAtMs: Date.parse(day) } }));
    expect(bills.map((billed) => typesOf(billed).includes('BANK_COUNTRY_MISMATCH'))).toEqual([true, true, true, false]);
    const unstated = ledger().bill({ account: FRANCE, by: { name: 'Acme', tax_id: '136695976' } });
    expect(typesOf(unstated)).not.toContain('BANK_COUNTRY_MISMATCH');
  });
  test('is raised on each of many invoices that were received at once, and outside the area until a person answers', () => {
    const acme = ledger();
    acme.repeat(5, { account: FRANCE });
    expect(typesOf(acme.bill({ account: FRANCE }))).toContain('BANK_COUNTRY_MISMATCH');
    const other = ledger();
    const days = ['2026-01-10', '2026-03-10', '2026-05-20', '2026-08-10', '2026-10-10'];
    const bills = days.map((day) => other.bill({ account: BRAZIL }, { origin: { receivedAtMs: Date.parse(day) } }));
    const [first] = bills;
    for (const billed of bills) expect(typesOf(billed)).toContain('BANK_COUNTRY_MISMATCH');
    if (first !== undefined) other.dismiss(first);
    expect(typesOf(other.bill({ account: BRAZIL }))).not.toContain('BANK_COUNTRY_MISMATCH');
  });
  test('is raised on three rows of a scan that brings the supplier', () => {
    const acme = ledger();
    const rows = Array.from({ length: 5 }, (_, position) =>
      acme.bill({ account: BRAZIL }, { origin: { source: 'SCAN', scanId: 'scan-1', position, receivedAtMs: 7 } }),
    );
    expect(rows.filter((row) => typesOf(row).includes('BANK_COUNTRY_MISMATCH'))).toHaveLength(3);
  });
  test('treats Northern Ireland as the United Kingdom', () => {
    const account = { iban: 'GB29NWBK60161331926819' };
    expect(typesOf(ledger().bill({ account, by: { name: 'Ulster', tax_id: 'XI980780684' } }))).toEqual([
      'BANK_ACCOUNT_FIRST_USE',
    ]);
  });
});

describe('BANK_ACCOUNT_FIRST_USE', () => {
  test('is INFO, and LOW for a high value', () => {
    expect(findingIn(ledger().bill({ account: HOME }), 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'INFO' });
    const high = ledger().bill({ account: HOME, gross_amount: '10000.00' });
    expect(findingIn(high, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW' });
  });
  test('is raised for the first account of a supplier that had none', () => {
    const acme = ledger();
    acme.repeat(3, {});
    expect(typesOf(acme.bill({ account: HOME }))).toEqual(['BANK_ACCOUNT_FIRST_USE']);
    expect(typesOf(acme.bill({ account: HOME }))).toEqual([]);
  });
});

describe('BANK_ACCOUNT_MISSING', () => {
  test('is INFO when nearly all of ten invoices stated one', () => {
    const acme = ledger();
    acme.repeat(9, { account: HOME });
    expect(typesOf(acme.bill({}))).toEqual([]);
    expect(findingIn(acme.bill({}), 'BANK_ACCOUNT_MISSING')).toMatchObject({
      severity: 'INFO',
      evidence: { share: 0.9 },
    });
  });
  test('is not raised in a scan whose file has no account column', () => {
    const acme = ledger();
    acme.repeat(10, { account: HOME });
    const row: BillOptions = { origin: { source: 'SCAN', scanId: 's' } };
    expect(typesOf(acme.bill({}, row))).toEqual([]);
    expect(typesOf(acme.bill({}, { ...row, scanStatesAccounts: true }))).toEqual(['BANK_ACCOUNT_MISSING']);
  });
});

test('findings show no unmasked account', () => {
  const acme = ledger();
  acme.repeat(4, { account: HOME });
  acme.bill({ account: OTHER_BANK, by: { name: 'Borealis', tax_id: 'DE811569869' } });
  for (const account of [HOME_ONE_DIGIT, OTHER_BANK, FRANCE, { iban: 'DE89370400440532013008' }]) {
    const { findings } = acme.bill({ account }).analysis;
    const text = JSON.stringify(findings.map(({ subjects: _, ...shown }) => shown));
    for (const { iban } of [HOME, HOME_ONE_DIGIT, OTHER_BANK, FRANCE]) {
      expect(text).not.toContain(iban.slice(4, -4));
    }
  }
});

describe('PAYEE_DIFFERS', () => {
  const asking = (payeeName: string): BillOptions => ({
    origin: { source: 'UPLOAD' },
    facts: { document: { method: 'TEXT', fields: [], tamperSigns: [], hiddenTexts: [], conflicts: [], payeeName } },
  });

  test('names a payee who is not the supplier, with and without an account', () => {
    const billed = ledger().bill({ account: HOME }, asking('Evil Factoring Ltd'));
    expect(findingIn(billed, 'PAYEE_DIFFERS')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
      evidence: { payee: 'Evil Factoring Ltd', supplier: 'Acme Supplies Ltd', account: 'DE89**************3000' },
    });
    expect(typesOf(ledger().bill({}, asking('Evil Factoring Ltd')))).toEqual(['PAYEE_DIFFERS']);
  });

  test('stands beside a changed account', () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    const billed = acme.bill({ account: OTHER_BANK }, asking('Evil Factoring Ltd'));
    expect(typesOf(billed)).toEqual(expect.arrayContaining(['BANK_ACCOUNT_CHANGED', 'PAYEE_DIFFERS']));
  });

  test.each(['ACME SUPPLIES GMBH', 'Acme', 'Acme Supplies International Ltd'])(
    'is not raised for the supplier in another spelling: %s',
    (name) => {
      expect(typesOf(ledger().bill({ account: HOME }, asking(name)))).toEqual(['BANK_ACCOUNT_FIRST_USE']);
    },
  );

  test('is not raised for a payee whose account is trusted for the supplier', () => {
    const acme = ledger();
    acme.repeat(12, { account: HOME });
    expect(typesOf(acme.bill({ account: HOME }, asking('Reliable Factors plc')))).toEqual([]);
  });
});
