import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { Decision, InvoiceSource, InvoiceStatus, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { anyFinding, asUser, findingOf, rowsOf, scanRequest } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { erpBill, erpSource, erpVendor } from '../testing/erp-records.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const anyInvoice = {
  pageSize: 0,
  pageToken: '',
  source: InvoiceSource.UNSPECIFIED,
  decision: Decision.UNSPECIFIED,
  sources: [],
  decisions: [],
  statuses: [],
};
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

describe('the filters of findings', () => {
  /** Posts a duplicate and a wrong tax, and reviews the duplicate. */
  const findings = async () => {
    const organizationId = organization.newTenant();
    await rpc.post(organizationId, wireInvoice());
    const duplicate = findingOf(await rpc.post(organizationId, wireInvoice()), 'DUPLICATE_INVOICE');
    const wrong = wireInvoice({ invoiceNumber: 'T-1', netAmount: '100.00', taxAmount: '19.00', grossAmount: '150.00' });
    const tax = findingOf(await rpc.post(organizationId, wrong), 'TAX_ARITHMETIC_MISMATCH');
    await rpc.review(organizationId, duplicate, 'CONFIRMED');
    return { organizationId, duplicate, tax };
  };
  const list = async (organizationId: string, filter: Partial<typeof anyFinding>) => {
    const { findings: found } = await rpc.finding.listFindings({ ...anyFinding, organizationId, ...filter }, caller);
    return found;
  };

  test('take several values, of which a finding has one, in every order', async () => {
    const { organizationId, duplicate, tax } = await findings();
    const all = await list(organizationId, {});
    const filters: [Partial<typeof anyFinding>, (finding: Finding) => boolean][] = [
      [{ types: [duplicate.type, tax.type] }, ({ type }) => [duplicate.type, tax.type].includes(type)],
      [{ types: [tax.type] }, ({ type }) => type === tax.type],
      [{ families: ['DUP'] }, ({ family }) => family === 'DUP'],
      [{ families: ['DUP', tax.family] }, ({ family }) => ['DUP', tax.family].includes(family)],
      [{ families: ['DUP'], types: [tax.type] }, () => false],
      [{ severities: [Severity.CRITICAL, Severity.HIGH] }, ({ severity }) => severity >= Severity.HIGH],
      [{ severities: [Severity.INFO, Severity.HIGH], minSeverity: Severity.LOW }, ({ severity }) => severity === 4],
      [{ dispositions: ['CONFIRMED', 'RESOLVED'] }, ({ disposition }) => disposition === 'CONFIRMED'],
      [{ dispositions: ['CONFIRMED', 'OPEN'] }, () => true],
    ];
    for (const [filter, isWanted] of filters) {
      for (const sort of [FindingSort.NEWEST, FindingSort.SEVERITY, FindingSort.AMOUNT_AT_RISK]) {
        const ids = (await list(organizationId, { ...filter, sort })).map(({ findingId }) => findingId);
        const wanted = all.filter(isWanted).map(({ findingId }) => findingId);
        expect({ filter, sort, ids: new Set(ids) }).toEqual({ filter, sort, ids: new Set(wanted) });
        expect(ids).toHaveLength(wanted.length);
      }
    }
    expect(all.some(({ severity }) => severity === Severity.HIGH)).toBe(true);
  });

  test('take a single value from a gateway of an earlier release', async () => {
    const { organizationId, tax } = await findings();
    expect(await list(organizationId, { type: tax.type })).toHaveLength(1);
    expect(await list(organizationId, { disposition: 'CONFIRMED' })).toHaveLength(1);
  });

  test('select findings that are assigned to nobody', async () => {
    const { organizationId, duplicate, tax } = await findings();
    const assigneeUserId = organization.newMember(organizationId);
    await rpc.finding.assignFinding({ organizationId, findingId: tax.findingId, assigneeUserId }, caller);
    const ids = (await list(organizationId, { isUnassigned: true })).map(({ findingId }) => findingId);
    expect(ids).toContain(duplicate.findingId);
    expect(ids).not.toContain(tax.findingId);
  });

  test('compare the amount at risk with the minimum, inclusively and in hundredths', async () => {
    const { organizationId, duplicate } = await findings();
    for (const sort of [FindingSort.NEWEST, FindingSort.AMOUNT_AT_RISK]) {
      const from = async (minAmountAtRisk: string) =>
        (await list(organizationId, { minAmountAtRisk, sort })).map(({ findingId }) => findingId);
      expect(await from('1190.00')).toEqual([duplicate.findingId]);
      expect(await from('1190.01')).toEqual([]);
    }
    await expect(list(organizationId, { minAmountAtRisk: '-1' })).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('select what was raised or changed since a time', async () => {
    const { organizationId, duplicate, tax } = await findings();
    const [latest] = await list(organizationId, { dispositions: ['CONFIRMED'] });
    const since = latest?.updatedTime ?? new Date(0);
    expect(since.getTime()).toBeGreaterThan(duplicate.updatedTime?.getTime() ?? Infinity);
    const changed = await list(organizationId, { updatedFromTime: since });
    expect(changed.map(({ findingId }) => findingId)).toEqual([duplicate.findingId]);
    expect(await list(organizationId, { updatedFromTime: new Date(since.getTime() + 1) })).toEqual([]);
    await rpc.review(organizationId, tax, 'FALSE_POSITIVE');
    const later = await list(organizationId, { updatedFromTime: new Date(since.getTime() + 1) });
    expect(later.map(({ findingId }) => findingId)).toEqual([tax.findingId]);
  });

  test('leave out the evidence on request, and nothing else', async () => {
    const { organizationId } = await findings();
    const full = await list(organizationId, {});
    expect(full.every(({ evidenceJson }) => evidenceJson.startsWith('{'))).toBe(true);
    const slim = await list(organizationId, { isWithoutEvidence: true });
    expect(slim).toEqual(full.map((finding) => ({ ...finding, evidenceJson: '' })));
  });

  test.each<[string, Partial<typeof anyFinding>]>([
    ['type', { types: ['DUPLICATE_INVOICE', 'GONE'] }],
    ['family', { families: ['GONE'] }],
    ['disposition', { dispositions: ['OPEN', 'GONE'] }],
  ])('refuse a %s that does not exist', async (path, filter) => {
    await expect(list(organization.newTenant(), filter)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path }],
    });
  });
});

describe('the filters of invoices', () => {
  test('take several values, and bounds that are inclusive', async () => {
    const organizationId = organization.newTenant();
    await rpc.post(organizationId, wireInvoice({ invoiceNumber: 'RE-2026-0118', issueDate: '2026-03-05' }));
    const blocked = await rpc.post(
      organizationId,
      wireInvoice({ invoiceNumber: 'RE-2026-0118', issueDate: '2026-03-05' }),
    );
    const row = wireInvoice({ invoiceNumber: 'S-1', issueDate: '2026-04-01', grossAmount: '7.10' });
    const request = scanRequest(organizationId, rowsOf([row]));
    await rpc.rows.analyzeRows(request, caller);
    const { scanId } = request;
    const found = async (filter: object) => {
      const { invoices } = await rpc.invoice.listInvoices({ ...anyInvoice, organizationId, ...filter }, caller);
      return invoices.map(({ invoice }) => invoice?.invoiceNumber);
    };
    expect(await found({ sources: [InvoiceSource.API, InvoiceSource.SCAN] })).toEqual([
      'S-1',
      'RE-2026-0118',
      'RE-2026-0118',
    ]);
    expect(await found({ sources: [InvoiceSource.SCAN] })).toEqual(['S-1']);
    expect(await found({ source: InvoiceSource.SCAN })).toEqual(['S-1']);
    expect(await found({ scanId })).toEqual(['S-1']);
    expect(await found({ scanId: blocked.invoiceId })).toEqual([]);
    expect(await found({ decisions: [Decision.BLOCK] })).toEqual(['RE-2026-0118']);
    expect(await found({ decisions: [Decision.BLOCK, Decision.PASS, Decision.REVIEW] })).toHaveLength(3);
    expect(await found({ statuses: [InvoiceStatus.ANALYZED] })).toHaveLength(3);
    expect(await found({ statuses: [InvoiceStatus.RECEIVED] })).toEqual([]);
    expect(await found({ minRiskScore: blocked.riskScore })).toEqual(['RE-2026-0118']);
    expect(await found({ minRiskScore: 0 })).toHaveLength(3);
    expect(await found({ issueDateFrom: '2026-04-01' })).toEqual(['S-1']);
    expect(await found({ issueDateFrom: '2026-04-02' })).toEqual([]);
    expect(await found({ issueDateTo: '2026-03-05' })).toEqual(['RE-2026-0118', 'RE-2026-0118']);
    expect(await found({ issueDateTo: '2026-03-04' })).toEqual([]);
  });

  test('refuse ERP beside other sources, a status of uploads, and a day that does not exist', async () => {
    const organizationId = organization.newTenant();
    const refused: [string, object][] = [
      ['source', { sources: [InvoiceSource.ERP, InvoiceSource.API] }],
      ['status', { statuses: [InvoiceStatus.FAILED] }],
      ['issue_from', { issueDateFrom: '2026-02-30' }],
    ];
    for (const [path, filter] of refused) {
      await expect(
        rpc.invoice.listInvoices({ ...anyInvoice, organizationId, ...filter }, caller),
      ).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] });
    }
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
