import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Decision, InvoiceSource, InvoiceStatus, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AnalyzeInvoiceRequest, ListInvoicesRequest } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { fullInvoice } from '@invoicecontrol/invoice/testing/invoices';
import { toWire } from '@invoicecontrol/invoice/wire';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const key = keyNamed('poster');
const INVOICE_ID = '0198a000-0000-7000-8000-00000000000a';
const COMPANY_ID = fullInvoice.company_id;

const { bank_account: fullAccount, ...fullSupplier } = fullInvoice.supplier;
const invoice = {
  ...fullInvoice,
  supplier: { ...fullSupplier, bank_account: { iban: fullAccount.iban } },
  currency: 'gbp',
};

function finding(part: Partial<Finding> = {}): Finding {
  return {
    findingId: 'f1',
    invoiceId: INVOICE_ID,
    invoiceNumber: 'INV-1',
    supplierId: 's1',
    supplierName: 'Acme Ltd',
    scanId: undefined,
    type: 'DUPLICATE_EXACT',
    severity: Severity.CRITICAL,
    summary: 'This invoice was sent before.',
    recommendedAction: 'Do not pay it again.',
    confidencePercent: 97,
    evidenceJson: '{"key":"k","amount":"120"}',
    relatedInvoiceIds: ['i0'],
    disposition: 'OPEN',
    companyId: COMPANY_ID,
    assigneeUserId: undefined,
    createdTime: new Date('2026-03-02T10:00:00.000Z'),
    family: 'DUP',
    updatedTime: new Date('2026-03-02T10:00:00.000Z'),
    amountAtRisk: '120.00',
    amountAtRiskCurrency: 'EUR',
    ...part,
  };
}

const analysis: Analysis = {
  analysisId: 'a1',
  invoiceId: INVOICE_ID,
  number: 1,
  decision: Decision.BLOCK,
  riskScore: 92,
  findings: [
    finding(),
    finding({ findingId: 'f2', disposition: 'FALSE_POSITIVE' }),
    finding({ findingId: 'f3', recommendedAction: undefined, confidencePercent: 50, evidenceJson: '' }),
  ],
  versions: { riskEngine: '1.3.0', policy: '7', compliance: undefined },
  createdTime: new Date('2026-03-02T10:00:00.000Z'),
};

let gateway: RunningGateway;
let analyzed: AnalyzeInvoiceRequest[];
let listed: ListInvoicesRequest[];
let analyze: (request: AnalyzeInvoiceRequest) => Promise<{ analysis: Analysis; replayed: boolean }>;
let stored: StoredInvoice;

beforeAll(async () => {
  const limits = { analysesPerMonth: 500 };
  gateway = await startGateway(
    {
      access: accessFor(
        new Map([[key, principal({ role: 'ANALYST', scopes: ['invoices:read', 'invoices:write'], limits })]]),
      ),
      invoices: {
        analyzeInvoice(request) {
          analyzed.push(request);
          return analyze(request);
        },
        listInvoices(request) {
          listed.push(request);
          return Promise.resolve({ invoices: [stored], nextPageToken: 'next' });
        },
        getInvoice: ({ invoiceId }) =>
          invoiceId === INVOICE_ID
            ? Promise.resolve({ invoice: stored })
            : Promise.reject(notFound('resource of another owner')),
        getLatestAnalysis: ({ invoiceId }) =>
          invoiceId === INVOICE_ID ? Promise.resolve({ analysis }) : Promise.reject(notFound('analysis')),
      },
    },
    { limits: { default: 1_000_000, organization: 1_000_000, writes: 1_000_000 } },
  );
});
afterAll(() => gateway.stop());
beforeEach(() => {
  analyzed = [];
  listed = [];
  analyze = () => Promise.resolve({ analysis, replayed: false });
  stored = {
    invoiceId: INVOICE_ID,
    companyId: COMPANY_ID,
    source: InvoiceSource.API,
    status: InvoiceStatus.ANALYZED,
    invoice: {
      supplier: { name: 'Acme Ltd', taxId: undefined, bankAccount: undefined },
      invoiceNumber: 'INV-1',
      issueDate: '2026-03-01',
      currency: 'GBP',
      grossAmount: '120',
    },
    decision: Decision.REVIEW,
    riskScore: 40,
    analysisId: 'a1',
    createdTime: new Date('2026-03-02T10:00:00.000Z'),
  };
});

function call(path: string, init: { method?: string; headers?: Record<string, string>; body?: unknown } = {}) {
  return fetch(`${gateway.origin}/v1${path}`, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
}
const post = (body: unknown, headers: Record<string, string> = {}) =>
  call('/invoices', { method: 'POST', body, headers });

interface Fault {
  path: string;
  message: string;
}
async function faultsOf(body: unknown): Promise<{ message: string; paths: string[]; details: Fault[] }> {
  const response = await post(body);
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { code: string; message: string; details: Fault[] } };
  expect(error.code).toBe('INVALID_REQUEST');
  expect(analyzed).toEqual([]);
  return { message: error.message, paths: error.details.map(({ path }) => path), details: error.details };
}

describe('POST /invoices', () => {
  test('answers 202 with exactly the fields of the specification, false alarms left out', async () => {
    const response = await post(invoice);
    expect(response.status).toBe(202);
    expect(response.headers.has('idempotency-replayed')).toBe(false);
    expect(await response.json()).toEqual({
      id: INVOICE_ID,
      status: 'ANALYZING',
      decision: 'BLOCK',
      risk_score: 92,
      findings: [
        {
          type: 'DUPLICATE_EXACT',
          severity: 'CRITICAL',
          summary: 'This invoice was sent before.',
          recommendedAction: 'Do not pay it again.',
          confidence: 0.97,
          evidence: { key: 'k', amount: '120' },
        },
        expect.objectContaining({ recommendedAction: null, confidence: 0.5, evidence: {} }),
      ],
      versions: { riskEngine: '1.3.0', policy: '7' },
    });
  });

  test('hands the invoice on trimmed, with its tenant and the currency in upper case', async () => {
    await post({ ...invoice, supplier: { ...invoice.supplier, name: '  Acme Ltd ' }, invoice_number: ' INV-1\t' });
    expect(analyzed).toEqual([
      {
        organizationId: ORGANIZATION_ID,
        idempotencyKey: '',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        invoice: toWire({ ...invoice, currency: 'GBP' }),
      },
    ]);
  });

  test('gives reordered members the same fingerprint and another value another one', async () => {
    await post(invoice);
    await post(Object.fromEntries(Object.entries(invoice).reverse()));
    await post({ ...invoice, gross_amount: '120' });
    const [first, reordered, other] = analyzed.map(({ fingerprint }) => fingerprint);
    expect(reordered).toBe(first);
    expect(other).not.toBe(first);
  });

  test('hands on the idempotency key, bare or quoted, and says when the answer is a replay', async () => {
    analyze = () => Promise.resolve({ analysis, replayed: true });
    const response = await post(invoice, { 'idempotency-key': '"a,b"' });
    await post(invoice, { 'idempotency-key': 'ab' });
    expect(analyzed.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['a,b', 'ab']);
    expect(response.status).toBe(202);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
  });

  test.each(['', 'a,b', 'a b', 'x'.repeat(256)])('refuses the idempotency key "%s"', async (value) => {
    const response = await post(invoice, { 'idempotency-key': value });
    expect(response.status).toBe(400);
    expect(analyzed).toEqual([]);
  });

  test.each([
    ['idempotency_mismatch', 409, 'CONFLICT', null],
    ['in_progress', 409, 'CONFLICT', '1'],
    ['usage_exceeded', 429, 'USAGE_LIMIT_EXCEEDED', null],
    ['invalid', 400, 'INVALID_REQUEST', null],
    ['unavailable', 503, 'PROCESSING_FAILED', '2'],
    ['deadline', 504, 'PROCESSING_FAILED', null],
    ['internal', 500, 'PROCESSING_FAILED', null],
  ] as const)('shows the refusal %s of its owner as %d %s', async (kind, status, code, retryAfter) => {
    analyze = () => Promise.reject(new DomainError(kind, 'A sentence.'));
    const response = await post(invoice);
    const { error } = (await response.json()) as { error: { code: string } };
    expect({ status: response.status, code: error.code }).toEqual({ status, code });
    expect(response.headers.get('retry-after')).toBe(retryAfter);
  });

  test('accepts the least that the specification demands', async () => {
    const { supplier, invoice_number, issue_date, currency, gross_amount } = invoice;
    const response = await post({
      supplier: { name: supplier.name },
      invoice_number,
      issue_date,
      currency,
      gross_amount,
    });
    expect(response.status).toBe(202);
  });
});

const supplier = { name: 'Acme' };
const withAccount = (bank_account: unknown) => ({ ...invoice, supplier: { ...supplier, bank_account } });

describe('an invoice is accepted', () => {
  test.each([
    ['with a negative amount', { ...invoice, gross_amount: '-120.5' }],
    ['with leading zeros', { ...invoice, gross_amount: '000120.5' }],
    ['with a buyer that states nothing', { ...invoice, buyer: {} }],
    ['with a UK account', withAccount({ sort_code: '60-16 13', account_number: '31926819' })],
    [
      'with an IBAN and the UK account that it is',
      withAccount({ iban: 'GB29 NWBK 6016 1331 9268 19', sort_code: '601613', account_number: '31926819' }),
    ],
    ['with an IBAN that is not valid, which is a finding', withAccount({ iban: 'DE00123' })],
    ['due before it was issued, which is a finding', { ...invoice, due_date: '2020-01-01' }],
    ['in a currency withdrawn less than a year before it was issued', { ...invoice, currency: 'BGN' }],
    ['with a name of 400 characters beyond the basic plane', { ...invoice, supplier: { name: '😀'.repeat(400) } }],
    ['with a company id in upper case', { ...invoice, company_id: COMPANY_ID.toUpperCase() }],
  ])('%s', async (_, body) => {
    expect((await post(body)).status).toBe(202);
  });
});

describe('an invoice is refused', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['that is not an object', [], 'body', /Must be an object/],
    ['that is a number', 1, 'body', /Must be an object/],
    ['without a supplier', { ...invoice, supplier: undefined }, 'supplier', /Required/],
    ['without a supplier name', { ...invoice, supplier: {} }, 'supplier.name', /Required/],
    ['with a blank supplier name', { ...invoice, supplier: { name: ' \t' } }, 'supplier.name', /blank/],
    ['with an invisible supplier name', { ...invoice, supplier: { name: ' \u200b' } }, 'supplier.name', /visible/],
    ['with an invisible number', { ...invoice, invoice_number: '\u2060\u00ad' }, 'invoice_number', /visible/],
    [
      'with a supplier name that is too long',
      { ...invoice, supplier: { name: 'x'.repeat(401) } },
      'supplier.name',
      /at most 400/,
    ],
    ['with a null tax id', { ...invoice, supplier: { ...supplier, tax_id: null } }, 'supplier.tax_id', /null/],
    ['with an empty tax id', { ...invoice, supplier: { ...supplier, tax_id: '' } }, 'supplier.tax_id', /empty/],
    [
      'with an unknown supplier field',
      { ...invoice, supplier: { ...supplier, vat: 'x' } },
      'supplier.vat',
      /This field is not supported/,
    ],
    ['with a numeric invoice number', { ...invoice, invoice_number: 7 }, 'invoice_number', /Must be a string/],
    ['with a long invoice number', { ...invoice, invoice_number: 'x'.repeat(1_001) }, 'invoice_number', /at most 1000/],
    ['issued on a day that does not exist', { ...invoice, issue_date: '2026-02-30' }, 'issue_date', /real day/],
    ['issued at an instant', { ...invoice, issue_date: '2026-02-03T00:00:00Z' }, 'issue_date', /YYYY-MM-DD/],
    ['issued in 1899', { ...invoice, issue_date: '1899-12-31' }, 'issue_date', /1900/],
    ['due on a blank day', { ...invoice, due_date: '' }, 'due_date', /YYYY-MM-DD/],
    ['with a numeric amount', { ...invoice, gross_amount: 120 }, 'gross_amount', /Must be a string/],
    ['with a decimal comma', { ...invoice, gross_amount: '120,00' }, 'gross_amount', /decimal amount/],
    ['with seven decimals', { ...invoice, gross_amount: '1.1234567' }, 'gross_amount', /decimal amount/],
    ['with an exponent', { ...invoice, gross_amount: '1e3' }, 'gross_amount', /decimal amount/],
    ['with a plus sign', { ...invoice, net_amount: '+1' }, 'net_amount', /decimal amount/],
    ['with a dot and nothing behind it', { ...invoice, tax_amount: '1.' }, 'tax_amount', /decimal amount/],
    ['with a blank around an amount', { ...invoice, gross_amount: ' 1' }, 'gross_amount', /decimal amount/],
    ['with a line feed behind an amount', { ...invoice, gross_amount: '1\n' }, 'gross_amount', /decimal amount/],
    ['with Arabic digits', { ...invoice, gross_amount: '١٢' }, 'gross_amount', /decimal amount/],
    ['with 16 digits', { ...invoice, gross_amount: '1234567890123456' }, 'gross_amount', /15 digits/],
    ['in the placeholder currency', { ...invoice, currency: 'XXX' }, 'currency', /XXX is not a currency/],
    ['in a test currency', { ...invoice, currency: 'xts' }, 'currency', /XTS/],
    ['in gold', { ...invoice, currency: 'XAU' }, 'currency', /precious metal/],
    ['in a funds code', { ...invoice, currency: 'CHE' }, 'currency', /funds code/],
    ['in a code that was never a currency', { ...invoice, currency: 'QQQ' }, 'currency', /not an ISO 4217/],
    ['in a currency withdrawn long ago', { ...invoice, currency: 'DEM' }, 'currency', /DEM/],
    ['in a currency with a blank', { ...invoice, currency: 'EUR ' }, 'currency', /three-letter/],
    ['with a bank account of nothing', withAccount({}), 'supplier.bank_account', /Must have an iban/],
    [
      'with a sort code alone',
      withAccount({ sort_code: '601613' }),
      'supplier.bank_account.account_number',
      /given together/,
    ],
    [
      'with only an account number, next to an IBAN',
      withAccount({ iban: 'GB29NWBK60161331926819', account_number: '31926819' }),
      'supplier.bank_account.sort_code',
      /given together/,
    ],
    [
      'with a sort code of five digits',
      withAccount({ sort_code: '60161', account_number: '31926819' }),
      'supplier.bank_account.sort_code',
      /six digits/,
    ],
    [
      'with an account number of nine digits',
      withAccount({ sort_code: '601613', account_number: '319268190' }),
      'supplier.bank_account.account_number',
      /six to eight/,
    ],
    [
      'with two different accounts',
      withAccount({ iban: 'DE89370400440532013000', sort_code: '601613', account_number: '31926819' }),
      'supplier.bank_account',
      /different accounts/,
    ],
    ['with an empty IBAN', withAccount({ iban: '' }), 'supplier.bank_account.iban', /empty/],
    ['with a company id that is not a UUID', { ...invoice, company_id: 'acme' }, 'company_id', /UUID/],
    ['with a null buyer', { ...invoice, buyer: null }, 'buyer', /null/],
    ['with an unknown field', { ...invoice, total: '1' }, 'total', /This field is not supported/],
    ['with a field of the answer', { ...invoice, risk_score: 0 }, 'risk_score', /This field is not supported/],
  ])('%s', async (_, body, path, sentence) => {
    const { message, details } = await faultsOf(body);
    expect(details[0]).toEqual({ path, message: expect.stringMatching(sentence) });
    expect(message.startsWith(`${path}: `)).toBe(true);
  });

  test('with every fault in one answer, also a currency that is none', async () => {
    const { message, paths } = await faultsOf({ ...invoice, currency: 'XXX', gross_amount: 1, supplier: {}, extra: 1 });
    expect(paths.sort()).toEqual(['currency', 'extra', 'gross_amount', 'supplier.name']);
    expect(message).toContain('(1 of 4 faults)');
  });

  test('with at most fifty details, and their real number in the message', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x${index}`, 1]));
    const { message, details } = await faultsOf({ ...invoice, ...unknown });
    expect(details).toHaveLength(50);
    expect(message).toContain('(1 of 80 faults)');
  });
});

describe('GET /invoices', () => {
  test('answers a page of records', async () => {
    const response = await call('/invoices');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      items: [
        {
          id: INVOICE_ID,
          companyId: COMPANY_ID,
          source: 'API',
          status: 'ANALYZED',
          invoice: {
            supplier: { name: 'Acme Ltd' },
            invoice_number: 'INV-1',
            issue_date: '2026-03-01',
            currency: 'GBP',
            gross_amount: '120',
          },
          decision: 'REVIEW',
          riskScore: 40,
          analysisId: 'a1',
          documentId: null,
          scanId: null,
          createdAt: '2026-03-02T10:00:00.000Z',
        },
      ],
      nextCursor: expect.stringMatching(/^[\w-]{8}next$/),
    });
    expect(listed).toEqual([
      expect.objectContaining({ organizationId: ORGANIZATION_ID, pageSize: 50, pageToken: '', source: 0, decision: 0 }),
    ]);
  });

  test('passes every filter to the owner', async () => {
    const query =
      'created_from=2026-01-01&created_to=2026-02-01T00:00:00%2B01:00' +
      `&company_id=${COMPANY_ID}&supplier_id=${COMPANY_ID}&scan_id=${COMPANY_ID}&source=ERP&decision=BLOCK,REVIEW` +
      '&status=ANALYZED&min_risk=0&issue_from=2026-01-01&issue_to=2026-01-31&q=%20RE%201';
    const { nextCursor } = (await (await call(`/invoices?${query}`)).json()) as { nextCursor: string };
    await call(`/invoices?limit=7&cursor=${nextCursor}&${query}`);
    expect(listed.slice(1)).toEqual([
      {
        organizationId: ORGANIZATION_ID,
        pageSize: 7,
        pageToken: 'next',
        companyId: COMPANY_ID,
        source: InvoiceSource.UNSPECIFIED,
        decision: Decision.UNSPECIFIED,
        sources: [InvoiceSource.ERP],
        decisions: [Decision.BLOCK, Decision.REVIEW],
        statuses: [InvoiceStatus.ANALYZED],
        minRiskScore: 0,
        issueDateFrom: '2026-01-01',
        issueDateTo: '2026-01-31',
        scanId: COMPANY_ID,
        supplierId: COMPANY_ID,
        query: 'RE 1',
        createdFromTime: new Date('2026-01-01T00:00:00Z'),
        createdToTime: new Date('2026-01-31T23:00:00Z'),
      },
    ]);
  });

  test('lists the invoices that were received from KSeF, each with its KSeF number', async () => {
    const externalId = '5265877635-20260412-010080615740-E4';
    stored = { ...stored, source: InvoiceSource.KSEF, channel: { channel: 'KSEF', externalId } };
    const page = await (await call('/invoices?source=KSEF')).json();
    expect(listed).toMatchObject([{ sources: [InvoiceSource.KSEF] }]);
    expect(page).toMatchObject({ items: [{ source: 'KSEF', ksefNumber: externalId }] });
    stored = { ...stored, source: InvoiceSource.UPLOAD, channel: undefined };
    expect(await (await call(`/invoices/${INVOICE_ID}`)).json()).not.toHaveProperty('ksefNumber');
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'cursor=',
    'cursor=a%20b',
    'cursor=abc',
    'cursor=abcdefgh',
    'cursor=abcdefghnext',
    'created_from=yesterday',
    'created_from=2026-02-30',
    'created_to=2026-01-01T25:00:00Z',
    'created_to=2026-01-01T00:00:00',
    'company_id=acme',
    'source=PAPER',
    'decision=pass',
    'decision=PASS,',
    'status=FAILED',
    'min_risk=101',
    'min_risk=-1',
    'min_risk=1.5',
    'issue_from=2026-02-30',
    'issue_to=tomorrow',
    'scan_id=1',
    'supplier_id=1',
    `q=${'a'.repeat(201)}`,
    'page=2',
  ])('refuses ?%s by its name', async (query) => {
    const response = await call(`/invoices?${query}`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { details: Fault[] } };
    expect(error.details[0]?.path).toBe(query.split('=')[0]);
    expect(listed).toEqual([]);
  });
});

describe('GET /invoices/{id}', () => {
  test('shows an invoice without a decision as one without a decision', async () => {
    stored = {
      ...stored,
      status: InvoiceStatus.RECEIVED,
      decision: Decision.UNSPECIFIED,
      riskScore: undefined,
      analysisId: undefined,
    };
    const response = await call(`/invoices/${INVOICE_ID.toUpperCase()}`);
    expect(await response.json()).toMatchObject({
      status: 'RECEIVED',
      decision: null,
      riskScore: null,
      analysisId: null,
    });
  });

  test('answers an unknown, a foreign and a malformed id in the same words', async () => {
    const bodies = await Promise.all(
      [INVOICE_ID.replace('a', 'b'), 'not-a-uuid', '00000000-0000-0000-0000-000000000000'].map(async (id) => {
        const response = await call(`/invoices/${id}`, { headers: { 'x-request-id': 'same' } });
        return `${response.status} ${await response.text()}`;
      }),
    );
    expect(new Set(bodies)).toEqual(
      new Set(['404 {"error":{"code":"NOT_FOUND","message":"No such invoice.","request_id":"same"}}']),
    );
  });
});

describe('GET /invoices/{id}/analysis/latest', () => {
  test('answers decision, score and whole finding records, false alarms included', async () => {
    const response = await call(`/invoices/${INVOICE_ID}/analysis/latest`);
    expect(response.status).toBe(200);
    const body = (await response.json()) as { findings: { disposition: string }[] };
    expect(body).toMatchObject({ decision: 'BLOCK', risk_score: 92, versions: { riskEngine: '1.3.0', policy: '7' } });
    expect(body.findings.map(({ disposition }) => disposition)).toEqual(['OPEN', 'FALSE_POSITIVE', 'OPEN']);
    expect(body.findings[0]).toEqual({
      id: 'f1',
      invoiceId: INVOICE_ID,
      invoiceNumber: 'INV-1',
      supplierId: 's1',
      supplierName: 'Acme Ltd',
      scanId: null,
      type: 'DUPLICATE_EXACT',
      severity: 'CRITICAL',
      summary: 'This invoice was sent before.',
      recommendedAction: 'Do not pay it again.',
      confidence: 0.97,
      evidence: { key: 'k', amount: '120' },
      relatedInvoiceIds: ['i0'],
      disposition: 'OPEN',
      companyId: COMPANY_ID,
      assigneeUserId: null,
      createdAt: '2026-03-02T10:00:00.000Z',
      amountAtRisk: '120.00',
      amountAtRiskCurrency: 'EUR',
      family: 'DUP',
      updatedAt: '2026-03-02T10:00:00.000Z',
    });
  });

  test('is 304 without a body for a caller who already has the analysis', async () => {
    const path = `/invoices/${INVOICE_ID}/analysis/latest`;
    const etag = (await call(path)).headers.get('etag') ?? '';
    const response = await call(path, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  test('answers HEAD like GET, without the body', async () => {
    const response = await call(`/invoices/${INVOICE_ID}/analysis/latest`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
