import { describe, expect, test } from 'vitest';
import type { DocumentFacts } from '../facts/document-facts.js';
import type { InboxFacts } from '../facts/inbox-facts.js';
import type { InvoiceOrigin, KsefReference } from '../facts/invoice.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';
import { typesIn } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';

const NUMBER = '5265877635-20260511-0100A0D6723E-30';
const OTHER_NUMBER = '5265877635-20260511-0100A0D6723F-39';
const SHA256 = 'a1'.repeat(32);
const HOME = ibanOf('PL', '109010140000071219812874');
const OTHER_ACCOUNT = ibanOf('PL', '102055581111123456789012');
const wrona = { name: 'Wrona Sp. z o.o.', tax_id: 'PL5265877635' };
const CODE = { sellerNip: '5265877635', issueDate: '2026-05-11', sha256: SHA256 };

const bill: Bill = {
  by: wrona,
  account: HOME,
  invoice_number: 'FV/12/05/2026',
  issue_date: '2026-05-11',
  currency: 'PLN',
  net_amount: '1000.00',
  tax_amount: '230.00',
  gross_amount: '1230.00',
};
const fromKsef = (origin: Partial<InvoiceOrigin> = {}): BillOptions => ({
  origin: { source: 'KSEF', externalId: NUMBER, documentSha256: SHA256, ...origin },
});
const pdf = (ksefReference?: KsefReference, options: BillOptions = {}): BillOptions => ({
  ...options,
  origin: {
    source: 'UPLOAD',
    ...(ksefReference === undefined ? {} : { ksefReference }),
  },
});
const shown = { number: NUMBER, code: CODE };

describe('a bill of the seller, number and amount of an invoice from KSeF', () => {
  const isRegistered = {
    severity: 'CRITICAL',
    evidence: { ksefNumber: NUMBER, explanation: expect.arrayContaining([expect.stringContaining(NUMBER)]) },
  };

  test.each<[string, BillOptions]>([
    ['a PDF', pdf()],
    ['a PDF that shows the KSeF number and the code', pdf(shown)],
    ['JSON', { origin: { source: 'API' } }],
  ])('is the same invoice when it comes later: %s', (_, later) => {
    const history = ledger();
    history.bill(bill, fromKsef());
    const billed = history.bill(bill, later);
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'DUPLICATE_INVOICE')).toMatchObject({
      ...isRegistered,
      summary:
        'FV/12/05/2026 repeats FV/12/05/2026 from KSeF (2026-05-11, PLN 1,230.00) with the same number; same amount, date and tax id.',
    });
    expect(findingIn(billed, 'KSEF_CONTENT_DIFFERS')).toBeUndefined();
  });

  test.each<[string, BillOptions]>([
    ['a PDF', pdf()],
    ['JSON', { origin: { source: 'API' } }],
  ])('is the same invoice when it came before: %s', (_, earlier) => {
    const history = ledger();
    history.bill(bill, earlier);
    const billed = history.bill(bill, fromKsef());
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'DUPLICATE_INVOICE')).toMatchObject({
      ...isRegistered,
      summary: expect.stringMatching(/^FV\/12\/05\/2026 from KSeF repeats FV\/12\/05\/2026 \(/),
      // Legally, only the invoice in KSeF counts, so the advice is to void the copy.
      recommendedAction: expect.stringContaining('void the earlier record, which did not come through KSeF.'),
    });
  });

  test.each([
    ['weeks later', '2026-06-20'],
    ['backdated by months', '2026-01-15'],
  ])('is the same invoice whatever its date says: %s', (_, issue_date) => {
    const history = ledger();
    history.bill(bill, fromKsef());
    const billed = history.bill({ ...bill, issue_date }, pdf());
    expect(findingIn(billed, 'DUPLICATE_INVOICE')).toMatchObject(isRegistered);
  });

  test('is the same invoice under a number that was read differently when it shows the KSeF number', () => {
    const history = ledger();
    history.bill(bill, fromKsef());
    const billed = history.bill({ ...bill, invoice_number: 'FV/I2/05/2026' }, pdf(shown));
    expect(findingIn(billed, 'DUPLICATE_INVOICE')).toMatchObject(isRegistered);
    expect(findingIn(billed, 'KSEF_CONTENT_DIFFERS')).toBeUndefined();
  });

  test('says so when the bank accounts of the two differ', () => {
    const history = ledger();
    history.bill({ ...bill, account: OTHER_ACCOUNT }, pdf());
    expect(findingIn(history.bill(bill, fromKsef()), 'DUPLICATE_INVOICE')?.evidence.explanation).toContain(
      'The two records state different bank accounts.',
    );
  });

  test.each<[string, Bill]>([
    [
      'the next invoice of the seller',
      { invoice_number: 'FV/13/05/2026', gross_amount: '1231.00', net_amount: '1000.81', tax_amount: '230.19' },
    ],
    [
      'another seller with the same number',
      {
        by: { name: 'Kruk SA', tax_id: 'PL5261040828' },
        account: OTHER_ACCOUNT,
        gross_amount: '777.00',
        net_amount: '631.71',
        tax_amount: '145.29',
      },
    ],
    [
      'the number of another year',
      { issue_date: '2027-05-11', gross_amount: '999.00', net_amount: '812.20', tax_amount: '186.80' },
    ],
  ])('is not %s', (_, changes) => {
    const history = ledger();
    history.bill(bill, fromKsef());
    expect(typesIn('DUP')(history.bill({ ...bill, ...changes }, pdf()))).toEqual([]);
  });

  test('an ERP bill that books it is not', () => {
    const history = ledger();
    const first = history.bill(bill, fromKsef());
    history.bill(bill, { origin: { source: 'ERP' } });
    expect(first.analysis.findings.map(({ type }) => type)).not.toContain('DUPLICATE_INVOICE');
  });
});

describe('KSEF_CONTENT_DIFFERS', () => {
  const later = (changes: Bill, reference: KsefReference = shown, registered: Bill = bill, origin = {}) => {
    const history = ledger();
    history.bill(registered, fromKsef(origin));
    return history.bill({ ...bill, ...changes }, pdf(reference));
  };
  const found = (...given: Parameters<typeof later>) => findingIn(later(...given), 'KSEF_CONTENT_DIFFERS');

  test('blocks a document with another account, and is about its account', () => {
    const billed = later({ account: OTHER_ACCOUNT });
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'KSEF_CONTENT_DIFFERS')).toMatchObject({
      severity: 'CRITICAL',
      confidence: 95,
      subjects: [{ kind: 'ACCOUNT', bankKey: OTHER_ACCOUNT.iban }],
      evidence: { ksefNumber: NUMBER, differences: [{ field: 'bank account' }] },
    });
  });

  test.each<[string, Bill]>([
    ['amount', { gross_amount: '1320.00', net_amount: '1073.17', tax_amount: '246.83' }],
    ['invoice number', { invoice_number: 'FV/77/06/2026' }],
    ['seller', { by: { name: 'Kruk SA', tax_id: 'PL5261040828' } }],
    ['seller', { by: { name: 'Kruk SA' } }],
  ])('is HIGH for another %s: %j', (field, changes) => {
    expect(found(changes)).toMatchObject({
      severity: 'HIGH',
      confidence: 92,
      evidence: { differences: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
  });

  test('is HIGH for a document that states an account where the invoice from KSeF states none', () => {
    const { account: _none, ...without } = bill;
    expect(found({}, shown, without)).toMatchObject({
      severity: 'HIGH',
      evidence: { differences: [{ ksefValue: 'none' }] },
    });
  });

  test.each<[string, KsefReference]>([
    ['the number alone', { number: NUMBER }],
    ['the QR code alone', { code: CODE }],
  ])('finds the invoice by %s', (_, reference) => {
    expect(found({ account: OTHER_ACCOUNT, invoice_number: 'X-1', gross_amount: '9.00' }, reference)).toMatchObject({
      severity: 'CRITICAL',
      evidence: { ksefNumber: NUMBER },
    });
  });

  test('is raised on the invoice from KSeF that arrives after the document, and is about the account of the document', () => {
    const history = ledger();
    const document = history.bill({ ...bill, account: OTHER_ACCOUNT }, pdf(shown));
    expect(findingIn(document, 'KSEF_CONTENT_DIFFERS')).toBeUndefined();
    expect(findingIn(history.bill(bill, fromKsef()), 'KSEF_CONTENT_DIFFERS')).toMatchObject({
      severity: 'CRITICAL',
      subjects: [{ kind: 'ACCOUNT', bankKey: OTHER_ACCOUNT.iban }],
      relatedInvoiceIds: [document.facts.invoice.invoiceId],
    });
  });

  test('names the document with another account first, when several name one invoice', () => {
    const history = ledger();
    history.bill({ ...bill, invoice_number: 'FV/99/05/2026' }, pdf(shown));
    const forged = history.bill({ ...bill, account: OTHER_ACCOUNT }, pdf({ number: NUMBER }));
    expect(findingIn(history.bill(bill, fromKsef()), 'KSEF_CONTENT_DIFFERS')).toMatchObject({
      severity: 'CRITICAL',
      evidence: { documentInvoiceId: forged.facts.invoice.invoiceId, observed: { documents: 2 } },
    });
  });

  test.each<[string, KsefReference]>([
    ['a code of another file under the number', { number: NUMBER, code: { ...CODE, sha256: 'c3'.repeat(32) } }],
    ['the number of another invoice next to the code', { number: OTHER_NUMBER, code: CODE }],
  ])('is HIGH for %s', (_, reference) => {
    expect(found({}, reference)).toMatchObject({ severity: 'HIGH' });
  });

  describe('without the invoice', () => {
    const alone = (reference: KsefReference, changes: Bill = {}) =>
      findingIn(ledger().bill({ ...bill, ...changes }, pdf(reference)), 'KSEF_CONTENT_DIFFERS');

    test.each<[string, string, KsefReference]>([
      ['the code names another seller', 'seller', { code: { ...CODE, sellerNip: '5261040828' } }],
      ['the number names another seller', 'seller', { number: '9999999999-20260831-0100C0A3B2F1-45' }],
      ['the code states another issue date', 'issue date', { code: { ...CODE, issueDate: '2026-05-12' } }],
    ])('is HIGH where %s', (_, field, reference) => {
      expect(alone(reference)).toMatchObject({
        severity: 'HIGH',
        evidence: { ksefInvoiceId: null, differences: [{ field }] },
      });
    });

    test('is HIGH where KSeF received the number before the issue date, and quiet on the day itself', () => {
      expect(alone({ number: NUMBER }, { issue_date: '2026-05-12' })).toMatchObject({ severity: 'HIGH' });
      expect(alone({ number: NUMBER })).toBeUndefined();
    });
  });

  test.each<[string, Bill, KsefReference | undefined]>([
    ['a picture of the invoice', {}, shown],
    ['a picture without an account', { account: undefined }, shown],
    ['a picture that writes the number differently', { invoice_number: 'FV 12-05-2026' }, shown],
    ['a picture that states the tax id without its country', { by: { ...wrona, tax_id: '5265877635' } }, shown],
    ['a document that names nothing', { account: OTHER_ACCOUNT, invoice_number: 'FV/77/06/2026' }, undefined],
    ['a document that names an invoice that did not come', { account: OTHER_ACCOUNT }, { number: OTHER_NUMBER }],
  ])('is quiet about %s', (_, changes, reference) => {
    const history = ledger();
    history.bill(bill, fromKsef());
    expect(findingIn(history.bill({ ...bill, ...changes }, pdf(reference)), 'KSEF_CONTENT_DIFFERS')).toBeUndefined();
  });

  test('is CRITICAL where the invoice from KSeF states the account of a factor alone', () => {
    const { account: _none, ...without } = bill;
    const factor = { otherBankKeys: ['PL27114020040000300201355387'] };
    expect(found({}, shown, without, factor)).toMatchObject({
      severity: 'CRITICAL',
      evidence: { differences: [{ ksefValue: 'that of a factor' }] },
    });
  });

  test.each(['VOID', 'REJECTED'] as const)('is raised although the record of the invoice from KSeF is %s', (status) => {
    const history = ledger();
    history.record(history.bill(bill, fromKsef()).facts, { status });
    const billed = history.bill({ ...bill, account: OTHER_ACCOUNT }, pdf(shown));
    expect(findingIn(billed, 'KSEF_CONTENT_DIFFERS')).toMatchObject({ severity: 'CRITICAL' });
  });

  test('is quiet about another account that the invoice from KSeF states as well', () => {
    expect(found({ account: OTHER_ACCOUNT }, shown, bill, { otherBankKeys: [OTHER_ACCOUNT.iban] })).toBeUndefined();
  });
});

describe('KSEF_INVOICE_MISSING', () => {
  const complete: InboxFacts = { from: '2026-04-01', receivedThrough: '2026-05-14T00:00:00.000Z' };
  const document: DocumentFacts = { method: 'TEXT', fields: [], tamperSigns: [], hiddenTexts: [], conflicts: [] };
  const asked = (changes: Bill = {}, inbox: Partial<InboxFacts> | null = {}, options: BillOptions = {}) =>
    ledger().bill(
      { ...bill, ...changes },
      pdf(undefined, {
        asOf: '2026-05-20',
        ...options,
        facts: { ...(inbox === null ? {} : { inbox: { ...complete, ...inbox } }), ...options.facts },
      }),
    );
  const found = (...given: Parameters<typeof asked>) => findingIn(asked(...given), 'KSEF_INVOICE_MISSING');
  const trusted = () => {
    const history = ledger();
    history.repeat(4, { by: wrona, account: HOME, currency: 'PLN' });
    return history;
  };

  test('is LOW for an account that is trusted for the supplier', () => {
    const billed = trusted().bill(bill, pdf(undefined, { facts: { inbox: complete }, asOf: '2026-05-20' }));
    expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toMatchObject({ severity: 'LOW', confidence: 80 });
  });

  test('is LOW for a bill without an account', () => {
    expect(found({ account: undefined })).toMatchObject({ severity: 'LOW' });
  });

  test('is MEDIUM for a new account, which sends the bill to review', () => {
    const billed = asked();
    expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { observed: { isNewAccount: true }, ksefNumber: null },
    });
    expect(billed.analysis.decision).toBe('REVIEW');
  });

  test('stays MEDIUM on the second bill to an account that was first stated a bill ago', () => {
    const history = trusted();
    const options = pdf(undefined, { facts: { inbox: complete }, asOf: '2026-05-20' });
    history.bill(
      {
        ...bill,
        account: OTHER_ACCOUNT,
        invoice_number: 'FV/11/05/2026',
        gross_amount: '12.30',
        net_amount: '10.00',
        tax_amount: '2.30',
      },
      options,
    );
    const second = history.bill({ ...bill, account: OTHER_ACCOUNT }, options);
    expect(findingIn(second, 'KSEF_INVOICE_MISSING')).toMatchObject({ severity: 'MEDIUM' });
  });

  test('names the KSeF number that the document invents', () => {
    const billed = ledger().bill(bill, pdf({ number: NUMBER }, { facts: { inbox: complete } }));
    expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toMatchObject({
      evidence: {
        ksefNumber: NUMBER,
        explanation: expect.arrayContaining([expect.stringContaining('was not received')]),
      },
    });
  });

  test.each<[string, Bill]>([
    ['issued on 1 April 2026', { issue_date: '2026-04-01' }],
    ['in another currency, of a stated Polish tax id', { currency: 'EUR' }],
    ['in złoty, of a tax id without its country', { by: { ...wrona, tax_id: '5265877635' } }],
  ])('is raised for a bill %s', (_, changes) => {
    expect(found(changes)).toBeDefined();
  });

  test.each<[string, Bill, Partial<InboxFacts> | null, BillOptions]>([
    ['a company without an inbox', {}, null, {}],
    ['an inbox that is one second short of two working days', {}, { receivedThrough: '2026-05-13T23:59:59.000Z' }, {}],
    ['an inbox that begins after the issue date', {}, { from: '2026-05-12' }, {}],
    ['an issue date in an announced failure of KSeF', {}, { failure: { from: '2026-05-10', to: '2026-05-11' } }, {}],
    ['a bill of 31 March 2026', { issue_date: '2026-03-31' }, { from: '2026-02-01' }, {}],
    ['a bill without tax', { tax_amount: '0.00', net_amount: '1230.00' }, {}, {}],
    ['a supplier without a tax id', { by: { name: wrona.name } }, {}, {}],
    ['a supplier with a foreign tax id', { by: { name: 'Acme GmbH', tax_id: 'DE136695976' } }, {}, {}],
    [
      'a foreign supplier with ten digits in euros',
      { by: { name: 'Acme Inc', tax_id: '1234567890' }, currency: 'EUR' },
      {},
      {},
    ],
    [
      'a receipt that was paid on the spot',
      { account: undefined },
      {},
      { facts: { document: { ...document, salesDocument: 'RECEIPT' } } },
    ],
    ['a ticket', { account: undefined }, {}, { facts: { document: { ...document, salesDocument: 'TICKET' } } }],
    ['a toll', { account: undefined }, {}, { facts: { document: { ...document, salesDocument: 'TOLL' } } }],
  ])('is quiet about %s', (_, changes, inbox, options) => {
    expect(found(changes, inbox, options)).toBeUndefined();
  });

  test('is quiet about a bill that does not state its tax', () => {
    const { tax_amount: _tax, net_amount: _net, ...untaxed } = bill;
    const billed = ledger().bill(untaxed, pdf(undefined, { facts: { inbox: complete }, asOf: '2026-05-20' }));
    expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toBeUndefined();
  });

  test('does not believe the title of a receipt that asks for a transfer', () => {
    expect(found({}, {}, { facts: { document: { ...document, salesDocument: 'RECEIPT' } } })).toMatchObject({
      severity: 'MEDIUM',
    });
  });

  test.each<[string, Bill, KsefReference | undefined]>([
    ['its number', {}, undefined],
    ['its number, of another amount', { gross_amount: '1320.00' }, undefined],
    ['its KSeF number, under another one', { invoice_number: 'FV/77/06/2026' }, shown],
  ])('is quiet about a bill that came through KSeF by %s', (_, changes, reference) => {
    const history = ledger();
    history.bill(bill, fromKsef());
    const billed = history.bill({ ...bill, ...changes }, pdf(reference, { facts: { inbox: complete } }));
    expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toBeUndefined();
  });

  test('is raised although another seller has the number in KSeF', () => {
    const history = ledger();
    history.bill(bill, fromKsef());
    const forged = history.bill(
      { ...bill, by: { name: 'Kruk SA', tax_id: 'PL5261040828' }, account: OTHER_ACCOUNT },
      pdf(undefined, { facts: { inbox: complete } }),
    );
    expect(findingIn(forged, 'KSEF_INVOICE_MISSING')).toMatchObject({ severity: 'MEDIUM' });
  });

  test('is not raised on what came through KSeF, nor on rows of a scan and bills of an ERP', () => {
    for (const source of ['KSEF', 'SCAN', 'ERP'] as const) {
      const billed = ledger().bill(bill, { origin: { source }, facts: { inbox: complete } });
      expect(findingIn(billed, 'KSEF_INVOICE_MISSING')).toBeUndefined();
    }
  });

  describe('of a seller with three bills of which none came through KSeF', () => {
    const inbox: InboxFacts = { from: '2026-04-01', receivedThrough: '2027-06-30T00:00:00.000Z' };
    const next = (at: number, asOf = '2026-12-01'): [Bill, BillOptions] => [
      {
        ...bill,
        invoice_number: `FV/${at}${at}1/2026`,
        issue_date: `2026-0${at}-11`,
        gross_amount: `${at}23.00`,
        net_amount: `${at}00.00`,
        tax_amount: '23.00',
      },
      pdf(undefined, { facts: { inbox }, asOf }),
    ];
    const severities = (history: ReturnType<typeof ledger>, from: number, to: number) =>
      Array.from(
        { length: to - from + 1 },
        (_, index) => findingIn(history.bill(...next(from + index)), 'KSEF_INVOICE_MISSING')?.severity,
      );

    test('is one INFO until the end of 2026 instead', () => {
      const [first, second, ...others] = severities(ledger(), 4, 9);
      expect([first, second]).toEqual(['MEDIUM', 'LOW']);
      expect(others).toEqual(['INFO', undefined, undefined, undefined]);
    });

    test('stays for a seller of which one came through KSeF, also as a copy of a bill that came before', () => {
      const history = ledger();
      history.bill(bill, pdf());
      history.bill(bill, fromKsef());
      expect(severities(history, 6, 9)).toEqual(['LOW', 'LOW', 'LOW', 'LOW']);
    });

    test('comes back for bills that are issued or arrive in 2027', () => {
      const history = ledger();
      severities(history, 4, 9);
      const issued = history.bill(
        { ...next(8)[0], issue_date: '2027-01-04', invoice_number: 'FV/1001/2027' },
        next(8)[1],
      );
      expect(findingIn(issued, 'KSEF_INVOICE_MISSING')).toMatchObject({ severity: 'LOW' });
      const backdated = history.bill(
        { ...next(7)[0], issue_date: '2026-12-30', invoice_number: 'FV/1002/2026', gross_amount: '88.00' },
        next(7, '2027-03-01')[1],
      );
      expect(findingIn(backdated, 'KSEF_INVOICE_MISSING')).toMatchObject({ severity: 'LOW' });
    });

    test('does not count bills from before the inbox', () => {
      const history = ledger();
      history.repeat(5, { by: wrona, account: HOME, currency: 'PLN' });
      expect(severities(history, 4, 6)).toEqual(['LOW', 'LOW', 'INFO']);
    });
  });
});
