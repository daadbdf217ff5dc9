import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Pace } from '@invoicecontrol/runtime/pace';
import type { Stages } from '@invoicecontrol/runtime/stages';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { ReimportedRow } from '../../domain/reimport.js';
import { reviewKeysOf } from '../../domain/review.js';
import type { StandingReview } from '../../domain/review.js';
import type { RoutingRule } from '../../domain/routing.js';
import { conclude } from '../conclude.js';
import type { Judged } from '../conclude.js';
import { judge, judgeWithReviews } from '../judge.js';
import type { OrganizationPolicy } from '../policy-store.js';
import { REVIEWS_MAX } from '../review-store.js';
import type { ReviewStore } from '../review-store.js';
import type { ReadRow, RowHistory } from './row-history.js';
import type { DecidedRow, RowDecision, RowStore } from './row-store.js';

/** Rows that are judged while those before them are being stored: so few that others get in between often. */
const SLICE_ROWS = 25;

interface Deps {
  readonly rows: RowStore;
  readonly reviews: ReviewStore;
  readonly clock: Clock;
}

export interface RowDecisions {
  readonly organizationId: string;
  /** In the order in which they are judged. */
  readonly rows: readonly ReadRow[];
  /** The history before the first row; afterwards every row is part of it. */
  readonly history: RowHistory;
  readonly policy: OrganizationPolicy;
  readonly rules: readonly RoutingRule[];
  /** By invoice: what an earlier call for the same scan decided. */
  readonly decidedBefore: ReadonlyMap<string, RowDecision>;
  readonly reimported: ReadonlyMap<string, ReimportedRow>;
  readonly pace: Pace;
  /** Told how long judging and storing took. */
  readonly watch: Stages;
}

/** What the scan as a whole is told by. */
export type RowResult = Pick<DecidedRow, 'subject' | 'analysis' | 'base'>;

/**
 * Judges rows one after the other and stores them in slices, one of them while the next one is judged. The first
 * analysis of a row is its commit point: one that is there already stands, whoever made it.
 * @returns every row with the decision that stands
 */
export async function decideRows(deps: Deps, decisions: RowDecisions): Promise<readonly RowResult[]> {
  const { rows, history, policy, decidedBefore, pace, watch } = decisions;
  const results: RowResult[] = [];
  let storing: Promise<readonly RowResult[]> = Promise.resolve([]);
  for (let from = 0; from < rows.length; from += SLICE_ROWS) {
    const judged: Judged[] = [];
    const before: DecidedRow[] = [];
    for (const row of rows.slice(from, from + SLICE_ROWS)) {
      const begun = performance.now();
      const decision = decidedBefore.get(row.invoice.invoiceId);
      if (decision === undefined) {
        const judgement = judge(history.factsOf(row), policy, deps.clock.now());
        judged.push(judgement);
        history.count(row, judgement.facts.supplier);
      } else {
        before.push(decidedRow(row.invoice, decision, decisions));
        history.count(row, decision.analysis);
      }
      watch.add('judge', performance.now() - begun);
      await pace();
    }
    results.push(...(await storing));
    storing = watch.during('store', () => store(deps, decisions, judged, before)).then(resultsOf);
    // Waited for above or below; until then a failure is nobody's yet.
    storing.catch(() => {});
  }
  results.push(...(await storing));
  return results;
}

/** What is kept of stored rows until the scan is done: not their facts. */
function resultsOf(rows: readonly DecidedRow[]): RowResult[] {
  return rows.map(({ subject, analysis, base }) => ({ subject, analysis, base }));
}

async function store(
  deps: Deps,
  decisions: RowDecisions,
  judged: readonly Judged[],
  before: readonly DecidedRow[],
): Promise<readonly DecidedRow[]> {
  const { organizationId } = decisions;
  const fresh: DecidedRow[] = [];
  const at = deps.clock.now();
  for (const judgement of await reviewed(deps.reviews, decisions, judged)) {
    const { facts } = judgement;
    const analysis = conclude(judgement, { number: 1, rules: decisions.rules, known: new Set(), at });
    fresh.push({ ...decidedRow(facts.invoice, { analysis, base: facts.base }, decisions), facts });
    await decisions.pace();
  }
  const taken = await deps.rows.decide(organizationId, fresh);
  const others =
    taken.size === 0 ? new Map<string, RowDecision>() : await deps.rows.decided(organizationId, [...taken]);
  refuseOtherSuppliers(fresh, others);
  const standing = fresh.map((row) => ({ ...row, ...others.get(row.subject.invoiceId) }));
  const all = [...before, ...standing];
  await deps.rows.conclude(organizationId, all);
  return all;
}

/**
 * Rows after these were judged, and will be counted, with our supplier as their history. Where a faster worker found
 * another one for a row, the call is to be repeated: it begins with what stands.
 */
function refuseOtherSuppliers(fresh: readonly DecidedRow[], others: ReadonlyMap<string, RowDecision>): void {
  for (const { subject, analysis } of fresh) {
    const other = others.get(subject.invoiceId);
    if (other !== undefined && other.analysis.supplierId !== analysis.supplierId) {
      throw new DomainError('unavailable', 'Another worker decides the rows of this scan. Repeat in a moment.');
    }
  }
}

/** What people have said before about findings like those of these rows, asked once for all of them. */
async function reviewed(
  reviews: ReviewStore,
  { organizationId, policy }: RowDecisions,
  judged: readonly Judged[],
): Promise<readonly Judged[]> {
  const keysOf = ({ analysis }: Judged): string[] => reviewKeysOf(analysis.findings);
  const keys = [...new Set(judged.flatMap(keysOf))];
  if (keys.length === 0) return judged;
  const found = await reviews.falsePositives(organizationId, keys);
  if (found.length === 0) return judged;
  if (found.length >= REVIEWS_MAX) {
    // More may stand than one answer holds.
    return Promise.all(
      judged.map(async (row) =>
        judgeWithReviews(row, await reviews.falsePositives(organizationId, keysOf(row)), policy),
      ),
    );
  }
  const byKey = new Map<string, StandingReview[]>();
  for (const review of found) {
    for (const key of [review.evidenceKey, ...review.pairKeys]) byKey.set(key, [...(byKey.get(key) ?? []), review]);
  }
  return judged.map((row) => {
    const standing = new Set(keysOf(row).flatMap((key) => byKey.get(key) ?? []));
    return judgeWithReviews(row, [...standing], policy);
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
