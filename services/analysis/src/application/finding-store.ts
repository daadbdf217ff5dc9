import type { Candidate } from '../domain/invoice.js';
import type { DecidedAnalysis, StoredFinding } from './invoice-store.js';

/** A finding with what it is about and whose work it is (specification 2.4). */
export interface FindingRecord extends StoredFinding {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly invoiceNumber: string;
  readonly supplierId: string;
  readonly supplierName: string;
  readonly scanId?: string;
  readonly assigneeUserId?: string;
  readonly createdAt: Date;
}

/** The invoice that findings are about. */
export type FindingSubject = Pick<Candidate, 'invoiceId' | 'companyId' | 'invoiceNumber' | 'supplierName' | 'scanId'>;

/** The findings of a decision as records of their own, as they are before anybody works with them. */
export function findingRecordsOf(subject: FindingSubject, analysis: DecidedAnalysis): FindingRecord[] {
  const { invoiceId, companyId, invoiceNumber, supplierName, scanId } = subject;
  return analysis.findings.map((finding) => ({
    ...finding,
    invoiceId,
    companyId,
    invoiceNumber,
    supplierId: analysis.supplierId,
    supplierName,
    ...(scanId === undefined ? {} : { scanId }),
    createdAt: analysis.createdAt,
  }));
}

/** What use cases need of the findings collection. */
export interface FindingStore {
  /** Repeatable: ids are derived. */
  insertAll(organizationId: string, findings: readonly FindingRecord[]): Promise<void>;
  ofInvoice(organizationId: string, invoiceId: string): Promise<FindingRecord[]>;
}
