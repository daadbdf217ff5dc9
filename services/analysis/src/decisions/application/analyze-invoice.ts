import { createCounted } from '@invoicecontrol/metering/counted-create';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { firstInProgress, requireSameRequest } from '@invoicecontrol/runtime/idempotency-key';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { matchPartOf, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { companyFor } from '../../records/domain/tenant.js';
import type { AnalysisStore } from '../../records/application/analysis-store.js';
import type { SupplierStore } from '../../records/application/counted-records.js';
import type { InvoiceDecider } from './decide-invoice.js';
import { invoiceIdFor } from '../../records/application/derived-ids.js';
import type { FindingSubject } from '../../records/application/finding-store.js';
import type {
  DecidedAnalysis,
  InvoiceRecord,
  InvoiceStore,
  NewInvoice,
} from '../../records/application/invoice-store.js';
import { analysisMark, DECISION_LEASE_MS, resumeInvoice } from './resume-invoice.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly suppliers: SupplierStore;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
  readonly decider: InvoiceDecider;
  readonly clock: Clock;
}

export interface AnalyzeInvoiceInput {
  readonly organizationId: string;
  readonly invoice: CanonicalInvoice;
  readonly idempotencyKey: string | undefined;
  /** SHA-256 hash of the body of a request for an analysis, as canonical JSON. */
  readonly fingerprint: string;
  /** Maximum number of invoice analyses in one month that the plan allows, or undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
}

export interface AnalyzedInvoice {
  readonly subject: FindingSubject;
  readonly analysis: DecidedAnalysis;
  /** True if this is the stored response to an earlier request for the analysis of the invoice. */
  readonly isReplayed: boolean;
}

/**
 * Stores an invoice and decides it (architecture section 7). The id of the invoice is derived from the idempotency key,
 * which makes every step repeatable: the first request creates the invoice, and a repeated request finds it.
 * @throws DomainError idempotency_mismatch if an earlier request with the same key had another body; in_progress while
 *   the first request is running; usage_exceeded; invalid for an unknown company
 */
export type AnalyzeInvoice = (input: AnalyzeInvoiceInput, context: RequestContext) => Promise<AnalyzedInvoice>;

export const analyzeInvoice = (deps: Deps): AnalyzeInvoice => {
  const { invoices, suppliers, tenants, decider, clock } = deps;
  return async (input, context) => {
    const { organizationId, invoice, idempotencyKey, fingerprint, monthlyLimit } = input;
    const tenant = await tenants.factsOf(organizationId, context, invoice.company_id);
    const invoiceId = invoiceIdFor(organizationId, idempotencyKey);
    const isKeyed = idempotencyKey !== undefined;
    const mayBeRefused =
      monthlyLimit !== undefined || (invoice.company_id !== undefined && !hasCompany(tenant, invoice.company_id));
    if (isKeyed && mayBeRefused) {
      // A repeated request for an analysis must succeed even if the quota is used up or its company was deleted, so a
      // repeated request is recognized before the quota and the company are checked.
      const earlier = await invoices.find(organizationId, invoiceId);
      if (earlier !== undefined) return replay(deps, earlier, fingerprint, tenant);
    }
    const now = clock.now();
    const companyId = companyFor({ companyId: invoice.company_id, buyerTaxId: invoice.buyer?.tax_id }, tenant);
    const normalised = normaliseInvoice(invoice, { invoiceId, companyId, source: 'API', receivedAtMs: now.getTime() });
    // If the plan has no limit of analyses, the invoice cannot be refused, so it is counted after the response. The
    // stored invoice records that it is not counted yet.
    const isCountUnsure = monthlyLimit === undefined;
    const received = {
      organizationId,
      invoiceId,
      companyId,
      source: 'API' as const,
      createdAt: now,
      invoice,
      match: matchPartOf(normalised),
      ...(isKeyed ? { fingerprint } : {}),
      ...(isCountUnsure ? { isCountUnsure } : {}),
      usageMonth: usageMonth(now),
      leaseMs: DECISION_LEASE_MS,
    };
    const [{ created, first }, known] = await Promise.all([
      createCounted(deps, {
        mark: analysisMark(received),
        limit: monthlyLimit,
        insert: async () => ((await invoices.insert(received)) ? received : undefined),
        findFirst: isKeyed ? () => invoices.find(organizationId, invoiceId) : undefined,
        isCountUnsure,
      }),
      suppliers.findByKeys(organizationId, supplierKeysOf(normalised)),
    ]);
    if (created === undefined) return replay(deps, first ?? (await require(invoices, received)), fingerprint, tenant);
    const analysis = await decider.decide({ ...received, version: 1, invoice: normalised, tenant, suppliers: known });
    if (analysis !== undefined) return { subject: normalised, analysis, isReplayed: false };
    // This worker was so slow that another worker took over the invoice and decided it. The decision of the other
    // worker is returned.
    return replay(deps, await require(invoices, received), fingerprint, tenant);
  };
};

/** Returns the response to a repeated request whose invoice already exists. */
async function replay(
  deps: Deps,
  earlier: InvoiceRecord,
  fingerprint: string,
  tenant: TenantFacts,
): Promise<AnalyzedInvoice> {
  requireSameRequest(fingerprint, earlier.fingerprint, 'invoice');
  if (earlier.analysis !== undefined) {
    // The first response to a repeated request for an analysis is returned, even if the invoice has been analyzed again
    // since then.
    const first = earlier.analysis.number === 1 ? earlier.analysis : (await deps.analyses.find(earlier, 1))?.analysis;
    return { subject: earlier.match, analysis: first ?? earlier.analysis, isReplayed: true };
  }
  const resumed = await resumeInvoice(deps)(earlier, tenant);
  if (resumed !== undefined) return { ...resumed, isReplayed: true };
  throw firstInProgress();
}

async function require(invoices: InvoiceStore, { organizationId, invoiceId }: NewInvoice): Promise<InvoiceRecord> {
  const record = await invoices.find(organizationId, invoiceId);
  if (record === undefined) throw new Error(`invoice ${invoiceId} was stored and is missing`);
  return record;
}
