import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/** Namespaces of derived ids, one per kind of record; they must never change. */
const namespaces = {
  keyedScan: 'b0c9a6de-3f57-4b0e-8a43-5d1d6e2f9c01',
  importedRow: 'b0c9a6de-3f57-4b0e-8a43-5d1d6e2f9c02',
} as const;

/** The same key of the same organization always names the same scan; without a key every scan is a new one. */
export function scanIdFor(organizationId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined ? uuidV7() : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyedScan);
}

/** An external id is unique in a company (interpretations, Scans). */
export function importedRowIdFor(organizationId: string, companyId: string, externalId: string): string {
  return uuidV5(`${organizationId}|${companyId}|${externalId}`, namespaces.importedRow);
}
