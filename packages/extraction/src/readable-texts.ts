import { cleanLine, showLine } from '@invoicecontrol/values/readable-text';

/** Maximum length of a text in the canonical invoice. */
const TEXT_LENGTH_MAX = 1_000;
const lengthsMax: Readonly<Record<string, number>> = {
  // Maximum length of the file name of a document, more than file systems allow.
  embeddedFile: 255,
  message: 4_000,
  // Document fields whose values the product creates, so they are not shortened.
  xpath: Infinity,
  location: Infinity,
};
/**
 * Document fields in which invisible characters are shown by their code points, because hidden characters can be a sign
 * of forgery.
 */
const PROOFS: ReadonlySet<string> = new Set(['raw', 'snippet']);

/**
 * Returns the reading with every text as one line that people can read, because the texts are later shown in findings,
 * e-mails and exports.
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
