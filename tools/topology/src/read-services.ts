// Reads the compiled code of a service: the collections that it opens, the RPCs that it serves and calls, and the
// events that it handles. It reads the modules that `startService` loads, so the result does not depend on their
// folders.
import { readFileSync } from 'node:fs';
import { services } from './services.js';
import type { ServiceName } from './services.js';

/** An RPC service that a service calls: `{ owner: 'documents', name: 'Upload' }`. */
interface Asked {
  readonly owner: string;
  readonly name: string;
}

export interface ReadService {
  /** Names of the database collections and GridFS buckets of a service, sorted. */
  readonly collections: readonly string[];
  /** Names of the RPC services that the service serves, without the suffix `Service`, sorted. */
  readonly serves: readonly string[];
  /**
   * Names of the RPC services that the service calls, grouped by the service that owns them, in the order of the
   * service map.
   */
  readonly asks: readonly (readonly [string, readonly string[]])[];
  /** Keys of the events that the service handles with a durable consumer. */
  readonly handles: readonly string[];
  /** Keys of the events that each replica of the service receives. */
  readonly receives: readonly string[];
}

/**
 * Reads the compiled code of one service.
 * @throws Error when the code names a collection, an RPC or an event in a form that this module cannot read, or when
 *   the service calls a service that the service map does not list for it
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

/**
 * Returns the RPCs that a program may call according to its code, such as `documents.Upload.getUpload`. An RPC is
 * returned if the program has a client for its RPC service and its name appears in the code as a call.
 * @param entry the URL of the compiled entry module
 * @param methodsOf returns the names of the methods of an RPC service
 */
export function calledBy(entry: string, methodsOf: (owner: string, name: string) => readonly string[]): Set<string> {
  const modules = loadedModules(entry);
  const code = modules.join('\n');
  const asked = modules.flatMap(askedIn);
  return new Set(
    asked.flatMap(({ owner, name }) =>
      methodsOf(owner, name).flatMap((method) => (code.includes(`.${method}(`) ? [`${owner}.${name}.${method}`] : [])),
    ),
  );
}

/**
 * Returns the sources of the entry module and of all modules of this repository that it imports, without generated
 * modules.
 */
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
 * Returns the names of the collections that the modules open: by `collection('name')`, by `collection(NAME)` with a
 * constant of one of the modules, or, for a GridFS bucket, by a function that takes the database and the name. Code
 * that gets the name from its caller, such as the outbox, is not counted.
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

/**
 * Finds the RPC services that a module calls. A module calls them by `client(UploadServiceDefinition, channel)`; the
 * gateway instead has a list of entries with `owner` and `definition`.
 */
export function askedIn(source: string): Asked[] {
  const imported = definitionsIn(source);
  const calls = [...source.matchAll(/\bclient\(\s*(\w+)\b/g)].flatMap(([, local = '']) => {
    const found = imported.get(local);
    // Calls of other functions that are also called `client` are ignored: their first argument is not a gRPC service
    // definition.
    return found ?? (local.endsWith('Definition') ? unread(local) : []);
  });
  const listed = [...source.matchAll(/\{ owner: '([\w-]+)', definition: (\w+) \}/g)].map(
    ([, owner = '', local = '']) => ({ owner, name: imported.get(local)?.name ?? unread(local) }),
  );
  return [...calls, ...listed];
}

/**
 * Returns the gRPC service definitions of a module by their name in the module. The package of each contract names the
 * owner.
 */
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

/**
 * Returns the events that each replica receives. The call of `subscribeBroadcast` lists them as `events.name` or only
 * as `name`.
 */
export function receivedIn(source: string): string[] {
  return callsOf('subscribeBroadcast', source).flatMap((rest) => {
    const list = /^\(bus, \[([^[\]]*)\]/.exec(rest)?.[1] ?? unread('a broadcast');
    return list.split(',').map((one) => one.trim().replace('events.', ''));
  });
}

/** Returns the source text of a module after the function name, for each call of the function. */
function callsOf(name: string, source: string): string[] {
  const parts = source.split(`${name}(`);
  return parts.slice(1).flatMap((rest, index) => {
    const before = parts[index] ?? '';
    return /[\s[]$/.test(before) && !before.endsWith('function ') ? [`(${rest}`] : [];
  });
}

function unread(what: string): never {
  throw new Error(`The name of ${what} cannot be read from the code. Correct the patterns in read-services.ts.`);
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
