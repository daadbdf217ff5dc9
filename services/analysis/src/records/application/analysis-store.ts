import type { AnalysisFacts } from '../domain/analysis.js';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { DecidedAnalysis, DecidedInvoice, InvoiceReference } from './invoice-store.js';

/** A stored analysis of an invoice, including its facts. */
export interface AnalysisRecord {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  readonly facts: AnalysisFacts;
}

/** A summary of an invoice analysis, without its facts and findings. */
export type AnalysisSummary = Omit<DecidedAnalysis, 'findings'>;

/**
 * Operations on the analyses of invoices. An invoice contains its current analysis, and the earlier analyses are in a
 * separate collection (ADR 0131).
 */
export interface AnalysisStore {
  /**
   * Copies the current analysis of an invoice to its earlier analyses. The copy must be made before a commit replaces
   * the current analysis, and can be repeated, because its id is derived.
   */
  keepCurrent(of: InvoiceReference): Promise<void>;
  /** Returns the analysis of an invoice that has the given number. The first analysis of an invoice has number 1. */
  find(of: InvoiceReference, number: number): Promise<AnalysisRecord | undefined>;
  /** Returns the analyses of an invoice, newest first. */
  ofInvoice(
    invoice: Pick<DecidedInvoice, 'organizationId' | 'invoiceId' | 'analysis'>,
    page: PageRequest,
  ): Promise<Page<AnalysisSummary>>;
  /**
   * Returns all analyses of an organization with their facts: the current analyses, newest invoice first, and then the
   * earlier analyses, newest first.
   */
  all(organizationId: string, page: PageRequest): Promise<Page<AnalysisRecord>>;
}
