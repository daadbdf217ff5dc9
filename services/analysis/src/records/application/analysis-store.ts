import type { AnalysisFacts } from '../domain/analysis.js';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { DecidedAnalysis, InvoiceReference } from './invoice-store.js';

/** A stored analysis including its facts. */
export interface AnalysisRecord {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  readonly facts: AnalysisFacts;
}

/** An analysis without its facts and findings. */
export type AnalysisSummary = Omit<DecidedAnalysis, 'findings'>;

/** Operations of the analyses collection that use cases need. */
export interface AnalysisStore {
  /**
   * Stores an analysis. The call may be repeated, because the id is derived.
   * @param facts compressed facts as they were committed
   */
  insert(of: InvoiceReference, analysis: DecidedAnalysis, facts: Buffer): Promise<void>;
  find(organizationId: string, analysisId: string): Promise<AnalysisRecord | undefined>;
  /** Returns the analyses of an invoice, highest number first. */
  ofInvoice(organizationId: string, invoiceId: string, page: PageRequest): Promise<Page<AnalysisSummary>>;
  /** Returns the analyses of an organization with their facts, newest first. */
  newest(organizationId: string, page: PageRequest): Promise<Page<AnalysisRecord>>;
}
