import { intervalOf, overCustomers } from './intervals.js';
import type { Interval } from './intervals.js';
import { f1, share, total } from './score.js';
import type { Rate, Score } from './score.js';

/** A figure of the duplicate detection over all customers of a set. */
export interface Figure extends Interval {
  readonly value: number;
  /** Number of bills behind the detection figure. */
  readonly cases: number;
}

/** The detection figures of a set of customers whose bills arrived in the same way. */
export interface Summary {
  readonly customers: number;
  readonly rows: number;
  readonly copies: number;
  readonly f1: Figure;
  /** F1 score without the copies that only INVOICE_NUMBER_REUSED reports. */
  readonly f1OfPairs: Figure;
  readonly precision: Figure;
  readonly recall: Figure;
  readonly relatedRecall: Figure;
  readonly unrelatedRecall: Figure;
  /** Shares of correct bills that were wrongly reported. */
  readonly falsePairs: Figure;
  readonly notPassed: Figure;
  readonly blocked: Figure;
  readonly anomalies: Figure;
  readonly rightByConfidence: ReadonlyMap<string, Figure>;
  /** Number of findings that stopped correct rows, by finding type, the most frequent first. */
  readonly stoppedBy: ReadonlyMap<string, number>;
  /** Kinds of copied bills and of planted faults of which the engine missed some, the most missed first. */
  readonly missedCopies: ReadonlyMap<string, Rate>;
  readonly missedAnomalies: ReadonlyMap<string, Rate>;
}

export function summaryOf(scores: readonly Score[]): Summary {
  const figure = (rateOf: (score: Score) => Rate): Figure => figureOf(scores.map(rateOf));
  const recall = figure((score) => score.recall);
  const pairsOnly = scores.map((score) => ({ ...score, recall: score.pairRecall }));
  return {
    customers: scores.length,
    rows: sum(scores.map(({ rows }) => rows)),
    copies: sum(scores.map(({ copies }) => copies)),
    f1: { value: pooledF1(scores), cases: recall.cases, ...overCustomers(scores, pooledF1) },
    f1OfPairs: { value: pooledF1(pairsOnly), cases: recall.cases, ...overCustomers(pairsOnly, pooledF1) },
    precision: figure((score) => score.mediumPairs),
    recall,
    relatedRecall: figure((score) => score.relatedRecall),
    unrelatedRecall: figure((score) => score.unrelatedRecall),
    falsePairs: figure((score) => score.falsePairs),
    notPassed: figure((score) => score.notPassed),
    blocked: figure((score) => score.blocked),
    anomalies: figure((score) => total(score.anomalies.values())),
    rightByConfidence: figuresByName(scores.map((score) => score.rightByConfidence)),
    stoppedBy: mostFirst(scores.map(({ stoppedBy }) => stoppedBy)),
    missedCopies: missed(scores.map(({ recallByMutation }) => recallByMutation)),
    missedAnomalies: missed(scores.map(({ anomalies }) => anomalies)),
  };
}

function pooledF1(scores: readonly Score[]): number {
  return f1({
    mediumPairs: total(scores.map(({ mediumPairs }) => mediumPairs)),
    recall: total(scores.map(({ recall }) => recall)),
  });
}

function figureOf(rates: readonly Rate[]): Figure {
  const all = total(rates);
  return { value: share(all), cases: all.of, ...intervalOf(rates) };
}

function figuresByName(maps: readonly ReadonlyMap<string, Rate>[]): ReadonlyMap<string, Figure> {
  const names = [...new Set(maps.flatMap((map) => [...map.keys()]))].sort();
  return new Map(names.map((name) => [name, figureOf(maps.map((map) => map.get(name) ?? { hits: 0, of: 0 }))]));
}

function mostFirst(maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of maps.flatMap((map) => [...map])) counts.set(name, (counts.get(name) ?? 0) + count);
  return new Map([...counts].sort(([, left], [, right]) => right - left));
}

function missed(maps: readonly ReadonlyMap<string, Rate>[]): ReadonlyMap<string, Rate> {
  const names = new Set(maps.flatMap((map) => [...map.keys()]));
  const pooled = [...names].map((name): [string, Rate] => [name, total(maps.flatMap((map) => map.get(name) ?? []))]);
  return new Map(
    pooled
      .filter(([, { hits, of }]) => hits < of)
      .sort(([, left], [, right]) => right.of - right.hits - (left.of - left.hits)),
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
