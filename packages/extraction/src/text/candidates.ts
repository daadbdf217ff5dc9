import { boxOf, confidenceOf } from './layout.js';
import type { FieldReading } from '../reading.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** A possible value of a field. */
export interface Candidate {
  readonly value: string;
  readonly cell: ReadCell;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly evidence: 'SPECIFIC_LABEL' | 'GENERIC_LABEL' | 'NO_LABEL';
  /** True if a check digit, or the sum of net and tax, confirms the value. */
  readonly isProven: boolean;
  readonly method: FieldReading['method'];
}

/** Score at which a candidate reaches the highest confidence. */
const SCORE_OF_CERTAINTY = 1.05;
const CONFIDENCE_OF_GENERIC_LABEL_MAX = 0.6;
/** Confidence of the only value with a generic label. */
const CONFIDENCE_WITHOUT_RIVAL = 0.82;
/** Score below which a lone value is unlikely, so that nothing raises its confidence. */
const SCORE_OF_LONE_VALUE_MIN = 0.3;
const RIVAL_SCORES = 0.35;
const CONFIDENCE_WITHOUT_LABEL_MAX = 0.4;
const CONFIDENCE_OF_PROOF_MIN = 0.95;
const CLOSE_SCORES = 0.1;
/** Two labels that agree on a value. */
const AGREEMENT_BONUS = 0.15;

export interface Choice {
  readonly best: Candidate;
  /** Confidence if another value is about as likely. */
  readonly isContested: boolean;
  /** True if another value is possible. */
  readonly hasRival: boolean;
}

/**
 * Returns the best value. If two different values have similar scores, the confidence is low (documents reference,
 * 10.1).
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
    // Only the first agreement counts: a value is not more certain because it is printed on every document page.
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

/** Converts the chosen candidate into a field with its evidence (documents reference, section 11). */
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
  let confidence = Math.min(1, Math.max(0, candidate.score / SCORE_OF_CERTAINTY));
  if (options.isContested) confidence /= 2;
  if (candidate.evidence === 'GENERIC_LABEL') {
    const isAlone = options.hasRival === false && !options.isContested && candidate.score >= SCORE_OF_LONE_VALUE_MIN;
    confidence = isAlone ? Math.max(confidence, CONFIDENCE_WITHOUT_RIVAL) : confidence;
    confidence = Math.min(confidence, isAlone ? CONFIDENCE_WITHOUT_RIVAL : CONFIDENCE_OF_GENERIC_LABEL_MAX);
  }
  if (candidate.evidence === 'NO_LABEL') confidence = Math.min(confidence, CONFIDENCE_WITHOUT_LABEL_MAX);
  if (candidate.isProven) confidence = Math.max(confidence, CONFIDENCE_OF_PROOF_MIN);
  confidence = Math.min(confidence, options.confidenceMax ?? 1);
  confidence *= Math.min(options.sourceFactor, confidenceOf(cell, start, end));
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
