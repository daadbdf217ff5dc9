import type { DecidedAnalysis, InvoiceReference } from './invoice-store.js';

/** A stored analysis with its facts, compressed as they were committed. */
export interface AnalysisRecord {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  readonly facts: Buffer;
}

/** What use cases need of the analyses collection. */
export interface AnalysisStore {
  /** Repeatable: the id is derived. */
  insert(of: InvoiceReference, analysis: DecidedAnalysis, facts: Buffer): Promise<void>;
  find(organizationId: string, analysisId: string): Promise<AnalysisRecord | undefined>;
}
