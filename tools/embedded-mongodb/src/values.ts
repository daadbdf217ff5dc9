import { deserialize, serialize as serializeBson } from 'bson';
import type { BSONRegExp, Binary, Decimal128, Long, ObjectId, Timestamp } from 'bson';
import { fail } from './errors.js';

/** A document as parsed by {@link parse}: plain objects, arrays, JavaScript primitives and the BSON classes. */
export type Doc = Record<string, unknown>;

/** MongoDB's largest document. */
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Bytes to a document. Longs stay Longs and regular expressions stay BSON, so that both are written back
 * unchanged. A double without a fraction becomes an int32, because JavaScript has one number type.
 */
export const parse = (bytes: Uint8Array): Doc =>
  deserialize(bytes, { promoteBuffers: false, promoteLongs: false, bsonRegExp: true });

/** A document to bytes; `undefined` fields are left out. */
export function serialize(doc: Doc): Buffer {
  try {
    const bytes = serializeBson(doc, { ignoreUndefined: true });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    // The BSON library's own buffer is a little larger than the largest document.
    if (error instanceof RangeError) {
      fail('BSONObjectTooLarge', `A document is larger than ${DOCUMENT_BYTES_MAX} bytes`);
    }
    throw error;
  }
}

/** A value with its kind. Kinds sort in MongoDB's order; numeric kinds sort together. */
export type Kinded =
  | { kind: 'minKey' | 'maxKey' | 'missing' | 'null' }
  | { kind: 'number'; value: number }
  | { kind: 'long'; value: Long }
  | { kind: 'decimal'; value: Decimal128 }
  | { kind: 'string'; value: string }
  | { kind: 'object'; value: Doc }
  | { kind: 'array'; value: unknown[] }
  | { kind: 'binData'; value: Binary }
  | { kind: 'objectId'; value: ObjectId }
  | { kind: 'bool'; value: boolean }
  | { kind: 'date'; value: Date }
  | { kind: 'timestamp'; value: Timestamp }
  | { kind: 'regex'; value: BSONRegExp };

export type Kind = Kinded['kind'];

/** Names the kind of a parsed value. Fails with BadValue for kinds that the product never stores (code, DBRef). */
export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'undefined':
      return 'missing';
    default:
      break;
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isDoc(value)) return 'object';
  if (value instanceof Date) return 'date';
  switch ((value as { _bsontype?: string })._bsontype) {
    case 'Long':
      return 'long';
    case 'Decimal128':
      return 'decimal';
    case 'Binary':
      return 'binData';
    case 'ObjectId':
      return 'objectId';
    case 'Timestamp':
      return 'timestamp';
    case 'BSONRegExp':
      return 'regex';
    case 'MinKey':
      return 'minKey';
    case 'MaxKey':
      return 'maxKey';
    default:
      return fail('BadValue', `A value of BSON type ${(value as { _bsontype?: string })._bsontype} is not supported`);
  }
}

/** The value together with its kind, for an exhaustive switch. */
export const kinded = (value: unknown): Kinded => ({ kind: kindOf(value), value }) as Kinded;

/** Whether a value is an embedded document (not an array and not a BSON class). */
export const isDoc = (value: unknown): value is Doc =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Whether a document has operators: `{ $gt: 1 }`, not `{ a: 1 }`. */
export const hasOperators = (value: unknown): value is Doc => {
  if (!isDoc(value)) return false;
  for (const key in value) return key.startsWith('$');
  return false;
};

/** A deep copy of documents and arrays; other values are immutable and shared. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isDoc(value)) return value;
  const copy: Doc = {};
  for (const key of Object.keys(value)) assign(copy, key, copyOf(value[key]));
  return copy as T;
}

/** Sets a field, even `__proto__`, which an assignment would ignore. */
export function assign(target: Doc, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** The field's value; `undefined` where the document has no such field of its own. */
export const fieldOf = (doc: Doc, key: string): unknown => (Object.hasOwn(doc, key) ? doc[key] : undefined);

/** A count from a command: number or Long, `fallback` if absent. */
export function countOf(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const kind = kindOf(value);
  if (kind !== 'number' && kind !== 'long') fail('TypeMismatch', `'${name}' must be a number`);
  const count = Number(value);
  if (!Number.isInteger(count)) fail('FailedToParse', `'${name}' must be a whole number`);
  return count;
}

/** Whether a flag of a command is set; MongoDB takes booleans and numbers. */
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0;

/** A document from a command, or an empty one if absent. */
export function docOf(value: unknown, name: string): Doc {
  if (value === undefined || value === null) return {};
  if (!isDoc(value)) fail('TypeMismatch', `'${name}' must be a document`);
  return value;
}

/** An array from a command. */
export function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) fail('TypeMismatch', `'${name}' must be an array`);
  return value;
}

/** A short rendering for error sentences, as the mongo shell prints: `{ a: 1, b: "x" }`. */
export function show(value: unknown): string {
  const it = kinded(value);
  switch (it.kind) {
    case 'string':
      return JSON.stringify(it.value.length > 100 ? `${it.value.slice(0, 100)}...` : it.value);
    case 'object':
      return `{ ${Object.entries(it.value)
        .map(([key, field]) => `${key}: ${show(field)}`)
        .join(', ')} }`;
    case 'array':
      return it.value.length === 0 ? '[]' : `[ ${it.value.slice(0, 10).map(show).join(', ')} ]`;
    case 'objectId':
      return `ObjectId('${it.value.toHexString()}')`;
    case 'date':
      return `new Date(${it.value.getTime()})`;
    case 'binData':
      return `BinData(${it.value.sub_type}, ${it.value.toString('hex')})`;
    case 'number':
    case 'long':
    case 'decimal':
    case 'bool':
      return String(it.value);
    case 'missing':
    case 'null':
      return 'null';
    default:
      return it.kind;
  }
}
