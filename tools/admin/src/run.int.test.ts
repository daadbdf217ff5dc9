import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { configSchema } from '@invoicecontrol/organization/config';
import { startService } from '@invoicecontrol/organization/service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { run } from './run.js';

const { mongodbUrl, natsUrl } = testInfrastructure();
const databaseName = testDatabaseName();
const operatorToken = 'operator-token-of-the-integration-tests';
const caller = { context: systemContext('test') };
let service: RunningService;
let channel: Channel;
let dataDir: string;

beforeAll(async () => {
  service = await startService(
    configSchema.parse({
      GRPC_PORT: '0',
      MONGODB_URL: mongodbUrl,
      NATS_URL: natsUrl,
      DATABASE_NAME: databaseName,
      OPERATOR_TOKEN: operatorToken,
      API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
      LOG_LEVEL: 'silent',
    }),
  );
  channel = openChannel(service.address);
  dataDir = await mkdtemp(join(tmpdir(), 'admin-'));
  await writeFile(
    join(dataDir, 'dev.json'),
    JSON.stringify({ addresses: { organization: service.address }, operatorToken }),
  );
});
afterAll(async () => {
  channel.close();
  await service.stop();
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
    expect(stdout).toMatch(/The organization is created\.\n\n {2}Organization .*\n.*\n.*ick_live_/);
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

describe('a failure', () => {
  const unknown = ['restore-organization', '--organization', '01890000-0000-7000-8000-000000000000'];

  test('prints one sentence on standard error and ends with exit code 1', async () => {
    expect(await admin(unknown)).toEqual({ exitCode: 1, stdout: '', stderr: 'No such organization.\n' });
  });

  test('by a wrong token names the token', async () => {
    const refused = await admin(unknown, { DATA_DIR: dataDir, OPERATOR_TOKEN: 'wrong' });
    expect(refused).toMatchObject({ exitCode: 1, stderr: "The operator's token is missing or wrong.\n" });
  });

  test('to connect names the address', async () => {
    const { exitCode, stderr } = await admin([...unknown, '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('Nothing answers at 127.0.0.1:1. Is the system running?\n');
  });

  test('to find a running system names the options to point to one', async () => {
    const { exitCode, stderr } = await admin(unknown, { DATA_DIR: join(dataDir, 'nowhere') });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/npm start, or name one with --address or ORGANIZATION_ADDRESS/);
  });
});
