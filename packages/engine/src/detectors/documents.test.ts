import { describe, expect, test } from 'vitest';
import type { DocumentFacts, FailedRule, HiddenText, SignatureFacts, TamperSignKind } from '../facts/document-facts.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import { typesIn } from '../testing/in-memory-history.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_BANK = ibanOf('DE', '500105175407324931');

const clean: DocumentFacts = { method: 'TEXT', fields: [], tamperSigns: [], hiddenTexts: [], conflicts: [] };
const read = (document: Partial<DocumentFacts>) =>
  ledger().bill({}, { origin: { source: 'UPLOAD' }, facts: { document: { ...clean, ...document } } });
const typesOf = typesIn('DOC');

test('an ordinary document raises nothing, nor does an invoice without one', () => {
  const fields = [{ field: 'gross_amount', confidence: 80 }];
  expect(typesOf(read({ fields, producer: 'SAP NetWeaver 750' }))).toEqual([]);
  expect(typesOf(ledger().bill())).toEqual([]);
});

describe('DOCUMENT_MODIFIED_AFTER_SIGNING', () => {
  const signed = (changed: SignatureFacts['changed']) =>
    read({ signature: { revisions: 2, coveragePercent: 71, changed } });
  test.each(['CONTENT', 'SIGNATURE_REMOVED'] as const)('%s blocks', (changed) => {
    const billed = signed(changed);
    expect(billed.analysis.decision).toBe('BLOCK');
    expect(findingIn(billed, 'DOCUMENT_MODIFIED_AFTER_SIGNING')).toMatchObject({
      severity: 'CRITICAL',
      confidence: 95,
      evidence: { revisions: 2, signatureCoverage: 71 },
    });
  });
  test('is INFO for a filled form or a later time stamp, and not raised for an untouched signature', () => {
    expect(findingIn(signed('FORM_OR_VALIDATION'), 'DOCUMENT_MODIFIED_AFTER_SIGNING')).toMatchObject({
      severity: 'INFO',
    });
    expect(typesOf(signed('NOTHING'))).toEqual([]);
  });
});

describe('DOCUMENT_TAMPER_SIGNS', () => {
  const signs = (...kinds: TamperSignKind[]) =>
    findingIn(
      read({ tamperSigns: kinds.map((kind, index) => ({ kind, objects: [`${index} 0`] })) }),
      'DOCUMENT_TAMPER_SIGNS',
    );
  test.each<[TamperSignKind[], string, number, number]>([
    [['MODIFIED_LATER'], 'INFO', 65, 1],
    [['MODIFIED_LATER', 'PRODUCERS_DIFFER'], 'INFO', 65, 2],
    [['OVERLAY'], 'MEDIUM', 65, 3],
    [['FONT_OF_ONE_FIELD', 'MODIFIED_LATER', 'PRODUCERS_DIFFER'], 'MEDIUM', 65, 4],
    [['OVERLAY', 'FONT_OF_ONE_FIELD'], 'HIGH', 80, 5],
    [['OVERLAY', 'TEXT_DIFFERS_FROM_PICTURE'], 'HIGH', 80, 6],
    [['REVISIONS_NOT_COMPARED'], 'HIGH', 80, 5],
    [['CONTENT_REPLACED'], 'CRITICAL', 95, 3],
    [['MODIFIED_LATER', 'CONTENT_REPLACED', 'OVERLAY'], 'CRITICAL', 95, 7],
  ])('%j', (kinds, severity, confidence, weight) => {
    expect(signs(...kinds)).toMatchObject({ severity, confidence, evidence: { observed: { weight } } });
  });
  test('block where a later revision shows something else, and send to review where revisions were not compared', () => {
    const decide = (kind: TamperSignKind) => read({ tamperSigns: [{ kind, objects: ['3'] }] }).analysis.decision;
    expect(decide('CONTENT_REPLACED')).toBe('BLOCK');
    expect(decide('REVISIONS_NOT_COMPARED')).toBe('REVIEW');
  });
  test('count once per kind, however many objects show them', () => {
    expect(signs('OVERLAY', 'OVERLAY', 'OVERLAY')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signals: [{ signal: 'OVERLAY', objects: ['0 0', '1 0', '2 0'] }] },
    });
  });
  test('recognise an editing program by its name', () => {
    expect(findingIn(read({ producer: 'iLovePDF' }), 'DOCUMENT_TAMPER_SIGNS')).toMatchObject({ severity: 'INFO' });
  });
  test('turn a changed account into a block', () => {
    const decide = (kind: TamperSignKind) => {
      const acme = ledger();
      acme.repeat(4, { account: HOME });
      const document = { ...clean, tamperSigns: [{ kind, objects: [] }] };
      return acme.bill({ account: OTHER_BANK }, { origin: { source: 'UPLOAD' }, facts: { document } });
    };
    expect(decide('MODIFIED_LATER').analysis.decision).toBe('REVIEW');
    expect(findingIn(decide('OVERLAY'), 'BANK_ACCOUNT_CHANGED')?.evidence['escalators']).toEqual(['DOCUMENT_TAMPERED']);
    expect(decide('OVERLAY').analysis.decision).toBe('BLOCK');
  });
});

describe('DOCUMENT_HIDDEN_TEXT', () => {
  const hidden = (changes: Partial<HiddenText>): HiddenText => ({
    page: 1,
    hiddenBy: 'COLOUR',
    holds: 'ACCOUNT',
    snippet: 'pay to DE89 3704 0044 0532 0130 00',
    box: [0.1, 0.2, 0.3, 0.25],
    isTextLayerOfScan: false,
    ...changes,
  });
  test('is raised with the text, its digits masked', () => {
    const finding = findingIn(read({ hiddenTexts: [hidden({})] }), 'DOCUMENT_HIDDEN_TEXT');
    expect(finding).toMatchObject({ severity: 'HIGH', confidence: 80 });
    expect(finding?.evidence['snippets']).toEqual(['pay to DE** **** **** **** **30 00']);
    expect(finding?.evidence['positions']).toEqual([{ page: 1, hiddenBy: 'COLOUR', box: [0.1, 0.2, 0.3, 0.25] }]);
  });
  test('is not raised for the text layer of a scanned page', () => {
    const layer = hidden({ hiddenBy: 'RENDER_MODE', isTextLayerOfScan: true });
    expect(typesOf(read({ hiddenTexts: [layer] }))).toEqual([]);
  });
});

describe('DOCUMENT_FIELD_CONFLICT', () => {
  const conflict = (field: string, machineValue: string, visibleValue: string | null) =>
    read({ conflicts: [{ field, source: 'XML', machineValue, visibleValue }] });
  test('is HIGH, and blocks when the account differs', () => {
    const amount = conflict('gross_amount', '1190.00', '119.00');
    expect(amount.analysis.decision).toBe('REVIEW');
    expect(findingIn(amount, 'DOCUMENT_FIELD_CONFLICT')).toMatchObject({
      severity: 'HIGH',
      confidence: 92,
      summary: expect.stringContaining('states 1,190.00 as the gross amount, but the visible page shows 119.00'),
      evidence: { field: 'gross_amount', xmlValue: '1190.00', visibleValue: '119.00' },
    });
    const account = conflict('supplier.bank_account.iban', HOME.iban, OTHER_BANK.iban);
    expect(account.analysis.decision).toBe('BLOCK');
    expect(findingIn(account, 'DOCUMENT_FIELD_CONFLICT')).toMatchObject({ severity: 'CRITICAL', confidence: 95 });
    expect(JSON.stringify(account.analysis)).not.toContain(HOME.iban.slice(4, -4));
  });
  test('is raised for a value that no page shows', () => {
    expect(findingIn(conflict('issue_date', '2025-01-01', null), 'DOCUMENT_FIELD_CONFLICT')?.summary).toMatch(
      /does not show one/,
    );
  });
  test('shows dates as they are, and masks what only looks like one', () => {
    const dates = conflict('issue_date', '2025-01-31', '2025-02-28');
    expect(findingIn(dates, 'DOCUMENT_FIELD_CONFLICT')?.evidence).toMatchObject({
      xmlValue: '2025-01-31',
      visibleValue: '2025-02-28',
    });
    const numbers = conflict('invoice_number', '2025-13-31', '2025-02-289');
    expect(findingIn(numbers, 'DOCUMENT_FIELD_CONFLICT')?.evidence).toMatchObject({
      xmlValue: '****-13-31',
      visibleValue: '****-*2-289',
    });
  });
  test('is not raised for an amount that is only written differently', () => {
    expect(typesOf(conflict('gross_amount', '1190', '1190.00'))).toEqual([]);
  });
});

describe('EXTRACTION_LOW_CONFIDENCE', () => {
  const uncertain = (field: string, confidence: number) => read({ fields: [{ field, confidence }] });
  test.each([
    ['gross_amount', 58, 'MEDIUM'],
    ['gross_amount', 79, 'MEDIUM'],
    ['purchase_order_ref', 79, 'INFO'],
  ])('%s at %i', (field, confidence, severity) => {
    expect(findingIn(uncertain(field, confidence), 'EXTRACTION_LOW_CONFIDENCE')).toMatchObject({
      severity,
      confidence: 90,
      // As everywhere in the API, a confidence is a number from 0 to 1.
      evidence: { fields: [{ field, confidence: confidence / 100 }] },
    });
  });
  test('is not raised at 80', () => {
    expect(typesOf(uncertain('gross_amount', 80))).toEqual([]);
  });
});

describe('electronic invoices', () => {
  const none = {
    profile: 'PEPPOL_BIS',
    ruleSet: 'own1',
    declaredProfiles: ['PEPPOL_BIS'],
    schemaErrors: [],
    failedRules: [],
    failedTotal: 0,
  };
  const rule = (id: string, flag: FailedRule['flag'] = 'FATAL'): FailedRule => ({
    id,
    flag,
    message: 'm',
    location: '/',
    expected: null,
    actual: null,
  });
  test.each([
    ['BR-CO-10', 'FATAL', 'HIGH'],
    ['BR-CO-17', 'FATAL', 'HIGH'],
    ['BR-S-08', 'FATAL', 'HIGH'],
    ['BR-CO-18', 'FATAL', 'MEDIUM'],
    ['BR-02', 'FATAL', 'MEDIUM'],
    ['BR-CO-10', 'WARNING', 'INFO'],
  ] as const)('E_INVOICE_RULE_FAILED by %s as %s', (id, flag, severity) => {
    const billed = read({ validation: { ...none, failedRules: [rule(id, flag)], failedTotal: 1 } });
    expect(findingIn(billed, 'E_INVOICE_RULE_FAILED')).toMatchObject({ severity, confidence: 90 });
    expect(billed.analysis.decision).not.toBe('BLOCK');
  });
  test('shows every rule that the export shows, with both values, and counts all', () => {
    const failedRules = Array.from({ length: 50 }, (_, index) => rule(`BR-${index}`));
    const wrong = { ...rule('BR-CO-10'), expected: '100.00', actual: '99.00' };
    const shown = [wrong, ...failedRules.slice(1)];
    const finding = findingIn(
      read({ validation: { ...none, failedRules: shown, failedTotal: 73 } }),
      'E_INVOICE_RULE_FAILED',
    );
    expect(finding?.evidence['rules']).toEqual(shown);
    expect(finding?.evidence['total']).toBe(73);
  });
  test('E_INVOICE_SCHEMA_INVALID and E_INVOICE_PROFILE_CONFLICT', () => {
    const billed = read({
      validation: {
        ...none,
        schemaErrors: [{ message: 'm', location: '/' }],
        declaredProfiles: ['FACTURX', 'XRECHNUNG'],
      },
    });
    expect(findingIn(billed, 'E_INVOICE_SCHEMA_INVALID')).toMatchObject({ severity: 'HIGH', confidence: 95 });
    expect(findingIn(billed, 'E_INVOICE_PROFILE_CONFLICT')).toMatchObject({ severity: 'LOW' });
    expect(typesOf(read({ validation: none }))).toEqual([]);
  });
});

test('findings about a file have one evidence key for all its uploads', () => {
  const upload = (documentSha256: string) =>
    findingIn(
      ledger().bill(
        {},
        { origin: { source: 'UPLOAD', documentSha256 }, facts: { document: { ...clean, producer: 'Sejda' } } },
      ),
      'DOCUMENT_TAMPER_SIGNS',
    )?.evidence.key;
  expect(upload('aa')).toBe(upload('aa'));
  expect(upload('aa')).not.toBe(upload('bb'));
});

describe('what could not be read', () => {
  test('an ambiguous currency sign is CURRENCY_UNKNOWN with what it may mean', () => {
    const unknown = ledger().bill(
      { currency: 'XXX' },
      { origin: { source: 'UPLOAD' }, facts: { document: { ...clean, currencyCandidates: ['USD', 'CAD', 'AUD'] } } },
    );
    expect(findingIn(unknown, 'CURRENCY_UNKNOWN')?.evidence['candidates']).toEqual(['USD', 'CAD', 'AUD']);
  });

  test('what looks like an IBAN and fails its check is BANK_ACCOUNT_INVALID, masked, and no account', () => {
    const billed = read({ invalidIban: 'DE88 3704 0044 0532 0130 00' });
    const finding = findingIn(billed, 'BANK_ACCOUNT_INVALID');
    expect(finding?.evidence['reasonCodes']).toEqual(['WRONG_CHECK_DIGITS']);
    expect(JSON.stringify(finding?.evidence)).not.toContain('370400440532');
    expect(typesIn('BANK')(billed)).toEqual(['BANK_ACCOUNT_INVALID']);
  });
});
