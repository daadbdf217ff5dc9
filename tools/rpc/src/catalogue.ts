import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

/** One RPC as the contracts in this repository declare it. */
export interface Method {
  /** Full name of the service of the rpc, such as `invoicecontrol.analysis.v1.FindingService`. */
  service: string;
  /** `ReviewFinding` */
  name: string;
  definition: MethodDefinition<object, object>;
}

/** Returns every rpc that is declared below `protoDir`, sorted by full name. */
export function readCatalogue(protoDir: string): Method[] {
  const files = readdirSync(protoDir, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.proto'));
  const loaded = loadSync(files, {
    includeDirs: [protoDir],
    bytes: String,
    defaults: true,
    enums: String,
    longs: Number,
    oneofs: true,
  });
  return Object.entries(loaded)
    .flatMap(([service, entry]) =>
      isService(entry) ? Object.entries(entry).map(([name, definition]) => ({ service, name, definition })) : [],
    )
    .sort((a, b) => fullName(a).localeCompare(fullName(b)));
}

/**
 * Finds the rpc that `wanted` names: in full (`invoicecontrol.analysis.v1.FindingService.ReviewFinding`, or with a slash before the
 * method), or by the end of that name (`FindingService.ReviewFinding`, `Finding.ReviewFinding`, `ReviewFinding`) if exactly one rpc matches.
 *
 * @throws Error with similar rpcs when none matches, or with all matches when there are several
 */
export function findMethod(catalogue: Method[], wanted: string): Method {
  const target = normalise(wanted.replace('/', '.'));
  const matches = catalogue.filter((method) => `.${normalise(fullName(method))}`.endsWith(`.${target}`));
  const [only, ...others] = matches;
  if (only === undefined) {
    const similar = catalogue.filter(({ name }) => name.toLowerCase() === target.split('.').at(-1)).map(fullName);
    const hint = similar.length > 0 ? `did you mean ${similar.join(' or ')}?` : '`npm run rpc -- --list` lists all.';
    throw new Error(`There is no rpc ${wanted}: ${hint}`);
  }
  if (others.length > 0)
    throw new Error(`Several rpcs match ${wanted}. Use one of ${matches.map(fullName).join(', ')}.`);
  return only;
}

export function fullName({ service, name }: Method): string {
  return `${service}.${name}`;
}

/** Returns the names of the request fields of an rpc, as they are written in proto JSON. */
export function requestFields({ definition }: Method): string[] {
  // The library proto-loader types the descriptor as an object. Its type is google.protobuf.DescriptorProto.
  const { field } = definition.requestType.type as { field: { name: string }[] };
  return field.map(({ name }) => name);
}

/** Returns the directory of the contracts, which is the same for code in src/ and in dist/. */
export function contractsDirectory(): string {
  return join(import.meta.dirname, '../../../proto');
}

function isService(entry: object): entry is Record<string, MethodDefinition<object, object>> {
  return !('format' in entry);
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll('service.', '.');
}
