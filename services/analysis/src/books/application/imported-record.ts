import { createHash } from 'node:crypto';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { v5 as uuidV5 } from 'uuid';
import type { ErpSource, ImportSource } from './import-source.js';

/** The fields that every record of an ERP is stored with. */
export interface ImportedRecord {
  /** Derived from the remote company and the external id: a record that comes from a renewed connection is the same. */
  readonly id: string;
  /** 1 for a new one; each write is the version after the one that was read. */
  readonly version: number;
  readonly companyId: string;
  /** The connection that brought it last. */
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly externalId: string;
  /** Hash of the record that the ERP sent; undefined when the next page must write it in any case. */
  readonly contentHash: string | undefined;
  readonly createdAt: Date;
  /** Time of its last change. */
  readonly changedAt: Date;
  /** Time since when the ERP no longer has it. */
  readonly deletedAt: Date | undefined;
  /** Keys by which it is found, besides its ids. Empty while it is deleted. */
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

/** Changes with the stored form of a record, so that the next complete synchronisation writes every record again. */
const HASH_FORMAT = 1;
const HASH_BYTES = 16;

/**
 * The digest of what a record says. Without the time of its last change: an ERP also changes that for fields that
 * nobody reads here.
 */
export function contentHashOf(record: { readonly modifiedAt?: Date }, ...others: readonly unknown[]): string {
  const { modifiedAt: _, ...content } = record;
  const text = canonicalJson([HASH_FORMAT, content, ...others.map((other) => other ?? null)]);
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES).toString('base64url');
}

/** Tells whether a stored record is as the page has it, brought by the same connection. */
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

/** The members that every kind of record has, for its next version. */
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

/** The operations of use cases on a collection of imported records. */
export interface ImportedStore<R extends ImportedRecord> {
  find(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, R>>;
  /** @returns ids of those that another writer changed in the meantime; its changes stay */
  write(organizationId: string, records: readonly R[]): Promise<ReadonlySet<string>>;
}
