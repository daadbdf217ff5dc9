import { notFound } from '@invoicecontrol/errors';
import type { AnalysisStore, AnalysisSummary } from './analysis-store.js';
import type { InvoiceStore } from './invoice-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
}

export interface AnalysisReader {
  /**
   * The analyses of an invoice, newest first.
   * @returns `next`: the number below which the next page begins
   * @throws DomainError not_found when there is no such invoice
   */
  list(
    organizationId: string,
    invoiceId: string,
    page: { readonly below: number | undefined; readonly limit: number },
  ): Promise<{ items: readonly AnalysisSummary[]; next: number | undefined }>;
}

export function analysisReader({ invoices, analyses }: Deps): AnalysisReader {
  return {
    async list(organizationId, invoiceId, { below, limit }) {
      const [invoice, found] = await Promise.all([
        invoices.find(organizationId, invoiceId),
        analyses.ofInvoice(organizationId, invoiceId, { below, limit: limit + 1 }),
      ]);
      if (invoice === undefined) throw notFound('invoice');
      const items = found.slice(0, limit);
      return { items, next: found.length > limit ? items.at(-1)?.number : undefined };
    },
  };
}
