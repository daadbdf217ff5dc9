import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { OperatorServiceDefinition, ResendOutcome } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { z } from 'zod';
import { openTestChannel, testIdentityDirectory } from './testing/test-identities.js';
import { serviceSettings } from './config.js';
import type { DeadLetter } from './dead-letters.js';
import { RESENT_LETTERS_MAX } from './dead-letters.js';
import { client } from './grpc/client.js';
import type { CallOptions, Channel } from './grpc/client.js';
import { createLogger } from './logger.js';
import { connectMongo } from './mongo/connection.js';
import type { MongoConnection } from './mongo/connection.js';
import { deadLetterStore } from './mongo/dead-letters.js';
import { announce, envelopes } from './mongo/event-envelope.js';
import { connectTestNats } from './testing/test-bus.js';
import { eventPublisher } from './nats/publish.js';
import type { RunningService } from './process.js';
import { handler, startServiceShell } from './service-shell.js';

const TIMEOUT_MS = 60_000;
const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const consumer = `${databaseName}__api_keys_revoked`;
const schema = z.object(serviceSettings('test'));
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const asOperator: CallOptions = {
  context: { requestId: 'req-op', actor: { type: 'OPERATOR', id: 'ann' } },
  timeoutMs: TIMEOUT_MS,
};

let mongo: MongoConnection;
let service: RunningService;
let channel: Channel;
/** Ids of the events that the handler of the service has handled. */
const handled: string[] = [];
let refuse: Error | undefined;

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  const config = schema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('test'),
    MONGODB_URL: infrastructure.mongodbUrl,
    NATS_URL: infrastructure.natsUrl,
    DATABASE_NAME: databaseName,
  });
  const revoked = handler(events.apiKeysRevoked, async ({ eventId, organizationId }) => {
    if (organizationId !== databaseName) return;
    if (refuse !== undefined) throw refuse;
    handled.push(eventId);
  });
  service = await startServiceShell(
    {
      name: 'test',
      schema,
      config,
      callsEndMsMax: TIMEOUT_MS,
      async compose({ openOutbox }) {
        await openOutbox(['things']);
        const doomed = { name: 'doomed', pauseMs: 50, run: () => Promise.reject(new Error('always')) };
        return { rpcGroups: [], tenantData: [], eventHandlers: [revoked], jobs: [doomed] };
      },
    },
    { logger },
  );
  channel = openTestChannel('test', service.address);
});
afterAll(async () => {
  channel.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});

const operator = () => client(OperatorServiceDefinition, channel);
const letters = () => mongo.db.collection<{ _id: string; resends?: number }>('dead_letters');

/** Stores a dead letter, as the consumer does after its eighth delivery. */
async function bury(version: number, changes: Partial<DeadLetter> = {}): Promise<{ id: string; eventId: string }> {
  const aggregate = { id: databaseName, organizationId: databaseName, version };
  const body = { version, apiKeyIds: ['k1'] };
  const [event] = envelopes(aggregate, [announce(events.apiKeysRevoked, body)], new Date(version));
  if (event === undefined) throw new Error('no event');
  const id = `${consumer}:${event.id}`;
  const { subject, payload } = event;
  await deadLetterStore(mongo.db).store({ id, subject, payload, error: 'first', at: new Date(0), ...changes });
  return { id, eventId: event.id };
}

const resend = (...deadLetterIds: string[]) =>
  operator().resendDeadLetters({ deadLetterIds, reason: 'release 12 corrects it' }, asOperator);

describe('dead letters', () => {
  test('are listed page by page without their payloads, each once', async () => {
    await letters().deleteMany({});
    const buried = await Promise.all([1, 2, 3].map((version) => bury(version)));
    const listed: string[] = [];
    let pageToken = '';
    do {
      const page = await operator().listDeadLetters({ pageSize: 2, pageToken }, asOperator);
      listed.push(...page.deadLetters.map(({ deadLetterId }) => deadLetterId));
      expect(JSON.stringify(page)).not.toContain('apiKeyIds');
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(listed).toEqual(buried.map(({ id }) => id).sort());
    await expect(operator().listDeadLetters({ pageSize: 101, pageToken: '' }, asOperator)).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  test('are shown with their payload, secrets masked by name and by shape', async () => {
    const payload = JSON.stringify({ organizationId: 'o9', recoveryToken: 'abc', summary: 'with rec_0123abc' });
    const { id } = await bury(4, { payload, error: 'refused ick_live_abc_def' });
    const { deadLetter, payloadJson } = await operator().getDeadLetter({ deadLetterId: id }, asOperator);
    expect(deadLetter).toEqual({
      deadLetterId: id,
      subject: events.apiKeysRevoked.subject,
      organizationId: 'o9',
      error: 'refused ick_live_[masked]',
      deadTime: new Date(0),
      resends: 0,
      resentTime: undefined,
    });
    expect(JSON.parse(payloadJson)).toEqual({
      organizationId: 'o9',
      recoveryToken: '[masked]',
      summary: 'with rec_[masked]',
    });
  });

  test('take effect when they are sent again and are no dead letters any more; the log has who and why', async () => {
    const { id, eventId } = await bury(5);
    lines.length = 0;
    expect(await resend(id)).toEqual({
      results: [{ deadLetterId: id, outcome: ResendOutcome.HANDLED, error: '', resends: 0 }],
    });
    expect(handled).toContain(eventId);
    expect(await letters().countDocuments({ _id: id })).toBe(0);
    const logged = lines.map((line) => JSON.parse(line)).find(({ deadLetterId }) => deadLetterId === id);
    expect(logged).toMatchObject({
      actor: { type: 'OPERATOR', id: 'ann' },
      requestId: 'req-op',
      reason: 'release 12 corrects it',
      outcome: 'HANDLED',
    });
  });

  test('are told to be gone when they are sent again a second time', async () => {
    const { id, eventId } = await bury(6);
    await resend(id);
    expect((await resend(id)).results).toMatchObject([{ outcome: ResendOutcome.NOT_FOUND }]);
    expect(handled.filter((done) => done === eventId)).toHaveLength(1);
  });

  test('stay with the new error and a higher count when they fail again', async () => {
    const { id } = await bury(7);
    refuse = new Error('still wrong');
    try {
      expect((await resend(id)).results).toEqual([
        { deadLetterId: id, outcome: ResendOutcome.FAILED, error: 'still wrong', resends: 1 },
      ]);
      expect((await resend(id)).results).toMatchObject([{ resends: 2 }]);
    } finally {
      refuse = undefined;
    }
    const { deadLetter } = await operator().getDeadLetter({ deadLetterId: id }, asOperator);
    expect(deadLetter).toMatchObject({ error: 'still wrong', resends: 2, deadTime: new Date(0) });
    expect(deadLetter?.resentTime).toBeInstanceOf(Date);
  });

  test('of an event that this release does not handle fail and say so', async () => {
    const { id } = await bury(8, { subject: 'invoicecontrol.organization.v1.forgotten' });
    expect((await resend(id)).results).toMatchObject([
      { outcome: ResendOutcome.FAILED, error: expect.stringContaining('does not handle the event') },
    ]);
  });

  test('are sent again at most so many in one call, and one that is named twice once', async () => {
    const ids = Array.from({ length: RESENT_LETTERS_MAX }, (_, index) => `none:${index}`);
    expect((await resend(...ids)).results).toHaveLength(RESENT_LETTERS_MAX);
    await expect(resend(...ids, 'none:more')).rejects.toMatchObject({ kind: 'invalid' });
    await expect(resend()).rejects.toMatchObject({ kind: 'invalid' });
    const { id, eventId } = await bury(9);
    await resend(id, id);
    expect(handled.filter((done) => done === eventId)).toHaveLength(1);
  });
});

describe('stuck work', () => {
  const stuck = async (olderThanSeconds = 600) =>
    (await operator().listStuckWork({ olderThanSeconds }, asOperator)).items;
  const HOUR_MS = 3_600_000;
  const hourAgo = () => new Date(Date.now() - HOUR_MS);

  test('names events that wait in their documents, with their collection, age and reason', async () => {
    const things = mongo.db.collection<{ _id: string; outboxPending: true; outbox: object[] }>('things');
    const since = hourAgo();
    // The relay finds the event immediately, and the broker refuses a subject that belongs to no stream.
    const event = { id: 'evt_x', subject: 'nobody.hears.this', payload: '{}', at: since };
    await things.insertOne({ _id: 'thing-1', outboxPending: true, outbox: [event] });
    await eventually(async () => {
      expect((await stuck()).filter(({ kind }) => kind === 'outbox')).toEqual([
        {
          kind: 'outbox',
          what: 'documents of things with unpublished events: 1, the oldest thing-1',
          sinceTime: since,
          why: expect.stringMatching(/jetstream is not enabled|responders/),
          resolution: expect.stringContaining('events-and-jobs-stuck.md'),
        },
      ]);
    });
    expect((await stuck(2 * 3_600)).filter(({ kind }) => kind === 'outbox')).toEqual([]);
    await things.deleteMany({});
  });

  test('names a consumer whose handler fails, with its last error, and no more when it has handled the event', async () => {
    refuse = new Error('no such column');
    try {
      const bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
      const publisher = await eventPublisher(bus, 'organization');
      const body = { version: 77, apiKeyIds: ['k1'] };
      const aggregate = { id: databaseName, organizationId: databaseName, version: 77 };
      const [event] = envelopes(aggregate, [announce(events.apiKeysRevoked, body)], new Date());
      if (event === undefined) throw new Error('no event');
      await eventually(() => publisher.publish(event));
      await bus.close();
      await eventually(async () => {
        expect(await stuck(1)).toContainEqual({
          kind: 'consumer',
          what: expect.stringMatching(new RegExp(`^events that wait for ${consumer}: \\d+$`)),
          sinceTime: expect.any(Date),
          why: 'no such column',
          resolution: expect.stringContaining(consumer),
        });
      });
    } finally {
      refuse = undefined;
    }
    await eventually(async () => expect((await stuck(1)).filter(({ kind }) => kind === 'consumer')).toEqual([]));
  });

  test('names dead letters and the command that sends them again', async () => {
    await letters().deleteMany({});
    const { id } = await bury(20, { at: hourAgo(), error: 'no such row' });
    expect((await stuck()).filter(({ kind }) => kind === 'dead_letters')).toMatchObject([
      {
        what: `1 of ${events.apiKeysRevoked.subject}`,
        why: 'no such row',
        resolution: 'npm run admin -- dead-letters resend --all --service test',
      },
    ]);
    await resend(id);
    expect((await stuck()).filter(({ kind }) => kind === 'dead_letters')).toEqual([]);
  });

  test('names a job that fails, with its last error', async () => {
    await eventually(async () => {
      expect(await stuck(1)).toContainEqual(
        expect.objectContaining({ kind: 'job', what: 'job "doomed" of test', why: 'always' }),
      );
    });
  });
});
