import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type { ScanRow } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startOrganizationCounterpart } from '@invoicecontrol/tenants/organization-counterpart';
import type { OrganizationCounterpart } from '@invoicecontrol/tenants/organization-counterpart';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from './compose.js';
import { startAnalysisCounterpart } from './testing/analysis-counterpart.js';
import type { AnalysisCounterpart } from './testing/analysis-counterpart.js';
import { connect, rowsWithIds, testConfig, wireRow } from './testing/scanning.js';
import type { Clients } from './testing/scanning.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();

let organization: OrganizationCounterpart;
let analysis: AnalysisCounterpart;
let service: RunningService;
let scans: Clients;
let mongo: MongoConnection;

beforeAll(async () => {
  organization = await startOrganizationCounterpart(logger);
  analysis = await startAnalysisCounterpart(logger);
  const others = { organization: organization.address, analysis: analysis.address };
  service = await startService(testConfig(infrastructure, databaseName, others));
  scans = connect(service.address);
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
});
afterAll(async () => {
  scans.close();
  await service.stop();
  await analysis.stop(1_000);
  await organization.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

describe('a scan', () => {
  test('is analyzed as a whole and can be read back as it was answered', async () => {
    const organizationId = organization.newTenant();
    const { scan, replayed } = await scans.create(organizationId, [
      wireRow({ sourceRowNumber: 7 }),
      wireRow({ grossAmount: '-2.50', sourceRowNumber: 7 }),
    ]);
    expect(replayed).toBe(false);
    expect(scan).toEqual({
      scanId: expect.any(String),
      companyId: 'c-main',
      invoicesAnalyzed: 2,
      rowsSkipped: 0,
      skippedRows: [],
      analyzedValue: '7.50',
      analyzedValueCurrency: 'EUR',
      unconvertedInvoices: 0,
      decisionCounts: { PASS: 2, REVIEW: 0, BLOCK: 0 },
      findingCounts: {},
      createdTime: expect.any(Date),
    });
    expect(await scans.get(organizationId, scan?.scanId ?? '')).toEqual(scan);
  });
});

export type { ScanRow };
void SkipReason;
void rowsWithIds;
