import { gunzipSync, gzipSync } from 'node:zlib';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { analyze } from '../domain/engine.js';
import type { Analysis } from '../domain/engine.js';
import { canonicalFacts } from '../domain/facts.js';
import type { Facts } from '../domain/facts.js';
import type { NormalisedInvoice } from '../domain/invoice.js';
import { tolerancesFor } from '../domain/learned-tolerance.js';
import { matchPartOf } from '../domain/match-keys.js';
import { compareReviews, reviewFactOf, reviewKeysOf } from '../domain/review.js';
import type { TenantFacts } from '../domain/tenant.js';
import { shortDigest } from '../domain/digest.js';
import type { AnalysisStore } from './analysis-store.js';
import { announcementsOf } from './announcements.js';
import type { SupplierRecord } from './counted-records.js';
import type { countInvoice, ReadRecords } from './count-invoice.js';
import { deferred } from './deferred.js';
import { analysisIdFor, findingIdFor } from './derived-ids.js';
import type { FindingStore } from './finding-store.js';
import type { DecidedAnalysis, InvoiceRecord, InvoiceReference, InvoiceStore } from './invoice-store.js';
import type { loadFacts } from './load-facts.js';
import type { OrganizationPolicy } from './policy-store.js';
import type { Remembered } from './remembered.js';
import type { ReviewStore } from './review-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly findings: FindingStore;
  readonly loadFacts: ReturnType<typeof loadFacts>;
  readonly countInvoice: ReturnType<typeof countInvoice>;
  readonly reviews: ReviewStore;
  readonly policies: Remembered<OrganizationPolicy>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface DecideInput extends InvoiceReference {
  readonly version: number;
  readonly invoice: NormalisedInvoice;
  readonly tenant: TenantFacts;
  readonly suppliers?: readonly SupplierRecord[];
}

export interface InvoiceDecider {
  /**
   * Decides a stored invoice: facts, engine, one committing write, then the records derived from it. Undefined when
   * another worker decided it meanwhile.
   */
  decide(input: DecideInput): Promise<DecidedAnalysis | undefined>;
  /** Stores what follows from a decision, again or for the first time; the last step of a flow that was interrupted. */
  finish(record: InvoiceRecord, facts: Buffer): Promise<void>;
}

/** The commit is one write; everything after it has derived ids and may be repeated (architecture section 5, rule 4). */
export function invoiceDecider(deps: Deps): InvoiceDecider {
  const { invoices, policies, clock, logger } = deps;
  return {
    async decide({ organizationId, invoiceId, version, invoice, tenant, suppliers }) {
      const [loaded, rules] = await Promise.all([
        deps.loadFacts({ organizationId, invoice, tenant, ...(suppliers && { suppliers }) }),
        policies.of(organizationId),
      ]);
      const { facts, analysis: judged } = await judge(deps.reviews, loaded.facts, rules, clock.now());
      const bytes = canonicalFacts(facts);
      const { findings, ...verdict } = judged;
      const analysis: DecidedAnalysis = {
        ...verdict,
        analysisId: analysisIdFor(invoiceId, 1),
        number: 1,
        supplierId: facts.supplier.supplierId,
        findings: findings.map((finding) => ({ ...finding, findingId: findingIdFor(invoiceId, finding.evidence.key) })),
        factsSha256: shortDigest(bytes, 32),
        createdAt: clock.now(),
      };
      const packed = gzipSync(bytes, { level: 1 });
      const derived = deferred();
      try {
        await invoices.commit(
          { organizationId, invoiceId, version },
          { match: { ...matchPartOf(facts.invoice), status: 'ANALYZED' }, base: facts.base, analysis, facts: packed },
          {
            events: announcementsOf(facts.invoice, analysis),
            finish: { when: derived.promise, unset: ['pending', 'facts'] },
          },
        );
      } catch (error) {
        if (error instanceof VersionConflict) return undefined;
        throw error;
      }
      try {
        await derive(deps, facts, analysis, packed, loaded);
        derived.resolve();
      } catch (error) {
        // The decision stands; the sweep stores the rest.
        derived.reject(error);
        logger.warn({ error, invoiceId }, 'records derived from a decision are left to the sweep');
      }
      return analysis;
    },
    async finish({ organizationId, invoiceId, version, analysis }, packed) {
      if (analysis === undefined) return;
      await derive(deps, unpackFacts(packed), analysis, packed, {});
      await invoices.settle({ organizationId, invoiceId, version });
    },
  };
}

/**
 * Runs the engine. Reviews are looked for only where something was raised, and only where some stand does the engine
 * run once more with them.
 */
export async function judge(
  reviews: ReviewStore,
  loaded: Facts,
  { policy, tolerances }: OrganizationPolicy,
  now: Date,
): Promise<{ facts: Facts; analysis: Analysis }> {
  const { organizationId, invoice, supplier } = loaded;
  const tolerated = tolerancesFor(tolerances, supplier.supplierId, now.toISOString().slice(0, 10));
  const facts = tolerated.length === 0 ? loaded : { ...loaded, tolerances: tolerated };
  const analysis = analyze(facts, policy);
  const keys = reviewKeysOf(analysis.findings, invoice.invoiceId);
  const standing = keys.length === 0 ? [] : await reviews.falsePositives(organizationId, keys);
  const others = standing.filter(({ invoiceId }) => invoiceId !== invoice.invoiceId).map(reviewFactOf);
  if (others.length === 0) return { facts, analysis };
  const reviewed = { ...facts, reviews: [...facts.reviews, ...others].sort(compareReviews) };
  return { facts: reviewed, analysis: analyze(reviewed, policy) };
}

/** The facts of a stored analysis. */
export function unpackFacts(packed: Buffer): Facts {
  return JSON.parse(gunzipSync(packed).toString('utf8')) as Facts;
}

async function derive(
  { analyses, findings, countInvoice: count }: Deps,
  facts: Facts,
  analysis: DecidedAnalysis,
  packed: Buffer,
  records: ReadRecords,
): Promise<void> {
  const { organizationId, invoice } = facts;
  await Promise.all([
    analyses.insert({ organizationId, invoiceId: invoice.invoiceId }, analysis, packed),
    findings.insertAll(organizationId, invoice, analysis),
    count(facts, records),
  ]);
}
