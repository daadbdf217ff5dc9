import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from './testing/in-memory-history.js';
import type { Billed, BillOptions } from './testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from './testing/ledger.js';

// Each story tells how a forger uses what the product does not know about a supplier, and what an honest supplier does
// in the same place.

const GERMAN_ACCOUNT = { iban: 'DE89370400440532013000' };
const OTHER_GERMAN_ACCOUNT = ibanOf('DE', '500105175407324931');
const LITHUANIAN_ACCOUNT = ibanOf('LT', '3250012345678901');
const BRITISH_ACCOUNT = { iban: 'GB29NWBK60161331926819' };
const imported: BillOptions = { origin: { source: 'SCAN', scanId: 's' } };
const germanBuyer: BillOptions = {
  companies: [{ companyId: '0192a000-0000-7000-8000-00000000c001', name: 'Käufer GmbH', country: 'DE' }],
};

const decisionOf = ({ analysis }: Billed) => analysis.decision;
const accountFindings = typesIn('BANK');

describe('the first account of a supplier whose earlier bills stated none', () => {
  const importedSupplier = () => {
    const acme = ledger();
    acme.repeat(12, {}, imported);
    return acme;
  };

  test('waits for a person when it is abroad', () => {
    const forged = importedSupplier().bill({ account: LITHUANIAN_ACCOUNT });
    expect(decisionOf(forged)).toBe('REVIEW');
    expect(findingIn(forged, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 80,
      summary:
        'Acme Supplies Ltd asks for payment to LT35************8901 for the first time (EUR 1,031.00); the account is in Lithuania, but the tax id of the supplier is from Germany.',
      evidence: { signs: ['ABROAD'], accountCountry: 'LT' },
    });
  });
  test('is asked about again until a person answers, and a review ends it', () => {
    const acme = importedSupplier();
    acme.bill({ account: LITHUANIAN_ACCOUNT });
    const again = acme.bill({ account: LITHUANIAN_ACCOUNT });
    expect(decisionOf(again)).toBe('REVIEW');
    acme.dismiss(again);
    expect(accountFindings(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toEqual([]);
  });
  test('is not trusted over the genuine account that comes later: the later bill asks about both', () => {
    const acme = importedSupplier();
    acme.bill({ account: LITHUANIAN_ACCOUNT });
    const genuine = acme.bill({ account: GERMAN_ACCOUNT });
    expect(decisionOf(genuine)).toBe('REVIEW');
    expect(findingIn(genuine, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { escalators: [], knownAccounts: [{ trust: 'UNVERIFIED' }] },
    });
  });
  test('is said when it is at home, and then passes and earns trust', () => {
    const acme = importedSupplier();
    const first = acme.bill({ account: GERMAN_ACCOUNT });
    expect(decisionOf(first)).toBe('PASS');
    expect(findingIn(first, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW', confidence: 60 });
    const later = acme.repeat(2, { account: GERMAN_ACCOUNT });
    expect(accountFindings(later)).toEqual([]);
  });
  test('waits when the bill is high for the supplier, but not when the supplier always bills as much', () => {
    const high = importedSupplier().bill({ account: GERMAN_ACCOUNT, gross_amount: '3400.00' });
    expect(findingIn(high, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signs: ['UNUSUAL_AMOUNT'] },
    });
    const large = ledger();
    large.repeat(12, { gross_amount: '48000.00' }, imported);
    const usual = large.bill({ account: GERMAN_ACCOUNT, gross_amount: '48000.00' });
    expect(findingIn(usual, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW' });
  });
  test('waits when the payment terms are shorter, but not when they are as usual', () => {
    const billed = (days: number) => {
      const acme = ledger();
      for (let bill = 0; bill < 6; bill += 1) {
        const issue_date = addDays('2025-01-10', bill * 30);
        acme.bill({ issue_date, due_date: addDays(issue_date, 30) }, imported);
      }
      return acme.bill({ account: GERMAN_ACCOUNT, issue_date: '2025-07-10', due_date: addDays('2025-07-10', days) });
    };
    expect(findingIn(billed(5), 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signs: ['TERMS_SHORTENED'] },
    });
    expect(findingIn(billed(30), 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW' });
  });
  test('is abroad by the currency of earlier bills where no bill stated a tax id', () => {
    const billed = (account: { iban: string }) => {
      const cleaner = { by: { name: 'Harlow Cleaning Ltd' }, currency: 'GBP', gross_amount: '700.00' };
      const harlow = ledger();
      harlow.repeat(8, cleaner, { base: null });
      return harlow.bill({ ...cleaner, account }, { base: null });
    };
    expect(decisionOf(billed(LITHUANIAN_ACCOUNT))).toBe('REVIEW');
    expect(decisionOf(billed(BRITISH_ACCOUNT))).toBe('PASS');
  });
  test('is abroad for the buyer where nothing tells the country of the supplier', () => {
    const billed = (account: { iban: string }) => {
      const by = { name: 'Lerchenfeld Reinigung' };
      const lerchenfeld = ledger();
      lerchenfeld.repeat(4, { by }, germanBuyer);
      return lerchenfeld.bill({ by, account }, germanBuyer);
    };
    expect(decisionOf(billed(LITHUANIAN_ACCOUNT))).toBe('REVIEW');
    expect(decisionOf(billed(GERMAN_ACCOUNT))).toBe('PASS');
  });
  test('asks once in a file, whose rows nobody can answer one by one', () => {
    const acme = ledger();
    acme.repeat(2, {}, imported);
    const rows = Array.from({ length: 5 }, () => acme.bill({ account: LITHUANIAN_ACCOUNT }, imported));
    const asked = rows.filter((row) => accountFindings(row).includes('BANK_ACCOUNT_FIRST_USE'));
    expect(asked).toHaveLength(1);
  });
  test('does not weaken the account that a supplier stated on its very first bill', () => {
    const acme = ledger();
    acme.bill({ account: GERMAN_ACCOUNT });
    acme.repeat(3, {});
    expect(decisionOf(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toBe('BLOCK');
  });
  test('blocks another account once it has earned trust', () => {
    const acme = importedSupplier();
    acme.repeat(4, { account: OTHER_GERMAN_ACCOUNT }, { origin: {} });
    acme.amendProfile(acme.bill({ account: OTHER_GERMAN_ACCOUNT }).facts.supplier.supplierId, (profile) => ({
      ...profile,
      accounts: profile.accounts.map((use) => ({ ...use, trust: 'SEEN' as const })),
    }));
    expect(decisionOf(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toBe('BLOCK');
  });
});

describe('a supplier that is known by its name alone', () => {
  const NAME = 'Lerchenfeld Reinigung GmbH';
  const byName = { name: NAME };
  const german = { name: NAME, tax_id: 'DE136695976' };
  const lithuanian = { name: NAME, tax_id: 'LT119511515' };
  const known = () => {
    const lerchenfeld = ledger();
    lerchenfeld.repeat(4, { by: byName, gross_amount: '9400.00' }, germanBuyer);
    return lerchenfeld;
  };
  const taxIdFinding = (billed: Billed) => findingIn(billed, 'SUPPLIER_TAX_ID_FIRST_USE');

  test('does not adopt a foreign tax id and account from one bill, and a second bill is asked about too', () => {
    const lerchenfeld = known();
    const forged = { by: lithuanian, account: LITHUANIAN_ACCOUNT, gross_amount: '9700.00' };
    const first = lerchenfeld.bill(forged, germanBuyer);
    expect(decisionOf(first)).toBe('REVIEW');
    expect(taxIdFinding(first)).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signs: ['OTHER_COUNTRY', 'NEW_ACCOUNT'], observed: { invoicesWithoutTaxId: 4 } },
    });
    const second = lerchenfeld.bill(forged, germanBuyer);
    expect(decisionOf(second)).toBe('REVIEW');
    expect(taxIdFinding(second)).toMatchObject({ severity: 'MEDIUM' });
    const genuine = lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, germanBuyer);
    expect(decisionOf(genuine)).toBe('REVIEW');
    expect(taxIdFinding(genuine)).toMatchObject({ evidence: { signs: ['OTHER_TAX_ID', 'NEW_ACCOUNT'] } });
  });
  test('may state its tax id without any other change: this is said once, and the tax id is its own after a while', () => {
    const lerchenfeld = known();
    const first = lerchenfeld.bill({ by: german }, germanBuyer);
    expect(decisionOf(first)).toBe('PASS');
    expect(taxIdFinding(first)).toMatchObject({ severity: 'LOW', confidence: 60 });
    const later = Array.from({ length: 4 }, (_, month) =>
      lerchenfeld.bill({ by: german }, { ...germanBuyer, origin: { receivedAtMs: Date.UTC(2026, month + 1, 1) } }),
    );
    expect(later.flatMap((billed) => taxIdFinding(billed) ?? [])).toEqual([]);
    expect(later.map(({ facts }) => facts.supplier.reason)).toEqual(['NAME_KEY', 'NAME_KEY', 'NAME_KEY', 'TAX_KEY']);
  });
  test('keeps its account when the tax id comes, and then nothing waits', () => {
    const lerchenfeld = ledger();
    lerchenfeld.repeat(4, { by: byName, account: GERMAN_ACCOUNT }, germanBuyer);
    expect(decisionOf(lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, germanBuyer))).toBe('PASS');
  });
  test('is asked about when a small bill smuggles the tax id in before the account comes', () => {
    const lerchenfeld = known();
    lerchenfeld.bill({ by: german, gross_amount: '90.00' }, germanBuyer);
    const forged = lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, germanBuyer);
    expect(decisionOf(forged)).toBe('REVIEW');
    expect(taxIdFinding(forged)).toMatchObject({ evidence: { signs: ['NEW_ACCOUNT'] } });
  });
  test('is asked about when the tax id comes under another legal form', () => {
    const other = known().bill({ by: { name: 'Lerchenfeld Reinigung AG', tax_id: 'DE136695976' } }, germanBuyer);
    expect(taxIdFinding(other)).toMatchObject({ severity: 'MEDIUM', evidence: { signs: ['OTHER_LEGAL_FORM'] } });
  });
  test('adopts what a person accepted', () => {
    const lerchenfeld = known();
    const first = lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, germanBuyer);
    lerchenfeld.dismiss(first);
    const later = Array.from({ length: 2 }, () =>
      lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, germanBuyer),
    );
    expect(later.map(decisionOf)).toEqual(['PASS', 'PASS']);
    expect(later.map(({ facts }) => facts.supplier.reason)).toEqual(['NAME_KEY', 'TAX_KEY']);
  });
  test('asks once in a file', () => {
    const lerchenfeld = ledger();
    lerchenfeld.repeat(2, { by: byName }, imported);
    const rows = Array.from({ length: 6 }, () => lerchenfeld.bill({ by: german, account: GERMAN_ACCOUNT }, imported));
    const asked = rows.filter((row) => decisionOf(row) !== 'PASS');
    expect(asked).toHaveLength(1);
  });
});

describe('a tax id that was typed wrongly on the first bill', () => {
  const NAME = 'Brandt Werkzeugbau GmbH';
  const mistyped = { name: NAME, tax_id: 'DE136695967' };
  const right = { name: NAME, tax_id: 'DE136695976' };
  const idsOf = (...bills: Billed[]) => new Set(bills.map(({ facts }) => facts.supplier.supplierId)).size;

  test('is replaced by the valid one, also when a new account comes, which is then compared', () => {
    const brandt = ledger();
    const first = brandt.bill({ by: mistyped, account: GERMAN_ACCOUNT });
    const later = brandt.bill({ by: right, account: GERMAN_ACCOUNT });
    const changed = brandt.bill({ by: right, account: OTHER_GERMAN_ACCOUNT });
    expect(idsOf(first, later, changed)).toBe(1);
    expect(changed.facts.supplier.reason).toBe('TAX_KEY');
    expect(accountFindings(changed)).toEqual(['BANK_ACCOUNT_CHANGED']);
    const atOnce = ledger();
    const wrong = atOnce.bill({ by: mistyped, account: GERMAN_ACCOUNT });
    const forged = atOnce.bill({ by: right, account: OTHER_GERMAN_ACCOUNT });
    expect(idsOf(wrong, forged)).toBe(1);
    expect(accountFindings(forged)).toEqual(['BANK_ACCOUNT_CHANGED']);
  });
  test('does not make another valid tax id of the same name the same supplier', () => {
    const brandt = ledger();
    const bills = [
      brandt.bill({ by: right, account: GERMAN_ACCOUNT }),
      brandt.bill({ by: { name: NAME, tax_id: 'DE811569869' }, account: OTHER_GERMAN_ACCOUNT }),
    ];
    expect(idsOf(...bills)).toBe(2);
  });
  test('does not join two suppliers of different names', () => {
    const brandt = ledger();
    const bills = [
      brandt.bill({ by: mistyped, account: GERMAN_ACCOUNT }),
      brandt.bill({ by: { name: 'Brandt Stahlbau GmbH', tax_id: right.tax_id }, account: OTHER_GERMAN_ACCOUNT }),
    ];
    expect(idsOf(...bills)).toBe(2);
  });
});

describe('a Belgian tax id', () => {
  const billed = (...taxIds: string[]) => {
    const dubois = ledger();
    const bills = taxIds.map((tax_id, index) =>
      dubois.bill({ by: { name: index === 0 ? 'Dubois SRL' : 'Dubois Transport', tax_id } }),
    );
    return new Set(bills.map(({ facts }) => facts.supplier.supplierId)).size;
  };
  test('with nine digits is the same as with ten', () => {
    expect(billed('BE0428759497', 'BE428759497', 'BE 428.759.497', 'BE 0428.759.497')).toBe(1);
  });
  test('differs in any other digit, and nine digits of another country stay nine', () => {
    expect(billed('BE0428759497', 'BE0403170701')).toBe(2);
    expect(billed('PT128759497', 'PT0128759497')).toBe(2);
  });
});

describe.each([
  ['Brazil', 'BRL', '11.222.333/0001-81', '11.444.777/0001-61'],
  ['India', 'INR', '27AAPFU0939F1ZV', '29AAGCB7383J1Z4'],
  ['Japan', 'JPY', 'T7000012050002', 'T8000012050001'],
  ['Canada', 'CAD', '123456782 RT0001', '121454151 RT0001'],
])('a tax id from %s, whose form shows its country', (_, currency, own, another) => {
  const NAME = 'Monsun Trading';
  const known = () => {
    const monsun = ledger();
    monsun.repeat(6, { currency, by: { name: NAME, tax_id: own } });
    return monsun;
  };

  test('is asked about if the known name comes with another one', () => {
    const forged = known().bill({ currency, by: { name: NAME, tax_id: another } });
    expect(findingIn(forged, 'SUPPLIER_TAX_ID_CHANGED')?.severity).toBe('MEDIUM');
    expect(decisionOf(forged)).toBe('REVIEW');
  });

  test('is the same id without its punctuation, and another name with another id is another supplier', () => {
    const plain = known().bill({ currency, by: { name: NAME, tax_id: own.replace(/[^0-9A-Z]/g, '') } });
    expect(plain.facts.supplier.reason).toBe('TAX_KEY');
    expect(decisionOf(plain)).toBe('PASS');
    expect(decisionOf(known().bill({ currency, by: { name: 'Passat Instruments', tax_id: another } }))).toBe('PASS');
  });
});

test.each([
  ['Brazil', '11.222.333/0001-82', 'MEDIUM'],
  ['India', '27AAPFU0939F1ZW', 'MEDIUM'],
  ['Canada', '123456785 RT0001', 'MEDIUM'],
  // Persons in Japan have ids of the same form whose check digit follows no published rule.
  ['Japan', 'T7000012050003', undefined],
])('a wrong check digit in a tax id from %s is told where each id has one', (_, tax_id, severity) => {
  const mistyped = ledger().bill({ by: { name: 'Monsun Trading', tax_id } });
  expect(findingIn(mistyped, 'SUPPLIER_TAX_ID_INVALID')?.severity).toBe(severity);
});

describe('a name that imitates another by the form of a word', () => {
  const established = (name: string) => {
    const firm = ledger();
    firm.repeat(4, { by: { name, tax_id: 'DE136695976' }, account: GERMAN_ACCOUNT });
    return firm;
  };
  const imitates = (name: string, imitation: string) => {
    const by = { name: imitation, tax_id: 'DE811569869' };
    return findingIn(established(name).bill({ by, account: OTHER_GERMAN_ACCOUNT }), 'SUPPLIER_LOOKALIKE_NAME');
  };
  test.each([
    ['Harrow Supplies Ltd', 'Harrow Supply Ltd'],
    ['Northwind Technology GmbH', 'Northwind Technologies GmbH'],
    ['Harrow Bros Ltd', 'Harrow Brothers Ltd'],
    ['Harrow & Son Ltd', 'Harrow & Sons Ltd'],
  ])('%s and %s', (name, imitation) => {
    expect(imitates(name, imitation)).toMatchObject({ severity: 'HIGH', evidence: { likeness: 'WORD_FORM' } });
    expect(imitates(imitation, name)).toMatchObject({ severity: 'HIGH' });
  });
  test.each([
    ['Harrow Supplies Ltd', 'Harrow Support Ltd'],
    ['Harrow & Son Ltd', 'Harrow Bros Ltd'],
  ])('but not %s and %s', (name, other) => {
    expect(imitates(name, other)).toBeUndefined();
  });
});

describe('charges that the law adds to net and tax', () => {
  const billed = (tax_id: string, net: string, tax: string, gross: string, currency = 'EUR') =>
    findingIn(
      ledger().bill({
        by: { name: 'Studio Meridian', tax_id },
        net_amount: net,
        tax_amount: tax,
        gross_amount: gross,
        currency,
      }),
      'TAX_ARITHMETIC_MISMATCH',
    );
  const ITALIAN = 'IT00743110157';

  test('Italian stamp duty on a bill without tax above 77.47 is no wrong total', () => {
    expect(billed(ITALIAN, '800.00', '0.00', '802.00')).toBeUndefined();
  });
  test('is one on a bill with tax, on a small one, of another amount and from another country', () => {
    expect(billed(ITALIAN, '800.00', '176.00', '978.00')).toBeDefined();
    expect(billed(ITALIAN, '77.47', '0.00', '79.47')).toMatchObject({ severity: 'HIGH' });
    expect(billed(ITALIAN, '800.00', '0.00', '804.00')).toBeDefined();
    expect(billed('DE136695976', '800.00', '0.00', '802.00')).toBeDefined();
  });
  test.each([
    ['an Italian pension contribution and stamp duty', ITALIAN, '1000.00', '0.00', '1042.00', 'EUR'],
    ['a Spanish equivalence surcharge', 'ESB58378431', '1000.00', '210.00', '1262.00', 'EUR'],
    ['Portuguese stamp duty', 'PT501964843', '1000.00', '0.00', '1040.00', 'EUR'],
    ['the Greek digital transaction duty', 'EL094259216', '1000.00', '0.00', '1036.00', 'EUR'],
  ])('%s is mentioned, because it is a share of the amount', (_, tax_id, net, tax, gross, currency) => {
    expect(billed(tax_id, net, tax, gross, currency)).toMatchObject({ severity: 'LOW', confidence: 60 });
  });
  test('another share from the same country is a wrong total', () => {
    expect(billed('ESB58378431', '1000.00', '210.00', '1270.00')).toMatchObject({ severity: 'HIGH' });
  });
  test('the rounding of an Indian total to the rupee is none', () => {
    expect(billed('27AAPFU0939F1ZV', '1000.30', '180.05', '1180.00', 'INR')).toBeUndefined();
    expect(billed('27AAPFU0939F1ZV', '1000.30', '180.05', '1182.00', 'INR')).toBeDefined();
  });
});

describe('sales tax', () => {
  const buyerIn = (country: string): BillOptions => ({
    companies: [{ companyId: '0192a000-0000-7000-8000-00000000c001', name: 'Buyer', country }],
  });
  const taxed = { by: { name: 'Prairie Office Supply' }, currency: 'USD', net_amount: '2000.00', tax_amount: '165.00' };
  const withoutRegistration = (changes: object, options: BillOptions) =>
    findingIn(ledger().bill({ ...taxed, gross_amount: '2165.00', ...changes }, options), 'TAX_WITHOUT_REGISTRATION');

  test('has no tax id on a bill to a buyer in the United States', () => {
    expect(withoutRegistration({}, buyerIn('US'))).toBeUndefined();
  });
  test('needs one for a buyer in a country with value added tax, and from a supplier that banks in one', () => {
    expect(withoutRegistration({}, buyerIn('DE'))).toBeDefined();
    expect(withoutRegistration({ account: GERMAN_ACCOUNT }, buyerIn('US'))).toBeDefined();
  });
});

describe('a currency that replaces another', () => {
  const currencyFindings = typesIn('CUR');
  const switched = (before: string, after: string, issue_date: string) => {
    const by = { name: 'Vitosha Transport' };
    const vitosha = ledger();
    for (let month = 1; month <= 6; month += 1) {
      vitosha.bill({ by, currency: before, issue_date: `${Number(issue_date.slice(0, 4)) - 1}-0${month}-10` });
    }
    return currencyFindings(vitosha.bill({ by, currency: after, issue_date }, { asOf: issue_date }));
  };
  test.each([
    ['lev to euro', 'BGN', 'EUR', '2026-01-15'],
    ['kuna to euro', 'HRK', 'EUR', '2023-02-15'],
    ['guilder to Caribbean guilder', 'ANG', 'XCG', '2025-06-15'],
  ])('%s is no change of currency', (_, before, after, day) => {
    expect(switched(before, after, day)).toEqual([]);
  });
  test.each([
    ['before its first day', 'BGN', 'EUR', '2025-12-15'],
    ['of another country', 'BGN', 'USD', '2026-01-15'],
    ['that was not replaced', 'CZK', 'EUR', '2026-01-15'],
  ])('one %s is', (_, before, after, day) => {
    expect(switched(before, after, day)).toEqual(['CURRENCY_CHANGED']);
  });
});

describe('an amount in a currency without a rate', () => {
  const noRate: BillOptions = { base: null };
  test('is neither high nor silent', () => {
    const first = ledger().bill({ currency: 'KES', gross_amount: '1250000.00' }, noRate);
    expect(findingIn(first, 'SUPPLIER_NEW_HIGH_VALUE')).toBeUndefined();
    expect(findingIn(first, 'CURRENCY_WITHOUT_RATE')).toMatchObject({ severity: 'INFO' });
    expect(decisionOf(first)).toBe('PASS');
  });
  test('is said once for each supplier and currency, and then compared with the amounts of the supplier', () => {
    const acme = ledger();
    const later = acme.repeat(10, { currency: 'KES' }, noRate);
    expect(findingIn(later, 'CURRENCY_WITHOUT_RATE')).toBeUndefined();
    const high = acme.bill({ currency: 'KES', gross_amount: '90000.00' }, noRate);
    expect(findingIn(high, 'AMOUNT_OUTLIER')).toBeDefined();
  });
  test('is compared where a rate exists', () => {
    const rated: BillOptions = { base: null, ratesPerEuro: { KES: '150' } };
    const first = ledger().bill({ currency: 'KES', gross_amount: '1650000.00' }, rated);
    expect(findingIn(first, 'SUPPLIER_NEW_HIGH_VALUE')).toBeDefined();
    expect(findingIn(first, 'CURRENCY_WITHOUT_RATE')).toBeUndefined();
  });
});

describe('firms of one group that share an account', () => {
  const logistics = { name: 'Nordwind Logistik GmbH', tax_id: 'DE136695976' };
  const shared = (billed: Billed) => findingIn(billed, 'BANK_ACCOUNT_SHARED');
  const groupWith = (bills: number) => {
    const group = ledger();
    for (let month = 0; month < bills; month += 1) {
      const origin = { receivedAtMs: Date.UTC(2026, month, 1) };
      group.bill({ by: logistics, account: GERMAN_ACCOUNT }, { origin });
    }
    return group;
  };
  const catering = { name: 'Nordwind Catering AG', tax_id: 'DE811569869' };

  test('are mentioned where a new firm uses the account that another has used for long', () => {
    const first = groupWith(4).bill({ by: catering, account: GERMAN_ACCOUNT });
    expect(shared(first)).toMatchObject({ severity: 'LOW' });
  });
  test('are asked about where the account itself is new, where the name is another, and where payments would move', () => {
    expect(shared(groupWith(1).bill({ by: catering, account: GERMAN_ACCOUNT }))).toMatchObject({ severity: 'HIGH' });
    const stranger = { name: 'Borealis Catering AG', tax_id: 'DE811569869' };
    expect(shared(groupWith(4).bill({ by: stranger, account: GERMAN_ACCOUNT }))).toMatchObject({ severity: 'HIGH' });
    const group = groupWith(4);
    group.repeat(4, { by: catering });
    expect(shared(group.bill({ by: catering, account: GERMAN_ACCOUNT }))).toMatchObject({ severity: 'HIGH' });
  });
});

describe('contracts of one supplier that are billed under their own numbers', () => {
  const lessor = { name: 'Brunnthal Verwaltung GmbH', tax_id: 'DE136695976' };
  const months = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}-01`);
  const years = ['2021-03-01', '2022-03-01', '2023-03-01', '2024-03-01', '2025-03-01'];
  const leases = ['MV-10441', 'MV-10442', 'MV-20977'];
  const row = (invoice_number: string, issue_date: string) => ({
    by: lessor,
    invoice_number,
    issue_date,
    gross_amount: '1785.00',
  });
  const billed = (days: readonly string[], options?: BillOptions) => {
    const history = ledger();
    const bills = days.flatMap((day) => leases.map((lease) => history.bill(row(lease, day), options)));
    return { history, held: bills.filter((bill) => decisionOf(bill) !== 'PASS').map(({ facts }) => facts.invoice) };
  };

  test('ask once for each contract in a file', () => {
    const { held } = billed(months, imported);
    expect(held.map(({ issueDate }) => issueDate)).toEqual(['2025-02-01', '2025-02-01', '2025-02-01']);
    expect(held.map(({ invoiceNumber }) => invoiceNumber)).toEqual(leases);
  });
  test('ask once for each contract in a file, also if they are billed once a year', () => {
    expect(billed(years, imported).held).toHaveLength(leases.length);
  });
  test('hide no second bill of a month in the file', () => {
    const { history } = billed(months.slice(0, 6), imported);
    expect(decisionOf(history.bill(row('MV-10441', '2025-06-06'), imported))).toBe('BLOCK');
    expect(decisionOf(history.bill(row('MV-10442', '2025-06-12'), imported))).not.toBe('PASS');
  });
  test('go on asking in posts and in another file until a person answers', () => {
    const { history } = billed(months.slice(0, 2));
    expect(decisionOf(history.bill(row('MV-10441', '2025-03-01')))).toBe('REVIEW');
    const inFile = billed(months.slice(0, 2), imported).history;
    const otherFile: BillOptions = { origin: { source: 'SCAN', scanId: 't' } };
    expect(decisionOf(inFile.bill(row('MV-10441', '2025-03-01'), otherFile))).toBe('REVIEW');
  });
});
