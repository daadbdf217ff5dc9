import type { KnownSupplier } from '@invoicecontrol/engine/facts/supplier';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { jaroWinkler } from '@invoicecontrol/engine/normalisation/similarity';

/**
 * Minimum similarity of a name printed in a document to a known supplier name at which both names mean the same
 * supplier.
 */
const SAME_NAME_MIN = 0.9;

/** A supplier name that was read from a document. */
export interface ReadName {
  readonly value: string;
  /** Other texts of the document that may be the supplier's name, ordered by likelihood. */
  readonly candidates: readonly string[];
}

/**
 * Finds the printed name of a supplier that is already known by the tax id or account on the document (documents
 * reference, section 10.5). The result is the printed text that is most similar to the known name. The known name
 * itself never replaces the printed one, because another printed name may show that the tax id or account was stolen.
 * @returns the printed name, which may be the one that was read, or undefined if no printed text is the known name
 */
export function knownSupplierName(
  read: ReadName,
  known: readonly Pick<KnownSupplier, 'nameKey'>[],
): string | undefined {
  let best: { readonly text: string; readonly likeness: number } | undefined;
  for (const text of [read.value, ...read.candidates]) {
    const { key } = readName(text);
    for (const { nameKey } of known) {
      const likeness = jaroWinkler(key, nameKey);
      if (likeness >= SAME_NAME_MIN && likeness > (best?.likeness ?? 0)) best = { text, likeness };
    }
  }
  return best?.text;
}
