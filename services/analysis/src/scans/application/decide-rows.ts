import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Pace } from '@invoicecontrol/runtime/pace';
import type { Stages } from '@invoicecontrol/runtime/stages';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { ReimportedRow } from '../../records/domain/reimport.js';
import { isOnCutOrder } from '../../books/domain/erp-facts.js';
import { reviewKeysOf, suspicionOf } from '../../reviews/domain/review.js';
import type { CurrentReview } from '../../reviews/domain/review.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { recordsLeftOut } from '../../telemetry.js';
import { toDecidedAnalysis } from '../../decisions/application/decided-analysis.js';
import type { AnalyzedFacts } from '../../decisions/application/decided-analysis.js';
import { analyzeFacts, analyzeWithReviews } from '../../decisions/application/analyze-facts.js';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';
import { REVIEWS_MAX } from '../../reviews/application/review-store.js';
import type { ReviewStore } from '../../reviews/application/review-store.js';
import type { ReadRow, RowHistory } from './row-history.js';
import type { DecidedRow, RowDecision, RowStore } from '../../records/application/row-store.js';

/**
 * Number of history scan rows in a slice. A slice of rows is analyzed while the previous slice is stored. Slices are
 * small, so that other requests can run in between.
 */
const SLICE_ROWS = 25;

interface Deps {
  readonly rows: RowStore;
  readonly reviews: ReviewStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface RowDecisions {
  readonly organizationId: string;
  /** Rows of the history scan, in the order in which they are analyzed. */
  readonly rows: readonly ReadRow[];
  /** History before the first row of the scan. After the analysis of a row, the row is added to this history. */
  readonly history: RowHistory;
  readonly policy: OrganizationPolicy;
  readonly rules: readonly RoutingRule[];
  /** Decisions on scan rows from an earlier call for the same history scan, by invoice id. */
  readonly decidedBefore: ReadonlyMap<string, RowDecision>;
  readonly reimported: ReadonlyMap<string, ReimportedRow>;
  readonly pace: Pace;
  /** Records how long analyzing and storing the rows of a history scan take. */
  readonly watch: Stages;
}

/** Results of scan rows that are needed to describe the history scan as a whole. */
export type RowResult = Pick<DecidedRow, 'subject' | 'analysis' | 'base'>;

/**
 * Analyzes history scan rows one after another and stores them in slices, each while the next slice is analyzed. The
 * first stored analysis of a row counts, whichever worker made it.
 * @returns every row with its stored decision
 */
export async function decideRows(deps: Deps, decisions: RowDecisions): Promise<readonly RowResult[]> {
  const { organizationId, rows, history, policy, decidedBefore, pace, watch } = decisions;
  const results: RowResult[] = [];
  let onCutOrders = 0;
  let storing: Promise<readonly RowResult[]> = Promise.resolve([]);
  for (let from = 0; from < rows.length; from += SLICE_ROWS) {
    const analyzed: AnalyzedFacts[] = [];
    const before: DecidedRow[] = [];
    for (const row of rows.slice(from, from + SLICE_ROWS)) {
      const begun = performance.now();
      const decision = decidedBefore.get(row.invoice.invoiceId);
      if (decision === undefined) {
        const facts = history.factsOf(row);
        if (isOnCutOrder(facts)) onCutOrders++;
        const one = analyzeFacts(facts, policy, deps.clock.now());
        analyzed.push(one);
        history.count(row, one.facts.supplier, suspicionOf(one.analysis.findings));
      } else {
        before.push(decidedRow(row.invoice, decision, decisions));
        history.count(row, decision.analysis, suspicionOf(decision.analysis.findings));
      }
      watch.add('analyze', performance.now() - begun);
      await pace();
    }
    results.push(...(await storing));
    storing = watch.during('store', () => store(deps, decisions, analyzed, before)).then(resultsOf);
    // The stored scan rows are awaited in the next iteration or after the loop. Until then, the empty catch avoids an
    // unhandled rejection.
    storing.catch(() => {});
  }
  results.push(...(await storing));
  if (onCutOrders > 0) recordsLeftOut(deps.logger, 'INVOICES_ON_ORDERS', { organizationId, number: onCutOrders });
  return results;
}

/** Returns the results for stored scan rows without their facts, which are kept until the history scan is complete. */
function resultsOf(rows: readonly DecidedRow[]): RowResult[] {
  return rows.map(({ subject, analysis, base }) => ({ subject, analysis, base }));
}

async function store(
  deps: Deps,
  decisions: RowDecisions,
  analyzed: readonly AnalyzedFacts[],
  before: readonly DecidedRow[],
): Promise<readonly DecidedRow[]> {
  const { organizationId } = decisions;
  const fresh: DecidedRow[] = [];
  const at = deps.clock.now();
  for (const row of await withReviews(deps.reviews, decisions, analyzed)) {
    const { facts } = row;
    const analysis = toDecidedAnalysis(row, { number: 1, rules: decisions.rules, known: new Set(), at });
    fresh.push({ ...decidedRow(facts.invoice, { analysis, base: facts.base }, decisions), facts });
    await decisions.pace();
  }
  const taken = await deps.rows.decide(organizationId, fresh);
  const others =
    taken.size === 0 ? new Map<string, RowDecision>() : await deps.rows.decided(organizationId, [...taken]);
  refuseOtherSuppliers(fresh, others);
  const current = fresh.map((row) => ({ ...row, ...others.get(row.subject.invoiceId) }));
  const all = [...before, ...current];
  await deps.rows.finalize(organizationId, all);
  return all;
}

/**
 * Refuses to continue a history scan if another worker chose other suppliers for its rows. This worker analyzed the
 * later rows with its own choice of suppliers, so the call must be repeated with the stored rows.
 */
function refuseOtherSuppliers(fresh: readonly DecidedRow[], others: ReadonlyMap<string, RowDecision>): void {
  for (const { subject, analysis } of fresh) {
    const other = others.get(subject.invoiceId);
    if (other !== undefined && other.analysis.supplierId !== analysis.supplierId) {
      throw new DomainError(
        'unavailable',
        'Another worker is deciding the rows of this history scan. Retry the request in a moment.',
      );
    }
  }
}

/**
 * Adds earlier reviews of findings that resemble the findings about the rows of a history scan. The reviews are read
 * once for all rows.
 */
async function withReviews(
  reviews: ReviewStore,
  { organizationId, policy }: RowDecisions,
  analyzed: readonly AnalyzedFacts[],
): Promise<readonly AnalyzedFacts[]> {
  const keysOf = ({ analysis }: AnalyzedFacts): string[] => reviewKeysOf(analysis.findings);
  const keys = [...new Set(analyzed.flatMap(keysOf))];
  if (keys.length === 0) return analyzed;
  const found = await reviews.falsePositives(organizationId, keys);
  if (found.length === 0) return analyzed;
  if (found.length >= REVIEWS_MAX) {
    // The keys of finding reviews are looked up in several queries, because the result of a single query could be too
    // large.
    return Promise.all(
      analyzed.map(async (row) =>
        analyzeWithReviews(row, await reviews.falsePositives(organizationId, keysOf(row)), policy),
      ),
    );
  }
  const byKey = new Map<string, CurrentReview[]>();
  for (const review of found) {
    for (const key of [review.evidenceKey, ...review.pairKeys]) byKey.set(key, [...(byKey.get(key) ?? []), review]);
  }
  return analyzed.map((row) => {
    const matching = new Set(keysOf(row).flatMap((key) => byKey.get(key) ?? []));
    return analyzeWithReviews(row, [...matching], policy);
  });
}

function decidedRow(
  invoice: NormalisedInvoice,
  { analysis, base }: RowDecision,
  { reimported }: RowDecisions,
): DecidedRow {
  const reimportOf = reimported.get(invoice.invoiceId);
  return {
    subject: invoice,
    analysis,
    base,
    receivedAtMs: invoice.receivedAtMs,
    ...(reimportOf === undefined ? {} : { reimportOf }),
  };
}
