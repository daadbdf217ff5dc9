/**
 * One text for each JSON value, as RFC 8785 has it: members sorted by UTF-16 code units, no blanks, numbers and strings as
 * ECMAScript writes them. Undefined members are left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // The order of code units, which is the one sort has by itself.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most texts need no escape, and looking is cheaper than escaping; facts are written for every invoice. */
function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
