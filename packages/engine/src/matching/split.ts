import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareText } from '../facts/record-order.js';
import { isSameSupplier } from './supplier-relation.js';

/** An invoice that was billed whole and again in parts. One of the records is the checked invoice. */
export interface Split {
  readonly whole: Candidate;
  readonly parts: readonly Candidate[];
}

/**
 * Finds parts that add up to a whole of the same supplier and currency (detection reference, section 5). The checked
 * invoice may be the whole that comes after its parts, or the part that completes the sum.
 */
export function findSplit(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): Split | undefined {
  const { invoice } = facts;
  const related = originals.filter(
    (candidate) =>
      candidate.currency === invoice.currency && isSameSupplier(facts.supplier.supplierId, invoice, candidate),
  );
  const splits = [
    asSplit(invoice, related, parameters),
    ...related
      .filter((candidate) => isPartOf(invoice, candidate))
      .map((whole) => asSplit(whole, [invoice, ...related.filter((candidate) => candidate !== whole)], parameters)),
  ];
  return splits.find((split) => split !== undefined);
}

function asSplit(
  whole: Candidate,
  candidates: readonly Candidate[],
  { splitPartsMin, splitToleranceMinor }: DuplicateParameters,
): Split | undefined {
  const target = BigInt(whole.amountMinor);
  const parts = candidates
    .filter((candidate) => isPartOf(candidate, whole) && BigInt(candidate.amountMinor) * target > 0n)
    .sort((left, right) => left.issueDay - right.issueDay || compareText(left.invoiceId, right.invoiceId));
  if (parts.length < splitPartsMin) return undefined;
  const difference = parts.reduce((sum, part) => sum + BigInt(part.amountMinor), 0n) - target;
  const tolerance = BigInt(splitToleranceMinor);
  return difference <= tolerance && difference >= -tolerance ? { whole, parts } : undefined;
}

/** The number of `part` is the number of `whole` with a part mark, or that number itself over another amount. */
function isPartOf(part: Candidate, whole: Candidate): boolean {
  const { b1, b2 } = part.number;
  const { o1, o2 } = whole.number;
  if (o1 === '') return false;
  if (part.number.o1 === o1) return part.amountMinor !== whole.amountMinor;
  return b1 !== undefined && (b1 === o1 || b1 === o2 || b2 === o1 || b2 === o2);
}
