import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { Config } from '../config.js';
import { startFakeDocuments } from './fake-documents.js';
import type { FakeDocuments } from './fake-documents.js';
import { connect, testClock, testConfig } from './clients.js';
import type { Clients } from './clients.js';

/** The analysis service with fakes of the services that it calls, started once for each test file. */
export interface RunningAnalysis {
  readonly address: string;
  readonly organization: FakeOrganization;
  readonly documents: FakeDocuments;
  readonly rpc: Clients;
  readonly mongo: MongoConnection;
  /** Stops the analysis service of the test and its fakes and drops the database. */
  stop(): Promise<void>;
}

/**
 * Starts the analysis service for a test.
 * @param startService the function in compose.ts
 * @param env settings in addition to those that every test needs
 */
export async function startAnalysis(
  startService: (config: Config, overrides: StartOverrides) => Promise<RunningService>,
  infrastructure: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  { env = {}, ...overrides }: StartOverrides & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningAnalysis> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const documents = await startFakeDocuments(logger);
  const config = testConfig(infrastructure, databaseName, organization.address, {
    DOCUMENTS_ADDRESS: documents.address,
    ...env,
  });
  const service = await startService(config, { clock: testClock, ...overrides });
  const rpc = connect(service.address);
  const mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  return {
    address: service.address,
    organization,
    documents,
    rpc,
    mongo,
    async stop() {
      rpc.close();
      await service.stop();
      await organization.stop(1_000);
      await documents.stop(1_000);
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
