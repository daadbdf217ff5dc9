import { createHash } from 'node:crypto';
import { eachInTurns } from './turns.js';

/**
 * One spelling per JSON value, after RFC 8785: members sorted by UTF-16 code units, no blanks, numbers and strings as
 * ECMAScript prints them. The value comes from JSON.parse; its depth is bounded by the body reader.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = sortedMembers(value).map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the body as canonical JSON, hex: equal for reordered members and other blanks, different otherwise. */
export async function fingerprintOf(body: unknown): Promise<string> {
  const hash = createHash('sha256');
  await eachInTurns(canonicalPieces(body), (piece) => void hash.update(piece));
  return hash.digest('hex');
}

/** {@link canonicalJson} of a body, cut at the items of the lists in it. */
function* canonicalPieces(body: unknown): Generator<string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    yield canonicalJson(body);
    return;
  }
  yield '{';
  for (const [index, [name, member]] of sortedMembers(body).entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (Array.isArray(member)) yield* canonicalItems(member);
    else yield canonicalJson(member);
  }
  yield '}';
}

function* canonicalItems(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of list.entries()) yield `${index === 0 ? '' : ','}${canonicalJson(item)}`;
  yield ']';
}

function sortedMembers(object: object): [string, unknown][] {
  return Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1));
}
