import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErpEntity, VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { ListVendorsRequest } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { startService } from '../compose.js';
import { asUser } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { erpAccount, erpBill, erpSource, erpVendor } from '../testing/erp-records.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const caller = asUser('user-1');

let running: RunningAnalysis;
let rpc: Clients;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
  ({ rpc } = running);
});
afterAll(() => running.stop());

async function namesOf(organizationId: string, changes: Partial<ListVendorsRequest> = {}): Promise<string[]> {
  const names: string[] = [];
  let pageToken = '';
  do {
    const page = await rpc.vendor.listVendors({ organizationId, pageSize: 2, pageToken, ...changes }, caller);
    expect(page.vendors.length).toBeLessThanOrEqual(2);
    names.push(...page.vendors.map(({ name }) => name));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return names;
}

function vendorId(organizationId: string, externalId: string): string {
  return uuidV5(`erp:remote-1:vendor:${externalId}`, organizationId);
}

describe('the list of vendors', () => {
  test('is by name, page by page, and ends; equal names are each in it once', async () => {
    const organizationId = running.organization.newTenant();
    const source = erpSource(organizationId);
    const names = ['Zeta', 'alpha', 'Ähre', 'Müller', 'Müller', 'Beta'];
    const vendors = names.map((name, index) => erpVendor(`v${index}`, { name }));
    await rpc.erpImport.importVendors({ source, vendors }, caller);
    expect(await namesOf(organizationId)).toEqual(['Ähre', 'alpha', 'Beta', 'Müller', 'Müller', 'Zeta']);
  });

  test('finds names by their beginning, without regard to case and accents', async () => {
    const organizationId = running.organization.newTenant();
    const source = erpSource(organizationId);
    const vendors = ['Müller Bau', 'MULLEN', 'Multi', 'Amüll'].map((name) => erpVendor(name, { name }));
    await rpc.erpImport.importVendors({ source, vendors }, caller);
    expect(await namesOf(organizationId, { namePrefix: 'mull' })).toEqual(['MULLEN', 'Müller Bau']);
    expect(await namesOf(organizationId, { namePrefix: 'MÜLLER' })).toEqual(['Müller Bau']);
    expect(await namesOf(organizationId, { namePrefix: '.*' })).toEqual([]);
  });

  test('has vendors of one company or one connection where that is asked, and none that were deleted', async () => {
    const organizationId = running.organization.newTenant();
    const first = erpSource(organizationId);
    const second = erpSource(organizationId, { companyId: 'c-other', remoteCompanyId: 'remote-2' });
    await rpc.erpImport.importVendors({ source: first, vendors: [erpVendor('a', { name: 'A' })] }, caller);
    const vendors = [erpVendor('b', { name: 'B' }), erpVendor('c', { name: 'C' })];
    await rpc.erpImport.importVendors({ source: second, vendors }, caller);
    expect(await namesOf(organizationId, { companyId: 'c-main' })).toEqual(['A']);
    expect(await namesOf(organizationId, { connectionId: second.connectionId })).toEqual(['B', 'C']);
    await rpc.erpImport.deleteRecords({ source: second, entity: ErpEntity.VENDOR, externalIds: ['b'] }, caller);
    expect(await namesOf(organizationId)).toEqual(['A', 'C']);
    expect(await namesOf(running.organization.newTenant())).toEqual([]);
  });

  test('refuses a cursor that it did not write, and a page of more than 100', async () => {
    const organizationId = running.organization.newTenant();
    for (const changes of [{ pageToken: 'nonsense' }, { pageSize: 101 }]) {
      await expect(
        rpc.vendor.listVendors({ organizationId, pageSize: 100, pageToken: '', ...changes }, caller),
      ).rejects.toMatchObject({ kind: 'invalid' });
    }
    await rpc.vendor.listVendors({ organizationId, pageSize: 100, pageToken: '' }, caller);
  });
});

describe('a vendor', () => {
  test('is shown with masked accounts, its bills, the invoices of its supplier and their open findings', async () => {
    const organizationId = running.organization.newTenant();
    const posted = await rpc.post(organizationId, wireInvoice({ netAmount: '1000.00', taxAmount: '90.00' }));
    const source = erpSource(organizationId);
    const vendor = erpVendor('v1', {
      name: 'Nordlicht Energie GmbH',
      taxId: 'DE136695976',
      hasAccounts: true,
      accounts: [erpAccount({ iban: 'DE89370400440532013000' }), erpAccount({ raw: 'XXXX6789', isMasked: true })],
      status: VendorStatus.BLOCKED,
      url: 'https://erp.example/vendors/1',
    });
    await rpc.erpImport.importVendors({ source, vendors: [vendor] }, caller);
    await rpc.erpImport.importBills({ source, bills: [erpBill('b1')] }, caller);
    const shown = await rpc.vendor.getVendor({ organizationId, vendorId: vendorId(organizationId, 'v1') }, caller);
    expect(shown.vendor).toMatchObject({
      connectionId: source.connectionId,
      companyId: 'c-main',
      externalId: 'v1',
      name: 'Nordlicht Energie GmbH',
      maskedAccounts: ['DE89**************3000', '****6789'],
      status: VendorStatus.BLOCKED,
      url: 'https://erp.example/vendors/1',
      isMaster: true,
    });
    expect(shown.invoiceIds).toEqual([uuidV5('erp:remote-1:bill:b1', organizationId), posted.invoiceId]);
    expect(posted.findings.length).toBeGreaterThan(0);
    expect(new Set(shown.openFindingIds)).toEqual(new Set(posted.findings.map(({ findingId }) => findingId)));
    expect(JSON.stringify(shown)).not.toContain('370400440532');
  });

  test('is shown with the findings about its record and its bills, and no other vendor is', async () => {
    const organizationId = running.organization.newTenant();
    const source = erpSource(organizationId);
    const [one, other] = ['v1', 'v2'].map((id) =>
      erpVendor(id, { name: 'Nordlicht Energie GmbH', taxId: 'DE136695976' }),
    );
    const third = erpVendor('v3', { name: 'Thames Paper Ltd' });
    await rpc.erpImport.importVendors(
      { source, vendors: [one, other, third].flatMap((vendor) => vendor ?? []) },
      caller,
    );
    await rpc.erpImport.importBills(
      { source, bills: ['b1', 'b2'].map((id) => erpBill(id, { documentNumber: 'RE-4711' })) },
      caller,
    );
    await rpc.erpImport.completeImport(
      { source, startedTime: new Date(), finishedTime: new Date(), hasVendorList: true },
      caller,
    );
    const typesOf = async (externalId: string): Promise<string[]> => {
      const id = vendorId(organizationId, externalId);
      const { openFindingIds } = await rpc.vendor.getVendor({ organizationId, vendorId: id }, caller);
      const found = await Promise.all(
        openFindingIds.map((findingId) => rpc.finding.getFinding({ organizationId, findingId }, caller)),
      );
      return found.flatMap(({ finding }) => finding?.type ?? []).sort();
    };
    expect(await typesOf('v1')).toEqual(['BOOKS_DUPLICATE_BILL', 'VENDOR_RECORD_DUPLICATE']);
    expect(await typesOf('v2')).toEqual(['VENDOR_RECORD_DUPLICATE']);
    expect(await typesOf('v3')).toEqual([]);
  });

  test('is no master any more when it was deleted or its connection disconnected, and remains readable', async () => {
    const organizationId = running.organization.newTenant();
    const source = erpSource(organizationId);
    const read = async (externalId: string) =>
      (await rpc.vendor.getVendor({ organizationId, vendorId: vendorId(organizationId, externalId) }, caller)).vendor;
    await rpc.erpImport.importVendors({ source, vendors: [erpVendor('v1'), erpVendor('v2')] }, caller);
    await rpc.erpImport.deleteRecords({ source, entity: ErpEntity.VENDOR, externalIds: ['v2'] }, caller);
    expect(await read('v1')).toMatchObject({ isMaster: true, deletedTime: undefined });
    expect(await read('v2')).toMatchObject({ isMaster: false, deletedTime: expect.any(Date) });
    await rpc.erpImport.endMaster({ organizationId, connectionId: source.connectionId }, caller);
    expect(await read('v1')).toMatchObject({ isMaster: false, deletedTime: undefined });
  });

  test('of another organization looks exactly like a missing one', async () => {
    const organizationId = running.organization.newTenant();
    const source = erpSource(organizationId);
    await rpc.erpImport.importVendors({ source, vendors: [erpVendor('v1')] }, caller);
    const other = running.organization.newTenant();
    const refusals = await Promise.all(
      [vendorId(organizationId, 'v1'), uuidV7()].map((id) =>
        rpc.vendor.getVendor({ organizationId: other, vendorId: id }, caller).catch((error: unknown) => error),
      ),
    );
    expect(refusals[0]).toMatchObject({ kind: 'not_found' });
    expect(refusals[0]).toEqual(refusals[1]);
  });
});
