import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configSchema as analysisConfig } from '@invoicecontrol/analysis/config';
import { startService as startAnalysis } from '@invoicecontrol/analysis/service';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { configSchema as organizationConfig } from '@invoicecontrol/organization/config';
import { startService as startOrganization } from '@invoicecontrol/organization/service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { run } from './run.js';

const LATELY_MS = 14 * 24 * 3_600_000;

const { mongodbUrl, natsUrl } = testInfrastructure();
const databaseNames = { organization: testDatabaseName(), analysis: testDatabaseName() };
const caller = { context: systemContext('test') };
const common = {
  GRPC_PORT: '0',
  HEALTH_PORT: '0',
  MONGODB_URL: mongodbUrl,
  NATS_URL: natsUrl,
  LOG_LEVEL: 'silent',
};
let organization: RunningService;
let analysis: RunningService;
let channel: Channel;
let dataDir: string;

beforeAll(async () => {
  organization = await startOrganization(
    organizationConfig.parse({
      ...common,
      TLS_DIR: testIdentityDirectory('organization'),
      DATABASE_NAME: databaseNames.organization,
      // No server listens at this address, which the service calls when an organization is deleted.
      BILLING_ADDRESS: '127.0.0.1:1',
      API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
    }),
  );
  analysis = await startAnalysis(
    analysisConfig.parse({
      ...common,
      TLS_DIR: testIdentityDirectory('analysis'),
      DATABASE_NAME: databaseNames.analysis,
      ORGANIZATION_ADDRESS: organization.address,
      DOCUMENTS_ADDRESS: organization.address,
      SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    }),
  );
  channel = openTestChannel('analysis', analysis.address);
  dataDir = await mkdtemp(join(tmpdir(), 'admin-'));
  const addresses = { organization: organization.address, analysis: analysis.address };
  await writeFile(
    join(dataDir, 'dev.json'),
    JSON.stringify({ addresses, operatorIdentity: testIdentityDirectory('operator') }),
  );
});
afterAll(async () => {
  channel.close();
  await analysis.stop();
  await organization.stop();
  for (const databaseName of Object.values(databaseNames)) {
    const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
    await mongo.db.dropDatabase();
    await mongo.close();
  }
  await rm(dataDir, { recursive: true });
});

async function admin(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(args, {
    env: { DATA_DIR: dataDir },
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  });
  return { exitCode, stdout, stderr };
}

/** Creates an organization with two equal invoices, the second of which is blocked. */
async function organizationWithDuplicates(): Promise<{ organizationId: string; blockedId: string }> {
  const { stdout } = await admin(
    'create-organization',
    '--name',
    'Acme',
    '--owner-email',
    'owner@acme.example',
    '--json',
  );
  const { organizationId = '' } = JSON.parse(stdout) as { organizationId?: string };
  // The issue date is recent, because an old invoice would raise another finding.
  const invoice = wireInvoice({ issueDate: new Date(Date.now() - LATELY_MS).toISOString().slice(0, 10) });
  const request = { organizationId, invoice, idempotencyKey: '', fingerprint: 'f' };
  const invoices = client(InvoiceServiceDefinition, channel);
  await invoices.analyzeInvoice(request, caller);
  const { analysis: blocked } = await invoices.analyzeInvoice(request, caller);
  return { organizationId, blockedId: blocked?.invoiceId ?? '' };
}

test('replay-analyses with --json prints only how many analyses gave the same bytes', async () => {
  const { organizationId } = await organizationWithDuplicates();
  const replay = (...sample: string[]) =>
    admin('replay-analyses', '--organization', organizationId, ...sample, '--json');
  const all = { replayed: 2, identical: 2, different: [], earlierEngines: [] };
  expect(await replay('--all')).toEqual({ exitCode: 0, stdout: `${JSON.stringify(all)}\n`, stderr: '' });
  expect(JSON.parse((await replay('--sample', '1')).stdout)).toEqual({
    replayed: 1,
    identical: 1,
    different: [],
    earlierEngines: [],
  });
});

test('dry-run-policy lists the invoices that another policy would decide differently', async () => {
  const { organizationId, blockedId } = await organizationWithDuplicates();
  const { policyJson } = await client(PolicyServiceDefinition, channel).getCurrentPolicy({ organizationId }, caller);
  const policy = JSON.parse(policyJson) as { thresholds: object };
  const file = join(dataDir, 'policy.json');
  const lenient = { ...policy, hardBlocks: [], thresholds: { ...policy.thresholds, blockScore: 100 } };
  await writeFile(file, JSON.stringify(lenient));
  const dryRun = (path: string) =>
    admin('dry-run-policy', '--organization', organizationId, '--policy', path, '--all', '--json');
  const { exitCode, stdout } = await dryRun(file);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    replayed: 2,
    changed: [{ invoiceId: blockedId, from: 'BLOCK', to: 'REVIEW' }],
  });
  expect(await dryRun(join(dataDir, 'nowhere.json'))).toMatchObject({ exitCode: 2, stdout: '' });
  await writeFile(file, '{}');
  expect(await dryRun(file)).toMatchObject({ exitCode: 1, stderr: 'policy_json.id: is missing.\n' });
});
