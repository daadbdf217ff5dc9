import type { AnalysisFacts } from '../domain/analysis.js';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { DecidedAnalysis, InvoiceReference } from './invoice-store.js';

/** A stored analysis with the facts it rests on. */
export interface AnalysisRecord {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  readonly facts: AnalysisFacts;
}

/** An analysis without what it rests on and without its findings. */
export type AnalysisSummary = Omit<DecidedAnalysis, 'findings'>;

/** The operations of use cases on the analyses collection. */
export interface AnalysisStore {
  /** Repeatable: the id is derived. @param facts compressed as they were committed */
  insert(of: InvoiceReference, analysis: DecidedAnalysis, facts: Buffer): Promise<void>;
  find(organizationId: string, analysisId: string): Promise<AnalysisRecord | undefined>;
  /** Analyses of an invoice, the highest number first. */
  ofInvoice(organizationId: string, invoiceId: string, page: PageRequest): Promise<Page<AnalysisSummary>>;
  /** Analyses of an organization, newest first, with their facts. */
  newest(organizationId: string, page: PageRequest): Promise<Page<AnalysisRecord>>;
}
