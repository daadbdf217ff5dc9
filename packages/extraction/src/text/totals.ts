import type { Candidate } from './candidates.js';
import { chooseTotals, placeAmounts, toCandidate } from './choose-totals.js';
import type { Placed, Totals } from './choose-totals.js';
import { findCorrectionStates } from './correction-states.js';
import type { CorrectionState } from './correction-states.js';
import type { ReadCell, TextDocument } from './text-document.js';

/**
 * Returns the amounts of the invoice. A corrective invoice may print the amounts before and after the correction, of
 * which only the difference counts.
 */
export function findTotals(document: TextDocument, isCreditNote: boolean): Totals {
  const placed = placeAmounts(document);
  const states = isCreditNote ? findCorrectionStates(document) : new Map<ReadCell, CorrectionState>();
  if (states.size === 0) return chooseTotals(document, placed, isCreditNote);
  const amountsOf = (...wanted: readonly (CorrectionState | undefined)[]): Placed[] =>
    placed.filter(({ cell }) => wanted.includes(states.get(cell)));
  if ([...states.values()].includes('difference')) {
    const totals = chooseTotals(document, amountsOf('difference', undefined), isCreditNote);
    return { ...(totals.gross === undefined ? totalsOfLine(amountsOf('difference')) : totals), isCorrection: true };
  }
  const [before, after] = (['before', 'after'] as const).map((state) =>
    chooseTotals(document, amountsOf(state), isCreditNote),
  );
  return { ...difference(after, before), isCorrection: true };
}

/**
 * Returns the amounts of an invoice from a table line without labels: the last amount is the gross amount if it is the
 * sum of two other amounts.
 */
function totalsOfLine(placed: readonly Placed[]): Totals {
  for (const last of placed) {
    const line = placed.filter(({ cell }) => cell.page === last.cell.page && cell.line === last.cell.line);
    if (line.at(-1) !== last) continue;
    for (const net of line) {
      const rest = last.amount.thousandths - net.amount.thousandths;
      const tax = line.find((one) => one !== net && one !== last && one.amount.thousandths === rest);
      if (tax === undefined || net === last || Math.abs(rest) > Math.abs(net.amount.thousandths)) continue;
      const [gross, ofNet, ofTax] = [last, net, tax].map((one) => toCandidate(one, 1, false, false, 'ARITHMETIC'));
      return { gross: gross && { best: gross, isContested: false }, net: ofNet, tax: ofTax, payable: null };
    }
  }
  return { gross: undefined, net: undefined, tax: undefined, payable: null };
}

/**
 * Returns the totals of a corrective invoice after the correction minus its totals before the correction. A total is
 * absent unless it is stated both times.
 */
function difference(after: Totals | undefined, before: Totals | undefined): Totals {
  const minus = (one: Candidate | undefined, other: Candidate | undefined): Candidate | undefined => {
    if (one === undefined || other === undefined) return undefined;
    const value = plainDecimal(Number(one.value) - Number(other.value), one.value);
    return { ...one, value, score: Math.min(one.score, other.score), method: 'ARITHMETIC' };
  };
  const gross = minus(after?.gross?.best, before?.gross?.best);
  const isContested = after?.gross?.isContested === true || before?.gross?.isContested === true;
  return {
    gross: gross && { best: gross, isContested },
    net: minus(after?.net, before?.net),
    tax: minus(after?.tax, before?.tax),
    payable: null,
  };
}

function plainDecimal(value: number, like: string): string {
  return value.toFixed(like.split('.')[1]?.length ?? 0);
}
