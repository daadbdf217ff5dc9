import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import type { Clients } from '../testing/clients.js';
import { storedHistory } from '../testing/stored-history.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const databaseName = testDatabaseName();
/** Number of invoices, so that one supplier exceeds the number of units that its records keep. */
const INVOICES = 72;
/** Facts about the organization that the fake organization service returns. */
const tenantFacts: TenantFacts = {
  baseCurrency: 'EUR',
  plan: 'SCALE',
  hasActiveSubscription: true,
  name: 'Workspace',
  erpConnectionsLimit: 10,
  referenceValidationMode: 'DECLARED_PROFILES',
  fourEyes: false,
  defaultCompanyId: 'c-main',
  companies: [
    { companyId: 'c-main', name: 'Main' },
    { companyId: SECOND_COMPANY_ID, name: 'Poland', taxId: 'PL5260250995' },
  ],
};

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

test('a history made in memory is what posting the same invoices leaves in the database', async () => {
  const organizationId = organization.newTenant();
  for (let index = 0; index < INVOICES; index++) {
    const isCopy = index % 10 === 9;
    const number = isCopy ? index - 5 : index;
    await rpc.post(
      organizationId,
      wireInvoice({
        invoiceNumber: `RE-2026-${String(number * 17).padStart(4, '0')}`,
        grossAmount: `${900 + ((number * 37) % 80)}.19`,
        issueDate: `2026-${String(1 + Math.floor(number / 20)).padStart(2, '0')}-${String(1 + (number % 20)).padStart(2, '0')}`,
        purchaseOrderRef: `PO-${4_500_000 + Math.floor(number / 2)}`,
        iban: number % 25 === 24 ? 'DE02120300000000202051' : 'DE89370400440532013000',
        ...(number % 7 === 3
          ? { supplier: { name: 'Nordlicht Enregie GmbH', taxId: undefined, bankAccount: undefined } }
          : {}),
      }),
    );
  }
  const invoices = mongo.db.collection<InvoiceDocument>('invoices');
  await eventually(async () =>
    expect(await invoices.countDocuments({ $or: [{ pending: true }, { outboxPending: true }] })).toBe(0),
  );

  const posted = await invoices.find({ organizationId }).sort({ createdAt: 1, _id: 1 }).toArray();
  expect(posted).toHaveLength(INVOICES);
  const history = storedHistory(organizationId, tenantFacts);
  const made = posted.map(({ _id: invoiceId, invoice, createdAt: receivedAt }) =>
    history.post(invoice, receivedAt, invoiceId),
  );
  const { suppliers, links } = history.counts();
  const stored = (name: string) => mongo.db.collection(name).find({ organizationId }).toArray();
  expect(comparable(made.map(({ invoice }) => invoice))).toEqual(comparable(posted));
  expect(await stored('analyses')).toEqual([]);
  expect(comparable(made.flatMap(({ findings }) => findings))).toEqual(comparable(await stored('findings')));
  expect(made.some(({ findings }) => findings.length > 0)).toBe(true);
  expect(comparable(suppliers)).toEqual(comparable(await stored('suppliers')));
  expect(comparable(links)).toEqual(comparable(await stored('links')));
});

/**
 * Removes decision and publication times, the event ids derived from them, and the request that caused an event, and
 * sorts by id.
 */
function comparable(documents: readonly object[]): unknown {
  const texts = documents.map((document) =>
    JSON.stringify(document, (key, value: unknown) =>
      ['createdAt', 'storedAt', 'lastEventAt', 'at', 'cause'].includes(key) ? undefined : withoutMoment(key, value),
    ),
  );
  return texts
    .map((text) => JSON.parse(text) as { _id: string })
    .toSorted((left, right) => (left._id < right._id ? -1 : 1));
}

function withoutMoment(key: string, value: unknown): unknown {
  if (key === 'payload') return String(value).replaceAll(/"event(?:Time|Id)":"[^"]*",?/g, '');
  return key === 'id' && String(value).startsWith('evt_') ? 'evt' : value;
}
