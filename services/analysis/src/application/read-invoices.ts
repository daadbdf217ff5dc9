import { notFound } from '@invoicecontrol/errors';
import type { Verdict } from '@invoicecontrol/engine/scoring/decision';
import { currentFindings } from './finding-store.js';
import type { FindingRecord, FindingStore } from './finding-store.js';
import type { DecidedAnalysis, InvoiceQuery, InvoiceRecord, InvoiceStore, Page } from './invoice-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly findings: FindingStore;
}

export interface LatestAnalysis {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  /** As people have made them since. */
  readonly findings: readonly FindingRecord[];
  /** The decision in force. */
  readonly verdict: Verdict;
}

export interface InvoiceReader {
  /** @throws DomainError not_found */
  get(organizationId: string, invoiceId: string): Promise<InvoiceRecord>;
  list(organizationId: string, query: InvoiceQuery): Promise<Page<InvoiceRecord>>;
  /** @throws DomainError not_found, also while the invoice is not decided */
  latestAnalysis(organizationId: string, invoiceId: string): Promise<LatestAnalysis>;
}

export function invoiceReader({ invoices, findings }: Deps): InvoiceReader {
  const get = async (organizationId: string, invoiceId: string): Promise<InvoiceRecord> => {
    const record = await invoices.find(organizationId, invoiceId);
    if (record === undefined) throw notFound('invoice');
    return record;
  };
  return {
    get,
    list: (organizationId, query) => invoices.list(organizationId, query),
    async latestAnalysis(organizationId, invoiceId) {
      const [record, stored] = await Promise.all([
        get(organizationId, invoiceId),
        findings.ofInvoice(organizationId, invoiceId),
      ]);
      const { analysis, match, verdict } = record;
      if (analysis === undefined) throw notFound('invoice');
      return { invoiceId, analysis, findings: currentFindings(match, analysis, stored), verdict: verdict ?? analysis };
    },
  };
}
