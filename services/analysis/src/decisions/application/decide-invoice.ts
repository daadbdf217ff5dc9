import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { differencesBetween } from '../../records/domain/differences.js';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import type { MatchPart, NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { withoutInvoice } from '@invoicecontrol/engine/supplier/profile';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { matchPartOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { pairKeysOf } from '../../records/domain/finding-disposition.js';
import { withSubjects } from '../../records/domain/stored-subjects.js';
import { toldOutsideKsef } from '@invoicecontrol/engine/supplier/suspicion';
import { compareReviews, reviewKeysOf, suspicionOf } from '../../reviews/domain/review.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { invoiceDecided, stageEnded } from '../../telemetry.js';
import type { AnalysisStore } from '../../records/application/analysis-store.js';
import { announcementsOf } from '../../records/application/announcements.js';
import { toDecidedAnalysis } from './decided-analysis.js';
import { packFacts, unpackFacts } from '../../records/application/packed-facts.js';
import type { AnalyzedFacts } from './decided-analysis.js';
import type { SupplierRecord } from '../../records/application/counted-records.js';
import type { CountInvoice, ReadRecords } from './count-invoice.js';
import { deferred } from '../../records/application/deferred.js';
import { updateFindings } from './findings-after-reanalysis.js';
import type { FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type {
  DecidedAnalysis,
  DecidedInvoice,
  InvoiceReference,
  InvoiceStore,
  MatchNotes,
} from '../../records/application/invoice-store.js';
import { analyzeFacts, analyzeWithReviews } from './analyze-facts.js';
import type { LoadFacts } from '../../facts/application/load-facts.js';
import type { FirstAnalysis, ReloadFacts } from '../../facts/application/reload-facts.js';
import { renormalise } from '../../records/application/renormalise.js';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';
import type { ReviewStore } from '../../reviews/application/review-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly findings: FindingStore;
  readonly loadFacts: LoadFacts;
  readonly reloadFacts: ReloadFacts;
  readonly countInvoice: CountInvoice;
  readonly reviews: ReviewStore;
  readonly policies: Cache<OrganizationPolicy>;
  readonly routingRules: Cache<readonly RoutingRule[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface DecideInput extends InvoiceReference {
  readonly version: number;
  /** Stored fields by which an invoice is compared with other invoices. */
  readonly match: MatchPart;
  readonly invoice: NormalisedInvoice;
  readonly tenant: TenantFacts;
  readonly suppliers?: readonly SupplierRecord[];
}

export interface InvoiceDecider {
  /**
   * Decides a stored invoice: loads facts, runs the engine, commits in one write and then stores the derived records.
   * Returns undefined if another worker has decided the invoice.
   */
  decide(input: DecideInput): Promise<DecidedAnalysis | undefined>;
  /**
   * Analyzes a decided invoice again with the history at the time of its arrival and with later reviews. The earlier
   * analysis is kept.
   * @throws VersionConflict if the invoice changed in the meantime
   */
  reanalyze(record: DecidedInvoice, first: FirstAnalysis, tenant: TenantFacts): Promise<void>;
  /**
   * Analyzes a decided invoice again with corrected fields and current facts. The earlier analysis is kept.
   * @throws VersionConflict if the invoice changed in the meantime
   */
  correct(record: DecidedInvoice, corrected: CanonicalInvoice, tenant: TenantFacts): Promise<void>;
  /**
   * Stores the records that derive from an invoice decision, as the last step of interrupted work. The call can be
   * repeated.
   */
  finish(record: DecidedInvoice, facts: Buffer): Promise<void>;
}

/**
 * Creates the invoice decider. A decision is committed in one write. The writes that follow it have derived ids and can
 * be repeated (architecture section 5, rule 4).
 */
export function invoiceDecider(deps: Deps): InvoiceDecider {
  const { invoices, policies, routingRules, clock, logger } = deps;

  /** Commits the decision on an invoice, publishes it, and stores the derived records. */
  const commit = async (
    { times, ...at }: InvoiceReference & { version: number; times: Times },
    decided: Parameters<InvoiceStore['commit']>[1],
    events: Announcement[],
    derive: () => Promise<void>,
  ): Promise<void> => {
    const derived = deferred();
    const analyzedAt = performance.now();
    await invoices.commit(at, decided, { events, finish: { when: derived.promise, unset: ['pending'] } });
    const { organizationId, invoiceId } = at;
    const { analysis, match } = decided;
    const committedAt = performance.now();
    const durationMs = committedAt - times.begun;
    const stagesMs = stagesOf({ ...times, analyzedAt, committedAt });
    invoiceDecided(logger, { organizationId, invoiceId, source: match.source, analysis, durationMs, stagesMs });
    try {
      await derive();
      stageEnded('derived', performance.now() - committedAt);
      derived.resolve();
    } catch (error) {
      // The decision on the invoice is already stored, so the sweep will store the derived records.
      derived.reject(error);
      logger.warn(
        { error, invoiceId: at.invoiceId },
        'records that follow from a decision could not be stored; the sweep retries',
      );
    }
  };

  /** Decides an invoice again, and keeps the earlier analysis. */
  const decideAgain = async (
    record: DecidedInvoice,
    loading: Promise<AnalysisFacts>,
    corrected?: CanonicalInvoice,
  ): Promise<void> => {
    const begun = performance.now();
    const { organizationId, invoiceId, match, analysis: newest } = record;
    const [loaded, policy, rules, stored] = await Promise.all([
      loading,
      policies.get(organizationId),
      routingRules.get(organizationId),
      deps.findings.ofInvoice(organizationId, invoiceId),
      deps.analyses.keepCurrent({ organizationId, invoiceId }),
    ]);
    const loadedAt = performance.now();
    const analyzed = await analyzeReviewed(deps.reviews, withOwnReviews(loaded, stored), policy, clock.now());
    const { facts } = analyzed;
    const known = new Set(stored.map(({ findingId }) => findingId));
    const number = newest.number + 1;
    const analysis = toDecidedAnalysis(analyzed, { number, rules, known, at: clock.now() });
    const packed = packFacts(facts);
    const basis = corrected === undefined ? newest.basis : number;
    const again = {
      ...analysis,
      ...(basis === undefined ? {} : { basis }),
      previous: { analysisId: newest.analysisId, differences: differencesBetween(newest, analysis) },
    };
    await commit(
      { organizationId, invoiceId, version: record.version, times: { begun, loadedAt } },
      {
        matchBefore: match,
        match: { ...matchPartOf(facts.invoice), ...notedOn(match), ...suspectedOf(analysis), status: 'ANALYZED' },
        analysis: again,
        facts: packed,
        ...(corrected === undefined ? {} : { invoice: corrected }),
      },
      announcementsOf(facts.invoice, again, known),
      () => deriveFromReanalysis(deps, facts, again),
    );
  };

  return {
    async decide({ organizationId, invoiceId, version, match, invoice, tenant, suppliers }) {
      const begun = performance.now();
      const [loaded, policy, rules] = await Promise.all([
        deps.loadFacts({ organizationId, invoice, tenant, ...(suppliers && { suppliers }) }),
        policies.get(organizationId),
        routingRules.get(organizationId),
      ]);
      const loadedAt = performance.now();
      const analyzed = await analyzeReviewed(deps.reviews, loaded.facts, policy, clock.now());
      const { facts } = analyzed;
      const analysis = toDecidedAnalysis(analyzed, { number: 1, rules, known: new Set(), at: clock.now() });
      const packed = packFacts(facts);
      const suspected = suspectedOf(analysis);
      try {
        await commit(
          { organizationId, invoiceId, version, times: { begun, loadedAt } },
          {
            matchBefore: match,
            match: { ...matchPartOf(facts.invoice), ...suspected, status: 'ANALYZED' },
            base: facts.base,
            analysis,
            facts: packed,
          },
          announcementsOf(facts.invoice, analysis),
          () => deriveFirst(deps, { facts, analysis, suspected }, loaded),
        );
      } catch (error) {
        if (error instanceof VersionConflict) return undefined;
        throw error;
      }
      return analysis;
    },
    async reanalyze(record, first, tenant) {
      await decideAgain(record, deps.reloadFacts(record, first, tenant));
    },
    async correct(record, corrected, tenant) {
      await decideAgain(record, factsOfCorrected(deps, record, corrected, tenant), corrected);
    },
    async finish({ organizationId, invoiceId, version, match, analysis }, packed) {
      const facts = unpackFacts(packed);
      if (analysis.previous === undefined) {
        // The suspicion that is stored with the invoice is used, because a review of a finding may have changed it
        // since the decision.
        const suspected: Noted = {
          ...(match.suspectedAs === undefined ? {} : { suspectedAs: match.suspectedAs }),
          ...(match.toldOutsideKsef === undefined ? {} : { toldOutsideKsef: match.toldOutsideKsef }),
        };
        await deriveFirst(deps, { facts, analysis, suspected }, {});
      } else await deriveFromReanalysis(deps, facts, analysis);
      await invoices.finalize({ organizationId, invoiceId, version });
    },
  };
}

/** Times of the decision on an invoice by `performance.now()`: when it began, and when all facts were loaded. */
interface Times {
  readonly begun: number;
  readonly loadedAt: number;
}

/** Records the durations of the stages of a decision up to its commit, and returns them in whole milliseconds. */
function stagesOf({
  begun,
  loadedAt,
  analyzedAt,
  committedAt,
}: Times & { readonly analyzedAt: number; readonly committedAt: number }): Readonly<Record<string, number>> {
  const spent = { facts: loadedAt - begun, engine: analyzedAt - loadedAt, commit: committedAt - analyzedAt };
  stageEnded('facts', spent.facts);
  stageEnded('engine', spent.engine);
  stageEnded('commit', spent.commit);
  return Object.fromEntries(Object.entries(spent).map(([stage, ms]) => [stage, Math.round(ms)]));
}

/**
 * Loads the facts for an invoice whose fields were corrected: other invoices are found by the corrected values, and the
 * supplier's profile is read without the old values.
 */
async function factsOfCorrected(
  { loadFacts: load, analyses }: Deps,
  record: DecidedInvoice,
  corrected: CanonicalInvoice,
  tenant: TenantFacts,
): Promise<AnalysisFacts> {
  const { organizationId, analysis } = record;
  const loaded = await load({ organizationId, invoice: renormalise({ ...record, invoice: corrected }), tenant });
  const facts = await withInboxOf(analyses, loaded.facts, analysis);
  if (facts.supplier.supplierId !== analysis.supplierId) return facts;
  const profile = withoutInvoice(facts.supplier.profile, renormalise(record));
  return { ...facts, supplier: { ...facts.supplier, profile } };
}

/**
 * Returns the facts about an invoice with the state of the KSeF inbox at the time of the earlier analysis. Invoices
 * that KSeF delivered later are not among the compared invoices, so the later state of the inbox would not fit them.
 */
async function withInboxOf(
  analyses: AnalysisStore,
  { inbox: now, ...facts }: AnalysisFacts,
  { number }: DecidedInvoice['analysis'],
): Promise<AnalysisFacts> {
  if (now === undefined) return facts;
  const { organizationId, invoice } = facts;
  const { inbox: then } = (await analyses.find({ organizationId, invoiceId: invoice.invoiceId }, number))?.facts ?? {};
  return then === undefined ? facts : { ...facts, inbox: then };
}

/**
 * Returns what reviews and the ERP stored with an invoice after its decision: a confirmed fraud or duplicate, and the
 * invoice that an ERP bill books.
 */
function notedOn({ confirmedAs, bookedInvoiceId }: MatchPart): MatchNotes {
  return {
    ...(confirmedAs === undefined ? {} : { confirmedAs }),
    ...(bookedInvoiceId === undefined ? {} : { bookedInvoiceId }),
  };
}

/** Returns the suspicion that the findings of a decision raise about the invoice, such as a suspected copy. */
function suspectedOf({ findings }: Pick<DecidedAnalysis, 'findings'>): Noted {
  const suspicion = suspicionOf(findings);
  return { ...(suspicion === undefined ? {} : { suspectedAs: suspicion }), ...toldOutsideKsef(findings) };
}

/** Adds the reviews of findings about this invoice. These reviews are part of the facts in every later analysis. */
function withOwnReviews(facts: AnalysisFacts, stored: readonly WorkedFinding[]): AnalysisFacts {
  const { invoiceId, bankKey } = facts.invoice;
  const { supplierId } = facts.supplier;
  const reviews = stored
    .filter(({ disposition }) => disposition !== 'OPEN' && disposition !== 'SUPERSEDED')
    .map((finding) => ({
      evidenceKey: finding.evidence.key,
      disposition: finding.disposition,
      invoiceId,
      pairKeys: pairKeysOf(withSubjects(finding, { invoiceId, supplierId, bankKey })),
    }));
  return { ...facts, reviews: reviews.sort(compareReviews) };
}

/** Earlier reviews of similar findings are loaded only if the engine raised findings. */
async function analyzeReviewed(
  reviews: ReviewStore,
  loaded: AnalysisFacts,
  policy: OrganizationPolicy,
  now: Date,
): Promise<AnalyzedFacts> {
  const analyzed = analyzeFacts(loaded, policy, now);
  const keys = reviewKeysOf(analyzed.analysis.findings);
  if (keys.length === 0) return analyzed;
  return analyzeWithReviews(analyzed, await reviews.falsePositives(loaded.organizationId, keys), policy);
}

interface FirstDecision {
  readonly facts: AnalysisFacts;
  readonly analysis: DecidedAnalysis;
  readonly suspected: Noted;
}

/** Values that a decision stores with its invoice, such as a suspected copy. They change the supplier's profile. */
type Noted = Pick<MatchPart, 'suspectedAs' | 'toldOutsideKsef'>;

async function deriveFirst(
  { findings, countInvoice: count }: Deps,
  { facts, analysis, suspected }: FirstDecision,
  records: ReadRecords,
): Promise<void> {
  const { organizationId, invoice } = facts;
  await Promise.all([
    findings.insertAll(organizationId, invoice, analysis),
    count({ ...facts, invoice: { ...invoice, ...suspected } }, analysis.createdAt, records),
  ]);
}

/**
 * The invoice that is decided again is already counted. New findings are added, and findings that are no longer raised
 * are removed.
 */
async function deriveFromReanalysis(deps: Deps, facts: AnalysisFacts, analysis: DecidedAnalysis): Promise<void> {
  const { organizationId, invoice } = facts;
  const { invoiceId, bankKey } = invoice;
  await Promise.all([
    deps.findings
      .insertAll(organizationId, invoice, analysis)
      .then(() => deps.findings.addAmounts(organizationId, analysis)),
    retryOnConflict(() => updateFindings(deps, { organizationId, invoiceId, bankKey }, analysis)),
  ]);
}
