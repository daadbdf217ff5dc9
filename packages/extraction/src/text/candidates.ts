import { boxOf, confidenceOf } from './layout.js';
import type { FieldReading } from '../reading.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** A possible value of an invoice field in the text of a document. */
export interface Candidate {
  readonly value: string;
  readonly cell: ReadCell;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly evidence: 'SPECIFIC_LABEL' | 'GENERIC_LABEL' | 'NO_LABEL';
  /** True if a check digit, or the sum of net and tax, confirms the value of the invoice field. */
  readonly isProven: boolean;
  /**
   * Confidence in the value of an invoice field, without regard to the confidence of the text. Absent if the confidence
   * follows from the score.
   */
  readonly certainty?: number | undefined;
  readonly method: FieldReading['method'];
}

/** Score at which a candidate for the value of an invoice field reaches the highest confidence. */
export const SCORE_OF_CERTAINTY = 1.05;
const CONFIDENCE_OF_GENERIC_LABEL_MAX = 0.6;
/** Confidence of an invoice field's value with a generic label if no other value is possible. */
const CONFIDENCE_WITHOUT_RIVAL = 0.82;
/**
 * Score below which even the only possible value of an invoice field is unlikely, so that its confidence is not raised.
 */
const SCORE_OF_LONE_VALUE_MIN = 0.3;
const RIVAL_SCORES = 0.35;
const CONFIDENCE_WITHOUT_LABEL_MAX = 0.4;
const CONFIDENCE_OF_PROOF_MIN = 0.95;
const CLOSE_SCORES = 0.1;
/** Increase of the score of a possible value if two labels in the document agree on it. */
const AGREEMENT_BONUS = 0.15;

export interface Choice {
  readonly best: Candidate;
  /** True if another value of the invoice field is about as likely as the chosen value. */
  readonly isContested: boolean;
  /** True if another value of the invoice field is possible besides the chosen value. */
  readonly hasRival: boolean;
}

/**
 * Returns the most likely value of an invoice field. If two different values have similar scores, the confidence is low
 * (documents reference, 10.1).
 */
export function pickBest(candidates: readonly Candidate[]): Choice | undefined {
  const byValue = new Map<string, Candidate>();
  const agreed = new Set<string>();
  for (const candidate of candidates) {
    const known = byValue.get(candidate.value);
    if (known === undefined) {
      byValue.set(candidate.value, candidate);
      continue;
    }
    const [better, other] = candidate.score > known.score ? [candidate, known] : [known, candidate];
    // If two labels agree on a value, only the first agreement counts: a value is not more certain because it is
    // printed on every document page.
    const isSecondHit = better.cell !== other.cell && other.evidence !== 'NO_LABEL' && other.score > 0.3;
    const bonus = isSecondHit && !agreed.has(candidate.value) ? AGREEMENT_BONUS : 0;
    if (bonus > 0) agreed.add(candidate.value);
    byValue.set(candidate.value, { ...better, score: better.score + bonus });
  }
  const [best, second] = [...byValue.values()].sort((one, other) => other.score - one.score);
  if (best === undefined) return undefined;
  const lead = second === undefined ? Infinity : best.score - second.score;
  return { best, isContested: lead < CLOSE_SCORES, hasRival: lead < RIVAL_SCORES };
}

/** Converts the chosen candidate into an invoice field with its evidence (documents reference, section 11). */
export function toReading(
  document: TextDocument,
  candidate: Candidate,
  options: {
    readonly sourceFactor: number;
    readonly isContested: boolean;
    readonly hasRival?: boolean;
    readonly confidenceMax?: number;
  },
): FieldReading {
  const { cell, start, end } = candidate;
  const page = document.pages[cell.page];
  const certainty = candidate.certainty ?? certaintyByScore(candidate, options);
  const ofText = Math.min(options.sourceFactor, confidenceOf(cell, start, end));
  let confidence = Math.min(certainty * ofText, options.confidenceMax ?? 1);
  // A check digit or a sum also proves that the text of a document was read correctly. It does not prove which of two
  // possible values is the value of the field.
  if (candidate.isProven && !options.isContested) confidence = Math.max(confidence, CONFIDENCE_OF_PROOF_MIN);
  return {
    value: candidate.value,
    raw: cell.text.slice(start, end),
    page: page?.number ?? null,
    box: page === undefined ? null : boxOf(cell, start, end, page),
    confidence: Math.round(confidence * 1000) / 1000,
    method: candidate.method,
    xpath: null,
  };
}

function certaintyByScore(
  { score, evidence }: Candidate,
  { isContested, hasRival }: { readonly isContested: boolean; readonly hasRival?: boolean },
): number {
  const byScore = Math.min(1, Math.max(0, score / SCORE_OF_CERTAINTY)) / (isContested ? 2 : 1);
  switch (evidence) {
    case 'SPECIFIC_LABEL':
      return byScore;
    case 'GENERIC_LABEL': {
      const isAlone = hasRival === false && !isContested && score >= SCORE_OF_LONE_VALUE_MIN;
      return isAlone ? CONFIDENCE_WITHOUT_RIVAL : Math.min(byScore, CONFIDENCE_OF_GENERIC_LABEL_MAX);
    }
    case 'NO_LABEL':
      return Math.min(byScore, CONFIDENCE_WITHOUT_LABEL_MAX);
  }
}
