// Reads the compiled code of a service: the collections that it opens, the rpcs that it serves and calls, the events that it handles. It
// reads the modules that `startService` loads, so the result does not depend on their folders.
import { readFileSync } from 'node:fs';
import { services } from './services.js';
import type { ServiceName } from './services.js';

/** An rpc service as a caller names it: `{ owner: 'documents', name: 'Upload' }`. */
interface Asked {
  readonly owner: string;
  readonly name: string;
}

export interface ReadService {
  /** Names of collections and of GridFS buckets, sorted. */
  readonly collections: readonly string[];
  /** Names of the rpc services that it binds, without `Service`, sorted. */
  readonly serves: readonly string[];
  /** The names of the rpc services that it calls, by the service that answers, in the order of the map. */
  readonly asks: readonly (readonly [string, readonly string[]])[];
  /** Keys of the event catalogue that it handles durably. */
  readonly handles: readonly string[];
  /** Keys of the event catalogue that each of its replicas receives. */
  readonly receives: readonly string[];
}

/**
 * Reads one service as it was compiled last.
 * @throws Error where the code names something that cannot be read, or where it asks others than the map says
 */
export function readService(service: ServiceName): ReadService {
  const modules = loadedModules(import.meta.resolve(`@invoicecontrol/${service}/service`));
  const asked = modules.flatMap(askedIn);
  const owners: readonly string[] = services[service].calls;
  const strangers = asked.filter(({ owner }) => !owners.includes(owner));
  const silent = owners.filter((called) => !asked.some(({ owner }) => owner === called));
  if (strangers.length > 0 || silent.length > 0) {
    throw new Error(
      `The map says that ${service} calls ${owners.join(', ')}; its code asks ${sorted(asked.map(({ owner }) => owner)).join(', ')}.`,
    );
  }
  return {
    collections: collectionsIn(modules),
    serves: sorted(modules.flatMap(servedIn)),
    asks: owners.map((owner) => [owner, sorted(asked.filter((one) => one.owner === owner).map(({ name }) => name))]),
    handles: sorted(modules.flatMap(handledIn)),
    receives: sorted(modules.flatMap(receivedIn)),
  };
}

/** The sources of the entry and of all modules of this repository that it imports, without generated ones. */
function loadedModules(entry: string): string[] {
  const sources = new Map<string, string>();
  const visit = (url: string): void => {
    if (sources.has(url)) return;
    const source = readFileSync(new URL(url), 'utf8');
    sources.set(url, source);
    for (const imported of importsIn(source)) {
      if (imported.startsWith('.')) visit(new URL(imported, url).href);
      else if (/^@invoicecontrol\/(?!contracts\/)/.test(imported)) visit(import.meta.resolve(imported));
    }
  };
  visit(entry);
  return [...sources.values()];
}

function importsIn(source: string): string[] {
  return [...source.matchAll(/\b(?:from |import |import\()'([^']+)'/g)].map(([, imported = '']) => imported);
}

/**
 * Collections are opened by `collection('name')`, or by a constant that one of the modules states; GridFS buckets by a function
 * of the database and their name. What takes the name from its caller, as the outbox does, opens nothing of its own.
 */
export function collectionsIn(modules: readonly string[]): string[] {
  const code = modules.join('\n');
  const constants = new Map([...code.matchAll(/\bconst ([A-Z_]+) = '([a-z_]+)'/g)].map(([, key, name]) => [key, name]));
  const named = [...code.matchAll(/\.collection\(([^()]*)\)/g)].flatMap(([, list = '']) => {
    const name = list.split(',')[0]?.trim() ?? '';
    if (name.startsWith("'")) return name.slice(1, -1);
    return /^[A-Z_]+$/.test(name) ? (constants.get(name) ?? unread(`the collection ${name}`)) : [];
  });
  const buckets = modules
    .filter((source) => source.includes('new GridFSBucket('))
    .map((source) => {
      const [before = '', after] = source.split('(db, bucketName');
      return after === undefined ? unread('a GridFS bucket') : before.slice(before.lastIndexOf(' ') + 1);
    })
    .flatMap((open) => code.split(`${open}(db, '`).slice(1))
    .map((rest) => rest.slice(0, rest.indexOf("'")));
  return sorted([...named, ...buckets]);
}

export function servedIn(source: string): string[] {
  const imported = definitionsIn(source);
  return [...source.matchAll(/\bbind\(\s*(\w+)Definition\b/g)].map(
    ([, local]) => imported.get(`${local}Definition`)?.name ?? unread(`${local}Definition`),
  );
}

/** `client(UploadServiceDefinition, channel)`, or an entry of the list that the gateway keeps. */
export function askedIn(source: string): Asked[] {
  const imported = definitionsIn(source);
  const calls = [...source.matchAll(/\bclient\(\s*(\w+Definition)\b/g)].map(
    ([, local = '']) => imported.get(local) ?? unread(local),
  );
  const listed = [...source.matchAll(/\{ owner: '([\w-]+)', definition: (\w+) \}/g)].map(
    ([, owner = '', local = '']) => ({ owner, name: imported.get(local)?.name ?? unread(local) }),
  );
  return [...calls, ...listed];
}

/** Service definitions by their name in the module; the package of the contract names the owner. */
function definitionsIn(source: string): Map<string, Asked> {
  const statements = source.matchAll(/^import \{([^{}]*)\} from '@invoicecontrol\/contracts\/(\w+)\/v\d+\/\w+';$/gm);
  return new Map(
    [...statements].flatMap(([, names = '', owner = '']) =>
      [...names.matchAll(/\b(\w+)ServiceDefinition(?: as (\w+))?/g)].map(
        ([, name = '', local = `${name}ServiceDefinition`]) =>
          [local, { owner: owner.replaceAll('_', '-'), name }] as const,
      ),
    ),
  );
}

export function handledIn(source: string): string[] {
  return callsOf('handler', source).map(
    (rest) => /^\(events\.(\w+)/.exec(rest)?.[1] ?? unread('an event that is handled'),
  );
}

/** The list of a broadcast holds `events.name`, or names that were taken from `events` before. */
export function receivedIn(source: string): string[] {
  return callsOf('subscribeBroadcast', source).flatMap((rest) => {
    const list = /^\(bus, \[([^[\]]*)\]/.exec(rest)?.[1] ?? unread('a broadcast');
    return list.split(',').map((one) => one.trim().replace('events.', ''));
  });
}

/** Returns the text after the name of a function in each of its calls. */
function callsOf(name: string, source: string): string[] {
  const parts = source.split(` ${name}(`);
  return parts.slice(1).flatMap((rest, index) => (parts[index]?.endsWith('function') ? [] : [`(${rest}`]));
}

function unread(what: string): never {
  throw new Error(`The name of ${what} cannot be read from the code. Correct the patterns in read-services.ts.`);
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
