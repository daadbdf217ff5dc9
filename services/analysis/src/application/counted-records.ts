import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import type { KnownSupplier, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';

/** A record that counts invoices: written with a version check, each invoice counted once. */
export interface CountedRecord {
  /** 0 while it is not stored. */
  readonly version: number;
  readonly countedUnits: readonly string[];
}

export interface SupplierRecord extends CountedRecord {
  readonly identity: KnownSupplier;
  readonly profile: SupplierProfile;
  /** The last invoices that were taken out of the profile again because a person confirmed them as duplicate or fraud. */
  readonly withdrawnUnits: readonly string[];
}

export interface LinkRecord<L> extends CountedRecord {
  readonly link: L;
}

export interface SupplierStore {
  /** Suppliers that share one of the identity keys; at most 64. */
  findByKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  /** Suppliers that share one of the keys by which similar names are found; at most 64. */
  findByLookalikeKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  find(organizationId: string, supplierId: string): Promise<SupplierRecord | undefined>;
  /** Those of the ids that are suppliers of the organization. */
  existing(organizationId: string, supplierIds: readonly string[]): Promise<readonly string[]>;
  /** Stores the record as the version after `version`; false when another writer was faster. */
  write(organizationId: string, record: SupplierRecord): Promise<boolean>;
  /** For many invoices: suppliers that share one of the identity keys, or one of the keys of similar names. */
  findMany(organizationId: string, by: 'keys' | 'lookalikeKeys', keys: readonly string[]): Promise<SupplierRecord[]>;
  /**
   * Stores many records that have counted the unit.
   * @returns ids of suppliers that another writer was faster with
   */
  writeMany(organizationId: string, records: readonly SupplierRecord[], unitId: string): Promise<ReadonlySet<string>>;
}

export interface LinkStore<L> {
  find(organizationId: string, key: string): Promise<LinkRecord<L> | undefined>;
  /** Stores the record as the version after `version`; false when another writer was faster. */
  write(organizationId: string, key: string, record: LinkRecord<L>): Promise<boolean>;
  /** Those of many that are stored, by key. */
  findMany(organizationId: string, keys: readonly string[]): Promise<ReadonlyMap<string, LinkRecord<L>>>;
  /**
   * Stores many records that have counted the unit.
   * @returns keys of those that another writer was faster with
   */
  writeMany(
    organizationId: string,
    records: ReadonlyMap<string, LinkRecord<L>>,
    unitId: string,
  ): Promise<ReadonlySet<string>>;
}

export type BankLinkStore = LinkStore<BankLink>;
export type OrderLinkStore = LinkStore<OrderLink>;
