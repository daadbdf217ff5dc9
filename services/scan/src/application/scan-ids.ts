import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/**
 * Namespaces of the ids that the scan service derives, one for each kind of record. A namespace must never change,
 * because the ids would change too.
 */
const namespaces = {
  keyedScan: 'b0c9a6de-3f57-4b0e-8a43-5d1d6e2f9c01',
  importedRow: 'b0c9a6de-3f57-4b0e-8a43-5d1d6e2f9c02',
} as const;

/**
 * Derives the id of a history scan. The same idempotency key of the same organization always gives the same id; without
 * a key every id is new.
 */
export function scanIdFor(organizationId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined ? uuidV7() : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyedScan);
}

/** Derives the id of the record of an imported row. An external id is unique in a company (interpretations, Scans). */
export function importedRowIdFor(organizationId: string, companyId: string, externalId: string): string {
  return uuidV5(`${organizationId}|${companyId}|${externalId}`, namespaces.importedRow);
}
