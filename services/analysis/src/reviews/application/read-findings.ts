import { DomainError, invalidField } from '@invoicecontrol/errors';
import { pace } from '@invoicecontrol/runtime/pace';
import type { Pace } from '@invoicecontrol/runtime/pace';
import type { Page } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import pLimit from 'p-limit';
import { summarizeFindings } from '../../records/domain/finding-summary.js';
import type { FindingSummary } from '../../records/domain/finding-summary.js';
import { SYSTEM_ACTOR } from '../../records/application/finding-store.js';
import type {
  FindingChange,
  FindingQuery,
  FindingStore,
  ListedFinding,
  SummaryQuery,
  WorkedFinding,
} from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { CountFindings } from './count-findings.js';
import { requireFinding } from './require-finding.js';
import { stateOfFindings } from './state-of-findings.js';

/** Maximum number of findings in a summary, so that it takes a few seconds and some ten megabytes at most. */
const SUMMARY_FINDINGS_MAX = 50_000;
/** Maximum number of summaries that one process computes at the same time, because their findings are in memory. */
export const SUMMARIES_AT_ONCE_MAX = 4;
export const SUMMARIES_WAITING_MAX = 50;
/** Maximum time in milliseconds for which computing a summary of findings delays other requests. */
const SUMMARY_TURN_MS_MAX = 5;

interface Deps {
  readonly findings: FindingStore;
  readonly invoices: InvoiceStore;
  readonly tenants: Tenants;
  /** Stored totals, which answer if there are too many findings to read. */
  readonly counted: CountFindings;
  /** Maximum number of findings in a summary, in place of {@link SUMMARY_FINDINGS_MAX}. Only tests set it. */
  readonly summaryFindingsMax?: number;
}

/** A summary with the state of the findings from which it was computed. */
export interface StatedSummary {
  /**
   * Identifies the state of the findings. Undefined if too many findings were written in the minute before the last
   * write.
   */
  readonly state: string | undefined;
  /** Summary of the findings. Absent if the caller already has the summary of the current state. */
  readonly summary?: FindingSummary;
}

export interface FindingReader {
  /**
   * Returns a finding of the organization.
   * @throws DomainError not_found, unavailable
   */
  get(organizationId: string, findingId: string): Promise<WorkedFinding>;
  list(organizationId: string, query: FindingQuery): Promise<Page<ListedFinding>>;
  /**
   * Counts the findings in a period and adds up their amounts with one database query. If all findings are counted and
   * there are too many to read them, their totals are stored, and only changed findings are read. First, one query of an index
   * determines the state of the findings. If the caller already knows this state, nothing is counted.
   * @throws DomainError invalid if there are too many findings for a summary with filters; unavailable if too many
   * summaries are being computed, and while the totals of all findings are being counted
   */
  summary(
    organizationId: string,
    query: SummaryQuery,
    knownStates: readonly string[],
    context: RequestContext,
  ): Promise<StatedSummary>;
  /**
   * Returns all changes to a finding, oldest first: its creation, reviews and assignments, and the resulting changes of
   * the decision.
   * @throws DomainError not_found
   */
  history(organizationId: string, findingId: string): Promise<FindingChange[]>;
}

export function findingReader({
  findings,
  invoices,
  tenants,
  counted,
  summaryFindingsMax = SUMMARY_FINDINGS_MAX,
}: Deps): FindingReader {
  const get = (organizationId: string, findingId: string): Promise<WorkedFinding> =>
    requireFinding({ findings, invoices }, organizationId, findingId);
  const inTurn = pLimit(SUMMARIES_AT_ONCE_MAX);
  const summarize = async (
    organizationId: string,
    query: SummaryQuery,
    baseCurrency: string,
  ): Promise<FindingSummary> => {
    const isOfAll = Object.values(query).every((filter) => filter === undefined);
    if (isOfAll && (await counted.exist(organizationId))) return counted.summary(organizationId, baseCurrency);
    const found = await findings.toSummarize(organizationId, query, summaryFindingsMax + 1);
    if (found.length > summaryFindingsMax) {
      if (isOfAll) return counted.summary(organizationId, baseCurrency);
      const most = summaryFindingsMax.toLocaleString('en');
      throw invalidField(
        'created_from',
        `must select at most ${most} findings to summarize. Send a shorter period with created_from and created_to, one company with company_id, or a higher severity with min_severity.`,
      );
    }
    const steps = summarizeFindings(found, baseCurrency, query.minSeverity);
    return inTurns(steps, pace(SUMMARY_TURN_MS_MAX));
  };
  return {
    get,
    list: (organizationId, query) => findings.list(organizationId, query),
    async summary(organizationId, query, knownStates, context) {
      const { baseCurrency } = await tenants.factsOf(organizationId, context);
      // The state is read before the findings. If a finding changes in between, the summary includes the change
      // although the state does not. The next request then gets the summary again.
      const state = await stateOfFindings(findings, organizationId, { baseCurrency, query });
      if (state !== undefined && knownStates.includes(state)) return { state };
      if (inTurn.pendingCount >= SUMMARIES_WAITING_MAX)
        throw new DomainError(
          'unavailable',
          'Too many summaries are being computed right now. Retry the request in a few seconds.',
        );
      return { state, summary: await inTurn(() => summarize(organizationId, query, baseCurrency)) };
    },
    async history(organizationId, findingId) {
      const finding = await get(organizationId, findingId);
      const [changes = [], decisions] = await Promise.all([
        findings.history(organizationId, findingId),
        finding.invoiceId === undefined ? [] : invoices.decisionChanges(organizationId, finding.invoiceId),
      ]);
      const created: FindingChange = { at: finding.createdAt, actor: SYSTEM_ACTOR, action: 'CREATED' };
      const recomputed = decisions
        .filter((change) => change.findingId === findingId)
        .map(({ at, from, to }): FindingChange => ({ at, actor: SYSTEM_ACTOR, action: 'RECOMPUTED', from, to }));
      // Sorting is stable, so entries in the history of a finding with equal times keep their order and a review
      // precedes the decision that it changed.
      return [created, ...changes, ...recomputed].sort((left, right) => left.at.getTime() - right.at.getTime());
    },
  };
}

/** Runs the computation of a summary of findings in small steps, so that other requests can run in between. */
async function inTurns<T>(steps: Generator<undefined, T>, turn: Pace): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}
