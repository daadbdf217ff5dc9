import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DomainError } from '@invoicecontrol/errors';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, testConfig, tokenIn } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const DAY_MS = 24 * 3_600_000;
/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const caller = asKey('test-key');
const anonymous = {
  context: { requestId: 'accepting', actor: { type: 'SYSTEM', id: 'public' }, ip: '192.0.2.9' },
} as const;
const refusal = {
  kind: 'unauthenticated',
  publicMessage: 'The invitation token is unknown, already used or expired. Ask an administrator for a new invitation.',
  details: [],
};
let mongo: MongoConnection;
let smtp: SmtpSimulator;
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  smtp = await startSmtpSimulator();
  const config = testConfig(infrastructure, databaseName, {
    BILLING_ADDRESS: billing.address,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'control@example.com',
  });
  service = await startService(config, { clock });
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await billing.stop(1_000);
  await smtp.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});

const invite = (organizationId: string, email: string, role = 'ANALYST') =>
  clients.member.inviteMember({ organizationId, email, role }, caller);
const accept = (token: string, name = 'Ann') => clients.member.acceptInvitation({ token, name }, anonymous);
const remove = (organizationId: string, userId: string) =>
  clients.member.removeMember({ organizationId, userId }, caller);
const lower = (organizationId: string, userId: string) =>
  clients.member.updateMember({ organizationId, userId, role: 'ADMIN' }, caller);
const list = async (organizationId: string) =>
  (await clients.member.listMembers({ organizationId, pageSize: 100, pageToken: '' }, caller)).members;

/** Returns the token in the mail to an address. */
async function mailedToken(email: string): Promise<string> {
  return eventually(() => {
    const mail = smtp.mails.findLast(({ to }) => to === email);
    if (mail === undefined) throw new Error(`no mail to ${email}`);
    return tokenIn(mail.text);
  });
}

/** Counts the outcomes of concurrent calls. Errors are counted by kind. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const kind = outcome.status === 'fulfilled' ? 'ok' : (outcome.reason as DomainError).kind;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe('the people to whom findings can be assigned', () => {
  const assignees = async (organizationId: string, pageSize = 100, pageToken = '') =>
    clients.member.listAssignees({ organizationId, pageSize, pageToken }, caller);

  test('are the active members by name, without invited and removed people, and of this organization only', async () => {
    await clients.createTenant('Other');
    const { organizationId, ownerUserId } = await clients.createTenant('Acme');
    const add = async (name: string) =>
      clients.operator.createMember({ organizationId, email: `${name}@six.example`, name, role: 'VIEWER' }, asOperator);
    const [ann, bob] = [await add('Ann'), await add('Bob')];
    await invite(organizationId, 'carol@six.example');
    await remove(organizationId, bob.userId);
    expect((await assignees(organizationId)).assignees).toEqual([
      { userId: ann.userId, name: 'Ann' },
      { userId: ownerUserId, name: 'owner@example.com' },
    ]);
    const first = await assignees(organizationId, 1);
    expect(first.assignees).toEqual([{ userId: ann.userId, name: 'Ann' }]);
    expect((await assignees(organizationId, 1, first.nextPageToken)).assignees).toEqual([
      { userId: ownerUserId, name: 'owner@example.com' },
    ]);
  });
});

describe('an invitation', () => {
  test('makes the holder of the mailed token a member with the invited role', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { member } = await invite(organizationId, ' ann@one.example ');
    expect(member).toMatchObject({ email: 'ann@one.example', name: '', role: 'ANALYST', status: 'INVITED' });
    const userId = member?.userId ?? '';
    expect((await clients.member.getMember({ organizationId, userId }, caller)).member).toEqual(member);

    const accepted = await accept(await mailedToken('ann@one.example'), ' Ann Example ');
    expect(accepted.member).toEqual({ ...member, name: 'Ann Example', status: 'ACTIVE' });
    expect((await list(organizationId))[0]).toEqual(accepted.member);
    const { auditEvents } = await clients.audit.listAuditEvents(
      { organizationId, pageSize: 1, pageToken: '' },
      asOperator,
    );
    expect(auditEvents[0]).toMatchObject({
      action: 'member.accepted',
      actorType: 'USER',
      actorId: userId,
      requestId: 'accepting',
      ip: '192.0.2.9',
    });
  });

  test('is accepted once by concurrent calls with its token', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    await invite(organizationId, 'ann@two.example');
    const token = await mailedToken('ann@two.example');
    const counts = await outcomes(Array.from({ length: 20 }, () => accept(token)));
    expect(counts).toEqual({ ok: 1, unauthenticated: 19 });
    await expect(accept(token)).rejects.toMatchObject(refusal);
  });

  test('that is unknown, malformed or revoked is refused with the same message as a used one', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { member } = await invite(organizationId, 'ann@three.example');
    const token = await mailedToken('ann@three.example');
    await remove(organizationId, member?.userId ?? '');
    const unknown = `inv_${'0'.repeat(64)}`;
    for (const invalid of [token, unknown, '', 'inv_', token.toUpperCase(), `${token}0`, organizationId]) {
      await expect(accept(invalid)).rejects.toMatchObject(refusal);
    }
    expect(await list(organizationId)).toHaveLength(1);
  });

  test('expires after seven days: it is not listed, and the address is free again', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { member } = await invite(organizationId, 'ann@four.example');
    const token = await mailedToken('ann@four.example');
    await expect(invite(organizationId, 'ANN@four.example')).rejects.toMatchObject({ kind: 'already_exists' });
    aheadMs += 7 * DAY_MS;
    await expect(accept(token)).rejects.toMatchObject(refusal);
    expect(await list(organizationId)).toHaveLength(1);
    const userId = member?.userId ?? '';
    await expect(clients.member.getMember({ organizationId, userId }, caller)).rejects.toMatchObject({
      kind: 'not_found',
    });
    const again = await invite(organizationId, 'ANN@four.example');
    expect(again.member?.userId).not.toBe(userId);
    expect((await accept(await mailedToken('ANN@four.example'))).member?.status).toBe('ACTIVE');
    await expect(accept(token)).rejects.toMatchObject(refusal);
  });

  test('is revoked by deleting the organization, and stays revoked after a restore', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    await invite(organizationId, 'ann@five.example');
    const token = await mailedToken('ann@five.example');
    const { recoveryToken } = await clients.organization.deleteOrganization(
      { organizationId, confirmName: 'Acme' },
      caller,
    );
    await expect(accept(token)).rejects.toMatchObject(refusal);
    await expect(list(organizationId)).rejects.toMatchObject({ kind: 'not_found' });
    await clients.organization.restoreOrganization({ recoveryToken }, caller);
    await expect(accept(token)).rejects.toMatchObject(refusal);
    expect((await list(organizationId)).map(({ role }) => role)).toEqual(['OWNER']);
    expect((await invite(organizationId, 'ann@five.example')).member?.status).toBe('INVITED');
  });

  test('gives the role that it has when it is accepted', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { member } = await invite(organizationId, 'ann@six.example', 'VIEWER');
    const token = await mailedToken('ann@six.example');
    await lower(organizationId, member?.userId ?? '');
    expect((await accept(token)).member).toMatchObject({ role: 'ADMIN', status: 'ACTIVE' });
  });

  test('accepted with a blank name stays valid', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    await invite(organizationId, 'ann@seven.example');
    const token = await mailedToken('ann@seven.example');
    await expect(accept(token, ' ')).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'name' }] });
    expect((await accept(token)).member?.status).toBe('ACTIVE');
  });
});

describe('concurrent invitations', () => {
  test('to one address succeed once', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const calls = Array.from({ length: 12 }, (_, count) =>
      invite(organizationId, count % 2 === 0 ? 'ann@race.example' : 'ANN@race.example'),
    );
    const { ok, already_exists: taken = 0, concurrent_change: late = 0 } = await outcomes(calls);
    expect(ok).toBe(1);
    expect(taken + late).toBe(11);
    expect(await list(organizationId)).toHaveLength(2);
    await eventually(() => expect(smtp.mails.filter(({ to }) => /ann@race/i.test(to))).toHaveLength(1));
  });

  test('do not exceed the members of the plan', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'CORE');
    const names = Array.from({ length: 16 }, (_, count) => `m${count}@plan.example`);
    const { ok = 0 } = await outcomes(names.map((email) => invite(organizationId, email)));
    expect(ok).toBeGreaterThan(0);
    expect(ok).toBeLessThanOrEqual(4);
    for (const email of names.map((name) => `second-${name}`).slice(0, 5 - 1 - ok)) await invite(organizationId, email);
    await expect(invite(organizationId, 'last@plan.example')).rejects.toMatchObject({ kind: 'usage_exceeded' });
    expect(await list(organizationId)).toHaveLength(5);
  });
});

describe('the last OWNER', () => {
  test('stays after twenty concurrent removals and role changes', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    for (let count = 1; count < 20; count++) {
      const input = { organizationId, email: `owner-${count}@owners.example`, name: '', role: 'OWNER' };
      await clients.operator.createMember(input, asOperator);
    }
    const owners = async () => (await list(organizationId)).filter(({ role }) => role === 'OWNER');
    for (let left = await owners(); left.length > 1; left = await owners()) {
      const counts = await outcomes(
        left.map(({ userId }, count) => (count % 2 === 0 ? remove : lower)(organizationId, userId)),
      );
      const { ok = 0, ...refused } = counts;
      expect(ok).toBeGreaterThan(0);
      expect(['concurrent_change', 'wrong_state']).toEqual(expect.arrayContaining(Object.keys(refused)));
      expect(await owners()).toHaveLength(left.length - ok);
    }
    const [last] = await owners();
    expect(last).toBeDefined();
    await expect(remove(organizationId, last?.userId ?? '')).rejects.toMatchObject({ kind: 'wrong_state' });
    await expect(lower(organizationId, last?.userId ?? '')).rejects.toMatchObject({ kind: 'wrong_state' });
  });
});

describe('members', () => {
  test('are listed in pages, newest first, without removed ones', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    for (const name of ['a', 'b', 'c']) await invite(organizationId, `${name}@pages.example`);
    const removed = (await list(organizationId)).find(({ email }) => email === 'b@pages.example');
    await remove(organizationId, removed?.userId ?? '');
    const pages: string[] = [];
    let pageToken = '';
    do {
      const page = await clients.member.listMembers({ organizationId, pageSize: 1, pageToken }, caller);
      pages.push(...page.members.map(({ email }) => email));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual(['c@pages.example', 'a@pages.example', 'owner@example.com']);
  });

  test('of a role above the calling key cannot be changed or removed by it', async () => {
    const { organizationId, ownerUserId: userId } = await clients.createTenant('Acme');
    const admin = { ...caller, context: { ...caller.context, grant: testGrant(organizationId, { role: 'ADMIN' }) } };
    const refused = { kind: 'forbidden' };
    const { member } = clients;
    const email = 'ann@rights.example';
    await expect(member.inviteMember({ organizationId, email, role: 'OWNER' }, admin)).rejects.toMatchObject(refused);
    await expect(member.updateMember({ organizationId, userId, role: 'VIEWER' }, admin)).rejects.toMatchObject(refused);
    await expect(member.removeMember({ organizationId, userId }, admin)).rejects.toMatchObject(refused);
  });

  test('whose new role is their current one are not written again', async () => {
    const { organizationId, ownerUserId: userId } = await clients.createTenant('Acme');
    const same = { organizationId, userId, role: 'OWNER' };
    expect((await clients.member.updateMember(same, caller)).member?.role).toBe('OWNER');
    const roster = await mongo.db.collection<{ _id: string; version: number }>('members').findOne({
      _id: organizationId,
    });
    expect(roster?.version).toBe(1);
  });
});
