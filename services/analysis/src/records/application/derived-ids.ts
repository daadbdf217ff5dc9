import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/**
 * Namespaces for ids that are derived from the records they identify, so that every step may be repeated (architecture
 * section 2). Each kind of record has a separate namespace. Namespaces must never change.
 */
const namespaces = {
  keyedInvoice: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c01',
  analysis: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c02',
  finding: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c03',
  uploadedInvoice: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c04',
} as const;

/**
 * Returns the id for an invoice. The same idempotency key in the same organization always gives the same id. Without a
 * key, every invoice gets a new id.
 */
export function invoiceIdFor(organizationId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? uuidV7()
    : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyedInvoice);
}

/**
 * Returns the id of the invoice that an upload becomes. It is the same no matter how often an analysis is requested.
 */
export function invoiceIdOfUpload(uploadId: string): string {
  return uuidV5(uploadId, namespaces.uploadedInvoice);
}

/**
 * Returns the id of the invoice that a row of a history scan becomes. The id is the same whenever the scan is repeated.
 * @param position index of the row in the scan request
 */
export function rowIdFor(scanId: string, position: number): string {
  return uuidV5(String(position), scanId);
}

export function analysisIdFor(invoiceId: string, number: number): string {
  return uuidV5(`${invoiceId}|${number}`, namespaces.analysis);
}

/**
 * Returns the id of a finding, derived from its subject and its evidence.
 * @param subjectId the invoice; the history scan for a finding about a scan as a whole, or the organization for a
 * finding about ERP records
 */
export function findingIdFor(subjectId: string, evidenceKey: string): string {
  return uuidV5(`${subjectId}|${evidenceKey}`, namespaces.finding);
}
