import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { ConnectionChanged } from '@invoicecontrol/contracts/erp_sync/v1/events';
import { events } from '@invoicecontrol/contracts/events';
import type { SubmissionChanged } from '@invoicecontrol/contracts/ksef/v1/events';
import type { EventBody } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { OutboxEvent } from '@invoicecontrol/runtime/mongo/event-envelope';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { EventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { notifyAboutRefusal } from '../application/notifications.js';
import { startService } from '../compose.js';
import type { AuditEventDocument } from '../storage/audit-events.js';
import { notificationStore } from '../storage/notifications.js';
import type { NotificationDocument } from '../storage/notifications.js';
import { asKey, asOperator, connect, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const quiet = createLogger({ service: 'test', level: 'silent' });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds by which the services' clock is ahead of real time. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const caller = asKey('test-key');
let mongo: MongoConnection;
let bus: Bus;
let publisher: EventPublisher;
let smtp: SmtpSimulator;
/** Fake of billing. The service under test serves calls and handles events, but sends no mail. */
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;
const logLines: string[] = [];
/** Further replicas of the service that a test started. They are stopped after the test. */
let others: { stop(): Promise<void> }[] = [];

const withMail = () => ({ SMTP_URL: smtp.url, MAIL_FROM: 'Invoice Control <control@mail.example>' });
const documents = () => mongo.db.collection<NotificationDocument>('notifications');

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger: quiet });
  publisher = await eventPublisher(bus, 'analysis');
  const destination = { write: (line: string) => logLines.push(line) };
  const logger = createLogger({ service: 'organization', level: 'info', destination });
  service = await startService(testConfig(infrastructure, databaseName, { BILLING_ADDRESS: billing.address }), {
    clock,
    logger,
  });
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
  await billing.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

/** Starts a replica that sends mails. */
async function startSender({ jobPauseMsMax }: StartOverrides = { jobPauseMsMax: 250 }): Promise<RunningService> {
  const sender = await startService(
    testConfig(infrastructure, databaseName, { BILLING_ADDRESS: billing.address, ...withMail() }),
    { clock, ...(jobPauseMsMax === undefined ? {} : { jobPauseMsMax }) },
  );
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
/** Creates a `finding_assigned` event like those in the outbox of analysis. */
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

/** Publishes an event and retries on failure. The broker stores repeats under the same id once. */
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

/** Resolves when the given number of attempts to send the mail have failed. */
const triedWithoutSuccess = ({ userId }: Recipient, tries: number) =>
  eventually(async () =>
    expect(await documents().findOne({ userId })).toMatchObject({ tries, leaseUntil: new Date(0) }),
  );

describe('an endpoint that only fails', () => {
  test.each([
    ['WEBHOOK_FAILING', events.endpointFailing, 'Deliveries to the webhook at hooks.example.com:8443 are failing'],
    ['WEBHOOK_DISABLED', events.endpointDisabled, 'The webhook at hooks.example.com:8443 was switched off'],
  ] as const)('is told to owners and admins by a mail of kind %s', async (kind, type, subject) => {
    const member = await someMember();
    const { organizationId } = member;
    const email = `admin-${kind.toLowerCase()}@acme.example`;
    await clients.operator.createMember({ organizationId, email, name: '', role: 'ADMIN' }, asOperator);
    const endpointId = `endpoint-${kind}`;
    const [failingSinceTime, goneTime] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
    const body = announce(type, { endpointId, host: 'hooks.example.com:8443', failingSinceTime, goneTime });
    const [event] = envelopes({ id: endpointId, organizationId, version: Date.now() }, [body], new Date());
    if (event === undefined) throw new Error('no event');
    const webhooks = await eventPublisher(bus, 'webhooks');
    await eventually(() => webhooks.publish(event));
    // The mail goes to the owner and the admin, and not to the analyst.
    await eventually(async () =>
      expect((await listed(organizationId)).map((one) => [one.kind, one.subject])).toEqual([
        [kind, subject],
        [kind, subject],
      ]),
    );
    await startSender();
    await becomes(organizationId, ['SENT', 'SENT']);
    expect(mailsTo(member.email)).toEqual([]);
    const [mail] = mailsTo(email);
    expect(mail?.text).toContain('hooks.example.com:8443');
    expect(mail?.text).toContain(`PATCH /v1/webhooks/${endpointId} with {"status":"ACTIVE"}`);
    expect(mail?.text).toContain('it last responded with 410 Gone at 2026-03-02 00:00 UTC.');
  });
});

describe('KSeF', () => {
  let version = Date.now();
  const publish = async (
    organizationId: string,
    body: Parameters<typeof envelopes>[1][number],
    at = new Date(),
  ): Promise<void> => {
    const [event] = envelopes({ id: 'ksef-1', organizationId, version: ++version }, [body], at);
    if (event === undefined) throw new Error('no event');
    const ksef = await eventPublisher(bus, 'ksef');
    await eventually(() => ksef.publish(event));
  };
  const changed = (organizationId: string, part: Partial<EventBody<SubmissionChanged>>, at?: Date): Promise<void> =>
    publish(
      organizationId,
      announce(events.submissionChanged, {
        submissionId: 'submission-1',
        connectionId: 'connection-1',
        companyId: 'company-1',
        invoiceId: 'invoice-1',
        status: 'REJECTED',
        ...part,
      }),
      at,
    );
  const withAdmin = async (email: string) => {
    const member = await someMember();
    const { organizationId } = member;
    await clients.operator.createMember({ organizationId, email, name: '', role: 'ADMIN' }, asOperator);
    return member;
  };

  test('that refuses a token is told to owners and admins, with what to do', async () => {
    const email = 'admin-ksef-token@acme.example';
    const { organizationId, email: analyst } = await withAdmin(email);
    await publish(
      organizationId,
      announce(events.ksefConnectionFailed, {
        connectionId: 'connection-1',
        companyId: 'company-1',
        environment: 'PRODUCTION',
        message: 'KSeF says that the token was revoked.',
      }),
    );
    const entry = [
      'KSEF_CONNECTION_FAILED',
      expect.stringMatching(/^The KSeF PRODUCTION connection of .+ no longer works$/),
    ];
    await eventually(async () =>
      expect((await listed(organizationId)).map((one) => [one.kind, one.subject])).toEqual([entry, entry]),
    );
    await startSender();
    await becomes(organizationId, ['SENT', 'SENT']);
    expect(mailsTo(analyst)).toEqual([]);
    const [mail] = mailsTo(email);
    expect(mail?.text).toContain('KSeF says that the token was revoked.');
    expect(mail?.text).toContain('POST /v1/ksef-connections/connection-1/test');
  });

  test('whose certificate ends, whose inbox is paused, or has a refused invoice, is told to owners and admins once, with date, company and what to do', async () => {
    const email = 'admin-ksef-ending@acme.example';
    const { organizationId, email: analyst } = await withAdmin(email);
    const { companies } = await clients.company.listCompanies({ organizationId, pageSize: 1, pageToken: '' }, caller);
    const { companyId, name } = companies[0] ?? { companyId: '', name: '' };
    const about = { connectionId: 'connection-1', companyId, environment: 'PRODUCTION' };
    const ending = announce(events.ksefCredentialEnding, {
      ...about,
      authentication: 'CERTIFICATE',
      expiryTime: new Date('2027-06-30T10:00:00Z'),
      daysLeft: 30,
    });
    const paused = announce(events.ksefInboxPaused, { ...about, message: 'The limit of analyses is reached.' });
    const refused = announce(events.ksefInboxInvoicesRefused, {
      ...about,
      refusals: [{ ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'The package has no file of it.' }],
    });
    // The same event is published twice under one id, because events are delivered at least once.
    const [event] = envelopes({ id: 'ksef-1', organizationId, version: ++version }, [ending], new Date());
    if (event === undefined) throw new Error('no event');
    const ksef = await eventPublisher(bus, 'ksef');
    await eventually(() => ksef.publish(event));
    await eventually(() => ksef.publish(event));
    await publish(organizationId, paused);
    await publish(organizationId, refused);
    await eventually(async () =>
      expect((await listed(organizationId)).map(({ kind }) => kind).toSorted()).toEqual([
        'KSEF_CREDENTIAL_ENDING',
        'KSEF_CREDENTIAL_ENDING',
        'KSEF_INBOX_PAUSED',
        'KSEF_INBOX_PAUSED',
        'KSEF_INVOICES_REFUSED',
        'KSEF_INVOICES_REFUSED',
      ]),
    );
    await startSender();
    await becomes(organizationId, Array<string>(6).fill('SENT'));
    expect(mailsTo(analyst)).toEqual([]);
    const mails = mailsTo(email);
    expect(mails).toHaveLength(3);
    const certificate = mails.find(({ subject }) => subject.includes('certificate'));
    expect(certificate?.subject).toBe(`The KSeF PRODUCTION certificate of ${name} expires on 2027-06-30`);
    expect(certificate?.text).toContain('POST /v1/ksef-connections/connection-1/test');
    const inbox = mails.find(({ subject }) => subject.startsWith('Invoices of'));
    expect(inbox?.text).toContain('The limit of analyses is reached.');
    const refusal = mails.find(({ subject }) => subject.startsWith('1 invoice of'));
    expect(refusal?.text).toContain('5265877635-20260314-0A1B2C3D4E5F-7C: The package has no file of it.');
  });

  test('that refuses 100 invoices sends each of owners and admins two mails in an hour, at once and at its end', async () => {
    const email = 'admin-ksef-many@acme.example';
    const { organizationId } = await withAdmin(email);
    // The time of the events is the middle of an hour, so that all refusals are within this hour.
    const at = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2);
    const refuse = (connectionId: string, number: number): Promise<void> =>
      changed(organizationId, { connectionId, submissionId: `submission-${number}`, errorCode: 'KSEF_450' }, at);
    await refuse('connection-1', 0);
    await eventually(async () => expect(await listed(organizationId)).toHaveLength(2));
    for (let number = 1; number < 100; number++) await refuse('connection-1', number);
    // Events are handled in order, so this one shows that the earlier ones are handled.
    await refuse('connection-2', 100);
    await eventually(async () => expect(await listed(organizationId)).toHaveLength(6));
    // The event about this refusal is repeated, because a submission must count only once.
    await refuse('connection-1', 99);
    // Events are handled in order, so this event shows that the repeated one was handled.
    await refuse('connection-3', 101);
    await eventually(async () => expect(await listed(organizationId)).toHaveLength(8));
    await startSender();
    await becomes(organizationId, Array<string>(8).fill('SENT'));
    expect(
      mailsTo(email)
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual([
      expect.stringMatching(/^Further invoices of /),
      expect.stringMatching(/^KSeF refused an invoice of /),
      expect.stringMatching(/^KSeF refused an invoice of /),
      expect.stringMatching(/^KSeF refused an invoice of /),
    ]);
    const further = mailsTo(email).find(({ subject }) => subject.startsWith('Further'));
    expect(further?.text).toContain(
      '99 further invoices of Acme, submitted through one connection, were refused by KSeF',
    );
    expect(further?.text).toContain('GET /v1/ksef-connections/connection-1/submissions?status=REJECTED');
  });

  test('that refuses further invoices is told at the end of the hour, and does not look stuck until then', async () => {
    const { organizationId } = await someMember();
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    // According to the clock of the service, the hour of the events has not ended yet.
    aheadMs = hour - Date.now();
    const at = new Date(hour + 1);
    for (const number of [0, 1]) await changed(organizationId, { submissionId: `submission-${number}` }, at);
    await eventually(async () =>
      expect(await documents().findOne({ submissionIds: ['submission-1'] })).toMatchObject({
        organizationId,
        createdAt: at,
        dueAt: new Date(hour + HOUR_MS),
      }),
    );
    const { waitingSince, countSubmission } = notificationStore(documents(), clock, () => {});
    const countWaiting = async (since: number) => (await waitingSince(new Date(since)))?.count;
    expect(await countWaiting(hour + HOUR_MS - 1)).toBe(1);
    expect(await waitingSince(new Date(hour + HOUR_MS))).toEqual({ count: 2, oldest: at, reason: undefined });
    await startSender();
    await eventually(async () =>
      expect((await listed(organizationId)).map(({ status }) => status).toSorted()).toEqual(['QUEUED', 'SENT']),
    );
    // At most 1,000 submissions are counted.
    const { _id: id } = (await documents().findOne({ submissionIds: ['submission-1'] })) ?? { _id: '' };
    const counted = Array.from({ length: 998 }, (_, index) => `more-${index}`);
    await documents().updateOne({ _id: id }, { $push: { submissionIds: { $each: counted } } } as never);
    for (const submissionId of ['the last', 'one too many']) await countSubmission([id], submissionId);
    const { submissionIds } = (await documents().findOne({ _id: id })) ?? {};
    expect([submissionIds?.length, submissionIds?.at(-1)]).toEqual([1_000, 'the last']);
    aheadMs += HOUR_MS;
    await becomes(organizationId, ['SENT', 'SENT']);
    await countSubmission([id], 'after it was sent');
    expect((await documents().findOne({ _id: id }))?.submissionIds).toEqual(submissionIds);
  });

  test('that refuses in another hour causes a new mail, and an event that comes twice adds no mail', async () => {
    const { organizationId } = await someMember();
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    const refused = { connectionId: 'connection-1', status: 'FAILED', errorCode: 'KSEF_500' };
    const countBecomes = (count: number): Promise<void> =>
      eventually(async () => expect(await listed(organizationId)).toHaveLength(count));
    await changed(organizationId, refused, new Date(hour - 1));
    await countBecomes(1);
    await changed(organizationId, refused, new Date(hour));
    await countBecomes(2);

    const [first] = await documents().find({ organizationId }).sort({ createdAt: 1 }).toArray();
    const owner = { userId: first?.userId, role: 'OWNER', status: 'ACTIVE' };
    const again = notifyAboutRefusal({
      organizations: { find: async () => ({ id: organizationId, name: 'Acme' }) as never },
      rosters: { find: async () => ({ members: [owner] }) as never },
      notifications: notificationStore(documents(), clock, () => {}),
    });
    await again({ organizationId, at: first?.createdAt ?? new Date(), notice: first?.occasion as never });
    expect(await listed(organizationId)).toHaveLength(2);
  });

  test.each([
    ['REJECTED', 'KSEF_450', /^KSeF refused an invoice of /],
    ['FAILED', 'KSEF_HTTP_403', /^An invoice of .* could not be submitted to KSeF/],
  ])('that leaves an invoice %s (%s) is told to owners and admins', async (status, errorCode, subject) => {
    const email = `admin-ksef-${status.toLowerCase()}@acme.example`;
    const { organizationId } = await withAdmin(email);
    // Submissions that are in progress, succeeded or were ended by a person cause no mail.
    await changed(organizationId, { status: 'PROCESSING' });
    await changed(organizationId, { status: 'ACCEPTED', ksefNumber: 'n' });
    await changed(organizationId, { status: 'FAILED', errorCode: 'CANCELED' });
    await changed(organizationId, { status: 'FAILED', errorCode: 'CONNECTION_DISABLED' });
    await changed(organizationId, { status, errorCode });
    const entry = ['KSEF_SUBMISSION_REFUSED', expect.stringMatching(subject)];
    await eventually(async () =>
      expect((await listed(organizationId)).map((one) => [one.kind, one.subject])).toEqual([entry, entry]),
    );
    await startSender();
    await becomes(organizationId, ['SENT', 'SENT']);
    const [mail] = mailsTo(email);
    expect(mail?.text).toContain(`Code:       ${errorCode}`);
    expect(mail?.text).toContain('GET /v1/ksef-connections/connection-1/submissions/submission-1');
  });
});

describe('a connection to an ERP', () => {
  const changed = async (organizationId: string, part: Partial<EventBody<ConnectionChanged>>): Promise<void> => {
    const body = announce(events.connectionChanged, {
      connectionId: 'connection-1',
      companyId: 'company-1',
      provider: 'PROVIDER_A',
      providerName: 'Business Central',
      status: 'CONNECTED',
      byConsent: false,
      needsConsent: false,
      ...part,
    });
    const [event] = envelopes({ id: 'connection-1', organizationId, version: Date.now() }, [body], new Date());
    if (event === undefined) throw new Error('no event');
    const erpSync = await eventPublisher(bus, 'erp-sync');
    await eventually(() => erpSync.publish(event));
  };

  test.each([
    ['with credentials', false, 'PATCH /v1/erp-connections/connection-1'],
    ['by consent', true, 'POST /v1/erp-connections/oauth/start'],
  ])(
    'that is made %s and needs a person is told to owners and admins, with what to do',
    async (_, needsConsent, advice) => {
      const { organizationId, email: analyst } = await someMember();
      const email = `admin-erp-${needsConsent}@acme.example`;
      await clients.operator.createMember({ organizationId, email, name: '', role: 'ADMIN' }, asOperator);
      await changed(organizationId, {
        status: 'ERROR',
        previousStatus: 'CONNECTED',
        errorCode: 'AUTH_FAILED',
        errorMessage: 'The client secret has expired. Create a new one.',
        needsConsent,
      });
      const entry = ['ERP_REAUTH_REQUIRED', expect.stringMatching(/^Business Central is no longer synchronised with /)];
      await eventually(async () =>
        expect((await listed(organizationId)).map((one) => [one.kind, one.subject])).toEqual([entry, entry]),
      );
      await startSender();
      await becomes(organizationId, ['SENT', 'SENT']);
      expect(mailsTo(analyst)).toEqual([]);
      const [mail] = mailsTo(email);
      expect(mail?.text).toContain('The client secret has expired. Create a new one. (AUTH_FAILED)');
      expect(mail?.text).toContain(advice);
      expect(mail?.text).toContain('POST /v1/erp-connections/connection-1/test');
    },
  );

  test('that somebody gave consent to is told to owners alone; other changes are told to nobody', async () => {
    const { organizationId } = await someMember();
    const email = 'admin-consent@acme.example';
    await clients.operator.createMember({ organizationId, email, name: '', role: 'ADMIN' }, asOperator);
    await changed(organizationId, { status: 'CONNECTED', previousStatus: 'PENDING' });
    await changed(organizationId, { providerName: 'Xero', byConsent: true, tenantName: 'Demo\nCompany' });
    await eventually(async () =>
      expect((await listed(organizationId)).map((one) => [one.kind, one.subject])).toEqual([
        ['ERP_CONNECTED', expect.stringMatching(/^Xero was connected to /)],
      ]),
    );
    await startSender();
    await becomes(organizationId, ['SENT']);
    expect(mailsTo(email)).toEqual([]);
  });
});

describe('an assignment', () => {
  test('sends the assignee one mail, with a message id derived from the notification', async () => {
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

  test('delivered twice sends one mail', async () => {
    const member = await someMember();
    const event = assignment({ organizationId: member.organizationId, assigneeUserId: member.userId });
    // Without a message id, the broker does not deduplicate messages.
    for (let count = 0; count < 3; count++) await eventually(() => bus.jetstream.publish(event.subject, event.payload));
    await assign(member);
    await eventually(async () => expect(await listed(member.organizationId)).toHaveLength(2));
    await startSender();
    await becomes(member.organizationId, ['SENT', 'SENT']);
    expect(mailsTo(member.email)).toHaveLength(2);
  });

  test('sends no mail without an assignee, to a non-member, removed or invited person, or in a deleted organization', async () => {
    const member = await someMember();
    const { organizationId } = member;
    const email = 'invited@acme.example';
    const invited = await clients.member.inviteMember({ organizationId, email, role: 'ADMIN' }, caller);
    const stranger = await someMember();
    const leaver = await clients.operator.createMember(
      { organizationId, email: 'leaver@acme.example', name: '', role: 'ADMIN' },
      asOperator,
    );
    await clients.member.removeMember({ organizationId, userId: leaver.userId }, caller);
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
  test('notifications stay QUEUED with one log line, and are sent once a mail server is configured', async () => {
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
    'temporarily (%s) gets the mail later, under the same message id',
    async (fault) => {
      const member = await someMember();
      smtp.fail(fault, 2);
      await startSender();
      await assign(member);
      await triedWithoutSuccess(member, 1);
      aheadMs += MINUTE_MS;
      await triedWithoutSuccess(member, 2);
      // The clock moves on by two minutes, because the second delay before a retry is longer than the first.
      aheadMs += 2 * MINUTE_MS;
      const early = await documents().findOne({ userId: member.userId });
      expect((early?.dueAt?.getTime() ?? 0) - clock.now().getTime()).toBeGreaterThan(0);
      expect(mailsTo(member.email)).toEqual([]);
      aheadMs += MINUTE_MS;
      await becomes(member.organizationId, ['SENT']);
      expect(mailsTo(member.email)).toHaveLength(1);
    },
  );

  test('permanently is tried six times within two hours, then no more', async () => {
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

  test('with a permanent rejection of the recipient is not tried again', async () => {
    const member = await someMember();
    smtp.fail('PERMANENT', 1);
    await startSender();
    await assign(member);
    await becomes(member.organizationId, ['FAILED']);
    expect(await documents().findOne({ userId: member.userId })).toMatchObject({ tries: 1, reason: 'EENVELOPE 550' });
  });

  test('to confirm a mail that it accepted gets the mail again under the same message id', async () => {
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

  test('to answer at all blocks neither the events nor the stop of the service', async () => {
    const member = await someMember();
    smtp.fail('KEEP_WAITING', 1_000);
    const sender = await startSender();
    await assign(member);
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    for (let count = 0; count < 20; count++) await assign(member);
    await eventually(async () => expect(await listed(member.organizationId)).toHaveLength(21));
    others = [];
    await sender.stop();
    // Mails being sent go back to the queue at once, before their leases expire.
    expect(await documents().countDocuments({ status: 'QUEUED', leaseUntil: new Date(0) })).toBe(21);
    // Stopping the service ended the wait, and not the timeout of the mail server.
    expect(await documents().distinct('reason')).toContain('STOPPED');
    smtp.fail('KEEP_WAITING', 0);
    // On a slow machine, the timeout of the mail server may already have passed.
    aheadMs += MINUTE_MS;
    await startSender();
    await becomes(member.organizationId, Array<string>(21).fill('SENT'));
  });
});

describe('replicas', () => {
  test('send the mails of their own writes at once, without a search', async () => {
    const { organizationId } = await someMember();
    const sender = connect((await startSender({})).address);
    const begunAt = performance.now();
    const email = 'invited-at-once@acme.example';
    await sender.member.inviteMember({ organizationId, email, role: 'ANALYST' }, caller);
    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    // The search of another process would find the mail after up to ten seconds.
    expect(performance.now() - begunAt).toBeLessThan(3_000);
    sender.close();
  });

  test('sharing one queue send every mail exactly once', async () => {
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
  test('who left before the mail was sent gets none', async () => {
    const member = await someMember();
    const { organizationId, userId } = member;
    const email = 'revoked@acme.example';
    const invited = await clients.member.inviteMember({ organizationId, email, role: 'ADMIN' }, caller);
    await assign(member);
    await becomes(organizationId, ['QUEUED', 'QUEUED']);
    for (const leaving of [userId, invited.member?.userId ?? '']) {
      await clients.member.removeMember({ organizationId, userId: leaving }, caller);
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
    const { member } = await clients.member.inviteMember({ organizationId, email, role: 'ADMIN' }, caller);
    const userId = member?.userId ?? '';
    const queued = await documents().findOne({ userId });
    if (queued === null) throw new Error('the mail was not queued');
    // The audit entries are put into the state that a crash leaves directly after the write of the invitation.
    const audit = mongo.db.collection<AuditEventDocument>('audit_events');
    const entry = await audit.findOne({ organizationId, action: 'member.invited' });
    if (entry === null) throw new Error('the invitation was not audited');
    const rosters = mongo.db.collection<{ _id: string }>('members');
    const crash = async () => {
      const relayedFields = { auditEntries: [entry], notifications: [queued], auditPending: true };
      await rosters.updateOne({ _id: organizationId }, { $set: relayedFields });
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

  test('while a mail is sent repeats it under the same message id once the lease has expired', async () => {
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
 * Runs the service in a process that a test can kill at any point. The start is repeated if the database is too busy at
 * first.
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
      BILLING_ADDRESS: billing.address,
      GRPC_PORT: '0',
      HEALTH_PORT: '0',
      TLS_DIR: testIdentityDirectory('organization'),
      MONGODB_URL: infrastructure.mongodbUrl,
      NATS_URL: infrastructure.natsUrl,
      DATABASE_NAME: databaseName,
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
