import { gunzipSync, gzipSync } from 'node:zlib';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { analyze } from '../domain/engine.js';
import { canonicalFacts } from '../domain/facts.js';
import type { Facts } from '../domain/facts.js';
import type { NormalisedInvoice } from '../domain/invoice.js';
import { matchPartOf } from '../domain/match-keys.js';
import type { Policy } from '../domain/policy.js';
import type { TenantFacts } from '../domain/tenant.js';
import { shortDigest } from '../domain/digest.js';
import type { AnalysisStore } from './analysis-store.js';
import { announcementsOf } from './announcements.js';
import type { SupplierRecord } from './counted-records.js';
import type { countInvoice, ReadRecords } from './count-invoice.js';
import { analysisIdFor, findingIdFor } from './derived-ids.js';
import { findingRecordsOf } from './finding-store.js';
import type { FindingStore } from './finding-store.js';
import type { DecidedAnalysis, InvoiceRecord, InvoiceReference, InvoiceStore } from './invoice-store.js';
import type { loadFacts } from './load-facts.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly findings: FindingStore;
  readonly loadFacts: ReturnType<typeof loadFacts>;
  readonly countInvoice: ReturnType<typeof countInvoice>;
  readonly policy: Policy;
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
  const { invoices, policy, clock, logger } = deps;
  return {
    async decide({ organizationId, invoiceId, version, invoice, tenant, suppliers }) {
      const loaded = await deps.loadFacts({ organizationId, invoice, tenant, ...(suppliers && { suppliers }) });
      const { facts } = loaded;
      const bytes = canonicalFacts(facts);
      const { findings, ...verdict } = analyze(facts, policy);
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
    findings.insertAll(organizationId, findingRecordsOf(invoice, analysis)),
    count(facts, records),
  ]);
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Node 20 has no Promise.withResolvers. */
function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}
