import type { VendorDetails } from '@invoicecontrol/books/records';
import type { AccountTimes, VendorAccount } from '../domain/vendor-accounts.js';
import type { VendorIdentity } from '../domain/vendor-identity.js';
import type { ImportSource } from './import-source.js';
import type { ImportedRecord, ImportedStore } from './imported-record.js';

export interface StoredVendor extends ImportedRecord, VendorIdentity, AccountTimes {
  readonly details: VendorDetails;
  readonly accounts: readonly VendorAccount[];
  /** Supplier that sends the bills of an ERP vendor, or undefined until an invoice of the supplier was received. */
  readonly supplierId: string | undefined;
  /** Normalised name by which ERP vendors are sorted. */
  readonly nameOrder: string;
}

export interface VendorQuery {
  readonly size: number;
  readonly after: VendorPosition | undefined;
  readonly companyId: string | undefined;
  readonly connectionId: string | undefined;
  /** Prefix of the name of an ERP vendor, normalised like {@link StoredVendor.nameOrder}. */
  readonly namePrefix: string | undefined;
}

/** A position in the list of ERP vendors, at which the next page begins. */
export interface VendorPosition {
  readonly nameOrder: string;
  readonly id: string;
}

/** Fields of an ERP vendor that are needed to store the bills of the vendor. */
export interface VendorOfBills extends Pick<StoredVendor, 'id' | 'supplierId' | 'taxKey' | 'nameKey'> {
  readonly details: Pick<VendorDetails, 'taxId' | 'isTaxIdMasked'>;
  readonly accounts: readonly Pick<VendorAccount, 'externalId' | 'key' | 'iban' | 'sortCode' | 'accountNumber'>[];
}

/** The supplier to which an ERP vendor with a given tax id and name belongs. */
export interface VendorSupplier extends Pick<StoredVendor, 'id' | 'taxKey' | 'nameKey'> {
  readonly supplierId: string;
}

export interface VendorStore extends ImportedStore<StoredVendor> {
  ofBills(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, VendorOfBills>>;
  /** Returns the company's ERP vendors that have one of the keys. */
  findByKeys(
    of: Pick<ImportSource, 'organizationId' | 'remoteCompanyId'>,
    keys: readonly string[],
  ): Promise<readonly StoredVendor[]>;
  /**
   * Stores to which supplier each of the given ERP vendors belongs. A vendor is skipped if it already has a supplier,
   * or if its tax id or name has changed.
   */
  noteSuppliers(organizationId: string, vendors: readonly VendorSupplier[]): Promise<void>;
  /** Lists ERP vendors by name and id, excluding deleted ones. */
  list(organizationId: string, query: VendorQuery): Promise<readonly StoredVendor[]>;
}

/** Builds the key by which a vendor in the company's ERP is found by its number. */
export const vendorNumberKey = (remoteCompanyId: string, number: string): string =>
  `number|${remoteCompanyId}|${number}`;
/** Builds the key by which the ERP vendor of a separately listed bank account is found. */
export const listedAccountKey = (remoteCompanyId: string, externalId: string): string =>
  `account|${remoteCompanyId}|${externalId}`;
