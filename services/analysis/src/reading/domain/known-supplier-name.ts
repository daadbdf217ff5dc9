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
 * Finds the name of the supplier among the printed texts of a document, if a supplier is already known by the tax id or
 * account on the document (documents reference, section 10.5). The result is the printed text that is most similar to
 * the known name. The known name itself is never the result, because another name on the document may show that the tax
 * id or account was stolen.
 * @returns the printed text, which may be the name that was read before, or undefined if no printed text is similar
 *   enough
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
