import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { OutboxEvent } from '@invoicecontrol/runtime/mongo/event-envelope';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { EventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { AuditEventDocument } from '../storage/audit-events.js';
import type { NotificationDocument } from '../storage/notifications.js';
import { asKey, asOperator, byOwner, connect, OPERATOR_TOKEN, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const quiet = createLogger({ service: 'test', level: 'silent' });
const MINUTE_MS = 60_000;
/** How far the services' clock is ahead of ours. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const caller = asKey('somebody');
let mongo: MongoConnection;
let bus: Bus;
let publisher: EventPublisher;
let smtp: SmtpSimulator;
/** Answers calls and hears events, and sends nothing. */
let service: RunningService;
let clients: Clients;
const logLines: string[] = [];
/** What a test starts beside it; stopped after the test. */
let others: { stop(): Promise<void> }[] = [];

const withMail = () => ({ SMTP_URL: smtp.url, MAIL_FROM: 'Invoice Control <control@mail.example>' });
const documents = () => mongo.db.collection<NotificationDocument>('notifications');

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectNats({ url: infrastructure.natsUrl, name: 'test', logger: quiet });
  publisher = await eventPublisher(bus, 'analysis');
  const destination = { write: (line: string) => logLines.push(line) };
  const logger = createLogger({ service: 'organization', level: 'info', destination });
  service = await startService(testConfig(infrastructure, databaseName), { clock, logger });
  clients = connect(service.address);
});
beforeEach(async () => {
  aheadMs = 0;
  smtp = await startSmtpSimulator();
});
afterEach(async () => {
  for (const other of others) await other.stop();
  others = [];
  await smtp.stop();
  await documents().deleteMany({});
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

/** A replica that sends what is queued. */
async function startSender(): Promise<RunningService> {
  const sender = await startService(testConfig(infrastructure, databaseName, withMail()), { clock, jobPauseMsMax: 50 });
  others.push(sender);
  return sender;
}

interface Recipient {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
}

let people = 0;
async function someMember(): Promise<Recipient> {
  const { organizationId } = await clients.createTenant('Acme');
  const email = `member-${people++}@acme.example`;
  const { userId } = await clients.operator.createMember(
    { organizationId, email, name: '', role: 'ANALYST' },
    asOperator,
  );
  return { organizationId, userId, email };
}

let assignments = 0;
/** An event of analysis, as its outbox holds it. */
function assignment({
  organizationId,
  assigneeUserId,
}: {
  organizationId: string;
  assigneeUserId: string | undefined;
}) {
  const findingId = `finding-${assignments++}`;
  const body = announce(events.findingAssigned, {
    findingId,
    invoiceId: 'invoice-1',
    assigneeUserId,
    assignedBy: 'API_KEY:k',
    summary: `Number ${findingId} was paid before`,
    type: 'DUPLICATE_EXACT',
    severity: Severity.CRITICAL,
  });
  const [event] = envelopes({ id: findingId, organizationId, version: Date.now() }, [body], new Date());
  if (event === undefined) throw new Error('no event');
  return { ...event, findingId };
}

async function assign({ organizationId, userId }: Recipient): Promise<string> {
  const event = assignment({ organizationId, assigneeUserId: userId });
  await publish(event);
  return event.findingId;
}

/** A broker that answers late has stored it perhaps; a repeat under the same id is stored once. */
function publish(event: OutboxEvent): Promise<void> {
  return eventually(() => publisher.publish(event));
}

const listed = async (organizationId: string) =>
  (await clients.notification.listNotifications({ organizationId, pageSize: 100, pageToken: '' }, caller))
    .notifications;
const statuses = async (organizationId: string) => (await listed(organizationId)).map(({ status }) => status);
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to === email);
const becomes = (organizationId: string, expected: readonly string[]) =>
  eventually(async () => expect(await statuses(organizationId)).toEqual(expected));

/** Resolves when so many tries have ended, the last one with a failure. */
const triedWithoutSuccess = ({ userId }: Recipient, tries: number) =>
  eventually(async () =>
    expect(await documents().findOne({ userId })).toMatchObject({ tries, leaseUntil: new Date(0) }),
  );

describe('an assignment', () => {
  test('tells the assignee by one mail, under an id that comes from the notification', async () => {
    const member = await someMember();
    await startSender();
    const findingId = await assign(member);
    await becomes(member.organizationId, ['SENT']);
    const [notification] = await listed(member.organizationId);
    expect(notification).toMatchObject({
      userId: member.userId,
      kind: 'FINDING_ASSIGNED',
      subject: `Assigned to you: Number ${findingId} was paid before`,
    });
    expect(mailsTo(member.email)).toEqual([
      {
        from: 'control@mail.example',
        to: member.email,
        subject: notification?.subject,
        text: expect.stringContaining(`Finding:  ${findingId}`),
        messageId: `<${notification?.notificationId}@mail.example>`,
      },
    ]);
    expect(mailsTo(member.email)[0]?.text).toMatch(/DUPLICATE_EXACT[^]*CRITICAL[^]*invoice-1/);
  });

  test('that is heard twice is told once', async () => {
    const member = await someMember();
    const event = assignment({ organizationId: member.organizationId, assigneeUserId: member.userId });
    // Without a message id the broker takes it for two.
    for (let count = 0; count < 3; count++) await eventually(() => bus.jetstream.publish(event.subject, event.payload));
    await assign(member);
    await eventually(async () => expect(await listed(member.organizationId)).toHaveLength(2));
    await startSender();
    await becomes(member.organizationId, ['SENT', 'SENT']);
    expect(mailsTo(member.email)).toHaveLength(2);
  });

  test('to nobody, to a stranger, to one who left or was only invited, or in a deleted organization tells nobody', async () => {
    const member = await someMember();
    const { organizationId } = member;
    const email = 'invited@acme.example';
    const invited = await clients.member.inviteMember(
      { organizationId, email, role: 'ADMIN', grantor: byOwner },
      caller,
    );
    const stranger = await someMember();
    const leaver = await clients.operator.createMember(
      { organizationId, email: 'leaver@acme.example', name: '', role: 'ADMIN' },
      asOperator,
    );
    await clients.member.removeMember({ organizationId, userId: leaver.userId, grantor: byOwner }, caller);
    const gone = await someMember();
    await clients.organization.deleteOrganization({ organizationId: gone.organizationId, confirmName: 'Acme' }, caller);
    const assignees = [undefined, stranger.userId, invited.member?.userId, leaver.userId];
    for (const assigneeUserId of assignees) await publish(assignment({ organizationId, assigneeUserId }));
    await assign(gone);
    await assign({ ...gone, organizationId: 'unknown' });
    await assign(member);
    await eventually(async () => expect(await listed(organizationId)).toHaveLength(2));
    expect((await listed(organizationId)).map(({ userId, kind }) => [userId, kind])).toEqual([
      [member.userId, 'FINDING_ASSIGNED'],
      [invited.member?.userId, 'INVITATION'],
    ]);
    expect(await documents().countDocuments()).toBe(2);
  });
});

describe('without a mail server', () => {
  test('notifications stay QUEUED and the log names it once; they go out when there is one', async () => {
    const member = await someMember();
    await assign(member);
    await becomes(member.organizationId, ['QUEUED']);
    expect(logLines.filter((line) => line.includes('SMTP_URL is not set'))).toHaveLength(1);
    await startSender();
    await becomes(member.organizationId, ['SENT']);
    expect(mailsTo(member.email)).toHaveLength(1);
  });
});

describe('a mail server that fails', () => {
  test.each(['REFUSE', 'TEMPORARY', 'DROP'] as const)(
    'for a while (%s) gets the mail later, under the same message id',
    async (fault) => {
      const member = await someMember();
      smtp.fail(fault, 2);
      await startSender();
      await assign(member);
      await triedWithoutSuccess(member, 1);
      aheadMs += MINUTE_MS;
      await triedWithoutSuccess(member, 2);
      // The second pause is longer than the first.
      aheadMs += 2 * MINUTE_MS;
      const early = await documents().findOne({ userId: member.userId });
      expect((early?.dueAt?.getTime() ?? 0) - clock.now().getTime()).toBeGreaterThan(0);
      expect(mailsTo(member.email)).toEqual([]);
      aheadMs += MINUTE_MS;
      await becomes(member.organizationId, ['SENT']);
      expect(mailsTo(member.email)).toHaveLength(1);
    },
  );

  test('for good is tried six times over two hours, and no more', async () => {
    const member = await someMember();
    smtp.fail('REFUSE', 1_000);
    await startSender();
    await assign(member);
    for (let tries = 1; tries < 6; tries++) {
      await triedWithoutSuccess(member, tries);
      aheadMs += 3 ** (tries - 1) * MINUTE_MS;
    }
    await becomes(member.organizationId, ['FAILED']);
    expect(await documents().findOne({ userId: member.userId })).toMatchObject({ tries: 6 });
    smtp.fail('REFUSE', 0);
    aheadMs += 24 * 60 * MINUTE_MS;
    const next = await someMember();
    await assign(next);
    await becomes(next.organizationId, ['SENT']);
    expect(await statuses(member.organizationId)).toEqual(['FAILED']);
    expect(mailsTo(member.email)).toEqual([]);
  });

  test('this recipient for good is not asked again', async () => {
    const member = await someMember();
    smtp.fail('PERMANENT', 1);
    await startSender();
    await assign(member);
    await becomes(member.organizationId, ['FAILED']);
    expect(await documents().findOne({ userId: member.userId })).toMatchObject({ tries: 1, reason: 'EENVELOPE 550' });
  });

  test('to answer for a mail it took gets it again under the same message id', async () => {
    const member = await someMember();
    smtp.fail('LOSE_ANSWER', 1);
    await startSender();
    await assign(member);
    await triedWithoutSuccess(member, 1);
    expect(mailsTo(member.email)).toHaveLength(1);
    aheadMs += MINUTE_MS;
    await becomes(member.organizationId, ['SENT']);
    const [first, second, ...more] = mailsTo(member.email);
    expect(more).toEqual([]);
    expect(second).toEqual(first);
  });

  test('to answer at all holds up neither the events nor the stop of the service', async () => {
    const member = await someMember();
    smtp.fail('KEEP_WAITING', 1_000);
    const sender = await startSender();
    await assign(member);
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    for (let count = 0; count < 20; count++) await assign(member);
    await eventually(async () => expect(await listed(member.organizationId)).toHaveLength(21));
    others = [];
    await sender.stop();
    // What was under way is given back, not held until its lease lapses.
    expect(await documents().countDocuments({ status: 'QUEUED', leaseUntil: new Date(0) })).toBe(21);
    // The stop ended the waiting, not the time for which a server may be silent.
    expect(await documents().distinct('reason')).toContain('STOPPED');
    smtp.fail('KEEP_WAITING', 0);
    // On a slow machine the server may have been silent for that time before.
    aheadMs += MINUTE_MS;
    await startSender();
    await becomes(member.organizationId, Array<string>(21).fill('SENT'));
  });
});

describe('replicas', () => {
  test('that work on one queue send every mail exactly once', async () => {
    const member = await someMember();
    const findings: string[] = [];
    for (let count = 0; count < 60; count++) findings.push(await assign(member));
    await eventually(async () => expect(await documents().countDocuments({ userId: member.userId })).toBe(60));
    await Promise.all([startSender(), startSender(), startSender()]);
    await becomes(member.organizationId, Array<string>(60).fill('SENT'));
    const mails = mailsTo(member.email);
    expect(mails).toHaveLength(60);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(60);
    const told = mails.map(({ text }) => /Finding: {2}(\S+)/.exec(text)?.[1]);
    expect(new Set(told)).toEqual(new Set(findings));
  });
});

describe('a person', () => {
  test('who left before the mail went out is not written to', async () => {
    const member = await someMember();
    const { organizationId, userId } = member;
    const email = 'revoked@acme.example';
    const invited = await clients.member.inviteMember(
      { organizationId, email, role: 'ADMIN', grantor: byOwner },
      caller,
    );
    await assign(member);
    await becomes(organizationId, ['QUEUED', 'QUEUED']);
    for (const leaving of [userId, invited.member?.userId ?? '']) {
      await clients.member.removeMember({ organizationId, userId: leaving, grantor: byOwner }, caller);
    }
    await startSender();
    await becomes(organizationId, ['FAILED', 'FAILED']);
    expect(smtp.mails).toEqual([]);
  });
});

describe('a crash', () => {
  test('after an invitation was stored, and before its mail was queued, loses no mail and repeats none', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const email = 'crashed@acme.example';
    const { member } = await clients.member.inviteMember(
      { organizationId, email, role: 'ADMIN', grantor: byOwner },
      caller,
    );
    const userId = member?.userId ?? '';
    const queued = await documents().findOne({ userId });
    if (queued === null) throw new Error('the mail was not queued');
    // The state exactly as the one write of the invitation leaves it, with nothing done after it.
    const audit = mongo.db.collection<AuditEventDocument>('audit_events');
    const entry = await audit.findOne({ organizationId, action: 'member.invited' });
    if (entry === null) throw new Error('the invitation was not audited');
    const rosters = mongo.db.collection<{ _id: string }>('members');
    const crash = async () => {
      const carried = { auditEntries: [entry], notifications: [queued], auditPending: true };
      await rosters.updateOne({ _id: organizationId }, { $set: carried });
      aheadMs += 3_000;
      await eventually(async () =>
        expect(await rosters.findOne({ _id: organizationId })).not.toHaveProperty('auditPending'),
      );
    };
    await documents().deleteOne({ userId });
    await crash();
    expect(await documents().findOne({ userId })).toEqual(queued);
    await startSender();
    await becomes(organizationId, ['SENT']);
    await crash();
    expect(await statuses(organizationId)).toEqual(['SENT']);
    expect(mailsTo(email)).toHaveLength(1);
    expect(await rosters.findOne({ _id: organizationId })).not.toHaveProperty('notifications');
  });

  test('between event and mail loses no mail and repeats none', async () => {
    const member = await someMember();
    const killed = await startProcess({});
    await assign(member);
    await becomes(member.organizationId, ['QUEUED']);
    await killed.stop();
    await startSender();
    await becomes(member.organizationId, ['SENT']);
    expect(mailsTo(member.email)).toHaveLength(1);
  });

  test('while a mail is sent repeats it under the same message id once the lease has lapsed', async () => {
    const member = await someMember();
    smtp.fail('KEEP_WAITING', 1);
    const killed = await startProcess(withMail());
    await assign(member);
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    await killed.stop();
    expect(await documents().findOne({ userId: member.userId })).toMatchObject({ status: 'QUEUED', tries: 1 });
    await startSender();
    aheadMs += 2 * MINUTE_MS;
    await becomes(member.organizationId, ['SENT']);
    const [first, second, ...more] = mailsTo(member.email);
    expect(more).toEqual([]);
    expect(second).toEqual(first);
  });
});

/**
 * The service as a process of its own, which can be ended in the middle of anything. One that finds its stores too busy
 * at its start says so and ends; its supervisor starts it again.
 */
function startProcess(mail: Record<string, string>): Promise<{ stop(): Promise<void> }> {
  return eventually(() => startProcessOnce(mail));
}

async function startProcessOnce(mail: Record<string, string>): Promise<{ stop(): Promise<void> }> {
  const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      GRPC_PORT: '0',
      MONGODB_URL: infrastructure.mongodbUrl,
      NATS_URL: infrastructure.natsUrl,
      DATABASE_NAME: databaseName,
      OPERATOR_TOKEN,
      API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...mail,
    },
  });
  const ended = once(child, 'close');
  const running = {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  others.push(running);
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"listening"')) return;
    throw new Error('the service ended before it listened');
  })();
  await listening;
  return running;
}
