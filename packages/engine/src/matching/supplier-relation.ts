import { genericNameWords } from '../data/generic-name-words.js';
import { countryWords } from '../data/neutral-name-words.js';
import type { Candidate } from '../facts/invoice.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { haveSameTaxId, isSameName } from '../supplier/identity.js';
import { haveSameWords } from '../supplier/lookalike.js';

export type SupplierRelation = keyof DuplicateParameters['halfPoints']['supplier'];

/** Returns the first property that shows that both records have the same supplier (detection reference, section 5). */
export function supplierRelation(left: Candidate, right: Candidate, parameters: DuplicateParameters): SupplierRelation {
  if (haveSameTaxId(left, right)) return 'TAX';
  if (left.bankKey !== undefined && left.bankKey === right.bankKey) return 'BANK';
  if (isSameName(left, right)) return 'NAME';
  if (jaroWinkler(left.nameKey, right.nameKey) >= parameters.similarNameMin) return 'SIMILAR';
  if (haveSameWords(left, right)) return 'SIMILAR';
  return isNameWithin(left.nameKey, right.nameKey) || isNameWithin(right.nameKey, left.nameKey) ? 'PART' : 'NONE';
}

/** Minimum number of letters that a word needs to identify a firm when another name of the firm is longer. */
const TELLING_WORD_LETTERS_MIN = 5;

/**
 * Checks whether a supplier name is a shorter form of another: all words of the shorter name, one of which is
 * distinctive, are in the longer name, as in `Nordwind Energie` and `Nordwind Energie Vertrieb Hamburg`.
 */
function isNameWithin(shorter: string, longer: string): boolean {
  if (shorter.length >= longer.length) return false;
  const words = shorter.split(' ');
  const all = new Set(longer.split(' '));
  return (
    words.every((word) => all.has(word)) &&
    words.some(
      (word) => word.length >= TELLING_WORD_LETTERS_MIN && !genericNameWords.has(word) && !countryWords.has(word),
    )
  );
}

/**
 * Checks whether both records belong to one supplier record. A record that is still being analyzed has no supplier yet,
 * so the tax id or the name of the record decides.
 */
export function isSameSupplier(supplierId: string, invoice: Candidate, other: Candidate): boolean {
  if (other.supplierId !== null) return other.supplierId === supplierId;
  if (haveSameTaxId(invoice, other)) return true;
  return isSameName(invoice, other) && (invoice.taxKey === undefined || other.taxKey === undefined);
}

/** Checks whether two invoice records belong to one supplier, even if one of them is not assigned to a supplier yet. */
export function isOfOneSupplier(left: Candidate, right: Candidate): boolean {
  return left.supplierId === null
    ? isSameSupplier('', left, { ...right, supplierId: null })
    : isSameSupplier(left.supplierId, left, right);
}
