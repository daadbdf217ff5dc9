import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/**
 * Ids that follow from what they identify, so that every step may be repeated (architecture section 2). The namespaces
 * are our own, one per kind of record; they must never change.
 */
const namespaces = {
  keyedInvoice: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c01',
  analysis: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c02',
  finding: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c03',
  uploadedInvoice: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c04',
} as const;

/** The same key of the same organization always names the same invoice; without a key every invoice is a new one. */
export function invoiceIdFor(organizationId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? uuidV7()
    : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyedInvoice);
}

/** An upload is one invoice, however often its analysis is requested. */
export function invoiceIdOfUpload(uploadId: string): string {
  return uuidV5(uploadId, namespaces.uploadedInvoice);
}

/** A row of a scan is the same invoice in every repeat. @param position its index in the scan's request */
export function rowIdFor(scanId: string, position: number): string {
  return uuidV5(String(position), scanId);
}

export function analysisIdFor(invoiceId: string, number: number): string {
  return uuidV5(`${invoiceId}|${number}`, namespaces.analysis);
}

/** @param subjectId the invoice; the scan for a finding about a scan as a whole, the organization for one about the books */
export function findingIdFor(subjectId: string, evidenceKey: string): string {
  return uuidV5(`${subjectId}|${evidenceKey}`, namespaces.finding);
}
