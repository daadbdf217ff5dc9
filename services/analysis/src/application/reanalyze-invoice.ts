import { DomainError, notFound } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { AnalysisStore } from './analysis-store.js';
import type { InvoiceDecider } from './decide-invoice.js';
import type { InvoiceReference, InvoiceStore } from './invoice-store.js';
import type { ScanRunStore } from './rows/scan-run-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly runs: ScanRunStore;
  readonly tenants: Tenants;
  readonly decider: InvoiceDecider;
}

/**
 * Decides an invoice again with what is known now. Its earlier analyses stay, and what people said about its findings
 * holds. Not counted against quotas.
 * @throws DomainError not_found, wrong_state while the invoice has not been decided a first time
 */
export const reanalyzeInvoice =
  ({ invoices, analyses, runs, tenants, decider }: Deps) =>
  async ({ organizationId, invoiceId }: InvoiceReference, context: RequestContext): Promise<void> => {
    const tenant = await tenants.factsOf(organizationId, context);
    await retryOnConflict(async () => {
      // The invoice must stand in its supplier's profile before it can be taken out of it for this analysis.
      const unfinished = await invoices.unfinished(organizationId, invoiceId);
      if (unfinished !== undefined) await decider.finish(unfinished.record, unfinished.facts);
      const record = await invoices.find(organizationId, invoiceId);
      if (record === undefined) throw notFound('invoice');
      if (record.analysis === undefined) {
        throw new DomainError('wrong_state', 'The invoice has no analysis that could be made again.');
      }
      const { scanId } = record.match;
      if (scanId !== undefined && (await runs.unfinalized(organizationId, [scanId])).size > 0) {
        throw new DomainError(
          'wrong_state',
          'The scan of the invoice is still being analyzed. Repeat when it is done.',
        );
      }
      const stored = await analyses.find(organizationId, record.analysis.analysisId);
      if (stored === undefined) throw new Error(`analysis ${record.analysis.analysisId} is not stored`);
      const { supplier, scanStatesAccounts, firstScanRowsBefore } = stored.facts;
      const { supplierId, reason } = supplier;
      const ofFile = {
        ...(scanStatesAccounts === undefined ? {} : { scanStatesAccounts }),
        ...(firstScanRowsBefore === undefined ? {} : { firstScanRowsBefore }),
      };
      await decider.reanalyze(record, { analysis: record.analysis, supplier: { supplierId, reason }, ofFile }, tenant);
    });
  };
