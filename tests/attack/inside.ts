// A process inside the network of the installation, which tries everything that it can reach with the credentials that
// it has: none, those of the webhooks service, or those of the gateway.
import { callerNames } from '@invoicecontrol/contracts/callers';
import { events } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { brokerRights, publishers } from '@invoicecontrol/topology/broker-rights';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { databaseNames } from '@invoicecontrol/topology/start';
import { credentials } from '@grpc/grpc-js';
import { MongoClient } from 'mongodb';
import { expectedReach, proofOf, reachOf } from '../e2e/rpc-reach.js';

/** The running product, as a process in the same network sees it. */
export interface Inside {
  readonly addresses: Readonly<Record<ServiceName, string>>;
  readonly natsUrl: string;
  /** Returns the address of the database with the user of a service. */
  readonly mongodbUrlOf: (service: ServiceName) => Promise<string>;
  readonly databasePrefix: string;
}

/** Proofs that a taken process holds: none, or all that the pod of this service has. */
export type Taken = 'nothing' | 'webhooks' | 'gateway';
export const taken: readonly Taken[] = ['nothing', 'webhooks', 'gateway'];

/** Things of one kind that one process reached, and their differences from the tables of rights. */
export interface Reached {
  readonly what: string;
  /** Names of the things that were reached. */
  readonly reached: readonly string[];
  readonly tried: number;
  /** Differences from the tables, each as a sentence. */
  readonly differences: readonly string[];
}

/** Tries every rpc, every subject of the broker and every database. */
export async function reachFromInside(inside: Inside, holder: Taken): Promise<Reached[]> {
  return [await tryRpcs(inside, holder), ...(await tryBroker(inside, holder)), await tryDatabases(inside, holder)];
}

async function tryRpcs({ addresses }: Inside, holder: Taken): Promise<Reached> {
  const found = await reachOf(addresses, holder === 'nothing' ? credentials.createInsecure() : proofOf(holder));
  const expected = expectedReach(holder);
  return compared('rpcs', found.size, {
    reached: [...found].flatMap(([rpc, reach]) => (reach === 'served' ? [rpc] : [])),
    allowed: [...expected].flatMap(([rpc, reach]) => (reach === 'served' ? [rpc] : [])),
  });
}

async function tryBroker({ natsUrl, databasePrefix }: Inside, holder: Taken): Promise<Reached[]> {
  const subjects = [...new Set(Object.values(events).map(({ subject }) => subject))];
  const streams = publishers().map(({ stream }) => stream);
  const rights = holder === 'nothing' ? { publish: [], subscribe: [] } : brokerRights(holder, databasePrefix);
  const heard = [...subjects, '>', 'invoicecontrol.>', '$JS.>', ...callerNames.map((name) => `_INBOX_${name}.>`)];
  const commands = streams.flatMap((stream) =>
    ['INFO', 'PURGE', 'DELETE', 'UPDATE', 'MSG.GET', 'MSG.DELETE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
  );
  const bus = await connectNats({
    url: natsUrl,
    identity: holder === 'nothing' ? undefined : testIdentityDirectory(holder),
    name: holder,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  try {
    const isLetIn = bus.isConnected();
    const keep = async (
      tried: readonly string[],
      isAllowed: (subject: string) => Promise<boolean>,
    ): Promise<string[]> => {
      const found: string[] = [];
      for (const subject of isLetIn ? tried : []) if (await isAllowed(subject)) found.push(subject);
      return found;
    };
    const mayPublish = (subject: string): Promise<boolean> => publishes(bus, subject);
    const compareAll = async (
      what: string,
      tried: readonly string[],
      allowed: readonly string[],
      isAllowed: (subject: string) => Promise<boolean>,
    ): Promise<Reached> =>
      compared(what, tried.length, {
        reached: await keep(tried, isAllowed),
        allowed: tried.filter((subject) => allowed.some((right) => covers(right, subject))),
      });
    return [
      await compareAll('events published', subjects, rights.publish, mayPublish),
      await compareAll('commands on streams', commands, rights.publish, mayPublish),
      await compareAll('subjects heard', heard, rights.subscribe, (subject) => hears(bus, subject)),
    ];
  } finally {
    await bus.close();
  }
}

/**
 * Sends an empty message, which no consumer and no command of the broker accepts, and returns whether the broker took
 * it. A refused request fails with a violation of permissions.
 */
async function publishes({ connection }: Bus, subject: string): Promise<boolean> {
  try {
    await connection.request(subject, '', { timeout: 300 });
    return true;
  } catch (error) {
    return !String((error as Error).cause ?? error).includes('Permissions Violation');
  }
}

async function hears({ connection }: Bus, subject: string): Promise<boolean> {
  let refused = false;
  const subscription = connection.subscribe(subject, { callback: (error) => void (refused ||= error !== null) });
  await connection.flush();
  // The refusal arrives before the answer to a second flush.
  await connection.flush();
  subscription.unsubscribe();
  return !refused;
}

/** Checks whether a right, which may end with `>` and contain `*`, covers a subject. */
function covers(right: string, subject: string): boolean {
  const [rights, parts] = [right.split('.'), subject.split('.')];
  if (rights.at(-1) === '>') {
    return parts.length >= rights.length && rights.slice(0, -1).every((part, at) => part === '*' || part === parts[at]);
  }
  return rights.length === parts.length && rights.every((part, at) => part === '*' || part === parts[at]);
}

async function tryDatabases({ mongodbUrlOf, databasePrefix }: Inside, holder: Taken): Promise<Reached> {
  const names = databaseNames(databasePrefix);
  // The gateway has no database, so its pod has no password.
  const url = new URL(await mongodbUrlOf('webhooks'));
  if (holder !== 'webhooks') {
    url.username = '';
    url.password = '';
    url.searchParams.delete('authSource');
  }
  const client = new MongoClient(url.href);
  const reached: string[] = [];
  try {
    for (const name of names) {
      const [collection] = [client.db(name).collection('tried')];
      await collection.findOne().then(
        () => reached.push(name),
        () => {},
      );
    }
  } finally {
    await client.close();
  }
  return compared('databases', names.length, {
    reached,
    allowed: holder === 'webhooks' ? [`${databasePrefix}webhooks`] : [],
  });
}

function compared(
  what: string,
  tried: number,
  { reached, allowed }: { readonly reached: readonly string[]; readonly allowed: readonly string[] },
): Reached {
  return {
    what,
    reached,
    tried,
    differences: [
      ...reached.filter((one) => !allowed.includes(one)).map((one) => `${one} was reached, and no table allows it`),
      ...allowed.filter((one) => !reached.includes(one)).map((one) => `${one} is allowed, and was not reached`),
    ],
  };
}
