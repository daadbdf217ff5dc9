import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';

const databaseName = testDatabaseName();
const call = { context: systemContext('test'), timeoutMs: 60_000 };

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

let bills = 0;

/** Posts an ordinary invoice of a supplier and returns the findings. */
async function bill(organizationId: string, name: string, taxId?: string, iban?: string) {
  bills += 1;
  const bankAccount = iban === undefined ? undefined : { iban, sortCode: undefined, accountNumber: undefined };
  const invoice: Invoice = {
    supplier: { name, taxId, bankAccount },
    invoiceNumber: `Q${bills * 7919}`,
    issueDate: '2026-03-05',
    dueDate: undefined,
    currency: 'EUR',
    netAmount: undefined,
    taxAmount: undefined,
    grossAmount: `${1000 + ((bills * 37) % 50)}.17`,
    purchaseOrderRef: undefined,
    buyer: undefined,
    companyId: undefined,
  };
  const request = { organizationId, invoice, idempotencyKey: '', fingerprint: 'f' };
  const { analysis } = await rpc.invoice.analyzeInvoice(request, call);
  return { decision: analysis?.decision, types: (analysis?.findings ?? []).map(({ type }) => type) };
}

/** Creates an organization that has paid three invoices of `name`. */
async function establish(name: string, taxId?: string): Promise<string> {
  const organizationId = organization.newTenant();
  for (let count = 0; count < 3; count += 1) await bill(organizationId, name, taxId);
  const suppliers = mongo.db.collection<SupplierDocument>('suppliers');
  await eventually(async () => expect((await suppliers.findOne({ organizationId }))?.profile.count).toBe(3));
  return organizationId;
}

test('a new supplier with almost the name of an established one is found among those that are stored', async () => {
  const organizationId = await establish('Nordlicht Energie GmbH');
  const { decision, types } = await bill(organizationId, 'Nordlicht Enregie GmbH');
  expect(types).toContain('SUPPLIER_LOOKALIKE_NAME');
  expect(decision).toBe(Decision.REVIEW);
});

test('a known name under another tax id is a supplier of its own, and says so', async () => {
  const organizationId = await establish('Nordlicht Energie GmbH', 'DE136695976');
  const { types } = await bill(organizationId, 'Nordlicht Energie GmbH', 'DE811569869');
  expect(types).toContain('SUPPLIER_TAX_ID_CHANGED');
});

test('do not find suppliers of another tenant', async () => {
  await establish('Nordlicht Energie GmbH');
  const stranger = organization.newTenant();
  expect(await bill(stranger, 'Nordlicht Enregie GmbH')).toEqual({ decision: Decision.PASS, types: ['SUPPLIER_NEW'] });
});

test('an ordinary second bill of a supplier finds nothing', async () => {
  const organizationId = await establish('Nordlicht Energie GmbH');
  expect(await bill(organizationId, 'Nordlicht Energie GmbH')).toEqual({ decision: Decision.PASS, types: [] });
});

test('a supplier is known by its tax id, however many others share its account', async () => {
  const [known, iban] = [{ name: 'Zimmerei Hollerbach GmbH', taxId: 'DE136695976' }, 'DE89370400440532013000'];
  const suppliers = mongo.db.collection<SupplierDocument>('suppliers');
  const elsewhere = organization.newTenant();
  await bill(elsewhere, 'Quarzwerk Adlershof GmbH', undefined, iban);
  const model = await eventually(async () => {
    const found = await suppliers.findOne({ organizationId: elsewhere });
    if (found === null) throw new Error('not counted');
    return found;
  });
  // The bank account of a factoring company, whose key sorts before that of the tax id in the index.
  const organizationId = organization.newTenant();
  const nameKeys = Array.from({ length: 70 }, (_, index) => `QUARZWERK ${'ABCDEFGHIJ'[index % 10]}${index}`);
  await suppliers.insertMany(
    nameKeys.map((nameKey) => ({
      ...model,
      _id: randomUUID(),
      organizationId,
      nameKey,
      keys: [...model.keys.filter((key) => key.startsWith('b:')), `n:${nameKey}`],
    })),
  );
  expect((await bill(organizationId, known.name, known.taxId, iban)).types).toContain('SUPPLIER_NEW');
  await eventually(async () =>
    expect(await suppliers.findOne({ organizationId, taxKey: '136695976' })).toMatchObject({ profile: { count: 1 } }),
  );
  expect((await bill(organizationId, known.name, known.taxId, iban)).types).not.toContain('SUPPLIER_NEW');
});
