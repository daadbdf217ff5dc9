import { afterAll, beforeAll, expect, test } from 'vitest';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { AnalyzeRowsResponse } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { rateStore } from '../rates/storage/rates.js';
import type { RateDocument } from '../rates/storage/rates.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { asUser, connect, findingOf, rowsOf, scanRequest, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const DAY = '2026-03-05';
const PER_EURO = { USD: '1.1761', GBP: '0.86410', JPY: '184.37' };
const logger = createLogger({ service: 'test', level: 'silent' });
const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();

let organization: FakeOrganization;
let service: RunningService;
let rpc: Clients;
let channel: Channel;
let mongo: MongoConnection;

beforeAll(async () => {
  organization = await startFakeOrganization(logger);
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  // The service reads the rates that were published before it started.
  await rateStore(mongo.db.collection<RateDocument>('rates')).save([{ day: DAY, perEuro: PER_EURO }]);
  service = await startService(testConfig(infrastructure, databaseName, organization.address), { clock: testClock });
  rpc = connect(service.address);
  channel = openTestChannel('analysis', service.address);
});
afterAll(async () => {
  channel.close();
  rpc.close();
  await service.stop();
  await organization.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

const bill = (currency: string, grossAmount: string, changes: Partial<Invoice> = {}): Invoice =>
  wireInvoice({ issueDate: DAY, currency, grossAmount, ...changes });

function scan(
  organizationId: string,
  baseCurrency: string,
  invoices: readonly Invoice[],
): Promise<AnalyzeRowsResponse> {
  return client(RowAnalysisServiceDefinition, channel).analyzeRows(
    scanRequest(organizationId, rowsOf(invoices), baseCurrency),
    asUser('scan'),
  );
}

async function baseAmountOf(organizationId: string, invoiceId: string): Promise<string | undefined> {
  const document = await mongo.db.collection<InvoiceDocument>('invoices').findOne({ organizationId, _id: invoiceId });
  return document?.base?.amount;
}

/** Returns the relation of the two amounts in the evidence. */
function amountRelationIn({ evidenceJson }: Finding): string | undefined {
  const { comparisons }: { comparisons: { field: string; relation: string }[] } = JSON.parse(evidenceJson);
  return comparisons.find(({ field }) => field === 'amount')?.relation;
}

test('a dirham invoice and one of the same number in euros are analyzed, and worth about the same', async () => {
  const organizationId = organization.newTenant();
  const first = await rpc.post(organizationId, bill('AED', '4000.00'));
  const second = await rpc.post(organizationId, bill('EUR', '950.00'));
  const finding = findingOf(second, 'SUSPECTED_DUPLICATE');
  expect(finding.relatedInvoiceIds).toEqual([first.invoiceId]);
  expect(amountRelationIn(finding)).toBe('FX');
  expect(await baseAmountOf(organizationId, first.invoiceId)).toBe('926.091583');
});

test.each([
  ['EUR', 'GBP', '999999999999999.00', '1157273463719475.755121'],
  ['JPY', 'EUR', '7000000000000.00', '1290590000000000'],
])('in base currency %s an invoice over %s %s is worth %s, and the next one is compared with it', async (...row) => {
  const [baseCurrency, currency, amount, worth] = row;
  const organizationId = organization.newTenant(baseCurrency);
  const first = await rpc.post(organizationId, bill(currency, amount));
  const second = await rpc.post(organizationId, bill('AED', amount));
  expect(await baseAmountOf(organizationId, first.invoiceId)).toBe(worth);
  expect(second.findings.flatMap(({ relatedInvoiceIds }) => relatedInvoiceIds)).toContain(first.invoiceId);
});

test('a scan of such rows comes to an end, with a total to the last digit', async () => {
  const rows = [
    bill('GBP', '999999999999999.00'),
    bill('GBP', '999999999999999.00', { invoiceNumber: 'RE-2026-0733' }),
    bill('AED', '4000.00', { invoiceNumber: 'RE-2026-0999' }),
    bill('EUR', '950.00', { invoiceNumber: 'RE-2026-0999' }),
    bill('KWD', '12.500', { invoiceNumber: 'RE-2026-1207' }),
  ];
  expect(await scan(organization.newTenant(), 'EUR', rows)).toMatchObject({
    invoicesAnalyzed: 5,
    unconvertedInvoices: 1,
    convertedTotal: '2314546927440827.601825',
  });
});
