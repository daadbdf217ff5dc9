// Derives the rights of each service at the broker from the code (docs/adr/0162-rights-at-the-broker.md).
import { events } from '@invoicecontrol/contracts/events';
import type { EventType } from '@invoicecontrol/contracts/events';
import { inboxPrefix } from '@invoicecontrol/runtime/nats/connection';
import { readService } from './read-services.js';
import { databaseName, startOrder } from './services.js';
import type { ServiceName } from './services.js';

/** Subjects to which a client of the broker may publish and subscribe. Everything else is refused. */
interface Rights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A durable consumer of the event stream of another service. */
export interface Durable {
  readonly name: string;
  readonly type: EventType;
}

const catalogue: Readonly<Record<string, EventType>> = events;

/** Returns the durable consumers of a service. Their names begin with the name of the service's database. */
export function durablesOf(service: ServiceName, databasePrefix = ''): Durable[] {
  return readService(service).handles.map((key) => {
    const type = catalogue[key] ?? missing(key);
    return { name: `${databasePrefix}${databaseName(service)}__${type.name}`, type };
  });
}

/** Returns the services that publish events, with the names of their streams. */
export function publishers(): { readonly service: string; readonly stream: string }[] {
  return [...new Map(Object.values(catalogue).map(({ service, stream }) => [service, { service, stream }])).values()];
}

/**
 * Returns the rights of a service at the broker: it may publish its events, read the streams that it handles through
 * its own consumers, and receive the broadcasts that it subscribes to.
 * @param databasePrefix prefix of the databases of one system. With `undefined`, the service may use consumers with any
 *   name, because several systems share a broker in a test run.
 */
export function brokerRights(service: ServiceName, databasePrefix: string | undefined): Rights {
  const { receives } = readService(service);
  const own = publishers().filter((publisher) => publisher.service === service);
  return {
    publish: distinct([
      ...own.flatMap(({ stream }) => [
        `invoicecontrol.${service}.v1.>`,
        `$JS.API.STREAM.INFO.${stream}`,
        // A service can use this right only to create a lost stream again, because the broker refuses other settings
        // for a stream that exists.
        `$JS.API.STREAM.CREATE.${stream}`,
      ]),
      ...durablesOf(service, databasePrefix).flatMap(({ name, type: { stream, subject } }) => {
        const durable = databasePrefix === undefined ? '*' : name;
        return [
          `$JS.API.STREAM.INFO.${stream}`,
          `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
          `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
          `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
          // A service deletes and recreates a consumer that is ahead of the service's restored database.
          `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
          // A service reads the oldest waiting event of a stream, to report when the event was published.
          `$JS.API.STREAM.MSG.GET.${stream}`,
          `$JS.ACK.${stream}.${durable}.>`,
          // The subject of an acknowledgement has the domain and the account before the stream in nats-server 2.16, and
          // may have them in 2.14. `_` means that there is no domain. If the permission had `*` in place of `_`, it
          // would also cover acknowledgements for consumers of other services.
          `$JS.ACK._.*.${stream}.${durable}.>`,
        ];
      }),
    ]),
    subscribe: [`${inboxPrefix(service)}.>`, ...receives.map((key) => (catalogue[key] ?? missing(key)).subject)],
  };
}

/** The operator creates and manages the streams and consumers of every service at the broker. */
const operatorRights: Rights = { publish: ['$JS.API.>'], subscribe: [`${inboxPrefix('operator')}.>`] };

/**
 * Returns the part of the nats-server configuration that states the rights of each user. The name of a user is the
 * SPIFFE id in the certificate of the client.
 * @param more names of further users, who have all rights
 */
export function authorization(
  trustDomain: string,
  databasePrefix: string | undefined,
  more: readonly string[] = [],
): string {
  const all: Rights = { publish: ['>'], subscribe: ['>'] };
  const users = [
    ...startOrder.map((service) => [service, brokerRights(service, databasePrefix)] as const),
    ['operator', operatorRights] as const,
    ...more.map((name) => [name, all] as const),
  ];
  return `authorization {
  users: [
${users.map(([name, rights]) => userBlock(`spiffe://${trustDomain}/service/${name}`, rights)).join('')}  ]
}
`;
}

function userBlock(user: string, { publish, subscribe }: Rights): string {
  return `    {
      user: "${user}"
      permissions: {
        publish: ${subjects(publish)}
        subscribe: ${subjects(subscribe)}
      }
    }
`;
}

/**
 * Returns the nats-server configuration of the subjects that a user may use. An empty list of allowed subjects is
 * written as a prohibition of all subjects, because nats-server would read it as permission for all.
 */
function subjects(allowed: readonly string[]): string {
  if (allowed.length === 0) return '{ deny: [">"] }';
  return `{ allow: [\n${allowed.map((subject) => `          "${subject}"\n`).join('')}        ] }`;
}

function distinct(subjects: readonly string[]): string[] {
  return [...new Set(subjects)];
}

function missing(key: string): never {
  throw new Error(`The catalogue has no event ${key}.`);
}
