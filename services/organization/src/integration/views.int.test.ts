import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { VIEWS_PER_LIST_MAX } from '../domain/views.js';
import type { ViewListDocument } from '../storage/views.js';
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();

/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;

let mongo: MongoConnection;
let service: RunningService;
let clients: Clients;
let organizationId: string;
/** API key of the owner, with all rights. */
let ownerKey: string;
let ann: Person;
let bob: Person;

interface Person {
  readonly userId: string;
  readonly key: string;
}

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  service = await startService(testConfig(infrastructure, databaseName), {
    clock: { now: () => new Date(Date.now() + aheadMs) },
  });
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  aheadMs = 0;
  ({ organizationId, ownerKey } = await clients.createTenant('Acme'));
  [ann, bob] = [await newMember('ann', 'VIEWER'), await newMember('bob', 'ADMIN')];
});

async function newMember(name: string, role: string): Promise<Person> {
  const { userId } = await clients.operator.createMember(
    { organizationId, email: `${name}@example.com`, name, role },
    asOperator,
  );
  const { key } = await clients.apiKey.createApiKey(
    { organizationId, name, role, scopes: [], userId },
    asKey(idOfKey(ownerKey)),
  );
  return { userId, key };
}

/** Returns the options of a call by an API key with the given role. */
function as(key: string, role = 'VIEWER', of = organizationId): CallOptions {
  const { context } = asKey(idOfKey(key));
  return { context: { ...context, grant: testGrant(of, { actorId: idOfKey(key), role, scopes: ['findings:read'] }) } };
}

const create = (
  caller: CallOptions,
  part: Partial<{ name: string; query: string; isShared: boolean; isDefault: boolean }> = {},
) =>
  clients.view.createView(
    { organizationId, name: 'Critical', query: 'severity=CRITICAL', isShared: false, isDefault: false, ...part },
    caller,
  );
const namesOf = async (caller: CallOptions) =>
  (await clients.view.listViews({ organizationId }, caller)).views.map(({ name }) => name);
const stored = () => mongo.db.collection<ViewListDocument>('views').find({ organizationId }).toArray();

describe('a saved view', () => {
  test('of a member is listed for this member alone, before the shared ones', async () => {
    await create(as(bob.key, 'ADMIN'), { name: 'For all', isShared: true });
    const { view } = await create(as(ann.key));
    await create(as(bob.key, 'ADMIN'), { name: 'Of Bob' });
    expect(view).toMatchObject({ name: 'Critical', ownerUserId: ann.userId, isDefault: false, version: 1 });
    expect(await namesOf(as(ann.key))).toEqual(['Critical', 'For all']);
    expect(await namesOf(as(bob.key, 'ADMIN'))).toEqual(['Of Bob', 'For all']);
    expect(await namesOf(as(ownerKey, 'OWNER'))).toEqual(['For all']);
  });

  test('is changed and deleted by its owner, and looks missing to all other members', async () => {
    const { view } = await create(as(ann.key));
    const named = { organizationId, viewId: view?.viewId ?? '' };
    const missing = { organizationId, viewId: '0198a000-0000-7000-8000-000000000009' };
    for (const caller of [as(bob.key, 'ADMIN'), as(ownerKey, 'OWNER')]) {
      const refusalOf = (request: typeof named) =>
        clients.view.updateView({ ...request, name: 'Taken' }, caller).catch(String);
      expect(await refusalOf(named)).toBe(await refusalOf(missing));
      await expect(clients.view.getView(named, caller)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(clients.view.deleteView(named, caller)).rejects.toMatchObject({ kind: 'not_found' });
    }
    const changed = await clients.view.updateView({ ...named, name: ' Blockers ', query: '' }, as(ann.key));
    expect(changed.view).toMatchObject({ name: 'Blockers', query: '', version: 2 });
    expect((await clients.view.getView(named, as(ann.key))).view).toEqual(changed.view);
    await clients.view.deleteView(named, as(ann.key));
    expect(await namesOf(as(ann.key))).toEqual([]);
    await expect(clients.view.deleteView(named, as(ann.key))).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('of another organization looks exactly like a missing one', async () => {
    const { view } = await create(as(bob.key, 'ADMIN'), { isShared: true });
    const other = await clients.createTenant('Other');
    const caller = as(other.ownerKey, 'OWNER', other.organizationId);
    const remove = (viewId: string) =>
      clients.view.deleteView({ organizationId: other.organizationId, viewId }, caller).catch(String);
    expect(await remove(view?.viewId ?? '')).toBe(await remove('0198a000-0000-7000-8000-000000000009'));
    const theirs = await clients.view.listViews({ organizationId: other.organizationId }, caller);
    expect(theirs.views).toEqual([]);
    expect(await namesOf(as(ann.key))).toEqual(['Critical']);
  });

  test('that is shared is saved, changed and deleted by ADMIN and OWNER only, and each change is audited', async () => {
    await expect(create(as(ann.key, 'ANALYST'), { isShared: true })).rejects.toMatchObject({ kind: 'forbidden' });
    const { view } = await create(as(ownerKey, 'OWNER'), { isShared: true });
    expect(view?.ownerUserId).toBeUndefined();
    const named = { organizationId, viewId: view?.viewId ?? '' };
    await expect(clients.view.updateView({ ...named, name: 'Mine' }, as(ann.key))).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await expect(clients.view.deleteView(named, as(ann.key))).rejects.toMatchObject({ kind: 'forbidden' });
    await clients.view.updateView({ ...named, name: 'Ours' }, as(bob.key, 'ADMIN'));
    await clients.view.deleteView(named, as(bob.key, 'ADMIN'));
    await create(as(ann.key));
    await eventually(async () => {
      const { auditEvents } = await clients.audit.listAuditEvents(
        { organizationId, pageSize: 100, pageToken: '' },
        asKey(idOfKey(ownerKey)),
      );
      const lines = auditEvents.filter(({ action }) => action.startsWith('view.'));
      expect(lines.map(({ action, target }) => [action, target])).toEqual([
        ['view.deleted', `view:${named.viewId}`],
        ['view.updated', `view:${named.viewId}`],
        ['view.created', `view:${named.viewId}`],
      ]);
    });
  });

  test('of its own has only a key of a member', async () => {
    const { key } = await clients.apiKey.createApiKey(
      { organizationId, name: 'ERP', role: 'ADMIN', scopes: [] },
      asKey(idOfKey(ownerKey)),
    );
    await create(as(key, 'ADMIN'), { isShared: true });
    expect(await namesOf(as(key, 'ADMIN'))).toEqual(['Critical']);
    await expect(create(as(key, 'ADMIN'))).rejects.toMatchObject({
      kind: 'forbidden',
      publicMessage: expect.stringContaining('Use an API key of a member, or share the view with `is_shared`.'),
    });
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(201) }],
    ['query', { query: 'a b' }],
    ['query', { query: 'x'.repeat(2_001) }],
  ])('with a wrong %s is refused and stores nothing', async (path, part) => {
    await expect(create(as(ann.key), part)).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] });
    expect(await stored()).toEqual([]);
  });
});

test('concurrent requests cannot save more than 50 views of a member, and there is one default among them', async () => {
  for (let saved = 0; saved < VIEWS_PER_LIST_MAX - 2; saved++) await create(as(ann.key), { isDefault: true });
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => create(as(ann.key), { isDefault: true })));
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as { kind: string }] : []));
  expect(refused.length).toBeGreaterThanOrEqual(2);
  for (const { kind } of refused) expect(['wrong_state', 'concurrent_change']).toContain(kind);
  const [list] = await stored();
  expect(list?.views.length).toBe(VIEWS_PER_LIST_MAX - 2 + outcomes.length - refused.length);
  expect(list?.views.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  // The shared views and those of another member are counted separately.
  await create(as(bob.key, 'ADMIN'), { isShared: true });
  await create(as(bob.key, 'ADMIN'));
});

test('the views of a member are removed with the member, and the shared ones stay', async () => {
  await create(as(bob.key, 'ADMIN'), { name: 'For all', isShared: true });
  await create(as(bob.key, 'ADMIN'));
  await create(as(ann.key), { name: 'Of Ann' });
  await clients.member.removeMember({ organizationId, userId: bob.userId }, asKey(idOfKey(ownerKey)));
  expect((await stored()).map(({ userId, views }) => [userId, views.length])).toEqual([
    [undefined, 1],
    [ann.userId, 1],
  ]);
  expect(await namesOf(as(ann.key))).toEqual(['Of Ann', 'For all']);
  await expect(create(as(bob.key, 'ADMIN'))).rejects.toMatchObject({
    kind: expect.stringMatching(/^(forbidden|unauthenticated)$/),
  });
});

test('the data export has the views of each member and the shared ones that were saved before it began', async () => {
  await create(as(bob.key, 'ADMIN'), { name: 'For all', isShared: true });
  await create(as(ann.key), { name: 'Of Ann' });
  aheadMs = 60_000;
  const createdBeforeTime = new Date(Date.now() + 30_000);
  await create(as(ann.key), { name: 'Too late' });
  const { recordsJson } = await clients.archive.listRecords(
    { organizationId, kind: 'views', pageToken: '', createdBeforeTime },
    asKey(idOfKey(ownerKey)),
  );
  expect(recordsJson.map((json) => JSON.parse(json) as unknown)).toMatchObject([
    { ownerUserId: null, views: [{ name: 'For all', query: 'severity=CRITICAL' }] },
    { ownerUserId: ann.userId, views: [{ name: 'Of Ann' }] },
  ]);
});
