import { createHash } from 'node:crypto';

/**
 * One spelling per JSON value, after RFC 8785: members sorted by UTF-16 code units, no blanks, numbers and strings as
 * ECMAScript prints them. The value comes from JSON.parse; its depth is bounded by the body reader.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the body as canonical JSON, hex: equal for reordered members and other blanks, different otherwise. */
export function fingerprintOf(body: unknown): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}
