// A process inside the network of the installation, which tries everything that it can reach with the credentials that
// it has: none, those of the webhooks service, or those of the gateway.
import { randomUUID } from 'node:crypto';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { callerNames } from '@invoicecontrol/contracts/callers';
import { events } from '@invoicecontrol/contracts/events';
import { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { issueGrant } from '@invoicecontrol/runtime/grpc/grants';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { testGrant, testIdentity, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { brokerRights, publishers } from '@invoicecontrol/topology/broker-rights';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { databaseNames } from '@invoicecontrol/topology/start';
import { credentials } from '@grpc/grpc-js';
import { MongoClient } from 'mongodb';
import { expectedReach, proofOf, reachBeyond, reachOf } from '../e2e/rpc-reach.js';

/** Time limit of a call, long enough for a busy machine. */
const TIMEOUT_MS = 60_000;

/** The addresses of the services, the broker and the databases, for an attacker inside the network. */
export interface Inside {
  readonly addresses: Readonly<Record<ServiceName, string>>;
  readonly natsUrl: string;
  /** Returns the URL of the MongoDB server that a service uses, including the user and the password of the service. */
  readonly mongodbUrlOf: (service: ServiceName) => Promise<string>;
  readonly databasePrefix: string;
}

/**
 * The service whose credentials the attacker has stolen: its certificate and, if it has a database, its password. With
 * `nothing`, the attacker has no credentials.
 */
export type Taken = 'nothing' | 'webhooks' | 'gateway';
export const taken: readonly Taken[] = ['nothing', 'webhooks', 'gateway'];

/**
 * Result of one kind of attack from inside the network: what the attacker reached, and where that differs from the
 * declared permissions.
 */
export interface Reached {
  readonly what: string;
  /** Names of the RPCs, subjects or databases that the attacker reached. */
  readonly reached: readonly string[];
  readonly tried: number;
  /** One sentence for each difference between what the attacker reached and what the permissions allow. */
  readonly differences: readonly string[];
}

/** Tries every rpc, every subject of the broker and every database. */
export async function reachFromInside(inside: Inside, holder: Taken): Promise<Reached[]> {
  return [
    await tryRpcs(inside, holder),
    ...(holder === 'gateway' ? [await tryClaims(inside), await tryRights(inside)] : []),
    ...(await tryBroker(inside, holder)),
    await tryDatabases(inside, holder),
  ];
}

async function tryRpcs({ addresses }: Inside, holder: Taken): Promise<Reached> {
  const found = await reachOf(addresses, holder === 'nothing' ? credentials.createInsecure() : proofOf(holder));
  const expected = expectedReach(holder);
  return compared('rpcs', found.size, {
    reached: [...found].flatMap(([rpc, reach]) => (reach === 'served' ? [rpc] : [])),
    allowed: [...expected].flatMap(([rpc, reach]) => (reach === 'served' ? [rpc] : [])),
  });
}

/**
 * Calls the analysis service with the credentials of the gateway, on behalf of an organization: without a grant, with
 * the grant of another organization, with a grant that the gateway signed itself, and with the grant of the
 * organization. The service must accept only the last call.
 */
async function tryClaims({ addresses }: Inside): Promise<Reached> {
  const [organizationId, other] = [randomUUID(), randomUUID()];
  const genuine = 'findings by the grant of the organization';
  const forged = issueGrant(
    testIdentity('gateway'),
    Grant.fromPartial({ organizationId, role: 'OWNER', scopes: ['*'] }),
  );
  const channelTo = (service: ServiceName): Channel =>
    openChannel(addresses[service], { service, identity: testIdentity('gateway') });
  const channel = channelTo('analysis');
  const findings = client(FindingServiceDefinition, channel);
  const contextWith = (grant?: Buffer): { context: RequestContext; timeoutMs: number } => ({
    context: { requestId: 'inside', actor: { type: 'USER', id: 'owner' }, grant },
    timeoutMs: TIMEOUT_MS,
  });
  const finding = { organizationId, findingId: randomUUID() };
  const claims: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['findings without a grant', () => findings.getFinding(finding, contextWith())],
    [
      'findings by the grant of another organization',
      () => findings.getFinding(finding, contextWith(testGrant(other))),
    ],
    ['findings by a grant that the gateway signed', () => findings.getFinding(finding, contextWith(forged))],
    [genuine, () => findings.getFinding(finding, contextWith(testGrant(organizationId)))],
  ];
  const believed: string[] = [];
  try {
    for (const [claim, send] of claims) {
      const kind = await send().then(
        () => 'answered',
        (error: { kind?: string }) => error.kind,
      );
      // The organization and the finding do not exist. The service says so only if it accepts the grant, and otherwise
      // forbids the call.
      if (kind !== 'forbidden') believed.push(claim);
    }
  } finally {
    channel.close();
  }
  return compared('claims believed', claims.length, { reached: believed, allowed: [genuine] });
}

/**
 * Makes every call that needs more than the role VIEWER, with the credentials of the gateway and the grant of a VIEWER.
 * The owners of the data must refuse all of them.
 */
async function tryRights({ addresses }: Inside): Promise<Reached> {
  const found = await reachBeyond(addresses, randomUUID(), { role: 'VIEWER', scopes: ['*'] });
  const reached = [...found].flatMap(([rpc, reach]) => (reach === 'unpermitted' ? [] : [rpc]));
  return compared('rpcs beyond the rights of a VIEWER', found.size, { reached, allowed: [] });
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
 * Returns whether the broker lets the attacker publish to a subject. The message is empty, so no consumer and no
 * command of the broker accepts it. If the broker forbids publishing, the request fails with a permissions violation.
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
  // The broker sends a refusal before it answers the second flush, so the refusal is known after that flush.
  await connection.flush();
  subscription.unsubscribe();
  return !refused;
}

/** Checks whether a permission of the broker, which may contain `*` and end with `>`, covers a subject. */
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
