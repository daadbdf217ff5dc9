import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { KnownSupplier, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { identityAfter } from '@invoicecontrol/engine/supplier/identity';
import { countInvoice, emptyProfile } from '@invoicecontrol/engine/supplier/profile';

/** A record that counts invoices: written with a version check, each invoice counted once. */
export interface CountedRecord {
  /** 0 while it is not stored. */
  readonly version: number;
  readonly countedUnits: readonly string[];
}

export interface SupplierRecord extends CountedRecord {
  readonly identity: KnownSupplier;
  readonly profile: SupplierProfile;
  /**
   * The last invoices that are no part of the profile: they may be copies, or a person confirmed them as duplicate or
   * fraud.
   */
  readonly withdrawnUnits: readonly string[];
}

/** State of a supplier that results from its invoices. */
export type SupplierState = Pick<SupplierRecord, 'identity' | 'profile' | 'withdrawnUnits'>;

/** A supplier after one more invoice. One that may be a copy is out of the profile until a person says that it is none. */
export function supplierAfter(
  before: SupplierState | undefined,
  supplierId: string,
  invoice: NormalisedInvoice,
): SupplierState {
  const { invoiceId, suspectedAs } = invoice;
  const units = before?.withdrawnUnits ?? [];
  return {
    identity: identityAfter(before?.identity, supplierId, invoice),
    profile: countInvoice(before?.profile ?? emptyProfile, invoice),
    withdrawnUnits: suspectedAs === 'DUPLICATE' ? withdrawn(units, invoiceId) : units,
  };
}

/** Withdrawn invoices that a supplier record keeps. */
const WITHDRAWN_UNITS_MAX = 256;

/** The withdrawn units of a supplier with this one as well. */
export function withdrawn(units: readonly string[], unitId: string): readonly string[] {
  return [...units.filter((unit) => unit !== unitId), unitId].slice(-WITHDRAWN_UNITS_MAX);
}

export interface LinkRecord<L> extends CountedRecord {
  readonly link: L;
}

export interface SupplierStore {
  /** Suppliers that share one of the identity keys; at most 64 of one key, whatever other keys find. */
  findByKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  /** Suppliers that share one of the keys by which similar names are found; at most 64 of one key. */
  findByLookalikeKeys(organizationId: string, keys: readonly string[]): Promise<SupplierRecord[]>;
  /** Reads the identities of suppliers that share one of the keys, without their profiles. */
  identitiesByKeys(organizationId: string, keys: readonly string[]): Promise<readonly KnownSupplier[]>;
  find(organizationId: string, supplierId: string): Promise<SupplierRecord | undefined>;
  /** Those of the ids that are suppliers of the organization. */
  existing(organizationId: string, supplierIds: readonly string[]): Promise<readonly string[]>;
  /** Stores the record as the version after `version`; false when another writer was faster. */
  write(organizationId: string, record: SupplierRecord): Promise<boolean>;
  /** Reads for many invoices the suppliers that share one of the identity keys, or one of the keys of similar names. */
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
