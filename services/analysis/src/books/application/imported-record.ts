import { createHash } from 'node:crypto';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { v5 as uuidV5 } from 'uuid';
import type { ErpSource, ImportSource } from './import-source.js';

/** Fields that are stored with every record from an ERP. */
export interface ImportedRecord {
  /**
   * Id of an imported record, derived from the company in the ERP and the external id, so that a record keeps its id if
   * the company is connected again.
   */
  readonly id: string;
  /** Version of the imported record: 1 for a new record, increased by each write. */
  readonly version: number;
  readonly companyId: string;
  /** Id of the ERP connection that last sent the imported record. */
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly externalId: string;
  /** Hash of an imported record as the ERP sent it, or undefined if the next page must write the record in any case. */
  readonly contentHash: string | undefined;
  readonly createdAt: Date;
  /** Time of the last change of the imported record. */
  readonly changedAt: Date;
  /** Time at which an imported record was found to be missing from the ERP. */
  readonly deletedAt: Date | undefined;
  /** Keys by which an imported ERP record is found in addition to its ids. Empty if the record is deleted. */
  readonly keys: readonly string[];
}

type Kind = 'vendor' | 'bill' | 'credit_note' | 'order' | 'payment';

export function importedIdOf(
  { organizationId, remoteCompanyId }: Pick<ImportSource, 'organizationId' | 'remoteCompanyId'>,
  kind: Kind,
  externalId: string,
): string {
  return uuidV5(`erp:${remoteCompanyId}:${kind}:${externalId}`, organizationId);
}

/**
 * Version of the form in which imported records are stored. Increase it when the form changes, so that the next
 * complete import writes every record again.
 */
const HASH_FORMAT = 1;
const HASH_BYTES = 16;

/**
 * Returns a hash of the content of an ERP record. The modification time is excluded, because an ERP also changes it for
 * fields that are not imported.
 */
export function contentHashOf(record: { readonly modifiedAt?: Date }, ...others: readonly unknown[]): string {
  const { modifiedAt: _, ...content } = record;
  const text = canonicalJson([HASH_FORMAT, content, ...others.map((other) => other ?? null)]);
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES).toString('base64url');
}

/**
 * Checks whether a stored ERP record equals the one in the page of ERP records and was sent by the same ERP connection.
 */
export function isUnchanged(
  stored: Pick<ImportedRecord, 'contentHash' | 'connectionId' | 'companyId' | 'deletedAt'> | undefined,
  contentHash: string,
  { connectionId, companyId }: ErpSource,
): boolean {
  return (
    stored !== undefined &&
    stored.contentHash === contentHash &&
    stored.connectionId === connectionId &&
    stored.companyId === companyId &&
    stored.deletedAt === undefined
  );
}

/** Returns the fields that ERP records of every kind have, for the next version of a record. */
export function nextRecord(
  { companyId, connectionId, remoteCompanyId }: ErpSource,
  stored: Pick<ImportedRecord, 'version' | 'createdAt'> | undefined,
  record: { readonly id: string; readonly externalId: string; readonly contentHash: string },
  now: Date,
): Omit<ImportedRecord, 'keys'> {
  return {
    ...record,
    version: (stored?.version ?? 0) + 1,
    companyId,
    connectionId,
    remoteCompanyId,
    createdAt: stored?.createdAt ?? now,
    changedAt: now,
    deletedAt: undefined,
  };
}

/** Operations on a database collection of imported ERP records that use cases need. */
export interface ImportedStore<R extends ImportedRecord> {
  find(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, R>>;
  /**
   * Writes imported ERP records in bulk.
   * @returns ids of the records that were not written, because another writer changed them in the meantime
   */
  write(organizationId: string, records: readonly R[]): Promise<ReadonlySet<string>>;
}
