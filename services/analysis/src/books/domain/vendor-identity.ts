import type { VendorDetails } from '@invoicecontrol/books/records';
import { supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { plainText } from '@invoicecontrol/engine/normalisation/text';
import { identifiesParty, parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { VendorAccount } from './vendor-accounts.js';

const NAME_ORDER_LENGTH_MAX = 100;

/** Normalized values of an ERP vendor, which can be compared with those of suppliers and invoices. */
export interface VendorIdentity {
  readonly nameKey: string;
  readonly nameFold: string | undefined;
  /** Tax id of the vendor. Undefined if there is none or the ERP shows only a part of it. */
  readonly taxKey: string | undefined;
  readonly taxCountry: string | undefined;
  readonly taxValid: boolean | undefined;
}

/** Checks whether two vendor records name the same party. A different tax id or name means another party. */
export function isSameIdentity(
  left: { readonly taxKey?: string | undefined; readonly nameKey: string },
  right: { readonly taxKey?: string | undefined; readonly nameKey: string },
): boolean {
  return left.taxKey === right.taxKey && left.nameKey === right.nameKey;
}

export function readVendorIdentity({
  name,
  taxId: printed,
  isTaxIdMasked,
}: Pick<VendorDetails, 'name' | 'taxId' | 'isTaxIdMasked'>): VendorIdentity {
  const { key: nameKey, fold: nameFold } = readName(name);
  const taxId = printed === undefined || isTaxIdMasked ? undefined : parseTaxId(printed);
  if (taxId === undefined || !identifiesParty(taxId)) {
    return { nameKey, nameFold, taxKey: undefined, taxCountry: undefined, taxValid: undefined };
  }
  const { body: taxKey, country: taxCountry } = taxId;
  const taxValid = taxCountry === undefined ? undefined : taxIdValidity(taxKey, taxCountry) === 'VALID';
  return { nameKey, nameFold, taxKey, taxCountry, taxValid };
}

/**
 * Returns the keys by which an ERP vendor is found: the keys that a supplier with the same tax id and name would have,
 * and a key for each bank account of the vendor.
 */
export function vendorKeysOf(identity: VendorIdentity, accounts: readonly VendorAccount[]): string[] {
  const { nameKey, nameFold, taxKey } = identity;
  const named = supplierKeysOf({
    nameKey,
    ...(nameFold === undefined ? {} : { nameFold }),
    ...(taxKey === undefined ? {} : { taxKey }),
  });
  return [...new Set([...named, ...accounts.flatMap(({ key }) => (key === undefined ? [] : [`b:${key}`]))])];
}

/** Returns the name of a vendor in upper case without diacritics. Vendors are sorted and searched by this form. */
export function nameOrderOf(name: string): string {
  return plainText(name.trim()).slice(0, NAME_ORDER_LENGTH_MAX);
}
