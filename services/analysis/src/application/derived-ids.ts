import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/**
 * Ids that follow from what a thing is, so that every step may be repeated (architecture section 2). The namespaces
 * are our own, one per kind of thing; they must never change.
 */
const namespaces = {
  keyedInvoice: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c01',
  analysis: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c02',
  finding: '6f1a3c52-58b1-4b7e-9d4e-2f1f0b8a7c03',
} as const;

/** The same key of the same organization always names the same invoice; without a key every invoice is a new one. */
export function invoiceIdFor(organizationId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? uuidV7()
    : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyedInvoice);
}

export function analysisIdFor(invoiceId: string, number: number): string {
  return uuidV5(`${invoiceId}|${number}`, namespaces.analysis);
}

export function findingIdFor(invoiceId: string, evidenceKey: string): string {
  return uuidV5(`${invoiceId}|${evidenceKey}`, namespaces.finding);
}
