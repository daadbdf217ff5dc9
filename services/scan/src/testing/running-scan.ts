import { usageCollection } from '@invoicecontrol/metering/usage-counter';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { Config } from '../config.js';
import type { ScanDocument } from '../storage/scans.js';
import { startFakeAnalysis } from './fake-analysis.js';
import type { FakeAnalysis } from './fake-analysis.js';
import { connect, testConfig } from './scanning.js';
import type { Clients } from './scanning.js';

/** Pause between sweeps of history scans in the tests. The clock and the leases decide which history scans are due. */
const JOB_PAUSE_MS_MAX = 250;

/** The scan service with fakes of the services that it calls, started once for each test file. */
export interface RunningScan {
  readonly scans: Clients;
  readonly organization: FakeOrganization;
  readonly analysis: FakeAnalysis;
  readonly mongo: MongoConnection;
  /** Starts another replica of the scan service, optionally with another connection to the database. */
  startReplica(mongodbUrl?: string): Promise<{ scans: Clients; stop(): Promise<void> }>;
  /** Returns the number of counted history scan rows of the organization over all months. */
  usedRows(organizationId: string): Promise<number>;
  stored(organizationId: string): Promise<ScanDocument[]>;
  /** Makes the worker of the running history scan look as if it had stopped responding. */
  lapse(organizationId: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the scan service for a test.
 * @param startService the function in compose.ts
 */
export async function startScan(
  startService: (config: Config, overrides: StartOverrides) => Promise<RunningService>,
  infrastructure: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
): Promise<RunningScan> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const analysis = await startFakeAnalysis(logger);
  const others = { organization: organization.address, analysis: analysis.address };
  const startReplica: RunningScan['startReplica'] = async (mongodbUrl) => {
    const config = testConfig({ ...infrastructure, ...(mongodbUrl && { mongodbUrl }) }, databaseName, others);
    // A replica with a separate connection to the database runs no sweep of history scans, because a replica that loses
    // its database stops faster if no sweep waits for the database.
    const overrides = mongodbUrl === undefined ? { jobPauseMsMax: JOB_PAUSE_MS_MAX } : {};
    const service = await startService(config, overrides);
    const scans = connect(service.address);
    return {
      scans,
      async stop() {
        scans.close();
        await service.stop();
      },
    };
  };
  const mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  const { scans, stop } = await startReplica();
  const documents = mongo.db.collection<ScanDocument>('scans');
  return {
    scans,
    organization,
    analysis,
    mongo,
    startReplica,
    async usedRows(organizationId) {
      const counters = await usageCollection(mongo.db).find().toArray();
      return counters.filter(({ _id }) => _id.startsWith(organizationId)).reduce((sum, { used }) => sum + used, 0);
    },
    stored: (organizationId) => documents.find({ organizationId }).toArray(),
    async lapse(organizationId) {
      // The test changes the claim id of a history scan, because a worker that is still running would otherwise renew
      // its lease.
      const lapsed = { claim: 'silent', leaseUntil: new Date(Date.now() - 1) };
      await documents.updateOne({ turn: organizationId }, { $set: lapsed });
    },
    async stop() {
      await stop();
      await analysis.stop(1_000);
      await organization.stop(1_000);
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
