import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ibanOf } from '@invoicecontrol/engine/testing/ledger';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asUser } from '../testing/clients.js';
import { xmlReading } from '../testing/fake-documents.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const bob = asUser('0192a000-0000-7000-8000-0000000000bb');
const call = {
  method: 'CALL_BACK',
  contactSource: 'CONTRACT',
  contact: '+49 40 1234567',
  note: '',
};
const { iban: first } = ibanOf('DE', '370400440532013000');
const { iban: second } = ibanOf('DE', '500105170123456789');

let running: RunningAnalysis;
beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

const list = async (organizationId: string) =>
  (await running.rpc.supplier.listSuppliers({ organizationId, pageSize: 100, pageToken: '', query: undefined }, ann))
    .suppliers;

/** Returns the one supplier of an organization, once the given number of invoices is counted. */
async function supplierOf(organizationId: string, invoices: number) {
  const supplierId = await eventually(async () => {
    const [found] = await list(organizationId);
    expect(found?.invoiceCount).toBe(invoices);
    return found?.supplierId ?? '';
  });
  const { accounts } = await running.rpc.supplier.getSupplier({ organizationId, supplierId }, ann);
  return { organizationId, supplierId, accountId: accounts.at(-1)?.accountId ?? '', accounts };
}

const changesIn = async (organizationId: string, fromDate: string, toDate: string) => {
  const changes = [];
  for (let pageToken = ''; ;) {
    const page = await running.rpc.supplier.listAccountChanges(
      { organizationId, fromDate, toDate, companyId: undefined, pageToken },
      ann,
    );
    changes.push(...page.changes);
    if (page.nextPageToken === '') return changes;
    pageToken = page.nextPageToken;
  }
};

describe('a verification', () => {
  test('is stored with a sealed contact, and opens for callers with the role ADMIN alone', async () => {
    const organizationId = running.organization.newTenant();
    await running.rpc.post(organizationId, wireInvoice({ iban: first }));
    const { accounts: _, ...account } = await supplierOf(organizationId, 1);
    const created = await running.rpc.supplier.createVerification({ ...account, ...call }, ann);
    expect(created.verification).toMatchObject({
      contact: call.contact,
      verifiedBy: 'USER:0192a000-0000-7000-8000-0000000000aa',
    });
    const documents = await running.mongo.db.collection('account_verifications').find({ organizationId }).toArray();
    expect(documents).toHaveLength(1);
    expect(JSON.stringify(documents)).not.toContain('1234567');
    const { verificationId = '' } = created.verification ?? {};
    const confirm = { ...account, verificationId };
    await expect(running.rpc.supplier.confirmVerification(confirm, ann)).rejects.toMatchObject({ kind: 'wrong_state' });
    const byAnalyst = callWithGrant(bob, organizationId, { role: 'ANALYST' });
    const { verification } = await running.rpc.supplier.confirmVerification(confirm, byAnalyst);
    expect(verification?.contact).toBeUndefined();
    const contactsFor = async (role: string) => {
      const read = callWithGrant(bob, organizationId, { role });
      const { accounts: shown } = await running.rpc.supplier.getSupplier(
        { organizationId, supplierId: account.supplierId },
        read,
      );
      return shown.flatMap(({ verifications }) => verifications.map(({ contact }) => contact));
    };
    expect(await contactsFor('VIEWER')).toEqual([undefined]);
    expect(await contactsFor('ADMIN')).toEqual([call.contact]);
    expect(verification?.confirmedBy).toBe('USER:0192a000-0000-7000-8000-0000000000bb');
  });

  test('is refused for a contact that a document of the supplier carries', async () => {
    const organizationId = running.organization.newTenant();
    const uploadId = running.documents.upload(organizationId, { reading: xmlReading() });
    running.documents.carry(uploadId, call.contact);
    await running.rpc.upload.analyzeUpload(
      {
        organizationId,
        uploadId,
        companyId: undefined,
        purchaseOrderRef: undefined,
        analysesPerMonthLimit: undefined,
        respondAsync: false,
        waitSeconds: undefined,
      },
      ann,
    );
    const { accounts: _, ...account } = await supplierOf(organizationId, 1);
    const verify = (contact: string) => running.rpc.supplier.createVerification({ ...account, ...call, contact }, ann);
    await expect(verify(call.contact)).rejects.toMatchObject({
      kind: 'invalid',
      publicMessage: expect.stringContaining(
        'A contact that was taken from the invoice itself does not prove that the bank account belongs to the supplier. Use a phone number or address from the vendor master, a contract or a public register.',
      ),
    });
    expect((await verify('+49 40 7654321')).verification).toBeDefined();
  });
});

describe('the list of account changes', () => {
  test('has an account on the day of its receipt, whatever date the bill states', async () => {
    const organizationId = running.organization.newTenant();
    await running.rpc.post(organizationId, wireInvoice({ iban: first }));
    await running.rpc.post(
      organizationId,
      wireInvoice({ iban: second, issueDate: '2019-01-05', invoiceNumber: 'RE-2019-7', grossAmount: '77.10' }),
    );
    const { accounts } = await supplierOf(organizationId, 2);
    expect(accounts).toHaveLength(2);
    // The clock of the tests starts in November 2026.
    const changes = await changesIn(organizationId, '2026-11-01', '2026-11-30');
    expect(changes).toHaveLength(2);
    expect(changes.map(({ firstInvoiceNumber }) => firstInvoiceNumber)).toContain('RE-2019-7');
    expect(await changesIn(organizationId, '2019-01-01', '2019-12-31')).toEqual([]);
  });

  test('has every supplier once, page by page, and those that were verified in the period', async () => {
    const organizationId = running.organization.newTenant();
    await running.rpc.post(organizationId, wireInvoice({ iban: first }));
    const { accounts: _, ...account } = await supplierOf(organizationId, 1);
    const suppliers = running.mongo.db.collection<{ _id: string }>('suppliers');
    const { _id: _model, ...model } = (await suppliers.findOne({ organizationId } as never)) ?? { _id: '' };
    const copies = Array.from({ length: 250 }, (_one, index) => ({
      ...model,
      _id: `01a0f3c2-7b1e-7c40-9d5f-${String(index).padStart(12, '0')}`,
    }));
    await suppliers.insertMany(copies);
    const changes = await changesIn(organizationId, '2026-11-01', '2026-11-30');
    expect(new Set(changes.map(({ supplierId }) => supplierId)).size).toBe(251);
    expect(changes).toHaveLength(251);
    expect(await changesIn(organizationId, '2027-01-01', '2027-01-31')).toEqual([]);
    await running.rpc.supplier.createVerification({ ...account, ...call }, ann);
    const [verified] = (await changesIn(organizationId, '2026-11-01', '2026-11-30')).filter(
      ({ verifications }) => verifications.length > 0,
    );
    expect(verified).toMatchObject({ supplierId: account.supplierId, companyId: 'c-main' });
  });
});
