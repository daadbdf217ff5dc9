import type { KnownSupplier } from '@invoicecontrol/engine/facts/supplier';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { jaroWinkler } from '@invoicecontrol/engine/normalisation/similarity';

/** A printed name at least this similar to a known one is that supplier's. */
const SAME_NAME_MIN = 0.9;

/** A name that was read from the text of a document. */
export interface ReadName {
  readonly value: string;
  /** Other texts that may be the name, best first. */
  readonly candidates: readonly string[];
}

/**
 * Finds the name of a supplier that is known by the tax id or account of the document (documents reference, section 10.5): the printed name
 * that is nearest to the known name. The known name itself is never put in the place of what is printed: another name with a known tax id
 * or account can show that those were stolen.
 * @returns undefined when the read name stays
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
  return best?.text === read.value ? undefined : best?.text;
}
