import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type {
  CreateScanRequest,
  CreateScanResponse,
  ListScansRequest,
  Scan,
} from '@invoicecontrol/contracts/scan/v1/scan_service';
import { DomainError, plainSentences, notFound } from '@invoicecontrol/errors';
import { fullInvoice, fullRow, invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { toWire } from '@invoicecontrol/invoice/wire';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { SCAN_BODY_LIMITS, SCAN_ROWS_MAX } from './scan-request.js';

const key = keyNamed('scanner');
const SCAN_ID = '0198a000-0000-7000-8000-00000000000a';
const COMPANY_ID = '0198a000-0000-7000-8000-00000000000c';

const plainRow = {
  supplierName: 'Acme Ltd',
  invoiceNumber: 'INV-1',
  issueDate: '2024-02-29',
  grossAmount: '120',
  sourceRowNumber: 2,
};

const finished: Scan = {
  scanId: SCAN_ID,
  companyId: COMPANY_ID,
  invoicesAnalyzed: 3,
  rowsSkipped: 2,
  skippedRows: [
    { sourceRowNumber: 7, externalId: 'erp-1', reason: SkipReason.ALREADY_IMPORTED },
    { sourceRowNumber: 9, externalId: 'erp-2', reason: SkipReason.DUPLICATE_EXTERNAL_ID_IN_FILE },
  ],
  analyzedValue: '1234.50',
  analyzedValueCurrency: 'EUR',
  unconvertedInvoices: 1,
  decisionCounts: { PASS: 2, BLOCK: 1 },
  findingCounts: { DUPLICATE_INVOICE: 1 },
  createdTime: new Date('2026-03-02T10:00:00.000Z'),
};
const figures = {
  id: SCAN_ID,
  status: 'COMPLETE',
  invoicesAnalyzed: 3,
  rowsSkipped: 2,
  analyzedValue: '1234.50',
  analyzedValueCurrency: 'EUR',
  unconvertedInvoices: 1,
  decisionCounts: { PASS: 2, BLOCK: 1 },
  findingCounts: { DUPLICATE_INVOICE: 1 },
};
const record = {
  ...figures,
  skippedRows: [
    { sourceRowNumber: 7, externalId: 'erp-1', reason: 'ALREADY_IMPORTED' },
    { sourceRowNumber: 9, externalId: 'erp-2', reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' },
  ],
};

let gateway: RunningGateway;
let created: CreateScanRequest[];
let listed: ListScansRequest[];
let create: () => Promise<CreateScanResponse>;

beforeAll(async () => {
  const scanner = principal({
    role: 'VIEWER',
    scopes: ['scans:read', 'scans:write'],
    limits: { scanRowsPerMonth: 500 },
  });
  const many = 1_000_000;
  gateway = await startGateway(
    {
      access: accessFor(new Map([[key, scanner]])),
      scans: {
        createScan(request) {
          created.push(request);
          return create();
        },
        listScans(request) {
          listed.push(request);
          return Promise.resolve({ scans: [{ ...finished, skippedRows: [] }], nextPageToken: 'next' });
        },
        getScan: ({ scanId }) =>
          scanId === SCAN_ID
            ? Promise.resolve({ scan: finished })
            : Promise.reject(notFound('resource of another owner')),
      },
    },
    { limits: { default: many, organization: many, writes: many, scans: many } },
  );
});
afterAll(() => gateway.stop());
beforeEach(() => {
  created = [];
  listed = [];
  create = () => Promise.resolve({ scan: finished, replayed: false });
});

function send(bytes: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.origin}/v1/scans`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: bytes,
  });
}
const post = (body: unknown, headers: Record<string, string> = {}) => send(JSON.stringify(body), headers);
const get = (path: string) => fetch(`${gateway.origin}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });

interface Refusal {
  error: { code: string; message: string; details: { path: string; message: string }[] };
}

/** Expects a refusal with 400 and no call to the history scan service, and returns the error. */
async function refusalOf(body: unknown): Promise<Refusal['error']> {
  created = [];
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(created).toEqual([]);
  const { error } = (await response.json()) as Refusal;
  expect(error.code).toBe('INVALID_REQUEST');
  return error;
}

async function expectRefused(row: object, field: string): Promise<void> {
  const { details } = await refusalOf({ rows: [row] });
  expect([row, details.map(({ path }) => path)]).toEqual([row, [`rows[0].${field}`]]);
}

async function handedOn(row: object): Promise<Row> {
  created = [];
  const response = await post({ rows: [row] });
  expect([row, response.status]).toEqual([row, 201]);
  const handed = created[0]?.invoiceRows[0];
  if (handed === undefined) throw new Error('No row was handed on.');
  return handed;
}

describe('POST /scans', () => {
  test('answers 201 with the record of specification 2.9 and where it is read', async () => {
    const response = await post({ rows: [fullRow] });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual(record);
    expect(response.headers.get('location')).toBe(`/v1/scans/${SCAN_ID}`);
    expect(response.headers.get('idempotency-replayed')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toContain('"scans"');
  });

  test('hands the rows on trimmed and in their order, with tenant, company, key and quota', async () => {
    const padded = { ...fullRow, supplierName: ' Acme Ltd\t', invoiceNumber: ' INV-1 ', externalId: ' erp-1' };
    const unordered = { ...padded, currency: 'gbp', bankSortCode: '60-16 13' };
    await post({ companyId: COMPANY_ID.toUpperCase(), rows: [unordered, plainRow] }, { 'idempotency-key': '"a,b"' });
    const { due_date, net_amount, tax_amount, buyer, company_id, ...statedInRows } = fullInvoice;
    const plainInvoice = {
      ...invoiceOf({ supplier: { name: 'Acme Ltd' }, invoice_number: 'INV-1', issue_date: '2024-02-29' }),
      currency: '',
      gross_amount: '120',
    };
    expect(created).toEqual([
      {
        organizationId: ORGANIZATION_ID,
        companyId: COMPANY_ID,
        invoiceRows: [
          { position: 0, sourceRowNumber: 2, externalId: 'erp-1', invoice: toWire(statedInRows) },
          { position: 1, sourceRowNumber: 2, externalId: undefined, invoice: toWire(plainInvoice) },
        ],
        idempotencyKey: 'a,b',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  test('gives reordered members the same fingerprint, and reordered rows another one', async () => {
    const other = { ...plainRow, sourceRowNumber: 3 };
    await post({ companyId: COMPANY_ID, rows: [plainRow, other] });
    await post({ rows: [Object.fromEntries(Object.entries(plainRow).reverse()), other], companyId: COMPANY_ID });
    await post({ companyId: COMPANY_ID, rows: [other, plainRow] });
    const [first, reordered, swapped] = created.map(({ fingerprint }) => fingerprint);
    expect(reordered).toBe(first);
    expect(swapped).not.toBe(first);
  });

  test('says when the answer is that of an earlier request', async () => {
    create = () => Promise.resolve({ scan: finished, replayed: true });
    const response = await post({ rows: [plainRow] }, { 'idempotency-key': 'k' });
    expect(response.status).toBe(201);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'with a key',
      { 'idempotency-key': 'k' },
      /may have taken effect\. Retry the request .* with the same Idempotency-Key/,
    ],
    ['without one', {}, /may have taken effect\. Check whether it did before you send the request again/],
  ])('of which nothing is heard is 504 and claims neither: %s', async (_, headers, sentence) => {
    create = () => Promise.reject(new DomainError('deadline', plainSentences.deadline));
    const response = await post({ rows: [plainRow] }, headers);
    expect(response.status).toBe(504);
    const { error } = (await response.json()) as Refusal;
    expect(error).toMatchObject({ code: 'PROCESSING_FAILED', message: expect.stringMatching(sentence) as unknown });
    expect(error.message).not.toMatch(/continues|stored/);
  });

  test('that goes on is 504 in the words of the scan service, which alone knows it', async () => {
    const sentence =
      'The history scan is stored and continues. Repeat the request with the same Idempotency-Key to get its result.';
    create = () => Promise.reject(new DomainError('deadline', sentence));
    const response = await post({ rows: [plainRow] });
    expect(response.status).toBe(504);
    expect(((await response.json()) as Refusal).error.message).toBe(sentence);
  });

  test('passes on what the scan service refuses', async () => {
    create = () => Promise.reject(new DomainError('in_progress', 'The first request with this key is still running.'));
    const response = await post({ rows: [plainRow] });
    expect(response.status).toBe(409);
    expect(response.headers.get('retry-after')).toBe('1');
  });
});

describe('the size of a scan', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...plainRow, sourceRowNumber: index }));

  test('is up to 5,000 rows, and other requests are answered while they are checked', async () => {
    const answered: string[] = [];
    const scan = post({ rows: rows(SCAN_ROWS_MAX) }).then((response) => {
      answered.push('scan');
      return response;
    });
    while (!answered.includes('scan')) {
      expect((await get(`/scans/${SCAN_ID}`)).status).toBe(200);
      answered.push('read');
    }
    expect((await scan).status).toBe(201);
    expect(created[0]?.invoiceRows.map(({ sourceRowNumber }) => sourceRowNumber)).toEqual([
      ...rows(SCAN_ROWS_MAX).keys(),
    ]);
    expect(answered[0]).toBe('read');
  });

  test.each<[unknown, string]>([
    [[], 'rows: Must have at least 1 item.'],
    [rows(SCAN_ROWS_MAX + 1), 'rows: Must have at most 5000 items.'],
    [Array.from({ length: SCAN_BODY_LIMITS.valuesMax - 2 }, () => 1), 'rows: Must have at most 5000 items.'],
    [undefined, 'rows: Required.'],
    [null, 'rows: Must not be null.'],
    [{ 0: plainRow, length: 1 }, 'rows: Must be an array.'],
  ])('must be at least one row and at most 5,000', async (value, message) => {
    expect((await refusalOf({ rows: value })).message).toBe(message);
  });

  test('is up to 10 MiB of JSON, which no other route takes', async () => {
    const body = JSON.stringify({ rows: [plainRow] });
    expect((await send(body.padEnd(SCAN_BODY_LIMITS.bytesMax))).status).toBe(201);
    const tooLarge = await send(body.padEnd(SCAN_BODY_LIMITS.bytesMax + 1));
    expect(tooLarge.status).toBe(413);
    expect(((await tooLarge.json()) as Refusal).error.message).toContain('10 MiB');
    expect(created).toHaveLength(1);
  });

  test('is refused with 413 and what to change when its values are too many, whatever they are', async () => {
    const nothing = Array.from({ length: SCAN_BODY_LIMITS.valuesMax }, () => ({}));
    const fields = Object.fromEntries(nothing.map((_, index) => [`f${index}`, 1]));
    const bodies = [
      { rows: nothing },
      { unknown: nothing },
      { rows: [plainRow], x: { y: [nothing] } },
      fields,
      nothing,
    ];
    for (const body of bodies) {
      const refused = await post(body);
      expect(refused.status).toBe(413);
      const { error } = (await refused.json()) as Refusal;
      expect(error).toMatchObject({
        code: 'INVALID_REQUEST',
        message:
          'The body has more than 100000 values. A scan accepts at most 5000 rows. Send the remaining rows in further requests.',
      });
    }
    expect(created).toEqual([]);
  });

  test('may be the largest there is: every row with every text at its longest', async () => {
    const wide = (length: number) => 'x'.repeat(length);
    const largest = {
      ...fullRow,
      supplierName: wide(400),
      supplierTaxId: wide(200),
      invoiceNumber: wide(200),
      purchaseOrderRef: wide(200),
      bankIban: wide(200),
      bankSortCode: undefined,
      externalId: wide(200),
    };
    const body = JSON.stringify({ rows: Array.from({ length: SCAN_ROWS_MAX }, () => largest) });
    expect(body.length).toBeLessThanOrEqual(SCAN_BODY_LIMITS.bytesMax);
    expect((await send(body)).status).toBe(201);
  });
});

describe('a row', () => {
  test.each(['supplierName', 'invoiceNumber', 'issueDate', 'grossAmount', 'sourceRowNumber'])(
    'without %s is refused',
    (field) => expectRefused({ ...plainRow, [field]: undefined }, field),
  );

  test.each(Object.keys(fullRow))(
    'with a %s of the wrong type, null, empty, blank or invisible is refused',
    async (field) => {
      for (const value of [null, true, ['x'], { value: 'x' }, '', '  ', '\u200b', '\u2060 \u200d']) {
        await expectRefused({ ...plainRow, [field]: value }, field);
      }
    },
  );

  test.each(['company_id', 'companyId', 'supplier_name', 'decision', 'id'])('with the field %s is refused', (field) =>
    expectRefused({ ...plainRow, [field]: 'x' }, field),
  );

  test.each([
    ['supplierName', 400],
    ['supplierTaxId', 200],
    ['invoiceNumber', 200],
    ['purchaseOrderRef', 200],
    ['bankIban', 200],
    ['externalId', 200],
  ])('has a %s of at most %i characters, whatever characters they are', async (field, lengthMax) => {
    for (const character of ['x', '\u{1f9fe}']) {
      await expectRefused({ ...plainRow, [field]: character.repeat(lengthMax + 1) }, field);
      await handedOn({ ...plainRow, [field]: character.repeat(lengthMax) });
    }
  });

  test.each<[string, readonly unknown[]]>([
    ['issueDate', ['2023-02-29', '29.02.2024', '2024-02-29T00:00:00Z', '1899-12-31']],
    ['grossAmount', [120, '1e3', '1,5', '1.1234567', '9'.repeat(16)]],
    ['sourceRowNumber', ['2', 1.5, 2 ** 53, -(2 ** 53)]],
    ['currency', ['EURO', 'E R', 'XXX', 'xau', 'CHE', 'ZZZ']],
    ['bankSortCode', ['60161', '60-16-1A', `${'-'.repeat(200)}601613`]],
    ['bankAccountNumber', ['31926', '319268190', '3192 6819']],
  ])('with a %s that cannot be is refused', async (field, values) => {
    for (const value of values) await expectRefused({ ...plainRow, [field]: value }, field);
  });

  test('may have any source row number that is exact', async () => {
    for (const sourceRowNumber of [0, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      expect((await handedOn({ ...plainRow, sourceRowNumber })).sourceRowNumber).toBe(sourceRowNumber);
    }
  });

  test('may be in a currency that was withdrawn after it, not long before it', async () => {
    const { invoice } = await handedOn({ ...plainRow, currency: 'hrk', issueDate: '2022-12-31' });
    expect(invoice?.currency).toBe('HRK');
    await expectRefused({ ...plainRow, currency: 'HRK', issueDate: '2024-06-01' }, 'currency');
  });

  test('with half of a UK account is taken without it', async () => {
    const halves = [{ bankSortCode: '60-16-13' }, { bankAccountNumber: '31926819' }];
    for (const half of halves) {
      const { invoice } = await handedOn({ ...plainRow, ...half, bankIban: 'x' });
      expect(invoice?.supplier?.bankAccount).toEqual({ iban: 'x' });
    }
  });

  test('may state one account twice, as IBAN and as UK account, and not two accounts', async () => {
    await handedOn(fullRow);
    await expectRefused({ ...fullRow, bankAccountNumber: '31926818' }, 'bankIban');
  });
});

describe('faults in rows', () => {
  test('are named by place, by the number that the caller gave the row, and by field', async () => {
    const rows = [
      plainRow,
      { ...plainRow, issueDate: '2024-13-01', sourceRowNumber: 20 },
      7,
      { ...plainRow, sourceRowNumber: 'x' },
    ];
    const { message, details } = await refusalOf({ rows });
    expect(message).toMatch(
      /^rows\[1\]\.issueDate: Row 2, sourceRowNumber 20: Must be a real day .* \(1 of 3 faults\)$/,
    );
    expect(details).toEqual([
      { path: 'rows[1].issueDate', message: expect.stringMatching(/^Row 2, sourceRowNumber 20: Must be a real day/) },
      { path: 'rows[2]', message: 'Row 3: Must be an object.' },
      { path: 'rows[3].sourceRowNumber', message: 'Row 4: Must be a number.' },
    ]);
  });

  test('are all counted, and the first fifty listed', async () => {
    const rows = Array.from({ length: 200 }, () => ({ ...plainRow, issueDate: 'x', currency: 'x' }));
    const { message, details } = await refusalOf({ rows });
    expect(message).toMatch(/\(1 of 400 faults\)$/);
    expect(details).toHaveLength(50);
    expect(details.at(-1)?.path).toBe('rows[24].currency');
  });

  test('in the frame are said without looking at the rows', async () => {
    const { details } = await refusalOf({ companyId: 'x', rows: [7], colour: 1 });
    expect(details.map(({ path }) => path)).toEqual(['companyId', 'colour']);
    expect((await refusalOf([])).message).toBe('body: Must be an object.');
  });
});

describe('GET /scans/{scanId}', () => {
  test('answers exactly as POST did', async () => {
    const response = await get(`/scans/${SCAN_ID.toUpperCase()}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(record);
  });

  test('refuses an unknown and a malformed id in the same words', async () => {
    for (const id of ['0198a000-0000-7000-8000-00000000dead', 'x']) {
      const response = await get(`/scans/${id}`);
      expect(response.status).toBe(404);
      expect(((await response.json()) as Refusal).error.message).toBe('No such scan.');
    }
  });
});

describe('GET /scans', () => {
  test('answers without skipped rows, with company and time', async () => {
    const response = await get('/scans');
    expect(await response.json()).toEqual({
      items: [{ ...figures, companyId: COMPANY_ID, createdAt: '2026-03-02T10:00:00.000Z' }],
      nextCursor: expect.stringMatching(/^[\w-]{8}next$/),
    });
  });

  test('passes filters and page to the owner', async () => {
    const query = `company_id=${COMPANY_ID}&created_from=2026-01-01&created_to=2026-02-01T12:00:00Z`;
    const { nextCursor } = (await (await get(`/scans?${query}`)).json()) as { nextCursor: string };
    await get(`/scans?limit=7&cursor=${nextCursor}&${query}`);
    expect(listed.slice(1)).toEqual([
      {
        organizationId: ORGANIZATION_ID,
        pageSize: 7,
        pageToken: 'next',
        companyId: COMPANY_ID,
        createdFromTime: new Date('2026-01-01T00:00:00Z'),
        createdToTime: new Date('2026-02-01T12:00:00Z'),
      },
    ]);
  });

  test.each(['limit=0', 'company_id=x', 'status=COMPLETE'])('refuses ?%s', async (query) => {
    expect((await get(`/scans?${query}`)).status).toBe(400);
  });
});
