import type { VendorDetails } from '@invoicecontrol/books/records';
import type { AccountTimes, VendorAccount } from '../domain/vendor-accounts.js';
import type { VendorIdentity } from '../domain/vendor-identity.js';
import type { ImportSource } from './import-source.js';
import type { ImportedRecord, ImportedStore } from './imported-record.js';

export interface StoredVendor extends ImportedRecord, VendorIdentity, AccountTimes {
  readonly details: VendorDetails;
  readonly accounts: readonly VendorAccount[];
  /** The supplier that its bills were found to be of; undefined while no invoice has made one. */
  readonly supplierId: string | undefined;
  /** Name by which it is listed. */
  readonly nameOrder: string;
}

export interface VendorQuery {
  readonly size: number;
  readonly after: VendorPosition | undefined;
  readonly companyId: string | undefined;
  readonly connectionId: string | undefined;
  /** Beginning of the name, in the letters of {@link StoredVendor.nameOrder}. */
  readonly namePrefix: string | undefined;
}

/** A place in the list. */
export interface VendorPosition {
  readonly nameOrder: string;
  readonly id: string;
}

/** The fields of their vendors that bills need. */
export interface VendorOfBills extends Pick<StoredVendor, 'id' | 'supplierId' | 'taxKey' | 'nameKey'> {
  readonly details: Pick<VendorDetails, 'taxId' | 'isTaxIdMasked'>;
  readonly accounts: readonly Pick<VendorAccount, 'externalId' | 'key' | 'iban' | 'sortCode' | 'accountNumber'>[];
}

/** The supplier of a vendor with a tax id and a name. */
export interface VendorSupplier extends Pick<StoredVendor, 'id' | 'taxKey' | 'nameKey'> {
  readonly supplierId: string;
}

export interface VendorStore extends ImportedStore<StoredVendor> {
  ofBills(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, VendorOfBills>>;
  /** Vendors of a remote company that have one of the keys. */
  findByKeys(
    of: Pick<ImportSource, 'organizationId' | 'remoteCompanyId'>,
    keys: readonly string[],
  ): Promise<readonly StoredVendor[]>;
  /** Notes of which suppliers vendors are, where that is not noted yet and they have the same tax id and name still. */
  noteSuppliers(organizationId: string, vendors: readonly VendorSupplier[]): Promise<void>;
  /** Lists vendors without deleted ones, by name, then id. */
  list(organizationId: string, query: VendorQuery): Promise<readonly StoredVendor[]>;
}

/** Builds the key by which a vendor of a remote company is found. */
export const vendorNumberKey = (remoteCompanyId: string, number: string): string =>
  `number|${remoteCompanyId}|${number}`;
/** Builds the key by which the vendor of an account is found that the ERP lists separately. */
export const listedAccountKey = (remoteCompanyId: string, externalId: string): string =>
  `account|${remoteCompanyId}|${externalId}`;
