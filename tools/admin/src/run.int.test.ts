import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerNames } from '@invoicecontrol/contracts/callers';
import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { notFound } from '@invoicecontrol/errors';
import { configSchema } from '@invoicecontrol/organization/config';
import { startService } from '@invoicecontrol/organization/service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel, testIdentity, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { run } from './run.js';

const { mongodbUrl, natsUrl } = testInfrastructure();
const databaseName = testDatabaseName();
const caller = { context: systemContext('test') };
let billing: GrpcServer;
let service: RunningService;
let channel: Channel;
let dataDir: string;

beforeAll(async () => {
  const refuse = (): Promise<never> => Promise.reject(notFound('subscription'));
  billing = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('billing'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      bind(SubscriptionServiceDefinition, {
        checkDeletion: async () => ({ hasSubscription: false, isKnown: true }),
        registerOrganization: async () => ({}),
        getSubscription: refuse,
        createPortalSession: refuse,
      }),
    ],
  });
  service = await startService(
    configSchema.parse({
      GRPC_PORT: '0',
      HEALTH_PORT: '0',
      TLS_DIR: testIdentityDirectory('organization'),
      MONGODB_URL: mongodbUrl,
      NATS_URL: natsUrl,
      DATABASE_NAME: databaseName,
      BILLING_ADDRESS: billing.address,
      API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
      LOG_LEVEL: 'silent',
    }),
  );
  channel = openTestChannel('organization', service.address);
  dataDir = await mkdtemp(join(tmpdir(), 'admin-'));
  await writeFile(
    join(dataDir, 'dev.json'),
    JSON.stringify({
      addresses: { organization: service.address },
      operatorIdentity: testIdentityDirectory('operator'),
    }),
  );
});
afterAll(async () => {
  channel.close();
  await service.stop();
  await billing.stop(1_000);
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  await mongo.db.dropDatabase();
  await mongo.close();
  await rm(dataDir, { recursive: true });
});

async function admin(args: readonly string[], env: NodeJS.ProcessEnv = { DATA_DIR: dataDir }) {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(args, {
    env,
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  });
  return { exitCode, stdout, stderr };
}

async function json(...args: string[]): Promise<Record<string, string>> {
  const { exitCode, stdout, stderr } = await admin([...args, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.endsWith('}\n')).toBe(true);
  return JSON.parse(stdout) as Record<string, string>;
}

const principalOf = async (key: string) =>
  (await client(AccessServiceDefinition, channel).authenticateKey({ key }, caller)).principal;
const create = (...others: string[]) =>
  json('create-organization', '--name', 'Acme', '--owner-email', 'owner@acme.example', ...others);

describe('create-organization', () => {
  test('with --json prints exactly the two ids and the key, and the key works', async () => {
    const created = await create('--plan', 'SCALE', '--base-currency', 'PLN');
    expect(Object.keys(created)).toEqual(['organizationId', 'companyId', 'ownerKey']);
    const { organizationId = '', ownerKey = '' } = created;
    expect(await principalOf(ownerKey)).toMatchObject({ organizationId, role: 'OWNER', plan: 'SCALE' });
    const { organization } = await client(OrganizationServiceDefinition, channel).getOrganization(
      { organizationId },
      caller,
    );
    expect(organization?.baseCurrency).toBe('PLN');
  });

  test('without --json prints the same as text, without colours outside a terminal', async () => {
    const { exitCode, stdout } = await admin([
      'create-organization',
      '--name',
      'Acme',
      '--owner-email',
      'a@acme.example',
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/The organization was created\.\n\n {2}Organization .*\n.*\n.*ick_live_/);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('the other commands', () => {
  test('create keys and members, set plans, and restore', async () => {
    const { organizationId = '', ownerKey = '' } = await create();
    const of = ['--organization', organizationId];
    const { key = '' } = await json('create-key', ...of, '--role', 'ANALYST', '--scopes', 'invoices:read,scans:write');
    expect(await principalOf(key)).toMatchObject({ role: 'ANALYST', scopes: ['invoices:read', 'scans:write'] });
    const { userId } = await json('create-member', ...of, '--email', 'ann@acme.example', '--role', 'ADMIN');
    expect(userId).toMatch(/^[0-9a-f-]{36}$/);
    await json('set-plan', ...of, '--plan', 'CONTROL', '--subscription-status', 'active');
    await json('set-plan', ...of, '--additional-legal-entities', '4');
    expect(await principalOf(key)).toMatchObject({
      plan: 'CONTROL',
      hasActiveSubscription: true,
      limits: { companies: 5 },
    });
    expect(await json('restore-organization', ...of)).toEqual({ organizationId, ownerKey: null });
    await json('set-plan', ...of, '--subscription-status', 'canceled');
    const organizations = client(OrganizationServiceDefinition, channel);
    await organizations.deleteOrganization({ organizationId, confirmName: 'Acme' }, caller);
    const restored = await json('restore-organization', ...of);
    expect(await principalOf(restored['ownerKey'] ?? '')).toMatchObject({ organizationId });
    await expect(principalOf(ownerKey)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});

describe('organizations', () => {
  test('are listed newest first and page by page, deleted ones included, with their members', async () => {
    const deleted = await create('--plan', 'SCALE');
    const { organizationId } = await create();
    const organizations = client(OrganizationServiceDefinition, channel);
    await organizations.deleteOrganization(
      { organizationId: deleted['organizationId'] ?? '', confirmName: 'Acme' },
      caller,
    );
    await json(
      'create-member',
      '--organization',
      organizationId ?? '',
      '--email',
      'ann@acme.example',
      '--role',
      'VIEWER',
    );
    const page = async (...options: string[]) =>
      (await json('organizations', ...options)) as unknown as { items: object[]; nextCursor: string | null };
    const first = await page('--limit', '1');
    expect(first.items).toMatchObject([
      { organizationId, name: 'Acme', plan: 'ENTERPRISE', state: 'ACTIVE', members: 2 },
    ]);
    const second = await page('--limit', '1', '--after', first.nextCursor ?? '');
    expect(second.items).toMatchObject([{ plan: 'SCALE', state: 'DELETED', members: 1, companies: 1 }]);
    const { stdout } = await admin(['organizations', '--limit', '2']);
    expect(stdout).toMatch(/^Found 2 organizations, newest first\.\n\nID +NAME +PLAN/);
    expect(await admin(['organizations', '--limit', '101'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

const nobody = '127.0.0.1:1';
/** Only the organization service runs in this test. */
const othersAway = {
  ANALYSIS_ADDRESS: nobody,
  DOCUMENTS_ADDRESS: nobody,
  SCAN_ADDRESS: nobody,
  WEBHOOKS_ADDRESS: nobody,
  BILLING_ADDRESS: nobody,
  ERP_SYNC_ADDRESS: nobody,
  KSEF_ADDRESS: nobody,
};

describe('dead letters', () => {
  const only = ['--service', 'organization'];
  const assigned = (id: string, payload: object) => ({
    _id: `${databaseName}__finding_assigned:${id}`,
    subject: 'invoicecontrol.analysis.v1.finding_assigned',
    payload: JSON.stringify(payload),
    error: 'first',
    at: new Date(0),
  });
  const bury = async (...letters: ReturnType<typeof assigned>[]) => {
    const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
    await mongo.db.collection<{ _id: string }>('dead_letters').deleteMany({});
    await mongo.db.collection<ReturnType<typeof assigned>>('dead_letters').insertMany(letters);
    await mongo.close();
  };

  test('are listed, shown with masked secrets, and gone when they were handled', async () => {
    const letter = assigned('evt_a', {
      organizationId: 'o1',
      findingId: 'f1',
      summary: 'with whsec_0123',
      ip: '192.0.2.1',
    });
    await bury(letter);
    const listed = await admin(['dead-letters', 'list', ...only]);
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^1 dead letter\.[^]*SERVICE +ID +SINCE[^]*organization +test_\w+:evt_a .* first\n/);
    const shown = await json('dead-letters', 'show', letter._id, ...only);
    expect(shown).toMatchObject({ service: 'organization', event: { summary: 'with whsec_[masked]', ip: '[masked]' } });
    // The event assigns the finding to no user, so the service notifies nobody.
    const sent = await json('dead-letters', 'resend', letter._id, ...only, '--reason', 'corrected');
    expect(sent).toMatchObject({ handled: 1, failed: 0 });
    expect((await admin(['dead-letters', 'list', ...only])).stdout).toBe('There are no dead letters.\n');
    const again = await admin(['dead-letters', 'resend', letter._id, ...only]);
    expect(again).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('It was handled before') });
    expect(await admin(['dead-letters', 'show', letter._id, ...only])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('are all sent again, each once; those that fail again stay with their count, and the exit code says so', async () => {
    const good = Array.from({ length: 23 }, (_, index) =>
      assigned(`evt_${String(index).padStart(2, '0')}`, { organizationId: 'o1', findingId: 'f1' }),
    );
    await bury(...good, { ...assigned('evt_05x', {}), payload: '{' });
    const { exitCode, stdout, stderr } = await admin(['dead-letters', 'resend', '--all', ...only, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ handled: 23, failed: 1 });
    expect(stderr).toMatch(/^1 dead letter failed again and will stay stored/);
    const { items } = (await json('dead-letters', 'list', ...only)) as unknown as { items: object[] };
    expect(items).toMatchObject([{ resends: 1 }]);
  });

  test('of a service that is not there are missing, and the command says so and fails', async () => {
    await bury(assigned('evt_b', {}));
    const env = { DATA_DIR: dataDir, ...othersAway };
    const { exitCode, stdout, stderr } = await admin(['dead-letters', 'list'], env);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(':evt_b');
    expect(stderr).toBe(
      'analysis: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'documents: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'scan: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'webhooks: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'billing: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'erp-sync: Nothing responds at 127.0.0.1:1. Is the system running?\n' +
        'ksef: Nothing responds at 127.0.0.1:1. Is the system running?\n',
    );
  });
});

describe('services that do not answer', () => {
  test.each([[['stuck']], [['dead-letters', 'list']]])(
    'are never taken for services without work: %j',
    async (words) => {
      const some = { DATA_DIR: dataDir, ...othersAway };
      const { exitCode, stdout } = await admin(words, some);
      expect(exitCode).toBe(1);
      expect(stdout).not.toMatch(/^(Nothing is stuck|There are no dead letters)\.$/m);
      const none = await admin([...words, '--json'], { ...some, ORGANIZATION_ADDRESS: nobody });
      expect(none).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(/^organization: .*\nanalysis: /),
      });
    },
  );
});

describe('a failure', () => {
  const unknown = ['restore-organization', '--organization', '01890000-0000-7000-8000-000000000000'];

  test('prints one sentence on standard error and ends with exit code 1', async () => {
    expect(await admin(unknown)).toEqual({ exitCode: 1, stdout: '', stderr: 'No such organization.\n' });
  });

  test.each(callerNames.filter((name) => name !== 'operator'))(
    'with the certificate of %s names the caller and the rpc',
    async (name) => {
      const refused = await admin([...unknown, '--identity', testIdentityDirectory(name)]);
      expect(refused).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `The service ${name} may not call invoicecontrol.organization.v1.OperatorService/UndeleteOrganization.\n`,
      });
    },
  );

  test('to connect names the address', async () => {
    const { exitCode, stderr } = await admin([...unknown, '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('Nothing responds at 127.0.0.1:1. Is the system running?\n');
  });

  test('to find a running system names the options to point to one', async () => {
    const { exitCode, stderr } = await admin(unknown, { DATA_DIR: join(dataDir, 'nowhere') });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/npm start, or name one with --address or ORGANIZATION_ADDRESS/);
  });
});
