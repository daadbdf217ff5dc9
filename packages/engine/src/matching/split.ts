import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareByArrival } from '../facts/record-order.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * A supply that was billed by a whole invoice and again by partial invoices. One of these invoices is the checked
 * invoice.
 */
export interface Split {
  readonly whole: Candidate;
  readonly parts: readonly Candidate[];
  /**
   * Bills with the number of the whole invoice, with or without the mark of a part, that do not belong to the partial
   * invoices.
   */
  readonly leftOut: readonly Candidate[];
  /**
   * Number of equal parts into which the whole invoice is divided. Present if some of the partial invoices have not
   * arrived yet.
   */
  readonly equalParts?: number;
}

/**
 * Finds partial invoices that add up to a whole invoice with the same supplier and currency (detection reference,
 * section 5). The checked invoice may be the whole invoice, which arrives after its parts, or the partial invoice that
 * completes the sum.
 */
export function findSplit(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): Split | undefined {
  const { invoice } = facts;
  // If several bills may be the whole, the one that arrived first is named, in whatever order the candidates were read.
  const related = originals
    .filter(
      (candidate) =>
        candidate.currency === invoice.currency && isSameSupplier(facts.supplier.supplierId, invoice, candidate),
    )
    .sort(compareByArrival);
  const ofInvoice = asSplit(invoice, related, invoice, parameters);
  if (ofInvoice !== undefined) return ofInvoice;
  for (const whole of related) {
    if (!isPartOf(invoice, whole)) continue;
    const others = related.filter((candidate) => candidate !== whole);
    const split = asSplit(whole, [invoice, ...others], invoice, parameters);
    if (split !== undefined) return split;
  }
  return undefined;
}

function asSplit(
  whole: Candidate,
  candidates: readonly Candidate[],
  checked: Candidate,
  parameters: DuplicateParameters,
): Split | undefined {
  const { splitPartsMin, splitToleranceMinor } = parameters;
  const target = BigInt(whole.amountMinor);
  const parts = candidates
    .filter((candidate) => isPartOf(candidate, whole) && BigInt(candidate.amountMinor) * target > 0n)
    .sort((left, right) => left.issueDay - right.issueDay || compareByArrival(left, right));
  if (parts.length < splitPartsMin) return undefined;
  const tolerance = BigInt(splitToleranceMinor);
  const addsUp = (some: readonly Candidate[]): boolean => {
    const difference = some.reduce((sum, part) => sum + BigInt(part.amountMinor), 0n) - target;
    return difference <= tolerance && difference >= -tolerance;
  };
  if (addsUp(parts)) return { whole, parts, leftOut: [] };
  const chosen = chosenParts(parts, { whole, checked, addsUp }, parameters);
  if (chosen === undefined) return equalSplit(parts, whole, checked, parameters);
  return { whole, parts: chosen, leftOut: parts.filter((part) => !chosen.includes(part)) };
}

/**
 * Finds two or more equal partial invoices whose amount divides the amount of the whole invoice. In this case the
 * supplier bills the whole invoice again in instalments, some of which have not arrived yet.
 */
function equalSplit(
  parts: readonly Candidate[],
  whole: Candidate,
  checked: Candidate,
  { splitPartsMin, splitToleranceMinor, splitChosenMax }: DuplicateParameters,
): Split | undefined {
  if (checked === whole) return undefined;
  const equal = parts.filter(
    (part) => part.amountMinor === checked.amountMinor && part.number.o1 !== whole.number.o1 && part !== whole,
  );
  if (equal.length < splitPartsMin || !equal.includes(checked)) return undefined;
  const target = Math.abs(Number(whole.amountMinor));
  const part = Math.abs(Number(checked.amountMinor));
  const equalParts = Math.round(target / part);
  const isDivided = Math.abs(equalParts * part - target) <= splitToleranceMinor;
  if (!isDivided || equalParts <= equal.length || equalParts > splitChosenMax) return undefined;
  return { whole, parts: equal, leftOut: parts.filter((other) => !equal.includes(other)), equalParts };
}

/**
 * Chooses the partial invoices that add up to the whole invoice. Other bills with the same number, which are for
 * another supply, are left out. The smallest number of parts is preferred, and then the parts nearest in time to the
 * checked invoice. The checked invoice is one of the parts unless it is the whole invoice. The number of parts is
 * limited, because many parts can add up to anything.
 */
function chosenParts(
  parts: readonly Candidate[],
  {
    whole,
    checked,
    addsUp,
  }: {
    readonly whole: Candidate;
    readonly checked: Candidate;
    readonly addsUp: (some: readonly Candidate[]) => boolean;
  },
  { splitPartsMin, splitSiblingsMax, splitChosenMax, nearDays }: DuplicateParameters,
): readonly Candidate[] | undefined {
  const daysFrom = ({ issueDay }: Candidate): number => Math.abs(issueDay - checked.issueDay);
  const required = parts.includes(checked) ? [checked] : [];
  // An invoice number with many different amounts identifies a customer, so only bills from the same days can be parts
  // of one invoice.
  const siblings = parts
    .filter((part) => part !== checked && (part.number.o1 !== whole.number.o1 || daysFrom(part) <= nearDays))
    .sort((left, right) => daysFrom(left) - daysFrom(right) || compareByArrival(left, right))
    .slice(0, splitSiblingsMax);
  const isTelling = (chosen: readonly Candidate[]): boolean => {
    const days = chosen.map(({ issueDay }) => issueDay);
    if (Math.max(...days) - Math.min(...days) <= nearDays) return true;
    // A few of several instalments with the same amount can add up to another amount by chance, so all of them must be
    // among the parts.
    return !siblings.some(
      (part) =>
        !chosen.includes(part) &&
        chosen.some((other) => other.amountMinor === part.amountMinor && other.number.o1 !== part.number.o1),
    );
  };
  const countMax = Math.min(splitChosenMax, siblings.length + required.length);
  for (let count = splitPartsMin; count <= countMax; count += 1) {
    for (const added of combinations(siblings, count - required.length)) {
      const chosen = [...required, ...added];
      if (addsUp(chosen) && isTelling(chosen)) {
        return chosen.sort((left, right) => left.issueDay - right.issueDay || compareByArrival(left, right));
      }
    }
  }
  return undefined;
}

/** Yields every combination of `count` partial invoices. Entries at the beginning of the list are chosen first. */
function* combinations<T>(entries: readonly T[], count: number): Generator<readonly T[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (const [index, entry] of entries.entries()) {
    for (const others of combinations(entries.slice(index + 1), count - 1)) yield [entry, ...others];
  }
}

/**
 * Checks whether `part` may be a part of `whole`: its invoice number is the number of `whole` with a mark such as `-1`,
 * or the numbers are equal and the amounts differ.
 */
function isPartOf(part: Candidate, whole: Candidate): boolean {
  const { b1, b2 } = part.number;
  const { o1, o2 } = whole.number;
  if (o1 === '') return false;
  if (part.number.o1 === o1) return part.amountMinor !== whole.amountMinor;
  return b1 !== undefined && (b1 === o1 || b1 === o2 || b2 === o1 || b2 === o2);
}
