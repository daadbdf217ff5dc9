import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { UsageMark } from '@invoicecontrol/metering/usage-counter';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { InvoiceDecider } from './decide-invoice.js';
import type { FindingSubject } from '../../records/application/finding-store.js';
import type { DecidedAnalysis, InvoiceReference, InvoiceStore } from '../../records/application/invoice-store.js';
import { renormalise } from '../../records/application/renormalise.js';

/**
 * Time for which other workers leave an undecided invoice to the worker that received it. A decision takes only a
 * fraction of this time.
 */
export const DECISION_LEASE_MS = 30_000;
/** Name of the usage counter that counts the analyses of a month. */
export const ANALYSES_METER = 'analyses';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly usage: UsageCounters;
  readonly decider: InvoiceDecider;
}

/** Returns the quota unit that the analysis of an invoice uses. */
export function analysisMark({
  organizationId,
  usageMonth,
  createdAt,
}: {
  organizationId: string;
  usageMonth: string;
  createdAt: Date;
}): UsageMark {
  return { organizationId, month: usageMonth, meter: ANALYSES_METER, amount: 1, at: createdAt };
}

/**
 * Decides a stored invoice whose worker stopped responding.
 * @returns undefined while a worker has claimed the invoice, or if another worker has decided it
 */
export const resumeInvoice =
  ({ invoices, usage, decider }: Deps) =>
  async (
    { organizationId, invoiceId }: InvoiceReference,
    tenant: TenantFacts,
  ): Promise<{ subject: FindingSubject; analysis: DecidedAnalysis } | undefined> => {
    const record = await invoices.takeOver(organizationId, invoiceId, DECISION_LEASE_MS);
    if (record === undefined) return undefined;
    // It is not known whether the worker that received the invoice counted it as usage, so the counter of used analyses
    // is compared with the stored invoices.
    const { usageMonth, isCountUnsure, createdAt } = record;
    if (isCountUnsure && usageMonth !== undefined) {
      await usage.reserve({ ...analysisMark({ organizationId, usageMonth, createdAt }), amount: 0 }, undefined);
    }
    const analysis = await decider.decide({ ...record, invoice: renormalise(record), tenant });
    return analysis === undefined ? undefined : { subject: record.match, analysis };
  };
