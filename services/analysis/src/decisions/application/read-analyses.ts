import { notFound } from '@invoicecontrol/errors';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { AnalysisStore, AnalysisSummary } from '../../records/application/analysis-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { UploadStore } from '../../records/application/upload-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly uploads: Pick<UploadStore, 'find'>;
}

export interface AnalysisReader {
  /**
   * Lists the analyses of an invoice, newest first. An upload from which no invoice was read has no analyses.
   * @throws DomainError not_found if the invoice does not exist
   */
  list(organizationId: string, invoiceId: string, request: PageRequest): Promise<Page<AnalysisSummary>>;
}

export function analysisReader({ invoices, analyses, uploads }: Deps): AnalysisReader {
  return {
    async list(organizationId, invoiceId, request) {
      const invoice = await invoices.find(organizationId, invoiceId);
      if (invoice?.analysis !== undefined) return analyses.ofInvoice(invoice, request);
      if (invoice === undefined && (await uploads.find(organizationId, invoiceId)) === undefined) {
        throw notFound('invoice');
      }
      return { items: [], nextPageToken: '' };
    },
  };
}
