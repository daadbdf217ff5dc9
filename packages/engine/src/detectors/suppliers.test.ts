import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';
import { DAYS_BETWEEN_BILLS, findingIn, ibanOf, ledger, usualSupplier } from '../testing/ledger.js';
import { emptyProfile, undoubtedInvoices, withName } from '../supplier/profile.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_BANK = ibanOf('DE', '500105175407324931');
const FRANCE = { iban: 'FR1420041010050500013M02606' };
const OTHER_TAX_ID = 'DE811569869';

const typesOf = typesIn('SUP');

describe('SUPPLIER_LOOKALIKE_NAME', () => {
  const established = (invoices: number) => {
    const acme = ledger();
    acme.repeat(invoices, { account: HOME });
    return acme;
  };

  test('warns of the first invoice under almost the name of an established supplier', () => {
    const billed = established(3).bill({ by: { name: 'Acme Suplies Ltd' } });
    expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 70,
      recommendedAction: expect.stringContaining('Acme Supplies Ltd'),
      evidence: { lookalikeOf: { name: 'Acme Supplies Ltd' }, edits: 1, establishedInvoices: 3 },
    });
    expect(billed.analysis.decision).toBe('REVIEW');
  });

  test.each([
    ['another tax id', { by: { name: 'Acme Suplies Ltd', tax_id: OTHER_TAX_ID } }],
    ['an account the other never used', { by: { name: 'Acme Suplies Ltd' }, account: OTHER_BANK }],
  ])('is surer with %s', (_, bill) => {
    expect(findingIn(established(3).bill(bill), 'SUPPLIER_LOOKALIKE_NAME')).toMatchObject({
      severity: 'HIGH',
      confidence: 85,
    });
  });

  test('reports a name with an extra generic word only when the account differs', () => {
    const by = { name: 'Acme Supplies International Ltd', tax_id: OTHER_TAX_ID };
    const billed = established(3).bill({ by, account: OTHER_BANK });
    expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { likeness: 'GENERIC_WORD' },
    });
    expect(billed.analysis.decision).toBe('REVIEW');
    for (const bill of [{ by }, { by, account: HOME }]) {
      expect(typesOf(established(3).bill(bill))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    }
  });

  test.each(['Fa. Acme Supplies Ltd', 'Acme Supplies Ltd c/o Payline Ltd', 'Acme Supplies (Factoring)'])(
    'asks about %s only when the account differs',
    (name) => {
      const billed = established(3).bill({ by: { name }, account: OTHER_BANK });
      expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe('MEDIUM');
      expect(billed.analysis.decision).toBe('REVIEW');
      expect(typesOf(established(3).bill({ by: { name }, account: HOME }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    },
  );

  test.each(['Acme Supplies Limted', 'Аcmе Suррliеs Ltd', 'Acme Supplies Ltdd'])('warns of %s', (name) => {
    const billed = established(3).bill({ by: { name, tax_id: OTHER_TAX_ID }, account: OTHER_BANK });
    expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe('HIGH');
  });

  test('is not raised when the other supplier has only two invoices', () => {
    expect(typesOf(established(2).bill({ by: { name: 'Acme Suplies Ltd' } }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  const imitation = { name: 'Acme Suplies Ltd', tax_id: OTHER_TAX_ID };

  test('is repeated until a person has answered it', () => {
    const acme = established(3);
    const [first, ...later] = Array.from({ length: 5 }, () => acme.bill({ by: imitation, account: OTHER_BANK }));
    for (const bill of later) expect(typesOf(bill)).toContain('SUPPLIER_LOOKALIKE_NAME');
    if (first === undefined) throw new Error('nothing billed');
    acme.dismiss(first);
    expect(typesOf(acme.bill({ by: imitation, account: OTHER_BANK }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('does not make the imitation established, nor the original look like it, whatever dates it states', () => {
    const acme = established(3);
    for (let month = 1; month <= 6; month += 1)
      acme.bill({ by: imitation, account: OTHER_BANK, issue_date: `2019-0${month}-01` });
    const { supplierId } = acme.bill({ by: imitation, account: OTHER_BANK }).facts.supplier;
    expect(undoubtedInvoices(acme.profileOf(supplierId))).toBe(0);
    const original = acme.bill({ by: { name: usualSupplier.name }, account: HOME });
    expect(typesOf(original)).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    expect(original.analysis.decision).toBe('PASS');
  });

  test('does not take the name of an established supplier for an imitation of its imitation', () => {
    const acme = established(3);
    acme.bill({ by: imitation, account: OTHER_BANK });
    for (const tax_id of ['DE136695976', undefined]) {
      const original = acme.bill({ by: { name: usualSupplier.name, ...(tax_id && { tax_id }) }, account: HOME });
      expect(typesOf(original)).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    }
  });

  test('warns of a name that is changed in steps, each of which is like the one before', () => {
    const acme = established(3);
    const names = ['Acme Suplies Ltd', 'Acme Suplles Ltd', 'Acme Sublles Ltd'];
    const raised = names.map((name, index) =>
      typesOf(acme.bill({ by: { name }, account: ibanOf('DE', `50010517540732493${index}`) })),
    );
    for (const types of raised) expect(types).toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('asks once about an honest sister in a file of rows, notes it on the others, and asks again on a post', () => {
    const acme = established(3);
    const ofScan = (position: number) => ({ origin: { source: 'SCAN', scanId: 'scan-1', position } as const });
    const rows = Array.from({ length: 6 }, (_, row) => acme.bill({ by: imitation }, ofScan(row)));
    expect(rows.map((row) => findingIn(row, 'SUPPLIER_LOOKALIKE_NAME')?.severity)).toEqual([
      'HIGH',
      ...Array(5).fill('LOW'),
    ]);
    expect(rows.map(({ analysis }) => analysis.decision)).toEqual(['REVIEW', ...Array(5).fill('PASS')]);
    expect(findingIn(acme.bill({ by: imitation }), 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe('HIGH');
  });

  test('is not raised for a spelling that the tax id explains', () => {
    const acme = established(3);
    const sameTaxId = acme.bill({ by: { ...usualSupplier, name: 'Acme Supplis Ltd' } });
    expect(typesOf(sameTaxId)).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test.each([
    'Supplies Acme Ltd',
    'Acme Supplies Deutschland',
    'acme-supplies.com',
    'Borealis Ltd t/a Acme Supplies',
    'Acme Supploas',
  ])('warns of %s only where the account is another one', (name) => {
    const by = { name, tax_id: OTHER_TAX_ID };
    expect(findingIn(established(3).bill({ by, account: OTHER_BANK }), 'SUPPLIER_LOOKALIKE_NAME')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 70,
    });
    expect(typesOf(established(3).bill({ by }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    expect(typesOf(established(3).bill({ by, account: HOME }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('warns of a name like any that the established supplier is known under', () => {
    const acme = established(3);
    acme.bill({ by: { ...usualSupplier, name: 'Acme Wholesale Trade Ltd' }, account: HOME });
    for (const name of ['Acme Wholesole Trade Ltd', 'Acme Wholesale Trade Ltd']) {
      const billed = acme.bill({ by: { name, tax_id: OTHER_TAX_ID }, account: OTHER_BANK });
      expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe('HIGH');
    }
  });

  test('warns of letters that only look Latin, one more on each bill', () => {
    for (const name of ['Аcme Supplies Ltd', 'Аcmе Supplies Ltd', 'Αcmе Suррliеѕ Ltd', 'АСМЕ SUРРLІЕS Ltd']) {
      const billed = established(3).bill({ by: { name, tax_id: OTHER_TAX_ID }, account: OTHER_BANK });
      expect(findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe('HIGH');
    }
  });

  test.each(['Acme Catering Ltd', 'Acma Supplies Ltd', 'Acme Supplies Poland'])('is not raised for %s', (name) => {
    expect(typesOf(established(3).bill({ by: { name } }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });
});

describe('SUPPLIER_LOOKALIKE_NAME under exactly the name of an established supplier', () => {
  const hinrichs = { name: 'Metallbau Hinrichs GmbH', tax_id: 'DE136695976' };
  const LITHUANIA = { iban: 'LT147300016033503497' };
  const established = (invoices = 6) => {
    const history = ledger();
    history.repeat(invoices, { by: hinrichs, account: HOME });
    return history;
  };

  test.each([
    ['a local tax number', '12/345/67890', OTHER_BANK],
    ['a number in the register', 'HRB 12345 B', OTHER_BANK],
    ['another valid tax id without its country', '811569869', OTHER_BANK],
    ['a tax id of another country with an account there', 'NL004495445B01', ibanOf('NL', 'ABNA0417164300')],
    ['a typing error in the tax id', 'DE136695977', OTHER_BANK],
    ['an unknown number and an account abroad', '99887766', LITHUANIA],
  ])('warns of an account that was never used, with %s', (_, tax_id, account) => {
    const billed = established().bill({ by: { ...hinrichs, tax_id }, account });
    const finding = findingIn(billed, 'SUPPLIER_LOOKALIKE_NAME');
    expect(finding).toMatchObject({
      severity: 'HIGH',
      confidence: 85,
      recommendedAction: expect.stringContaining(hinrichs.name),
      evidence: { likeness: 'SAME_NAME', establishedInvoices: 6, establishedTaxId: 'DE136695976' },
    });
    expect(finding?.summary).toContain(tax_id.replace(/[^A-Z0-9]/g, ''));
    expect(finding?.summary).toContain('DE136695976');
    expect(billed.analysis.decision).toBe('REVIEW');
  });

  test('warns whatever the legal form, and however many tax ids the name is known under', () => {
    const stockCompany = { name: 'Metallbau Hinrichs AG', tax_id: OTHER_TAX_ID };
    expect(findingIn(established().bill({ by: stockCompany, account: OTHER_BANK }), 'SUPPLIER_LOOKALIKE_NAME')).toEqual(
      expect.objectContaining({ severity: 'HIGH' }),
    );
    const group = established();
    for (const tax_id of ['DE129273398', 'DE811907980']) {
      group.repeat(3, { by: { ...hinrichs, tax_id }, account: HOME });
    }
    expect(findingIn(group.bill({ by: stockCompany, account: OTHER_BANK }), 'SUPPLIER_LOOKALIKE_NAME')?.severity).toBe(
      'HIGH',
    );
  });

  test('is repeated until a person has answered it, however many bills follow', () => {
    const impostor = { by: { ...hinrichs, tax_id: '12/345/67890' }, account: OTHER_BANK };
    const unseen = established();
    const raised = [1, 2, 3, 4].map(() => typesOf(unseen.bill(impostor)).includes('SUPPLIER_LOOKALIKE_NAME'));
    expect(raised).toEqual([true, true, true, true]);
    const reviewed = established();
    const { facts } = reviewed.bill(impostor);
    reviewed.trustAccount(facts.supplier.supplierId, OTHER_BANK.iban, 'REVIEWED');
    expect(typesOf(reviewed.bill(impostor))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('warns of an account that only a bill with an open finding about it has named for the established one', () => {
    const history = established();
    const changed = history.bill({ by: hinrichs, account: OTHER_BANK });
    expect(changed.analysis.decision).toBe('REVIEW');
    const impostor = { by: { ...hinrichs, tax_id: OTHER_TAX_ID }, account: OTHER_BANK };
    expect(typesOf(history.bill(impostor))).toContain('SUPPLIER_LOOKALIKE_NAME');
    history.dismiss(changed);
    const later = { by: { ...hinrichs, tax_id: 'DE129273398' }, account: OTHER_BANK };
    expect(typesOf(history.bill(later))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('does not take a supplier for the older one because it states earlier dates', () => {
    const history = established();
    const impostor = { by: { ...hinrichs, tax_id: '12/345/67890' }, account: OTHER_BANK, issue_date: '2015-03-01' };
    expect([1, 2, 3].map(() => history.bill(impostor).analysis.decision)).not.toContain('PASS');
  });

  test('is not raised for a supplier who is older than the established one', () => {
    const history = ledger();
    history.bill({ by: { ...hinrichs, tax_id: OTHER_TAX_ID }, account: OTHER_BANK });
    history.repeat(3, { by: hinrichs, account: HOME });
    const second = history.bill({ by: { ...hinrichs, tax_id: OTHER_TAX_ID }, account: OTHER_BANK });
    expect(typesOf(second)).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });

  test('is not raised with the known account, without any, or when the other supplier has only two invoices', () => {
    const second = { by: { ...hinrichs, tax_id: 'FR40303265045' } };
    expect(typesOf(established().bill({ ...second, account: HOME }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    expect(typesOf(established().bill(second))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
    expect(typesOf(established(2).bill({ ...second, account: OTHER_BANK }))).not.toContain('SUPPLIER_LOOKALIKE_NAME');
  });
});

describe('SUPPLIER_TAX_ID_CHANGED', () => {
  const known = () => {
    const acme = ledger();
    acme.repeat(3, { account: HOME });
    return acme;
  };
  const renamed = { ...usualSupplier, tax_id: OTHER_TAX_ID };

  test('is raised when a known name states another valid tax id', () => {
    const billed = known().bill({ by: renamed });
    expect(findingIn(billed, 'SUPPLIER_TAX_ID_CHANGED')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
      evidence: { oldTaxId: 'DE136695976', newTaxId: OTHER_TAX_ID },
    });
  });

  test('is more severe with another account, and not with the known one', () => {
    expect(findingIn(known().bill({ by: renamed, account: OTHER_BANK }), 'SUPPLIER_TAX_ID_CHANGED')?.severity).toBe(
      'HIGH',
    );
    expect(findingIn(known().bill({ by: renamed, account: HOME }), 'SUPPLIER_TAX_ID_CHANGED')?.severity).toBe('MEDIUM');
  });

  test.each([
    ['a tax id of another country', { ...usualSupplier, tax_id: 'PL5260250995' }],
    ['a tax id that is not valid', { ...usualSupplier, tax_id: 'DE811569860' }],
    ['a tax id without its country', { ...usualSupplier, tax_id: '811569869' }],
    ['another legal form: companies of one group', { name: 'Acme Supplies plc', tax_id: OTHER_TAX_ID }],
  ])('is not raised for %s', (_, by) => {
    expect(typesOf(known().bill({ by }))).not.toContain('SUPPLIER_TAX_ID_CHANGED');
  });

  test('is not raised for a short name and for a group with several tax ids', () => {
    const short = ledger();
    short.bill({ by: { name: 'KPMK', tax_id: 'DE136695976' } });
    expect(typesOf(short.bill({ by: { name: 'KPMK', tax_id: OTHER_TAX_ID } }))).not.toContain(
      'SUPPLIER_TAX_ID_CHANGED',
    );
    const group = known();
    group.dismiss(group.bill({ by: renamed }));
    const third = group.bill({ by: { ...usualSupplier, tax_id: 'DE129273398' } });
    expect(typesOf(third)).not.toContain('SUPPLIER_TAX_ID_CHANGED');
  });

  test('is raised for a third tax id while the second one is still asked about', () => {
    const acme = known();
    acme.bill({ by: renamed, account: HOME });
    acme.bill({ by: renamed, account: HOME });
    const third = acme.bill({ by: { ...usualSupplier, tax_id: 'DE129273398' }, account: HOME });
    expect(findingIn(third, 'SUPPLIER_TAX_ID_CHANGED')).toMatchObject({ severity: 'MEDIUM' });
    expect(third.analysis.decision).toBe('REVIEW');
  });
});

describe('SUPPLIER_NAME_MISMATCH', () => {
  const stranger = { ...usualSupplier, name: 'Borealis Consulting' };
  test('is raised until a person accepts the name', () => {
    const acme = ledger();
    acme.repeat(2);
    const first = acme.bill({ by: stranger });
    expect(findingIn(first, 'SUPPLIER_NAME_MISMATCH')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 70,
      evidence: { knownNames: ['ACME SUPPLIES'] },
    });
    const second = acme.bill({ by: stranger });
    expect(findingIn(second, 'SUPPLIER_NAME_MISMATCH')?.evidence.key).toBe(
      findingIn(first, 'SUPPLIER_NAME_MISMATCH')?.evidence.key,
    );
    acme.amendProfile(second.facts.supplier.supplierId, (profile) => withName(profile, 'BOREALIS CONSULTING'));
    expect(typesOf(acme.bill({ by: stranger }))).not.toContain('SUPPLIER_NAME_MISMATCH');
  });
  test.each(['Acme Supplies International', 'ACME', 'Supplies of Acme', 'Acne Suppliers'])(
    'is not raised for %s, which is much the same',
    (name) => {
      const acme = ledger();
      acme.bill();
      expect(typesOf(acme.bill({ by: { ...usualSupplier, name } }))).not.toContain('SUPPLIER_NAME_MISMATCH');
    },
  );
});

describe('SUPPLIER_TAX_ID_INVALID', () => {
  test.each([
    ['wrong check digits', 'DE136695970', 'MEDIUM', 'WRONG_CHECK_DIGIT'],
    ['a wrong form', 'DE1366959', 'LOW', 'WRONG_FORMAT'],
    ['zeros alone', 'NL000000000B00', 'MEDIUM', 'WRONG_CHECK_DIGIT'],
  ])('%s', (_, tax_id, severity, reason) => {
    expect(findingIn(ledger().bill({ by: { name: 'Acme', tax_id } }), 'SUPPLIER_TAX_ID_INVALID')).toMatchObject({
      severity,
      confidence: 90,
      evidence: { country: tax_id.slice(0, 2), reason },
    });
  });
  test('says that a document may have been misread', () => {
    const billed = ledger().bill({ by: { name: 'Acme', tax_id: 'DE136695970' } }, { origin: { source: 'UPLOAD' } });
    expect(findingIn(billed, 'SUPPLIER_TAX_ID_INVALID')?.evidence.explanation.at(-1)).toMatch(
      /single characters may be wrong/,
    );
  });
  test.each(['136695970', 'GBGD001', 'GBHA500', 'ZZ123456789', 'US12-3456789'])('is not raised for %s', (tax_id) => {
    expect(typesOf(ledger().bill({ by: { name: 'Acme', tax_id }, account: HOME }))).not.toContain(
      'SUPPLIER_TAX_ID_INVALID',
    );
  });
});

describe('SUPPLIER_TAX_ID_MISSING', () => {
  const without = { name: usualSupplier.name };
  test('is LOW when the supplier always stated one', () => {
    const acme = ledger();
    acme.repeat(5);
    expect(findingIn(acme.bill({ by: without }), 'SUPPLIER_TAX_ID_MISSING')).toMatchObject({
      severity: 'LOW',
      confidence: 70,
      evidence: { share: 1 },
    });
  });
  test('is not raised after four invoices, below nine tenths, and where tax is charged, which is worse', () => {
    const young = ledger();
    young.repeat(4);
    expect(typesOf(young.bill({ by: without }))).not.toContain('SUPPLIER_TAX_ID_MISSING');
    const mixed = ledger();
    mixed.repeat(8);
    mixed.bill({ by: without });
    expect(typesOf(mixed.bill({ by: without }))).not.toContain('SUPPLIER_TAX_ID_MISSING');
    const taxed = ledger();
    taxed.repeat(5);
    const bill = { by: without, gross_amount: '1190.00', net_amount: '1000.00', tax_amount: '190.00' };
    expect(typesOf(taxed.bill(bill))).not.toContain('SUPPLIER_TAX_ID_MISSING');
  });
});

describe('SUPPLIER_NEW and SUPPLIER_NEW_HIGH_VALUE', () => {
  const supported = { gross_amount: '10000.01', purchase_order_ref: 'PO-45001' };
  const highIn = (bill: Parameters<ReturnType<typeof ledger>['bill']>[0], options?: BillOptions) =>
    findingIn(ledger().bill(bill, options), 'SUPPLIER_NEW_HIGH_VALUE');

  test('SUPPLIER_NEW is INFO on the first invoice and not raised on the second', () => {
    const acme = ledger();
    const first = acme.bill();
    expect(findingIn(first, 'SUPPLIER_NEW')).toMatchObject({ severity: 'INFO', confidence: 100 });
    expect(first.analysis).toMatchObject({ decision: 'PASS', riskScore: 0 });
    expect(typesOf(acme.bill())).toEqual([]);
  });
  test('SUPPLIER_NEW_HIGH_VALUE is LOW for a high first invoice', () => {
    expect(highIn(supported)).toMatchObject({ severity: 'LOW', confidence: 70 });
    expect(highIn({ ...supported, gross_amount: '9999.99' })).toBeUndefined();
  });
  test.each([
    ['without an order', { gross_amount: '10000.01' }],
    ['from a bank abroad', { ...supported, account: FRANCE }],
    ['over a round amount', { ...supported, gross_amount: '10000.00' }],
  ])('SUPPLIER_NEW_HIGH_VALUE is MEDIUM for a high first invoice %s', (_, bill) => {
    expect(highIn(bill)).toMatchObject({ severity: 'MEDIUM', confidence: 70 });
  });
  test('use the limit of the organization where it is above that of the policy', () => {
    expect(highIn(supported, { facts: { highAmount: '10000.02' } })).toBeUndefined();
    expect(highIn(supported, { facts: { highAmount: '10000.01' } })).toMatchObject({ evidence: { p95: '10000.01' } });
    expect(highIn(supported, { facts: { highAmount: '500' } })).toMatchObject({ severity: 'LOW' });
  });
  test('are silent where no rate exists, because CURRENCY_WITHOUT_RATE says so', () => {
    const kronor = { ...supported, currency: 'SEK', gross_amount: '900000.00' };
    expect(highIn(kronor, { base: null })).toBeUndefined();
    expect(findingIn(ledger().bill(kronor, { base: null }), 'CURRENCY_WITHOUT_RATE')).toMatchObject({
      severity: 'INFO',
    });
  });
  test('SUPPLIER_NEW_HIGH_VALUE is not raised again for a second bill while the first is not counted', () => {
    const acme = ledger();
    const first = acme.bill(supported);
    acme.amendProfile(first.facts.supplier.supplierId, () => emptyProfile);
    expect(findingIn(first, 'SUPPLIER_NEW_HIGH_VALUE')).toBeDefined();
    const again = { ...supported, invoice_number: first.facts.invoice.invoiceNumber };
    expect(findingIn(acme.bill(again), 'SUPPLIER_NEW_HIGH_VALUE')).toBeUndefined();
    acme.amendProfile(first.facts.supplier.supplierId, () => emptyProfile);
    expect(findingIn(acme.bill({ ...again, gross_amount: '90000.01' }), 'SUPPLIER_NEW_HIGH_VALUE')).toBeDefined();
  });
  test('are not raised for the first 200 rows of an organization’s first scan', () => {
    const newIn = (firstScanRowsBefore: number) =>
      typesOf(
        ledger().bill({ gross_amount: '20000.00' }, { origin: { source: 'SCAN' }, facts: { firstScanRowsBefore } }),
      );
    expect(newIn(199)).toEqual([]);
    expect(newIn(200)).toEqual(expect.arrayContaining(['SUPPLIER_NEW', 'SUPPLIER_NEW_HIGH_VALUE']));
  });
});

describe('SUPPLIER_DORMANT_REACTIVATED', () => {
  const lastDay = (bills: number): string => addDays('2025-01-01', bills * DAYS_BETWEEN_BILLS);
  const afterGap = (days: number, account = HOME) => {
    const acme = ledger();
    acme.repeat(5, { account: HOME });
    return acme.bill({ account, issue_date: addDays(lastDay(5), days) });
  };
  test('is LOW after 270 days of silence', () => {
    expect(typesOf(afterGap(269))).toEqual([]);
    expect(findingIn(afterGap(270), 'SUPPLIER_DORMANT_REACTIVATED')).toMatchObject({
      severity: 'LOW',
      confidence: 65,
      evidence: { gapDays: 270, medianGap: 20, lastInvoice: lastDay(5) },
    });
  });
  test('is MEDIUM when the account also differs', () => {
    expect(findingIn(afterGap(270, OTHER_BANK), 'SUPPLIER_DORMANT_REACTIVATED')).toMatchObject({ severity: 'MEDIUM' });
  });
  test('is not raised for a supplier of four invoices', () => {
    const acme = ledger();
    acme.repeat(4);
    expect(typesOf(acme.bill({ issue_date: addDays(lastDay(4), 400) }))).not.toContain('SUPPLIER_DORMANT_REACTIVATED');
  });
  test('goes by the rhythm of a supplier that bills once a year', () => {
    const yearly = (gapDays: number) => {
      const acme = ledger();
      for (let year = 2010; year < 2016; year += 1) acme.bill({ issue_date: `${year}-03-01` });
      return typesOf(acme.bill({ issue_date: addDays('2015-03-01', gapDays) }));
    };
    expect(yearly(731)).not.toContain('SUPPLIER_DORMANT_REACTIVATED');
    expect(yearly(6 * 365 - 1)).not.toContain('SUPPLIER_DORMANT_REACTIVATED');
    expect(yearly(6 * 365)).toContain('SUPPLIER_DORMANT_REACTIVATED');
  });
});

describe('SUPPLIER_IS_OWN_COMPANY', () => {
  const companies = [
    { companyId: 'c-1', name: 'Holding' },
    { companyId: 'c-2', name: 'Works', taxId: '136 695 976', country: 'DE' },
  ];
  test('is raised for the tax id of a company of the organization, however it is written', () => {
    expect(findingIn(ledger().bill({}, { companies }), 'SUPPLIER_IS_OWN_COMPANY')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 85,
      evidence: { companyId: 'c-2' },
    });
  });
  test('is not raised for others, without a tax id and where the companies are not known', () => {
    const silent = [
      ledger().bill({ by: { name: 'Works', tax_id: 'PL136695976' } }, { companies }),
      ledger().bill({ by: { name: 'Works' } }, { companies }),
      ledger().bill({}),
    ];
    for (const billed of silent) expect(typesOf(billed)).not.toContain('SUPPLIER_IS_OWN_COMPANY');
  });
});
