import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { DecidedAnalysis, InvoiceReference, ListPosition } from './invoice-store.js';

/** A stored analysis with the facts it rests on. */
export interface AnalysisRecord {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  readonly facts: Facts;
}

/** An analysis without what it rests on and without its findings. */
export type AnalysisSummary = Omit<DecidedAnalysis, 'findings'>;

/** What use cases need of the analyses collection. */
export interface AnalysisStore {
  /** Repeatable: the id is derived. @param facts compressed as they were committed */
  insert(of: InvoiceReference, analysis: DecidedAnalysis, facts: Buffer): Promise<void>;
  find(organizationId: string, analysisId: string): Promise<AnalysisRecord | undefined>;
  /** Analyses of an invoice below a number, newest first. */
  ofInvoice(
    organizationId: string,
    invoiceId: string,
    page: { readonly below: number | undefined; readonly limit: number },
  ): Promise<AnalysisSummary[]>;
  /** Analyses of an organization, newest first, with their facts. */
  newest(
    organizationId: string,
    page: { readonly after: ListPosition | undefined; readonly limit: number },
  ): Promise<AnalysisRecord[]>;
}
