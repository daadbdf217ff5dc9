import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { AcceptedAnalysis, LatestAnalysis, Member, Page } from './shapes.js';

interface Notification {
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  readonly subject: string;
  readonly status: string;
}

let smtp: SmtpSimulator;
let running: RunningSystem;
beforeAll(async () => {
  smtp = await startSmtpSimulator();
  running = await startRunningSystem({ SMTP_URL: smtp.url, MAIL_FROM: 'control@example.com' });
});
afterAll(async () => {
  await running.stop();
  await smtp.stop();
});

/** Returns functions that call the members API with one API key. */
function membersOf(key: string) {
  return {
    list: async () => (await running.request<Page<Member>>('GET /members', { key })).body.items,
    invite: (email: string, role: string) =>
      running.request<Member & ErrorBody>('POST /members', { key, body: { email, role } }),
    read: (id: string) => running.request<Member>(`GET /members/${id}`, { key }),
    change: (id: string, role: string) =>
      running.request<Member & ErrorBody>(`PATCH /members/${id}`, { key, body: { role } }),
    remove: (id: string) => running.request<ErrorBody>(`DELETE /members/${id}`, { key }),
  };
}
const accept = (token: string, name = 'Ann Example') =>
  running.request<Member & ErrorBody>('POST /members/accept', { body: { token, name } });
const notificationsOf = async ({ keys }: Tenant) =>
  (await running.request<Page<Notification>>('GET /notifications', { key: keys.admin })).body.items;

/** Returns the last mail to an address as the simulated mail server returns it over HTTP. */
async function mailTo(email: string): Promise<{ from: string; subject: string; text: string }> {
  return eventually(async () => {
    const mails = (await (await fetch(`${smtp.httpUrl}/messages`)).json()) as {
      from: string;
      to: string;
      subject: string;
      text: string;
    }[];
    const mail = mails.findLast(({ to }) => to === email);
    if (mail === undefined) throw new Error(`no mail to ${email}`);
    return mail;
  });
}
async function tokenFor(email: string): Promise<string> {
  return /inv_[0-9a-f]{64}/.exec((await mailTo(email)).text)?.[0] ?? '';
}

const conflict = { status: 409, body: { error: { code: 'CONFLICT' } } };
const unauthorized = { status: 401, body: { error: { code: 'UNAUTHORIZED' } } };

describe('a person', () => {
  test('is invited by mail, accepts once without a key, changes role and is removed', async () => {
    const tenant = await running.newTenant();
    const members = membersOf(tenant.keys.admin);
    const invited = await members.invite(' ann@one.example ', 'VIEWER');
    expect(invited.status).toBe(201);
    expect(invited.body).toEqual({
      userId: expect.any(String),
      email: 'ann@one.example',
      name: null,
      role: 'VIEWER',
      status: 'INVITED',
      createdAt: expect.any(String),
    });
    const { userId } = invited.body;
    expect(invited.headers.get('location')).toBe(`/v1/members/${userId}`);

    const token = await tokenFor('ann@one.example');
    expect(invited.text).not.toContain('inv_');
    const accepted = await accept(token);
    expect(accepted).toMatchObject({ status: 200, body: { userId, name: 'Ann Example', status: 'ACTIVE' } });
    expect((await members.read(userId.toUpperCase())).body).toEqual(accepted.body);
    const used = await accept(token);
    expect(used).toMatchObject(unauthorized);
    const unknown = await accept(`inv_${'0'.repeat(64)}`);
    expect(unknown.body.error.message).toBe(used.body.error.message);

    expect((await members.change(userId, 'ANALYST')).body.role).toBe('ANALYST');
    expect((await members.list()).map((member) => member.userId)).toContain(userId);
    expect((await members.remove(userId)).status).toBe(204);
    expect((await members.read(userId)).status).toBe(404);
  });

  test('is not invited again under an address that exists', async () => {
    const members = membersOf((await running.newTenant()).keys.admin);
    await members.invite('ann@two.example', 'VIEWER');
    expect(await members.invite('ANN@two.example', 'VIEWER')).toMatchObject(conflict);
  });

  test('who would make the organization larger than its plan is refused with 429 USAGE_LIMIT_EXCEEDED', async () => {
    const tenant = await running.newTenant('CORE');
    const members = membersOf(tenant.keys.admin);
    // In this test, the organization begins with four of the five members that its plan allows.
    expect((await members.invite('fifth@three.example', 'VIEWER')).status).toBe(201);
    expect(await members.invite('sixth@three.example', 'VIEWER')).toMatchObject({
      status: 429,
      body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } },
    });
  });

  test.each([
    ['no address', 'nobody', 'VIEWER', 'email'],
    ['two addresses', 'a@example.com,b@example.com', 'VIEWER', 'email'],
    ['an unknown role', 'ann@example.com', 'ROOT', 'role'],
  ])('with %s is not invited', async (_, email, role, path) => {
    const answer = await membersOf(running.tenant.keys.admin).invite(email, role);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
  });
});

describe('an ADMIN', () => {
  test('neither makes nor touches an OWNER', async () => {
    const tenant = await running.newTenant();
    const members = membersOf(tenant.keys.admin);
    const forbidden = { status: 403, body: { error: { code: 'FORBIDDEN' } } };
    expect(await members.invite('ann@four.example', 'OWNER')).toMatchObject(forbidden);
    expect(await members.change(tenant.users.viewer, 'OWNER')).toMatchObject(forbidden);
    expect(await members.change(tenant.users.owner, 'VIEWER')).toMatchObject(forbidden);
    expect(await members.remove(tenant.users.owner)).toMatchObject(forbidden);
  });
});

describe('the last OWNER', () => {
  test('can be neither removed nor lowered', async () => {
    const tenant = await running.newTenant();
    const members = membersOf(tenant.keys.owner);
    expect(await members.remove(tenant.users.owner)).toMatchObject(conflict);
    expect(await members.change(tenant.users.owner, 'ADMIN')).toMatchObject(conflict);
    expect((await members.change(tenant.users.admin, 'OWNER')).status).toBe(200);
    expect((await members.remove(tenant.users.owner)).status).toBe(204);
  });
});

describe('an invitation', () => {
  test('is revoked by deleting the organization and stays revoked when that is restored', async () => {
    const tenant = await running.newTenant();
    const { owner } = tenant.keys;
    await membersOf(owner).invite('ann@five.example', 'VIEWER');
    const token = await tokenFor('ann@five.example');
    const { body } = await running.request<{ name: string }>('GET /organizations/current', { key: owner });
    const deleted = await running.request<{ recoveryToken: string }>('DELETE /organizations/current', {
      key: owner,
      body: { confirm_name: body.name },
    });
    expect(await accept(token)).toMatchObject(unauthorized);
    const restored = await running.request<{ ownerKey: string }>('POST /organizations/current/restore', {
      body: { recovery_token: deleted.body.recoveryToken },
    });
    expect(await accept(token)).toMatchObject(unauthorized);
    const members = membersOf(restored.body.ownerKey);
    expect((await members.list()).map(({ email }) => email)).not.toContain('ann@five.example');
    expect((await members.invite('ann@five.example', 'VIEWER')).status).toBe(201);
  });
});

describe('assigning a finding', () => {
  test('sends the assignee one mail, and unassigning sends none', async () => {
    const tenant = await running.newTenant();
    const { owner: key } = tenant.keys;
    const post = async () =>
      (await running.request<AcceptedAnalysis>('POST /invoices', { key, body: plainInvoice(1) })).body;
    await post();
    const { body } = await running.request<LatestAnalysis>(`GET /invoices/${(await post()).id}/analysis/latest`, {
      key,
    });
    const [finding] = body.findings;
    const assign = (assignee_user_id: string | null) =>
      running.request(`PATCH /findings/${finding?.id}/assignment`, { key, body: { assignee_user_id } });
    expect((await assign(tenant.users.analyst)).status).toBe(200);
    const told = await eventually(async () => {
      const [notification, ...others] = await notificationsOf(tenant);
      expect(others).toEqual([]);
      expect(notification).toMatchObject({ kind: 'FINDING_ASSIGNED', userId: tenant.users.analyst, status: 'SENT' });
      return notification;
    });
    const { email } = (await membersOf(key).read(tenant.users.analyst)).body;
    const mail = await mailTo(email);
    expect(mail).toMatchObject({ from: 'control@example.com', subject: told?.subject });
    expect(mail.text).toContain(finding?.id);

    expect((await assign(null)).status).toBe(200);
    expect((await assign(tenant.users.admin)).status).toBe(200);
    await eventually(async () => expect(await notificationsOf(tenant)).toHaveLength(2));
    expect((await notificationsOf(tenant)).map(({ userId }) => userId)).toEqual([
      tenant.users.admin,
      tenant.users.analyst,
    ]);
  });
});
