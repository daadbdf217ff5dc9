import type { VendorDetails } from '@invoicecontrol/books/records';
import type { AccountTimes, VendorAccount } from '../domain/vendor-accounts.js';
import type { VendorIdentity } from '../domain/vendor-identity.js';
import type { ImportSource } from './import-source.js';
import type { ImportedRecord, ImportedStore } from './imported-record.js';

export interface StoredVendor extends ImportedRecord, VendorIdentity, AccountTimes {
  readonly details: VendorDetails;
  readonly accounts: readonly VendorAccount[];
  /** Supplier to which the bills of the vendor belong, or undefined until the supplier has sent an invoice. */
  readonly supplierId: string | undefined;
  /** Name in the form by which vendors are sorted. */
  readonly nameOrder: string;
}

export interface VendorQuery {
  readonly size: number;
  readonly after: VendorPosition | undefined;
  readonly companyId: string | undefined;
  readonly connectionId: string | undefined;
  /** Beginning of the name, in the form of {@link StoredVendor.nameOrder}. */
  readonly namePrefix: string | undefined;
}

/** A position in the list of vendors. */
export interface VendorPosition {
  readonly nameOrder: string;
  readonly id: string;
}

/** The fields of vendors that bills need. */
export interface VendorOfBills extends Pick<StoredVendor, 'id' | 'supplierId' | 'taxKey' | 'nameKey'> {
  readonly details: Pick<VendorDetails, 'taxId' | 'isTaxIdMasked'>;
  readonly accounts: readonly Pick<VendorAccount, 'externalId' | 'key' | 'iban' | 'sortCode' | 'accountNumber'>[];
}

/** The supplier of a vendor with a given tax id and name. */
export interface VendorSupplier extends Pick<StoredVendor, 'id' | 'taxKey' | 'nameKey'> {
  readonly supplierId: string;
}

export interface VendorStore extends ImportedStore<StoredVendor> {
  ofBills(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, VendorOfBills>>;
  /** Returns the vendors of a company in the ERP that have one of the keys. */
  findByKeys(
    of: Pick<ImportSource, 'organizationId' | 'remoteCompanyId'>,
    keys: readonly string[],
  ): Promise<readonly StoredVendor[]>;
  /**
   * Stores which suppliers vendors belong to, for vendors without a supplier whose tax id and name have not changed.
   */
  noteSuppliers(organizationId: string, vendors: readonly VendorSupplier[]): Promise<void>;
  /** Lists vendors by name and id, without deleted ones. */
  list(organizationId: string, query: VendorQuery): Promise<readonly StoredVendor[]>;
}

/** Builds the key by which a vendor of a company in the ERP is found by its number. */
export const vendorNumberKey = (remoteCompanyId: string, number: string): string =>
  `number|${remoteCompanyId}|${number}`;
/** Builds the key by which the vendor of a separately listed bank account is found. */
export const listedAccountKey = (remoteCompanyId: string, externalId: string): string =>
  `account|${remoteCompanyId}|${externalId}`;
