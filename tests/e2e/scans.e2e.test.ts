import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainRow, UNKNOWN_ID } from './shapes.js';
import type { Company, Finding, Page, Scan, StoredInvoice } from './shapes.js';

/** The history scan takes a few seconds, and longer on a busy machine. */
const LARGE_SCAN_MS_MAX = 400_000;

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

interface ScanOptions {
  readonly companyId?: string;
  readonly idempotencyKey?: string;
}

function scan(
  { keys }: Tenant,
  rows: readonly object[],
  { companyId, idempotencyKey }: ScanOptions = {},
): Promise<Answer<Scan & ErrorBody>> {
  return running.request('POST /scans', {
    key: keys.owner,
    body: { rows, ...(companyId === undefined ? {} : { companyId }) },
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  });
}

async function completed(tenant: Tenant, rows: readonly object[], options: ScanOptions = {}): Promise<Scan> {
  const answer = await scan(tenant, rows, options);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function listed<Item>(target: string, { keys }: Tenant): Promise<readonly Item[]> {
  const { status, body } = await running.request<Page<Item>>(target, { key: keys.owner });
  expect(status).toBe(200);
  return body.items;
}

async function scanRowsUsed({ keys }: Tenant): Promise<unknown> {
  const { body } = await running.request<{ items: { meter: string }[] }>('GET /organizations/current/usage', {
    key: keys.owner,
  });
  return body.items.find(({ meter }) => meter === 'scan_rows');
}

/** Returns the bills of one supplier, one for each month. */
function monthlyRows(count: number): Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, index) => ({
    ...plainRow(index + 1),
    supplierName: 'Blue Harbour Logistics Ltd',
    supplierTaxId: 'GB123456782',
    invoiceNumber: `BH-778${index + 1}`,
    issueDate: `2025-${String(index + 1).padStart(2, '0')}-10`,
  }));
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe('a scan', () => {
  test('answers with exactly the fields of the specification, and reading it gives the same', async () => {
    const tenant = await running.newTenant();
    const created = await scan(tenant, monthlyRows(3));
    expect(created.status).toBe(201);
    const { id, decisionCounts, findingCounts, ...rest } = created.body;
    expect(rest).toEqual({
      status: 'COMPLETE',
      invoicesAnalyzed: 3,
      rowsSkipped: 0,
      skippedRows: [],
      analyzedValue: '7.50',
      analyzedValueCurrency: 'EUR',
      unconvertedInvoices: 0,
    });
    expect(sum(decisionCounts)).toBe(3);
    expect(findingCounts).toEqual({});
    expect(created.headers.get('location')).toBe(`/v1/scans/${id}`);
    const read = await running.request<Scan>(`GET /scans/${id}`, { key: tenant.keys.owner });
    expect(read.body).toEqual(created.body);
  });

  test('makes an invoice of every row, and its findings are found by its id', async () => {
    const tenant = await running.newTenant();
    const [bill = {}] = monthlyRows(1);
    const { id, decisionCounts, findingCounts } = await completed(tenant, [bill, { ...bill, sourceRowNumber: 2 }]);
    expect(decisionCounts).toEqual({ PASS: 1, REVIEW: 0, BLOCK: 1 });
    expect(findingCounts).toEqual({ DUPLICATE_INVOICE: 1 });
    const invoices = await listed<StoredInvoice & { scanId: string }>('GET /invoices?source=SCAN', tenant);
    expect(invoices.map(({ scanId }) => scanId)).toEqual([id, id]);
    const findings = await listed<Finding & { scanId: string }>(`GET /findings?scan_id=${id}`, tenant);
    expect(findings).toHaveLength(sum(findingCounts));
    for (const finding of findings) {
      expect(finding.scanId).toBe(id);
      expect(invoices.map((invoice) => invoice.id)).toContain(finding.invoiceId);
    }
    expect(await listed(`GET /findings?scan_id=${UNKNOWN_ID}`, tenant)).toEqual([]);
  });

  test('is compared with an invoice that is posted later', async () => {
    const tenant = await running.newTenant();
    await completed(tenant, monthlyRows(1));
    const { body } = await running.request<{ decision: string; findings: Finding[] }>('POST /invoices', {
      key: tenant.keys.owner,
      body: {
        supplier: { name: 'Blue Harbour Logistics Ltd', tax_id: 'GB123456782' },
        invoice_number: 'BH-7781',
        issue_date: '2025-01-10',
        currency: 'EUR',
        gross_amount: '1.50',
      },
    });
    expect(body.findings.map(({ type }) => type)).toContain('DUPLICATE_INVOICE');
  });

  test('counts rows without a currency in the base currency, and leaves rows without a rate out of its value', async () => {
    const tenant = await running.newTenant();
    const { keys } = tenant;
    const change = await running.request('PATCH /organizations/current/base-currency', {
      key: keys.owner,
      body: { base_currency: 'GBP' },
    });
    expect(change.status).toBe(200);
    const [first = {}, second = {}, third = {}] = monthlyRows(3);
    const created = await completed(tenant, [first, { ...second, currency: 'gbp' }, { ...third, currency: 'KPW' }]);
    expect(created).toMatchObject({ analyzedValue: '4.00', analyzedValueCurrency: 'GBP', unconvertedInvoices: 1 });
    const invoices = await listed<StoredInvoice>('GET /invoices', tenant);
    const currencies = invoices.map(({ invoice }) => [invoice['invoice_number'], invoice['currency']]);
    expect(currencies).toHaveLength(3);
    expect(Object.fromEntries(currencies)).toEqual({ 'BH-7781': 'GBP', 'BH-7782': 'GBP', 'BH-7783': 'KPW' });
  });

  test('goes to the company that it names', async () => {
    const tenant = await running.newTenant();
    const { keys } = tenant;
    const company = await running.request<Company>('POST /companies', { key: keys.owner, body: { name: 'Second' } });
    const { id } = await completed(tenant, monthlyRows(1), { companyId: company.body.id.toUpperCase() });
    const [ofCompany] = await listed<{ id: string; companyId: string }>(
      `GET /scans?company_id=${company.body.id}`,
      tenant,
    );
    expect(ofCompany).toMatchObject({ id, companyId: company.body.id });
    expect(await listed(`GET /scans?company_id=${tenant.companyId}`, tenant)).toEqual([]);
  });
});

describe('an external id', () => {
  const withIds = (ids: readonly string[]) =>
    monthlyRows(ids.length).map((row, index) => ({ ...row, externalId: ids[index], sourceRowNumber: 10 + index }));

  test('that was imported, or comes earlier in the file, is why a row is skipped', async () => {
    const tenant = await running.newTenant();
    await completed(tenant, withIds(['a', 'b']));
    const { invoicesAnalyzed, rowsSkipped, skippedRows } = await completed(tenant, withIds(['b', 'c', 'c', 'd']));
    expect({ invoicesAnalyzed, rowsSkipped, skippedRows }).toEqual({
      invoicesAnalyzed: 2,
      rowsSkipped: 2,
      skippedRows: [
        { sourceRowNumber: 10, externalId: 'b', reason: 'ALREADY_IMPORTED' },
        { sourceRowNumber: 12, externalId: 'c', reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' },
      ],
    });
    expect(await listed('GET /invoices', tenant)).toHaveLength(4);
  });

  test('that was imported in every row is a conflict, and nothing is stored or counted', async () => {
    const tenant = await running.newTenant('FREE');
    await completed(tenant, withIds(['a', 'b']));
    const again = await scan(tenant, withIds(['a', 'b']));
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(await listed('GET /scans', tenant)).toHaveLength(1);
    expect(await scanRowsUsed(tenant)).toEqual({ meter: 'scan_rows', used: 2, limit: 500 });
  });
});

describe('a repeat under the same Idempotency-Key', () => {
  test('gives the first answer, however its JSON is written, and imports nothing twice', async () => {
    const tenant = await running.newTenant();
    const first = await scan(tenant, monthlyRows(2), { idempotencyKey: 'import-7' });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const reordered = monthlyRows(2).map((row) => Object.fromEntries(Object.entries(row).reverse()));
    const repeat = await scan(tenant, reordered, { idempotencyKey: '"import-7"' });
    expect([repeat.status, repeat.body]).toEqual([201, first.body]);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'));
    expect(await listed('GET /invoices', tenant)).toHaveLength(2);
    expect(await scanRowsUsed(tenant)).toMatchObject({ used: 2 });
  });

  test('with other rows is a conflict', async () => {
    const tenant = await running.newTenant();
    await completed(tenant, monthlyRows(2), { idempotencyKey: 'k' });
    expect(await scan(tenant, monthlyRows(3), { idempotencyKey: 'k' })).toMatchObject({ status: 409 });
  });

  test('creates a separate scan in another organization', async () => {
    const [tenant, neighbour] = [await running.newTenant(), await running.newTenant()];
    const first = await completed(tenant, monthlyRows(1), { idempotencyKey: 'k' });
    const second = await completed(neighbour, monthlyRows(1), { idempotencyKey: 'k' });
    expect(second.id).not.toBe(first.id);
  });
});

describe('the scans of an organization', () => {
  test('are listed newest first, page by page, without their skipped rows', async () => {
    const tenant = await running.newTenant();
    const ids: string[] = [];
    for (let count = 1; count <= 3; count += 1) ids.unshift((await completed(tenant, monthlyRows(count))).id);
    const { body: first } = await running.request<Page<Scan & { createdAt: string }>>('GET /scans?limit=2', {
      key: tenant.keys.owner,
    });
    const rest = await listed<Scan>(`GET /scans?limit=2&cursor=${first.nextCursor ?? ''}`, tenant);
    expect([...first.items, ...rest].map(({ id }) => id)).toEqual(ids);
    expect(first.items[0]).not.toHaveProperty('skippedRows');
    const newest = first.items[0]?.createdAt ?? '';
    expect((await listed<Scan>(`GET /scans?created_from=${newest}`, tenant)).map(({ id }) => id)).toEqual([ids[0]]);
    expect((await listed<Scan>(`GET /scans?created_to=${newest}`, tenant)).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  test('are neither listed nor readable for another organization, and neither are their findings', async () => {
    const [tenant, outsider] = [await running.newTenant(), await running.newTenant()];
    const { id } = await completed(tenant, monthlyRows(1));
    expect(await running.request(`GET /scans/${id}`, { key: outsider.keys.owner })).toMatchObject({ status: 404 });
    expect(await listed('GET /scans', outsider)).toEqual([]);
    expect(await listed(`GET /findings?scan_id=${id}`, outsider)).toEqual([]);
  });
});

describe('the rows of a month', () => {
  test('are counted by scan, and a scan that would exceed the plan is refused whole', async () => {
    const tenant = await running.newTenant('FREE');
    await completed(tenant, monthlyRows(12));
    expect(await scanRowsUsed(tenant)).toEqual({ meter: 'scan_rows', used: 12, limit: 500 });
    const many = Array.from({ length: 489 }, (_, index) => plainRow(index));
    const refused = await scan(tenant, many);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } } });
    expect(await scanRowsUsed(tenant)).toEqual({ meter: 'scan_rows', used: 12, limit: 500 });
    expect(await listed('GET /scans', tenant)).toHaveLength(1);
  });
});

describe('a scan of 5,000 rows', () => {
  test(
    'gets a complete response, and others are served while it runs',
    async () => {
      const tenant = await running.newTenant();
      const rows = Array.from({ length: 5_000 }, (_, index) => ({ ...plainRow(index + 1), externalId: `e-${index}` }));
      let isRunning = true;
      // The request is repeated with the same idempotency key, as clients do when a history scan takes longer than the
      // time limit of a response.
      const running5000 = eventually(() => completed(tenant, rows, { idempotencyKey: 'large' }), {
        timeoutMs: LARGE_SCAN_MS_MAX,
      }).finally(() => (isRunning = false));
      let served = 0;
      while (isRunning) {
        expect((await running.request('GET /organizations/current', { key: running.other.keys.owner })).status).toBe(
          200,
        );
        served += 1;
      }
      const { invoicesAnalyzed, decisionCounts } = await running5000;
      expect({ invoicesAnalyzed, decided: sum(decisionCounts) }).toEqual({ invoicesAnalyzed: 5_000, decided: 5_000 });
      expect(served).toBeGreaterThan(1);
    },
    LARGE_SCAN_MS_MAX,
  );
});
