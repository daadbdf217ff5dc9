import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { anyFinding, asUser } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { erpBill, erpSource, erpVendor } from '../testing/erp-records.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const anyInvoice = { pageSize: 0, pageToken: '', source: InvoiceSource.UNSPECIFIED, decision: Decision.UNSPECIFIED };
const caller = asUser('0192a000-0000-7000-8000-0000000000aa');

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
  ({ organization, rpc } = running);
});
afterAll(() => running.stop());

const supplier = (name: string, taxId?: string) => ({ name, taxId, bankAccount: undefined });

/** Numbers of the invoices that a search finds, in the order of the list. */
async function invoicesFound(organizationId: string, query: string, changes: object = {}): Promise<string[]> {
  const { invoices } = await rpc.invoice.listInvoices({ ...anyInvoice, organizationId, query, ...changes }, caller);
  return invoices.map(({ invoice }) => invoice?.invoiceNumber ?? '');
}

/** Numbers of the invoices whose findings a search finds. */
async function findingsFound(organizationId: string, query: string): Promise<string[]> {
  const { findings } = await rpc.finding.listFindings({ ...anyFinding, organizationId, query }, caller);
  return [...new Set(findings.map(({ invoiceNumber }) => invoiceNumber ?? ''))].sort((a, b) => (a < b ? -1 : 1));
}

/** Posts invoices of three suppliers, the oldest first. */
async function fill(): Promise<string> {
  const organizationId = organization.newTenant();
  for (const [invoiceNumber, name, taxId] of [
    ['RE-2026-0118', 'Nordlicht Energie GmbH', 'DE136695976'],
    ['RE 2026/0119', 'Nordlicht Energie GmbH', 'DE136695976'],
    ['4711', 'Żółta Łódź Sp. z o.o.', undefined],
    ['FV/12/2026', 'Nordwind Logistik AG', undefined],
  ] as const) {
    await rpc.post(organizationId, wireInvoice({ invoiceNumber, supplier: supplier(name, taxId) }));
  }
  return organizationId;
}

describe('a search of invoices', () => {
  test('finds the beginning of a number in any spelling, of a name and a whole tax id, newest first', async () => {
    const organizationId = await fill();
    const both = ['RE 2026/0119', 'RE-2026-0118'];
    expect(await invoicesFound(organizationId, 're.2026.011')).toEqual(both);
    expect(await invoicesFound(organizationId, 'RE-2026-0118')).toEqual(['RE-2026-0118']);
    expect(await invoicesFound(organizationId, 'nordlicht')).toEqual(both);
    expect(await invoicesFound(organizationId, 'Nord')).toEqual(['FV/12/2026', ...both]);
    expect(await invoicesFound(organizationId, 'zolta')).toEqual(['4711']);
    expect(await invoicesFound(organizationId, 'DE 136 695 976')).toEqual(both);
    expect(await invoicesFound(organizationId, '0118')).toEqual([]);
    expect(await invoicesFound(organizationId, 'licht')).toEqual([]);
    expect(await invoicesFound(organizationId, '---')).toEqual([]);
  });

  test('is one condition among others, and its pages hold every invoice once', async () => {
    const organizationId = await fill();
    expect(await invoicesFound(organizationId, 'nord', { source: InvoiceSource.SCAN })).toEqual([]);
    const { invoices } = await rpc.invoice.listInvoices({ ...anyInvoice, organizationId, query: 'nord' }, caller);
    const seen: string[] = [];
    for (let pageToken = '', pages = 0; pages === 0 || pageToken !== ''; pages++) {
      const page = await rpc.invoice.listInvoices(
        { ...anyInvoice, organizationId, query: 'nord', pageSize: 1, pageToken },
        caller,
      );
      expect(page.invoices.length).toBeLessThanOrEqual(1);
      seen.push(...page.invoices.map(({ invoiceId }) => invoiceId));
      ({ nextPageToken: pageToken } = page);
    }
    expect(seen).toEqual(invoices.map(({ invoiceId }) => invoiceId));
  });

  test('finds nothing of another tenant', async () => {
    await fill();
    const stranger = organization.newTenant();
    expect(await invoicesFound(stranger, 'RE-2026')).toEqual([]);
    expect(await invoicesFound(stranger, 'Nordlicht')).toEqual([]);
    expect(await findingsFound(stranger, 'Nordlicht')).toEqual([]);
  });

  test('finds bills of an ERP when the list has them', async () => {
    const source = erpSource(organization.newTenant());
    await rpc.erpImport.importVendors({ source, vendors: [erpVendor('v1', { name: 'Kranich Druck GmbH' })] }, caller);
    const bills = ['A-100', 'B-200'].map((documentNumber) => erpBill(documentNumber, { documentNumber }));
    await rpc.erpImport.importBills({ source, bills }, caller);
    const erp = { source: InvoiceSource.ERP };
    expect(await invoicesFound(source.organizationId, 'a100', erp)).toEqual(['A-100']);
    expect(await invoicesFound(source.organizationId, '---', erp)).toEqual([]);
    expect(await invoicesFound(source.organizationId, 'a100')).toEqual([]);
  });

  test('of one supplier by its id lists its invoices alone', async () => {
    const organizationId = await fill();
    const { findings } = await rpc.finding.listFindings({ ...anyFinding, organizationId, query: '4711' }, caller);
    const supplierId = findings[0]?.supplierId ?? '';
    const { invoices } = await rpc.invoice.listInvoices({ ...anyInvoice, organizationId, supplierId }, caller);
    expect(invoices.map(({ invoice }) => invoice?.invoiceNumber)).toEqual(['4711']);
  });
});

describe('a search of findings', () => {
  test('finds those of the invoices with such a number and of the suppliers with such a name, in every order', async () => {
    const organizationId = await fill();
    expect(await findingsFound(organizationId, 'fv 12')).toEqual(['FV/12/2026']);
    expect(await findingsFound(organizationId, 'nord')).toEqual(['FV/12/2026', 'RE-2026-0118']);
    expect(await findingsFound(organizationId, 'unknown')).toEqual([]);
    for (const sort of [FindingSort.NEWEST, FindingSort.SEVERITY, FindingSort.AMOUNT_AT_RISK]) {
      const { findings } = await rpc.finding.listFindings(
        { ...anyFinding, organizationId, query: 'FV12', sort, pageSize: 1 },
        caller,
      );
      expect(findings.map(({ invoiceNumber }) => invoiceNumber)).toEqual(['FV/12/2026']);
    }
  });

  test('finds those of rows of a scan', async () => {
    const organizationId = organization.newTenant();
    await rpc.scan(organizationId, [
      wireInvoice({ invoiceNumber: 'SC-1' }),
      wireInvoice({ invoiceNumber: 'SC-1' }),
      wireInvoice({ invoiceNumber: 'XY-9', grossAmount: '17.40' }),
    ]);
    expect(await findingsFound(organizationId, 'sc1')).toEqual(['SC-1']);
  });
});

test('a searched text of 200 characters is accepted, one of 201 is refused', async () => {
  const organizationId = organization.newTenant();
  expect(await invoicesFound(organizationId, 'ż'.repeat(200))).toEqual([]);
  const refused = { kind: 'invalid', message: expect.stringContaining('200 characters') };
  await expect(invoicesFound(organizationId, 'ż'.repeat(201))).rejects.toMatchObject(refused);
  await expect(findingsFound(organizationId, 'ż'.repeat(201))).rejects.toMatchObject(refused);
});

test('a name that 100 suppliers begin with is searched, one that 101 begin with is refused', async () => {
  const organizationId = organization.newTenant();
  const rows = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      wireInvoice({
        invoiceNumber: `N-${first + index}`,
        grossAmount: `${100 + first + index}.00`,
        supplier: supplier(`Mill ${nameOf(first + index)} Paper`),
      }),
    );
  await rpc.scan(organizationId, rows(0, 100));
  expect(await invoicesFound(organizationId, 'mill', { pageSize: 100 })).toHaveLength(100);
  await rpc.scan(organizationId, rows(100, 1));
  await expect(invoicesFound(organizationId, 'mill')).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('100 suppliers'),
  });
  expect(await invoicesFound(organizationId, `mill ${nameOf(100)}`)).toEqual(['N-100']);
});

/** Returns a word that is unlike the words for other numbers, so that suppliers with such names are different. */
function nameOf(number: number): string {
  const letters = 'BCDFGHKLMNPRSTVWX';
  return [number % 17, Math.floor(number / 17), (number * 7) % 17, (number * 11) % 17, (number * 5) % 17]
    .map((index, place) => `${letters[index % 17]}${'AEIOU'[(index + place) % 5]}`)
    .join('');
}
