import { cleanLine, showLine } from '@invoicecontrol/values/readable-text';

/** The longest text of the canonical invoice. */
const TEXT_LENGTH_MAX = 1_000;
const lengthsMax: Readonly<Record<string, number>> = {
  // More than file systems allow.
  embeddedFile: 255,
  message: 4_000,
  // Made by us, and of no use when they are cut.
  xpath: Infinity,
  location: Infinity,
};
/** Invisible characters of these texts are shown by their numbers: hiding them can be the sign of a forgery. */
const PROOFS: ReadonlySet<string> = new Set(['raw', 'snippet']);

/**
 * Returns the result of reading a document with every text as one line that people can read: it goes into facts, evidence, mails and
 * exports.
 */
export function withReadableTexts<T>(found: T): T {
  return readable(found, '') as T;
}

function readable(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return (PROOFS.has(name) ? showLine : cleanLine)(value, lengthsMax[name] ?? TEXT_LENGTH_MAX);
  }
  if (Array.isArray(value)) return value.map((entry) => readable(entry, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, readable(member, key)]));
}
