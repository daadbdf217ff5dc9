import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { updateInbox } from '../application/inbox/change-inbox.js';
import type { InboxDeps } from '../application/inbox/change-inbox.js';
import type { Connection, Environment } from '../domain/connection.js';
import { createInboxIndexes, inboxEnvironmentStore, inboxStore } from '../storage/inboxes.js';
import type { InboxDocument, InboxEnvironmentDocument } from '../storage/inboxes.js';

const context = systemContext('test');
let mongo: MongoConnection;
let inboxes: InboxDeps['inboxes'];
let environments: InboxDeps['environments'];
const documents = () => mongo.db.collection<InboxDocument>('inboxes');
const reservations = () => mongo.db.collection<InboxEnvironmentDocument>('inbox_environments');

beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  await createInboxIndexes(documents());
  const outbox = { nudge: () => {} } as unknown as Parameters<typeof inboxStore>[1]['outbox'];
  inboxes = inboxStore(documents(), { outbox, clock: systemClock, leaseMs: 1_000, onDue: () => {} });
  environments = inboxEnvironmentStore(reservations());
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function connectionOf(organizationId: string, environment: Environment): Connection {
  return {
    id: randomUUID(),
    organizationId,
    version: 1,
    companyId: randomUUID(),
    environment,
    contextNip: '5265877635',
    authentication: 'TOKEN',
    secret: undefined,
    status: 'CONNECTED',
    lastTestedAt: undefined,
    lastErrorMessage: undefined,
    createdAt: new Date(),
  };
}

/** Function that runs before each call of a store. */
type Gate = () => Promise<void>;

/** Returns a store whose calls wait until the test releases them. */
function gated<Store extends object>(store: Store, gate: Gate): Store {
  return new Proxy(store, {
    get(own, name) {
      const call = own[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await gate();
        return call(...args);
      };
    },
  });
}

interface Change {
  readonly connection: Connection;
  readonly isEnabled: boolean;
}

function change({ connection, isEnabled }: Change, gate: Gate = async () => {}): Promise<unknown> {
  const deps: InboxDeps = {
    connections: { find: () => Promise.resolve(connection) },
    inboxes: gated(inboxes, gate),
    environments: gated(environments, gate),
    clock: systemClock,
  };
  const { id: connectionId, organizationId } = connection;
  return updateInbox(deps)({ organizationId, connectionId, isEnabled, from: undefined }, context);
}

/** A request that performs one call of a store at a time. */
interface Stepped {
  /**
   * Performs the next store call of the request. Returns false if the request has ended. A request that is not
   * continued was killed.
   */
  step(): Promise<boolean>;
}

function stepped(wish: Change): Stepped {
  let arrive: (call: (() => void) | undefined) => void = () => {};
  let next: Promise<(() => void) | undefined>;
  const awaitArrival = (): void => {
    next = new Promise((resolve) => (arrive = resolve));
  };
  awaitArrival();
  const gate = (): Promise<void> => new Promise((resolve) => arrive(resolve));
  change(wish, gate).then(
    () => arrive(undefined),
    (error: unknown) => {
      // A change may be refused only because another KSeF connection has reserved the environment.
      if (!(error instanceof DomainError) || error.kind !== 'wrong_state') throw error;
      arrive(undefined);
    },
  );
  return {
    async step() {
      const call = await next;
      if (call === undefined) return false;
      awaitArrival();
      call();
      await next;
      return true;
    },
  };
}

/** Returns every order of the first calls of two requests. */
function* ordersOf(first: number, second: number): Iterable<readonly (0 | 1)[]> {
  if (first === 0 && second === 0) yield [];
  if (first > 0) for (const rest of ordersOf(first - 1, second)) yield [0, ...rest];
  if (second > 0) for (const rest of ordersOf(first, second - 1)) yield [1, ...rest];
}

/**
 * Returns the number of calls that enable or disable a KSeF inbox. If a request must begin again, its further calls are
 * made at the end.
 */
const callsOf = ({ isEnabled }: Pick<Change, 'isEnabled'>): number => (isEnabled ? 3 : 4);

async function expectReserved(organizationId: string, facts: unknown): Promise<void> {
  const enabled = await documents().find({ organizationId, isEnabled: true }).toArray();
  const reserved = await reservations().findOne({ _id: organizationId });
  for (const { _id: id, environment } of enabled) {
    expect({ facts, environment, ids: reserved?.connectionIds }).toEqual({
      facts,
      environment: reserved?.environment,
      ids: expect.arrayContaining([id]),
    });
  }
}

/**
 * The states of a KSeF inbox before two requests. In the last two, an earlier request was killed between its writes.
 */
const states = {
  'was never enabled': async () => {},
  'is enabled': async (connection: Connection) => {
    await change({ connection, isEnabled: true });
  },
  'is disabled': async (connection: Connection) => {
    await change({ connection, isEnabled: true });
    await change({ connection, isEnabled: false });
  },
  'was never enabled and has reserved its environment': async (connection: Connection) => {
    const { organizationId, environment, id } = connection;
    await reservations().insertOne({ _id: organizationId, environment, connectionIds: [id] });
  },
  'is disabled and has reserved its environment': async (connection: Connection) => {
    const { organizationId, id } = connection;
    await change({ connection, isEnabled: true });
    await documents().updateOne({ _id: id, organizationId }, { $set: { isEnabled: false }, $inc: { version: 1 } });
  },
} as const;

const pairs: readonly (readonly [string, (connection: Connection) => readonly [Change, Change]])[] = [
  [
    'one enables it, one disables it',
    (connection) => [
      { connection, isEnabled: true },
      { connection, isEnabled: false },
    ],
  ],
  [
    'one disables it, one enables another environment',
    (connection) => [
      { connection, isEnabled: false },
      { connection: connectionOf(connection.organizationId, 'DEMO'), isEnabled: true },
    ],
  ],
  [
    'one enables it, one enables another environment',
    (connection) => [
      { connection, isEnabled: true },
      { connection: connectionOf(connection.organizationId, 'DEMO'), isEnabled: true },
    ],
  ],
];

describe.each(Object.entries(states))('an inbox that %s', (_, prepare) => {
  test.each(pairs)(
    'that two requests change (%s) has reserved its environment whenever it is enabled, in each order of their writes and after a kill between any two',
    async (_name, wishes) => {
      const [one, other] = wishes(connectionOf(randomUUID(), 'TEST'));
      await Promise.all(
        [...ordersOf(callsOf(one), callsOf(other))].map(async (order) => {
          const connection = connectionOf(randomUUID(), 'TEST');
          const { organizationId } = connection;
          await prepare(connection);
          const requests = wishes(connection).map(stepped);
          // A check after a call is also the check of a kill after that call.
          for (const index of order) {
            await requests[index]?.step();
            await expectReserved(organizationId, order);
          }
          for (const request of requests) while (await request.step()) await expectReserved(organizationId, order);
        }),
      );
    },
  );

  test.each([true, false])(
    'releases its environment when it is disabled after a killed request (enabling: %s)',
    async (isEnabled) => {
      for (let calls = 0; calls <= callsOf({ isEnabled }); calls++) {
        const connection = connectionOf(randomUUID(), 'TEST');
        await prepare(connection);
        const killed = stepped({ connection, isEnabled });
        for (let call = 0; call < calls; call++) await killed.step();
        await change({ connection, isEnabled: false });
        await change({ connection: connectionOf(connection.organizationId, 'DEMO'), isEnabled: true });
        await expectReserved(connection.organizationId, { isEnabled, calls });
      }
    },
  );
});
