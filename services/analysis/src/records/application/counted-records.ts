import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { KnownSupplier, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { identityAfter } from '@invoicecontrol/engine/supplier/identity';
import { countInvoice, emptyProfile } from '@invoicecontrol/engine/supplier/profile';

/**
 * A stored record that counts each invoice of a supplier, a bank account or a purchase order once. The record is
 * written with a version check.
 */
export interface CountedRecord {
  /** Version of the record that counts invoices, or 0 while the record is not stored. */
  readonly version: number;
  readonly countedUnits: readonly string[];
}

/** The record of a supplier, a bank account or a purchase order after it has counted one more invoice. */
export interface CountedUnit<R extends CountedRecord> {
  /** The record of a supplier, a bank account or a purchase order as it was read, or undefined if no record existed. */
  readonly before: R | undefined;
  readonly record: R;
  readonly unitId: string;
}

export interface SupplierRecord extends CountedRecord {
  readonly identity: KnownSupplier;
  readonly profile: SupplierProfile;
  /**
   * Ids of the newest invoices that are excluded from the supplier profile, because they are suspected copies or a
   * person confirmed them as duplicate or fraud.
   */
  readonly withdrawnUnits: readonly string[];
}

/** The part of a supplier record that follows from the invoices of the supplier. */
export type SupplierState = Pick<SupplierRecord, 'identity' | 'profile' | 'withdrawnUnits'>;

/**
 * Returns the supplier record after it has counted one more invoice. A suspected copy is excluded from the profile
 * until a person dismisses the suspicion.
 */
export function supplierAfter(
  before: SupplierState | undefined,
  supplierId: string,
  invoice: NormalisedInvoice,
): SupplierState {
  const { invoiceId, suspectedAs } = invoice;
  const units = before?.withdrawnUnits ?? [];
  const profile = countInvoice(before?.profile ?? emptyProfile, invoice);
  return {
    identity: identityAfter(before?.identity, supplierId, invoice, profile),
    profile,
    withdrawnUnits: suspectedAs === 'DUPLICATE' ? withdrawn(units, invoiceId) : units,
  };
}

/** Maximum number of invoices that a supplier record lists as no longer counted in its profile. */
const WITHDRAWN_UNITS_MAX = 256;

/** Adds an invoice to the list of invoices that the profile of the supplier no longer counts. */
export function withdrawn(units: readonly string[], unitId: string): readonly string[] {
  return [...units.filter((unit) => unit !== unitId), unitId].slice(-WITHDRAWN_UNITS_MAX);
}

export interface LinkRecord<L> extends CountedRecord {
  readonly link: L;
}

/** The part of a supplier record that shows whether a payment goes to the supplier. */
export interface PaidSupplier extends Pick<SupplierProfile, 'accounts' | 'names'>, Pick<KnownSupplier, 'nameKey'> {}

export interface SupplierStore {
  /** Finds suppliers that share one of the identity keys. At most 64 suppliers are returned for each key. */
  findByKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  /** Finds suppliers that share one of the keys for similar names. At most 64 suppliers are returned for each key. */
  findByLookalikeKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  /** Reads the identities of suppliers that share one of the identity keys, without their profiles. */
  identitiesByKeys(organizationId: string, keys: readonly string[]): Promise<readonly KnownSupplier[]>;
  /** Reads the names and accounts of suppliers, without the rest of their profiles. */
  paidSuppliers(organizationId: string, supplierIds: readonly string[]): Promise<ReadonlyMap<string, PaidSupplier>>;
  find(organizationId: string, supplierId: string): Promise<SupplierRecord | undefined>;
  /** Returns the ids of at most `limit` suppliers that have the identity key, or an identity key with the prefix. */
  searchByKeys(
    organizationId: string,
    wanted: { readonly key: string | undefined; readonly prefix: string | undefined },
    limit: number,
  ): Promise<readonly string[]>;
  /** Returns those of the given ids that belong to suppliers of the organization. */
  existing(organizationId: string, supplierIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Stores the record of a supplier as the version that follows `version`. Returns false if another writer has already
   * stored that version.
   */
  write(organizationId: string, record: SupplierRecord): Promise<boolean>;
  /**
   * Writes a supplier record that has counted one more invoice. Writes for other invoices at the same time share one
   * database command. Returns true also if the stored record has already counted the invoice.
   */
  writeCounted(organizationId: string, counted: CountedUnit<SupplierRecord>): Promise<boolean>;
  /** Finds suppliers for many invoices, by identity keys or by keys for similar names. */
  findMany(organizationId: string, by: 'keys' | 'lookalikeKeys', keys: readonly string[]): Promise<SupplierRecord[]>;
  /**
   * Stores many supplier records that have counted an invoice or a history scan.
   * @returns ids of suppliers whose record another writer changed first
   */
  writeMany(organizationId: string, records: readonly SupplierRecord[], unitId: string): Promise<ReadonlySet<string>>;
}

export interface LinkStore<L> {
  find(organizationId: string, key: string): Promise<LinkRecord<L> | undefined>;
  /**
   * Stores the record of a bank account or purchase order (a link) as the version that follows `version`. Returns false
   * if another writer has already stored that version.
   */
  write(organizationId: string, key: string, record: LinkRecord<L>): Promise<boolean>;
  /**
   * Writes the record of a bank account or purchase order (a link) that has counted one more invoice. Writes for other
   * invoices at the same time share one database command. Returns true also if the stored record has already counted
   * the invoice.
   */
  writeCounted(organizationId: string, key: string, counted: CountedUnit<LinkRecord<L>>): Promise<boolean>;
  /**
   * Reads many link records (counted bank accounts and orders). The result has the existing link records by their keys.
   */
  findMany(organizationId: string, keys: readonly string[]): Promise<ReadonlyMap<string, LinkRecord<L>>>;
  /**
   * Stores link records (counted bank accounts and orders) in which an invoice or a history scan is already counted.
   * @returns keys of the records that were not stored, because another writer changed them first
   */
  writeMany(
    organizationId: string,
    records: ReadonlyMap<string, LinkRecord<L>>,
    unitId: string,
  ): Promise<ReadonlySet<string>>;
}

export type BankLinkStore = LinkStore<BankLink>;
export type OrderLinkStore = LinkStore<OrderLink>;
