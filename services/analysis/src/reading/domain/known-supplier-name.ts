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
 * The name of the supplier where one is known by the tax id or account that the document states (documents reference, section
 * 10.5): of the names printed the one nearest to the known name. The known name itself is never put in the place of what is
 * printed: another name beside a known tax id or account is how a stolen one shows.
 * @returns undefined when what was read stays
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
