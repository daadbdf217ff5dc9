// Derives from the code what each service may do at the broker (docs/adr/0162-rights-at-the-broker.md).
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

/** Returns the durable consumers of a service. They are named after its database. */
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
 * Returns what a service may do at the broker: publish its events, read the streams that it handles through its own
 * consumers, and hear the broadcasts that it receives.
 * @param databasePrefix prefix of the databases of one system. Where several systems share a broker, such as in a test
 *   run, `undefined` leaves the names of their consumers open.
 */
export function brokerRights(service: ServiceName, databasePrefix: string | undefined): Rights {
  const { receives } = readService(service);
  const own = publishers().filter((publisher) => publisher.service === service);
  return {
    publish: [
      ...own.flatMap(({ stream }) => [
        `invoicecontrol.${service}.v1.>`,
        `$JS.API.STREAM.INFO.${stream}`,
        // Only a lost stream can be created: the broker refuses other settings for one that exists.
        `$JS.API.STREAM.CREATE.${stream}`,
      ]),
      ...durablesOf(service, databasePrefix).flatMap(({ name, type: { stream, subject } }) => {
        const durable = databasePrefix === undefined ? '*' : name;
        return [
          `$JS.API.STREAM.INFO.${stream}`,
          `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
          `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
          `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
          // A consumer that is ahead of a restored database is created again.
          `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
          // Reads when the oldest event that waits was published.
          `$JS.API.STREAM.MSG.GET.${stream}`,
          `$JS.ACK.${stream}.${durable}.>`,
        ];
      }),
    ].filter(isFirst),
    subscribe: [`${inboxPrefix(service)}.>`, ...receives.map((key) => (catalogue[key] ?? missing(key)).subject)],
  };
}

/** The operator creates streams and consumers, and sees to those of every service. */
const operatorRights: Rights = { publish: ['$JS.API.>'], subscribe: [`${inboxPrefix('operator')}.>`] };

/**
 * Returns the part of the configuration of nats-server that says who may do what. Each user is the SPIFFE id of the
 * client's certificate.
 * @param more further users, who may do everything
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

/** An empty list would allow everything. */
function subjects(allowed: readonly string[]): string {
  if (allowed.length === 0) return '{ deny: [">"] }';
  return `{ allow: [\n${allowed.map((subject) => `          "${subject}"\n`).join('')}        ] }`;
}

function isFirst(subject: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(subject) === index;
}

function missing(key: string): never {
  throw new Error(`The catalogue has no event ${key}.`);
}
