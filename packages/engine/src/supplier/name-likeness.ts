import { jaroWinkler } from '../normalisation/similarity.js';
import { nameLikeness } from '../policy/suppliers.js';

/**
 * Checks whether a name on an invoice may belong to the supplier that is known under the given names (detection
 * reference, section 7.3).
 */
export function isLikeName(known: readonly string[], nameKey: string): boolean {
  if (nameKey !== '' && known.includes(nameKey)) return true;
  const words = longWords(nameKey);
  return known.some(
    (name) =>
      jaroWinkler(name, nameKey) >= nameLikeness.similarityMin || longWords(name).some((word) => words.includes(word)),
  );
}

function longWords(nameKey: string): string[] {
  return nameKey.split(' ').filter((word) => word.length >= nameLikeness.sharedWordLengthMin);
}
