import { describe, expect, test } from 'vitest';
import { COMPANY_ID, typesIn } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('TAX');

/** Returns the net, tax and gross amount of an invoice with the field names of the API. */
const totals = (net_amount: string, tax_amount: string, gross_amount: string) => ({
  net_amount,
  tax_amount,
  gross_amount,
});
const by = (tax_id: string) => ({ by: { name: 'Acme', tax_id } });

describe('TAX_ARITHMETIC_MISMATCH', () => {
  const found = (bill: Bill) => findingIn(ledger().bill(bill), 'TAX_ARITHMETIC_MISMATCH');

  test.each([
    ['totals that add up', '1000.00', '190.00', '1190.00', undefined],
    ['two cents of rounding', '1000.00', '190.00', '1190.02', undefined],
    ['three cents', '1000.00', '190.00', '1190.03', 'LOW'],
    ['an amount and a thousandth', '10000.00', '1900.00', '11901.00', 'LOW'],
    ['more than one', '10000.00', '1900.00', '11901.01', 'MEDIUM'],
    ['more than a thousandth', '100.00', '19.00', '119.13', 'MEDIUM'],
    ['nearly a hundredth too much', '1000.00', '190.00', '1201.90', 'MEDIUM'],
    ['a hundredth too much', '1000.00', '190.00', '1202.03', 'HIGH'],
    ['a hundredth too little', '1000.00', '190.00', '1178.00', 'MEDIUM'],
    ['a credit note that adds up', '-1000.00', '-190.00', '-1190.00', undefined],
    ['a credit note that gives back too little', '-1000.00', '-190.00', '-1000.00', 'HIGH'],
    ['more decimals than the currency has', '1000.004', '190.004', '1190.008', undefined],
  ])('%s', (_, net, tax, gross, severity) => {
    expect(found(totals(net, tax, gross))?.severity).toBe(severity);
  });

  test('shows the difference', () => {
    expect(found(totals('1000.00', '190.00', '1250.00'))).toMatchObject({
      confidence: 97,
      summary: 'Net EUR 1,000.00 plus tax EUR 190.00 is EUR 1,190.00, but the gross amount of Q7919 is EUR 1,250.00.',
      evidence: { difference: '60.00', expectedGross: '1190.00' },
    });
  });

  test('is raised only when net, tax and gross are all stated', () => {
    expect(found({ tax_amount: '190.00', gross_amount: '9999.00' })).toBeUndefined();
    expect(found({ net_amount: '1000.00', gross_amount: '9999.00' })).toBeUndefined();
  });

  test('accepts one unit as rounding in a currency without decimals', () => {
    const yen = { currency: 'JPY' };
    expect(found({ ...yen, ...totals('10000', '1000', '11001') })).toBeUndefined();
    expect(found({ ...yen, ...totals('10000', '1000', '11002') })?.severity).toBe('MEDIUM');
  });

  test.each([
    ['HUF', '1001.27', '270.34', '1270.00', undefined],
    ['HUF', '1001.27', '270.34', '1271.00', 'LOW'],
    ['CHF', '100.00', '8.08', '108.05', undefined],
    ['CHF', '100.00', '8.08', '108.15', 'LOW'],
    ['SEK', '1000.00', '250.45', '1250.00', undefined],
    ['EUR', '1000.00', '190.45', '1190.00', 'LOW'],
  ])('totals in %s of %s and %s rounded to %s: %s', (currency, net, tax, gross, severity) => {
    expect(found({ currency, ...totals(net, tax, gross) })?.severity).toBe(severity);
  });

  test.each([
    ['SEK', '11.5', '20000.00', '5000.00', '25008.00', 'LOW'],
    ['SEK', '11.5', '20000.00', '5000.00', '25012.00', 'MEDIUM'],
    ['JPY', '163', '100000', '10000', '110100', 'LOW'],
    ['KWD', '0.355', '10000.000', '500.000', '10500.900', 'MEDIUM'],
  ])('a small difference is one of EUR 1, in %s at %s too', (currency, rate, net, tax, gross, severity) => {
    const options = { ratesPerEuro: { [currency]: rate }, base: null };
    const billed = ledger().bill({ currency, ...totals(net, tax, gross) }, options);
    expect(findingIn(billed, 'TAX_ARITHMETIC_MISMATCH')?.severity).toBe(severity);
  });

  test('accepts tax that the buyer withholds', () => {
    const italian = by('IT12345670017');
    expect(found({ ...italian, ...totals('1000.00', '220.00', '1020.00') })).toBeUndefined();
    expect(found({ ...italian, ...totals('-1000.00', '-220.00', '-1020.00') })).toBeUndefined();
    expect(found({ ...italian, ...totals('1000.00', '220.00', '1420.00') })?.severity).toBe('HIGH');
    expect(found({ ...italian, ...totals('1000.00', '220.00', '1030.00') })?.severity).toBe('MEDIUM');
    expect(found({ ...by('DE136695976'), ...totals('1000.00', '190.00', '990.00') })?.severity).toBe('MEDIUM');
  });

  test('recognises withholding where the tax id states no country', () => {
    const spanish = totals('1000.00', '210.00', '1060.00');
    expect(found({ ...by('B46501805'), ...spanish })).toBeUndefined();
    expect(found({ ...by('12345670017'), ...totals('1000.00', '220.00', '1020.00') })).toBeUndefined();
    const account = { iban: 'ES9121000418450200051332' };
    expect(found({ by: { name: 'Marta Soler' }, account, ...spanish })).toBeUndefined();
    expect(found({ ...by('B46501805'), ...totals('1000.00', '210.00', '1090.00') })?.severity).toBe('MEDIUM');
    expect(found({ ...by('B46501805'), ...totals('1000.00', '210.00', '1360.00') })?.severity).toBe('HIGH');
    expect(found({ ...by('136695976'), ...spanish })?.severity).toBe('MEDIUM');
  });
});

describe('TAX_RATE_IMPLAUSIBLE', () => {
  const found = (bill: Bill) => findingIn(ledger().bill(bill), 'TAX_RATE_IMPLAUSIBLE');
  const taxed = (net: string, tax: string) => totals(net, tax, String(Number(net) + Number(tax)));

  test.each([
    ['the standard rate', '190.00', false],
    ['a mix of rates', '123.45', false],
    ['none, as in reverse charge', '0.00', false],
    ['a tenth of a point more', '191.00', false],
    ['more than that', '191.01', true],
  ])('in Germany, %s', (_, tax, isRaised) => {
    expect(found(taxed('1000.00', tax)) !== undefined).toBe(isRaised);
  });

  test('shows the rate, the legal rate and its first day', () => {
    expect(found({ ...by('FI01120389'), ...taxed('1000.00', '270.00'), issue_date: '2025-05-01' })).toMatchObject({
      severity: 'MEDIUM',
      confidence: 90,
      summary: 'Q7919 charges 27% tax; the highest rate in Finland is 25.5%.',
      evidence: { rate: 27, maxRate: 25.5, validFrom: '2024-09-01' },
    });
  });

  test.each([
    ['2025-06-30', true],
    ['2025-07-01', false],
  ])('a rate counts from the day it is law: 24 %% in Estonia on %s', (issue_date, isRaised) => {
    const bill = { ...by('EE100931558'), ...taxed('1000.00', '240.00'), issue_date };
    expect(found(bill) !== undefined).toBe(isRaised);
  });

  test('is raised for tax of another sign than the net amount', () => {
    expect(found(totals('1000.00', '-190.00', '810.00'))).toMatchObject({
      severity: 'HIGH',
      recommendedAction:
        'Ask the supplier for an invoice with the correct tax, because the tax and the net amount have opposite signs.',
    });
    expect(found(totals('-1000.00', '-190.00', '-1190.00'))).toBeUndefined();
  });

  test('compares with the highest rate of all countries where the country is unknown', () => {
    const unknown = { by: { name: 'Acme' } };
    expect(found({ ...unknown, ...taxed('1000.00', '400.00') })).toMatchObject({
      severity: 'MEDIUM',
      summary: 'Q7919 charges 40% tax; the highest rate in any country is 27%.',
      evidence: { rate: 40, maxRate: 27 },
    });
    expect(found({ ...unknown, ...taxed('1000.00', '271.00') })).toBeUndefined();
    const account = { iban: 'DE89370400440532013000' };
    expect(found({ ...by('136695976'), account, ...taxed('1000.00', '250.00') })).toBeUndefined();
    expect(found({ ...by('136695976'), account, ...taxed('1000.00', '400.00') })).toBeDefined();
  });

  test('a tax id without its country is of that of the account and the buyer', () => {
    const acme = ledger();
    const companies = [{ companyId: COMPANY_ID, name: 'Own', country: 'DE' }];
    const account = { iban: 'DE89370400440532013000' };
    const billed = acme.bill({ ...by('136695976'), account, ...taxed('1000.00', '250.00') }, { companies });
    expect(findingIn(billed, 'TAX_RATE_IMPLAUSIBLE')?.evidence).toMatchObject({
      maxRate: 19,
      explanation: expect.arrayContaining([
        'The tax id states no country; the account and the buyer are both in Germany.',
      ]),
    });
  });

  test('is not raised where no rate is known, and on a few cents', () => {
    expect(found({ ...by('US123456789'), ...taxed('1000.00', '400.00') })).toBeUndefined();
    const brazilian = { iban: 'BR1500000000000010932840814P2' };
    expect(found({ by: { name: 'Acme' }, account: brazilian, ...taxed('1000.00', '400.00') })).toBeUndefined();
    expect(found(taxed('0.05', '0.02'))).toBeUndefined();
    expect(found(totals('0.00', '19.00', '19.00'))).toBeUndefined();
  });
});

describe('TAX_RATE_IMPLAUSIBLE on an invoice whose document states the VAT of each rate', () => {
  const found = (bill: Bill, ...taxBreakdown: readonly (readonly [base: string, tax: string])[]) =>
    findingIn(
      ledger().bill(bill, {
        origin: { source: 'UPLOAD' },
        facts: {
          document: {
            method: 'XML',
            fields: [],
            tamperSigns: [],
            hiddenTexts: [],
            conflicts: [],
            taxBreakdown: taxBreakdown.map(([base, tax]) => ({ base, tax })),
          },
        },
      }),
      'TAX_RATE_IMPLAUSIBLE',
    );
  /** EUR 100 at 19 %, less a returned deposit of EUR 50 without tax: 38 % of the net amount. */
  const deposit = totals('50.00', '19.00', '69.00');

  test('is not raised where each rate is legal, although the tax is more than the highest rate of the net amount', () => {
    expect(found(deposit)).toMatchObject({ evidence: { rate: 38 } });
    expect(found(deposit, ['100.00', '19.00'], ['-50.00', '0.00'])).toBeUndefined();
  });

  test('is not raised for tax of another sign than the net amount where each rate is legal', () => {
    const returned = totals('-20.00', '19.00', '-1.00');
    expect(found(returned)?.severity).toBe('HIGH');
    expect(found(returned, ['100.00', '19.00'], ['-120.00', '0.00'])).toBeUndefined();
  });

  test('is raised for one rate above the highest rate, although the tax of the invoice is below it', () => {
    const mixed = totals('1000.00', '127.00', '1127.00');
    expect(found(mixed)).toBeUndefined();
    expect(found(mixed, ['500.00', '0.00'], ['500.00', '127.00'])).toMatchObject({
      severity: 'MEDIUM',
      summary: 'Q7919 charges 25.4% tax on EUR 500.00; the highest rate in Germany is 19%.',
      evidence: {
        rate: 25.4,
        maxRate: 19,
        explanation: expect.arrayContaining(['The VAT breakdown of the document states this tax.']),
      },
    });
  });

  test('is raised for a rate whose tax has another sign than its base', () => {
    expect(found(totals('50.00', '19.00', '69.00'), ['-50.00', '9.50'], ['100.00', '9.50'])).toMatchObject({
      severity: 'HIGH',
      summary: 'Q7919 charges tax of EUR 9.50 on EUR -50.00, which have opposite signs.',
    });
  });

  test('reads the positive amounts that a credit note states', () => {
    const credited = totals('-50.00', '-19.00', '-69.00');
    expect(found(credited)).toMatchObject({ evidence: { rate: 38 } });
    expect(found(credited, ['100.00', '19.00'], ['-50.00', '0.00'])).toBeUndefined();
  });

  test.each<[string, readonly (readonly [string, string])[]]>([
    ['does not add up to the net amount', [['100.00', '19.00']]],
    [
      'does not add up to the tax',
      [
        ['100.00', '9.00'],
        ['-50.00', '0.00'],
      ],
    ],
    [
      'states tax on nothing',
      [
        ['50.00', '9.50'],
        ['0.00', '9.50'],
      ],
    ],
  ])('ignores a breakdown that %s', (_, rows) => {
    expect(found(deposit, ...rows)).toMatchObject({ evidence: { rate: 38 } });
  });
});

describe('TAX_RATE_UNUSUAL', () => {
  /** Bills 1000.00 with these taxes, then one more bill, and returns the result of the last. */
  function after(taxes: readonly string[], bill: Bill, each: Bill = {}) {
    const acme = ledger();
    const gross = (tax: string): string => String(1000 + Number(tax));
    for (const tax of taxes) acme.bill({ ...each, ...totals('1000.00', tax, gross(tax)) });
    const tax = bill.tax_amount ?? '0';
    return findingIn(acme.bill({ ...each, ...bill, ...totals('1000.00', tax, gross(tax)) }), 'TAX_RATE_UNUSUAL');
  }
  const constant = (count: number) => Array.from({ length: count }, () => '190.00');

  test.each([
    ['the reduced rate', '70.00', true],
    ['no tax', '0.00', true],
    ['a point less', '180.00', false],
    ['more than a point less', '179.00', true],
  ])('after six bills at 19 %%: %s', (_, tax_amount, isRaised) => {
    expect(after(constant(6), { tax_amount }) !== undefined).toBe(isRaised);
  });

  test('shows both rates', () => {
    expect(after(constant(6), { tax_amount: '70.00' })).toMatchObject({
      severity: 'LOW',
      confidence: 60,
      summary: 'Acme Supplies Ltd charges 7% tax, but has always charged 19% before.',
      evidence: { usualRate: 19, rate: 7 },
    });
  });

  test('needs six bills of which nine in ten have one rate', () => {
    expect(after(constant(5), { tax_amount: '70.00' })).toBeUndefined();
    expect(after([...constant(9), '130.00'], { tax_amount: '70.00' })).toBeDefined();
    expect(after([...constant(8), '130.00'], { tax_amount: '70.00' })).toBeUndefined();
  });

  test('is not raised when the legal rate changed, or when TAX_RATE_IMPLAUSIBLE is', () => {
    const slovak = by('SK2020317068');
    const old = Array.from({ length: 6 }, () => '200.00');
    const in2024 = { ...slovak, issue_date: '2024-12-01' };
    expect(after(old, { tax_amount: '230.00', issue_date: '2025-01-10' }, in2024)).toBeUndefined();
    expect(after(old, { tax_amount: '50.00', issue_date: '2025-01-10' }, in2024)).toBeDefined();
    expect(after(constant(6), { tax_amount: '400.00' })).toBeUndefined();
  });
});

describe('TAX_WITHOUT_REGISTRATION', () => {
  const found = (bill: Bill) => findingIn(ledger().bill(bill), 'TAX_WITHOUT_REGISTRATION');
  const taxed = totals('1000.00', '190.00', '1190.00');

  test.each([
    ['no tax id', { by: { name: 'Acme' } }, 'MISSING'],
    ['a text that is none', by('n/a'), 'MISSING'],
    ['a placeholder', by('9999999999'), 'INVALID'],
    ['a placeholder with its country', by('PL9999999999'), 'INVALID'],
    ['one with a wrong check digit', by('DE136695977'), 'INVALID'],
    ['one of a wrong length', by('DE13669597'), 'INVALID'],
    ['a valid one', by('DE136695976'), undefined],
    ['one that cannot be checked', by('US123456789'), undefined],
    ['one without a country', by('136695976'), undefined],
  ])('%s', (_, supplier, taxId) => {
    const finding = found({ ...supplier, ...taxed });
    expect(finding?.evidence.observed['taxId']).toBe(taxId);
    if (taxId !== undefined) expect(finding).toMatchObject({ severity: 'MEDIUM', confidence: 70 });
  });

  test('says that a placeholder is stated, not that nothing is', () => {
    expect(found({ ...by('9999999999'), ...taxed })).toMatchObject({
      summary: 'Acme charges EUR 190.00 tax, but states a placeholder as its tax id.',
      evidence: {
        explanation: expect.arrayContaining(['The stated tax id is a placeholder, which identifies no supplier.']),
      },
    });
  });

  test('is raised only where tax is charged', () => {
    const unknown = { by: { name: 'Acme' } };
    expect(found({ ...unknown, ...totals('1000.00', '0.00', '1000.00') })).toBeUndefined();
    expect(found({ ...unknown, ...totals('-1000.00', '-190.00', '-1190.00') })).toBeUndefined();
    expect(found({ ...unknown, tax_amount: '0.01' })).toBeDefined();
    expect(found(unknown)).toBeUndefined();
  });

  describe('of a supplier that never states a tax id', () => {
    const unknown = { by: { name: 'Acme' } };
    const severitiesOf = (...bills: readonly Bill[]) => {
      const acme = ledger();
      return bills.map((bill) => findingIn(acme.bill({ ...unknown, ...bill }), 'TAX_WITHOUT_REGISTRATION')?.severity);
    };
    const small = totals('336.13', '63.87', '400.00');

    test('is MEDIUM once and LOW on later invoices, which pass', () => {
      expect(severitiesOf(taxed, taxed, taxed)).toEqual(['MEDIUM', 'LOW', 'LOW']);
      const acme = ledger();
      acme.bill({ ...unknown, ...taxed });
      expect(acme.bill({ ...unknown, ...totals('1010.00', '191.90', '1201.90') }).analysis.decision).toBe('PASS');
    });

    test('is MEDIUM once whether the first bill was a row of a scan or a post', () => {
      const acme = ledger();
      const row = { origin: { source: 'SCAN', scanId: 'scan-1' } } as const;
      const severities = [
        acme.bill({ ...unknown, ...taxed }, row),
        acme.bill({ ...unknown, ...totals('1010.00', '191.90', '1201.90') }, row),
        acme.bill({ ...unknown, ...totals('1020.00', '193.80', '1213.80') }),
        acme.bill(
          { ...unknown, ...totals('1030.00', '195.70', '1225.70') },
          { origin: { ...row.origin, scanId: 'scan-2' } },
        ),
      ].map((billed) => findingIn(billed, 'TAX_WITHOUT_REGISTRATION')?.severity);
      expect(severities).toEqual(['MEDIUM', 'LOW', 'LOW', 'LOW']);
    });

    test('is not MEDIUM again for one changed letter of the name at the same account', () => {
      const acme = ledger();
      const account = { iban: 'DE89370400440532013000' };
      const severities = ['Northwind Traders', 'Northwind Trader', 'Nortwind Traders', 'Northwind Traderz'].map(
        (name, index) =>
          findingIn(
            acme.bill({
              by: { name },
              account,
              ...totals(`${1000 + index * 10}.00`, '190.00', `${1190 + index * 10}.00`),
            }),
            'TAX_WITHOUT_REGISTRATION',
          )?.severity,
      );
      expect(severities).toEqual(['MEDIUM', 'LOW', 'LOW', 'LOW']);
    });

    test('is not raised up to EUR 400, which may be a simplified invoice, and small ones do not use it up', () => {
      expect(severitiesOf(small, small, taxed, small, taxed)).toEqual([
        undefined,
        undefined,
        'MEDIUM',
        undefined,
        'LOW',
      ]);
      expect(severitiesOf(totals('336.14', '63.87', '400.01'))).toEqual(['MEDIUM']);
    });

    test('knows the limit of the country in which the supplier has its bank', () => {
      const german = { account: { iban: 'DE89370400440532013000' } };
      expect(severitiesOf({ ...german, ...totals('210.08', '39.92', '250.00') })).toEqual([undefined]);
      expect(severitiesOf({ ...german, ...totals('210.09', '39.92', '250.01') })).toEqual(['MEDIUM']);
    });

    test('converts the limit, and takes every amount as too high without a rate', () => {
      const kronor = { currency: 'SEK', ...totals('3200.00', '800.00', '4000.00') };
      const billed = (bill: Bill, options: BillOptions = {}) =>
        findingIn(ledger().bill({ ...unknown, ...bill }, options), 'TAX_WITHOUT_REGISTRATION')?.severity;
      const rates = { ratesPerEuro: { SEK: '11.50' } };
      expect(billed(kronor, rates)).toBeUndefined();
      expect(billed({ ...kronor, ...totals('3680.01', '920.00', '4600.01') }, rates)).toBe('MEDIUM');
      expect(billed(kronor)).toBe('MEDIUM');
    });
  });

  test('replaces SUPPLIER_TAX_ID_MISSING where tax is charged without an id', () => {
    const billed = ledger().bill({ by: { name: 'Acme' }, ...taxed });
    expect(billed.analysis.findings.map(({ type }) => type)).not.toContain('SUPPLIER_TAX_ID_MISSING');
  });

  test('is not raised for a supplier with a bank in a country without value added tax', () => {
    expect(
      found({ by: { name: 'Acme' }, account: { iban: 'BR1500000000000010932840814P2' }, ...taxed }),
    ).toBeUndefined();
  });
});

describe('TAX_CROSS_BORDER_CHARGED', () => {
  const taxed = totals('1000.00', '190.00', '1190.00');
  const bill = (changes: Bill, companies?: { companyId: string; name: string; taxId?: string; country?: string }[]) =>
    findingIn(ledger().bill({ ...taxed, ...changes }, companies && { companies }), 'TAX_CROSS_BORDER_CHARGED');
  const buyer = (tax_id: string) => ({ buyer: { tax_id } });

  test.each([
    ['another member state', 'PL5260001246', true],
    ['the same state', 'DE811569869', false],
    ['a country outside the union', 'GB980780684', false],
    ['Northern Ireland, of which the supply is not known', 'XI980780684', false],
    ['nothing that is a tax id', 'n/a', false],
  ])('a German supplier and a buyer of %s', (_, taxId, isRaised) => {
    expect(bill(buyer(taxId)) !== undefined).toBe(isRaised);
  });

  test('shows the countries', () => {
    expect(bill(buyer('PL5260001246'))).toMatchObject({
      severity: 'LOW',
      confidence: 65,
      evidence: { countries: ['DE', 'PL'] },
    });
  });

  test('takes the country of a tax id without a prefix from its company', () => {
    const company = { companyId: '0192a000-0000-7000-8000-00000000c001', name: 'Own', country: 'PL' };
    expect(bill(buyer('5260001246'), [{ ...company, taxId: '5260001246' }])).toBeDefined();
    expect(bill(buyer('5260001246'), [company])).toBeUndefined();
    expect(bill({}, [{ ...company, taxId: '5260001246' }])).toBeUndefined();
  });

  test('takes the country of a supplier without a prefix from its earlier invoices', () => {
    const acme = ledger();
    acme.bill({ ...taxed });
    const billed = acme.bill({
      ...taxed,
      by: { name: 'Acme Supplies Ltd', tax_id: '136695976' },
      ...buyer('PL5260001246'),
    });
    expect(findingIn(billed, 'TAX_CROSS_BORDER_CHARGED')?.evidence.explanation).toContain(
      'Earlier invoices of the supplier stated a tax id from Germany.',
    );
  });

  test('is not raised without tax', () => {
    expect(bill({ ...buyer('PL5260001246'), ...totals('1000.00', '0.00', '1000.00') })).toBeUndefined();
  });
});

test('an invoice that states no tax raises nothing about tax', () => {
  expect(typesOf(ledger().bill({ by: { name: 'Acme' } }))).toEqual([]);
});
