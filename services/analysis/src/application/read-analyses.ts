import { notFound } from '@invoicecontrol/errors';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { AnalysisStore, AnalysisSummary } from './analysis-store.js';
import type { InvoiceStore } from './invoice-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
}

export interface AnalysisReader {
  /**
   * The analyses of an invoice, newest first.
   * @throws DomainError not_found when there is no such invoice
   */
  list(organizationId: string, invoiceId: string, request: PageRequest): Promise<Page<AnalysisSummary>>;
}

export function analysisReader({ invoices, analyses }: Deps): AnalysisReader {
  return {
    async list(organizationId, invoiceId, request) {
      const [invoice, page] = await Promise.all([
        invoices.find(organizationId, invoiceId),
        analyses.ofInvoice(organizationId, invoiceId, request),
      ]);
      if (invoice === undefined) throw notFound('invoice');
      return page;
    },
  };
}
