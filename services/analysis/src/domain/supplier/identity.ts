import { v5 as uuidV5 } from 'uuid';
import { sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { Candidate } from '../invoice.js';
import { supplierKeysOf } from '../match-keys.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import { compareText } from '../record-order.js';
import { lookalikeKeysOf } from './lookalike.js';

/** What identifies a stored supplier; `keys` are those of `supplierKeysOf` and are what it is looked up by. */
export interface KnownSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly nameKey: string;
  readonly nameFold?: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly taxValid?: boolean;
  /** What suppliers with a similar name find it by (lookalike.ts). */
  readonly lookalikeKeys?: readonly string[];
}

/** Why an invoice belongs to a supplier; stored in facts. */
export type ResolutionReason = 'ERP_VENDOR' | 'TAX_KEY' | 'NAME_KEY' | 'BANK_KEY' | 'NEW';

export interface SupplierResolution {
  readonly supplierId: string;
  readonly reason: ResolutionReason;
}

const IDENTITY_KEYS_MAX = 64;

/**
 * Finds the supplier of an invoice among those that share a key with it (detection reference, section 6): vendor id
 * of the ERP, then tax id, then name when at most one side has a tax id, then account when the name is similar too;
 * else a new supplier under a derived id. Two different valid tax ids are never one supplier.
 */
export function resolveSupplier(
  organizationId: string,
  invoice: Candidate,
  known: readonly KnownSupplier[],
  options: { readonly similarNameMin: number; readonly erpSupplierId?: string },
): SupplierResolution {
  if (options.erpSupplierId !== undefined) return { supplierId: options.erpSupplierId, reason: 'ERP_VENDOR' };
  const byId = known.toSorted((left, right) => compareText(left.supplierId, right.supplierId));
  const taxId = taxIdOf(invoice);
  if (taxId !== undefined) {
    const sameTax = byId.filter((supplier) => isSameTaxId(taxIdOf(supplier), taxId));
    const match = sameTax.find((supplier) => supplier.taxCountry === taxId.country) ?? sameTax[0];
    if (match !== undefined) return { supplierId: match.supplierId, reason: 'TAX_KEY' };
  }
  const sameName = byId.find(
    (supplier) => isSameName(supplier, invoice) && (taxId === undefined || supplier.taxKey === undefined),
  );
  if (sameName !== undefined) return { supplierId: sameName.supplierId, reason: 'NAME_KEY' };
  const bankKey = invoice.bankKey === undefined ? undefined : `b:${invoice.bankKey}`;
  const sameBank = byId.find(
    (supplier) =>
      bankKey !== undefined &&
      supplier.keys.includes(bankKey) &&
      !haveConflictingTaxIds(supplier, invoice) &&
      jaroWinkler(supplier.nameKey, invoice.nameKey) >= options.similarNameMin,
  );
  if (sameBank !== undefined) return { supplierId: sameBank.supplierId, reason: 'BANK_KEY' };
  return { supplierId: supplierIdOf(organizationId, strongestIdentityKey(invoice)), reason: 'NEW' };
}

/** UUIDv5 of the strongest identity key in the organization, so two first invoices make one supplier. */
export function supplierIdOf(organizationId: string, strongestKey: string): string {
  return uuidV5(`supplier|${strongestKey}`, organizationId);
}

/** The tax id with its country, else the name; an account alone never names a new supplier, unless nothing else does. */
export function strongestIdentityKey(invoice: Candidate): string {
  if (invoice.taxKey !== undefined) return `t:${invoice.taxCountry ?? ''}:${invoice.taxKey}`;
  if (invoice.nameKey !== '') return `n:${invoice.nameKey}`;
  return invoice.bankKey === undefined ? `r:${invoice.supplierName}` : `b:${invoice.bankKey}`;
}

/** The stored identity after an invoice of this supplier: new keys join, a tax id that was missing is taken over. */
export function identityAfter(known: KnownSupplier | undefined, supplierId: string, invoice: Candidate): KnownSupplier {
  const keys = [...new Set([...(known?.keys ?? []), ...supplierKeysOf(invoice)])].slice(0, IDENTITY_KEYS_MAX);
  if (known === undefined) {
    return {
      supplierId,
      name: invoice.supplierName,
      keys,
      nameKey: invoice.nameKey,
      ...(invoice.nameFold === undefined ? {} : { nameFold: invoice.nameFold }),
      lookalikeKeys: lookalikeKeysOf(invoice),
      ...taxPartsOf(invoice),
    };
  }
  const takesTaxId =
    known.taxKey === undefined ||
    (known.taxKey === invoice.taxKey && known.taxCountry === undefined && invoice.taxCountry !== undefined);
  return { ...known, keys, ...(takesTaxId ? taxPartsOf(invoice) : {}) };
}

/** True when both have a tax id that is valid in its country and they are two different ones. */
export function haveConflictingTaxIds(left: TaxParts, right: TaxParts): boolean {
  const leftId = taxIdOf(left);
  const rightId = taxIdOf(right);
  if (leftId === undefined || rightId === undefined) return false;
  return left.taxValid === true && right.taxValid === true && !sameTaxId(leftId, rightId);
}

/** Equal tax ids; false when either is missing. */
export function haveSameTaxId(left: TaxParts, right: TaxParts): boolean {
  return isSameTaxId(taxIdOf(left), taxIdOf(right));
}

/** Equal name keys, in the plain or in the folded form. */
export function isSameName(left: NameParts, right: NameParts): boolean {
  if (left.nameKey === '' || right.nameKey === '') return false;
  return left.nameKey === right.nameKey || (left.nameFold ?? left.nameKey) === (right.nameFold ?? right.nameKey);
}

interface TaxParts {
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly taxValid?: boolean;
}

interface NameParts {
  readonly nameKey: string;
  readonly nameFold?: string;
}

function taxIdOf(parts: TaxParts): TaxId | undefined {
  if (parts.taxKey === undefined) return undefined;
  return parts.taxCountry === undefined ? { body: parts.taxKey } : { body: parts.taxKey, country: parts.taxCountry };
}

function isSameTaxId(left: TaxId | undefined, right: TaxId | undefined): boolean {
  return left !== undefined && right !== undefined && sameTaxId(left, right);
}

function taxPartsOf(invoice: Candidate): TaxParts {
  return {
    ...(invoice.taxKey === undefined ? {} : { taxKey: invoice.taxKey }),
    ...(invoice.taxCountry === undefined ? {} : { taxCountry: invoice.taxCountry }),
    ...(invoice.taxValid === undefined ? {} : { taxValid: invoice.taxValid }),
  };
}
