import { execFile } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { addressVariable } from '@invoicecontrol/runtime/config';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { developmentSettings } from '@invoicecontrol/topology/start';
import { render } from '../contract/kubernetes-objects.js';
import { workloads } from '../contract/kubernetes-pods.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { addresses, identities, databasePrefix } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;
const HOUR_MS = 3_600_000;
/** The container of the operator in production; undefined where there is no kubectl. */
const [production] = (await render(['overlays/production'])) ?? [];
const operatorPod = workloads(production?.objects ?? []).find(({ metadata }) => metadata.name === 'operator')?.spec
  .template.spec.containers[0];

let running: RunningSystem;
let scanDatabase: MongoConnection;
let organizationDatabase: MongoConnection;
const connect = (service: string): Promise<MongoConnection> =>
  connectMongo({ url: testInfrastructure().mongodbUrl, databaseName: `${databasePrefix}${service}`, appName: 'test' });
beforeAll(async () => {
  running = await useSharedSystem();
  [scanDatabase, organizationDatabase] = await Promise.all([connect('scan'), connect('organization')]);
});
afterAll(async () => {
  await Promise.all([scanDatabase.close(), organizationDatabase.close(), running.stop()]);
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as an operator does: in its own process, against the running system. */
function admin(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const found = Object.entries(addresses).map(([name, address]) => [addressVariable(name), address]);
  const environment = {
    PATH: process.env['PATH'],
    USER: 'ann',
    TLS_DIR: join(identities, 'operator'),
    ...Object.fromEntries(found),
  };
  return runAdmin(args, { env: { ...environment, ...env } });
}

function runAdmin(args: readonly string[], { env }: { readonly env: NodeJS.ProcessEnv }): Promise<Ended> {
  return new Promise((resolve) => {
    const program = join(root, 'tools/admin/dist/admin.js');
    execFile(process.execPath, [program, ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function adminJson<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await admin([...args, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface Stuck {
  readonly items: readonly { readonly what: string; readonly why: string; readonly resolution: string }[];
}

/** Stores a history scan with damaged rows, as a bug could leave it. No attempt can ever complete such a scan. */
async function poisonedScan(tenant: Tenant): Promise<string> {
  const { organizationId, companyId } = tenant;
  const [_id, createdAt, rows] = [randomUUID(), new Date(Date.now() - HOUR_MS), 2];
  const month = createdAt.toISOString().slice(0, 7);
  const packedRows = Buffer.from('no rows');
  const scan = { _id, organizationId, companyId, version: 1, status: 'RUNNING', baseCurrency: 'EUR', createdAt };
  await scanDatabase.db
    .collection<{ _id: string; used: number; moves: number }>('usage')
    .insertOne({ _id: `${organizationId}:${month}:scan_rows`, used: rows, moves: 1 });
  await scanDatabase.db
    .collection<typeof scan & object>('scans')
    .insertOne({ ...scan, turn: organizationId, packedRows, usage: { month, rows }, leaseUntil: new Date(0) } as never);
  return _id;
}

test('the operator finds a scan that can never complete, abandons it with the printed command, and all its quota units are released', async () => {
  const tenant = await running.newTenant('SCALE');
  const key = tenant.keys.owner;
  const scanId = await poisonedScan(tenant);
  const stuck = async () =>
    (await adminJson<Stuck>('stuck', '--older-than', '10m', '--service', 'scan')).items.filter(({ what }) =>
      what.includes(scanId),
    );
  await eventually(async () => {
    expect(await stuck()).toMatchObject([{ why: expect.stringMatching(/failed with an internal error: .*header/) }]);
  });

  const [item] = await stuck();
  const command = [...(item?.resolution ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  expect(command.slice(0, 4)).toEqual(['npm', 'run', 'admin', '--']);
  const done = await admin(command.slice(4));
  expect(done).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('The scan was abandoned.') });
  expect(await admin(command.slice(4))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('already abandoned'),
  });
  expect(await stuck()).toEqual([]);

  const usage = await running.request<{ items: { meter: string; used: number }[] }>(
    'GET /organizations/current/usage',
    { key },
  );
  expect(usage.body.items).toContainEqual(expect.objectContaining({ meter: 'scan_rows', used: 0 }));
  await eventually(async () => {
    const trail = await running.request<{ items: object[] }>('GET /audit-events', { key });
    expect(trail.body.items).toContainEqual(
      expect.objectContaining({
        action: 'scan.abandoned',
        target: `scan:${scanId}`,
        actor: { type: 'OPERATOR', id: 'ann', name: null },
      }),
    );
  });
  expect((await running.request(`GET /scans/${scanId}`, { key })).status).toBe(404);
});

test('the operator finds a subscription without a checkout reference, is shown who pays, and links it', async () => {
  const { organizationId, keys } = await running.newTenant('FREE');
  // The billing service learns of the organization from its first checkout or from an event.
  await running.request('POST /billing/checkout', { key: keys.admin });
  const settings = developmentSettings('billing');
  const subscriptionId = `sub_${randomUUID().replaceAll('-', '')}`;
  const bytes = JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: 'subscription.created',
    occurred_at: new Date().toISOString(),
    data: {
      id: subscriptionId,
      status: 'active',
      customer_id: 'ctm_unknown',
      items: [{ price: { id: settings['PADDLE_PRICE_SCALE_MONTH'] }, quantity: 1 }],
      custom_data: { organization_id: organizationId },
    },
  });
  const ts = Math.floor(Date.now() / 1_000);
  const h1 = createHmac('sha256', settings['PADDLE_NOTIFICATION_SECRETS'] ?? '')
    .update(`${ts}:${bytes}`)
    .digest('hex');
  const headers = { 'paddle-signature': `ts=${ts};h1=${h1}` };
  expect((await running.request('POST /billing/paddle/notifications', { bytes, headers })).status).toBe(200);
  const stuck = async () =>
    (await adminJson<Stuck>('stuck', '--older-than', '1s', '--service', 'billing')).items.filter(({ what }) =>
      what.includes(subscriptionId),
    );
  await eventually(async () => expect(await stuck()).toHaveLength(1));
  const planOf = async () =>
    (await running.request<{ plan: string }>('GET /billing/subscription', { key: keys.admin })).body.plan;
  expect(await planOf()).toBe('FREE');

  const [item] = await stuck();
  expect(item).toMatchObject({ why: expect.stringMatching(/has no reference/) });
  const command = (item?.resolution ?? '').split(' ').slice(4);
  expect(command).toEqual([
    'link-subscription',
    '--subscription',
    subscriptionId,
    '--organization',
    organizationId,
    '--dry-run',
  ]);
  expect(await admin(command)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/Nothing was changed.*ctm_unknown.*Ask the organization/s),
  });
  expect(await planOf()).toBe('FREE');
  expect(await adminJson(...command.slice(0, -1))).toEqual({
    subscriptionId,
    organizationId,
    linked: true,
    alreadyLinked: false,
    plan: 'SCALE',
    status: 'active',
    customerId: 'ctm_unknown',
    customerEmail: null,
    namedOrganizationId: organizationId,
    otherCustomerIds: [],
    otherSubscriptionIds: [],
  });
  await eventually(async () => expect(await planOf()).toBe('SCALE'));
  expect(await stuck()).toEqual([]);
  expect(await admin(command.slice(0, -1))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('already linked'),
  });
});

test('the operator lists organizations, and handles a dead letter again', async () => {
  const { organizationId } = await running.newTenant();
  const { items } = await adminJson<{ items: { organizationId: string; members: number }[] }>(
    'organizations',
    '--limit',
    '100',
  );
  expect(items).toContainEqual(expect.objectContaining({ organizationId, state: 'ACTIVE' }));

  const letter = {
    _id: `${databasePrefix}organization__finding_assigned:evt_${organizationId}`,
    subject: 'invoicecontrol.analysis.v1.finding_assigned',
    payload: JSON.stringify({ organizationId, findingId: 'f', summary: 'Unassigned' }),
    error: 'a fault of an earlier release',
    at: new Date(Date.now() - HOUR_MS),
  };
  await organizationDatabase.db.collection<typeof letter>('dead_letters').insertOne(letter);
  expect((await admin(['dead-letters', 'list'])).stdout).toContain(letter._id);
  expect((await adminJson<Stuck>('stuck')).items).toContainEqual(
    expect.objectContaining({ service: 'organization', kind: 'dead_letters' }),
  );
  expect(await adminJson('dead-letters', 'resend', letter._id, '--reason', 'release 2')).toMatchObject({ handled: 1 });
  expect((await admin(['dead-letters', 'list'])).stdout).not.toContain(letter._id);
});

interface Verified {
  readonly purged: boolean;
  readonly remaining: Readonly<Record<string, number>>;
}

test('the operator purges an organization whose retention is over, and is shown that nothing is left', async () => {
  const { organizationId, keys } = await running.newTenant();
  const verify = () => adminJson<Verified>('verify-purge', '--organization', organizationId);
  const { body } = await running.request<{ name: string }>('GET /organizations/current', { key: keys.owner });
  const deleted = await running.request('DELETE /organizations/current', {
    key: keys.owner,
    body: { confirm_name: body.name },
  });
  expect(deleted.status).toBe(200);
  expect(await adminJson<{ purged: object[] }>('purge-organizations')).not.toMatchObject({
    purged: expect.arrayContaining([{ organizationId }]),
  });
  expect(await verify()).toMatchObject({ purged: false });

  const past = new Date(Date.now() - HOUR_MS);
  await organizationDatabase.db
    .collection<{ _id: string }>('organizations')
    .updateOne({ _id: organizationId }, { $set: { recoveryExpiresAt: past } });
  expect(await adminJson('purge-organizations')).toMatchObject({ purged: [{ organizationId }] });
  await eventually(async () => expect(await verify()).toMatchObject({ organizationId, purged: true }));
  const { remaining } = await adminJson<Verified>('verify-purge', '--organization', organizationId.toUpperCase());
  expect(Object.keys(remaining).toSorted()).toEqual(
    Object.keys(addresses)
      .filter((name) => name !== 'gateway')
      .toSorted(),
  );
  expect(await admin(['restore-organization', '--organization', organizationId])).toMatchObject({ exitCode: 1 });
});

test.skipIf(operatorPod === undefined)(
  'the commands that query every service run with the environment of the operator pod in Kubernetes',
  async () => {
    const variables = operatorPod?.env ?? [];
    const env = Object.fromEntries(variables.map(({ name, value }) => [name, addressOf(value ?? '')]));
    expect(variables).toContainEqual({ name: 'TLS_DIR', value: '/identity' });
    env['TLS_DIR'] = join(identities, 'operator');
    // The environment contains nothing else, because everything that the pod lacks must be missing here too.
    const options = { env: { PATH: process.env['PATH'], ...env } };
    for (const command of [['stuck'], ['dead-letters', 'list'], ['organizations']]) {
      expect(await runAdmin([...command, '--json'], options)).toMatchObject({ exitCode: 0, stderr: '' });
    }
  },
);

/** Returns the address at which a service runs in this test, in place of the address that it has in a cluster. */
function addressOf(inCluster: string): string {
  const [, service = ''] = /^dns:\/\/\/([a-z-]+):50051$/.exec(inCluster) ?? [];
  return addresses[service as keyof typeof addresses];
}

test('no proof of a purge is given for an id that is not one of an organization', async () => {
  expect(await admin(['verify-purge', '--organization', 'acme', '--json'])).toMatchObject({ exitCode: 2, stdout: '' });
});

test('a caller with the certificate of a service gets a sentence and exit code 1, a wrong command line exit code 2', async () => {
  expect(await admin(['stuck'], { TLS_DIR: join(identities, 'organization') })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'scan: The service organization may not call invoicecontrol.operations.v1.OperatorService/ListStuckWork.',
    ),
  });
  expect(await admin(['scans', 'abandon'])).toMatchObject({ exitCode: 2, stdout: '' });
});
