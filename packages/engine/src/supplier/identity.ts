import type { KnownSupplier, SupplierResolution } from '../facts/supplier.js';
import { v5 as uuidV5 } from 'uuid';
import type { Candidate } from '../facts/invoice.js';
import { supplierKeysOf } from '../normalisation/match-keys.js';
import { legalFormOf } from '../normalisation/name-key.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import { compareSuppliers } from '../facts/record-order.js';
import { LOOKALIKE_KEYS_VERSION, lookalikeKeysOf } from './lookalike.js';
import { isLikeName } from './name-likeness.js';

/** Identity of the supplier as an invoice, or a vendor of an ERP, states it. */
export type SupplierParty = Pick<
  Candidate,
  'bankKey' | 'nameFold' | 'nameKey' | 'supplierName' | 'taxCountry' | 'taxCountryPresumed' | 'taxKey' | 'taxValid'
>;

const IDENTITY_KEYS_MAX = 64;
const LOOKALIKE_KEYS_MAX = 512;

/**
 * Finds the supplier of an invoice among those that share a key with it (detection reference, section 6): vendor id of the ERP, then tax
 * id, then name when at most one side has a tax id (of several, the one with that account, then the one with that legal form), then account
 * when the name is similar too; else a new supplier under a derived id. Two different valid tax ids are never one supplier.
 */
export function resolveSupplier(
  organizationId: string,
  invoice: SupplierParty,
  known: readonly KnownSupplier[],
  options: { readonly similarNameMin: number; readonly erpSupplierId?: string },
): SupplierResolution {
  if (options.erpSupplierId !== undefined) return { supplierId: options.erpSupplierId, reason: 'ERP_VENDOR' };
  const ordered = known.toSorted(compareSuppliers);
  const sameTax = ordered.filter((supplier) => haveSameTaxId(supplier, invoice));
  const taxed = sameTax.find((supplier) => supplier.taxCountry === invoice.taxCountry) ?? sameTax[0];
  if (taxed !== undefined) return { supplierId: taxed.supplierId, reason: 'TAX_KEY' };
  const usesAccount = ({ keys }: KnownSupplier): boolean =>
    invoice.bankKey !== undefined && keys.includes(`b:${invoice.bankKey}`);
  const sameName = ordered.filter(
    (supplier) => isSameName(supplier, invoice) && (invoice.taxKey === undefined || supplier.taxKey === undefined),
  );
  const named =
    sameName.find(usesAccount) ??
    sameName.find(({ name }) => legalFormOf(name) === legalFormOf(invoice.supplierName)) ??
    sameName[0];
  if (named !== undefined) return { supplierId: named.supplierId, reason: 'NAME_KEY' };
  const sameBank = ordered.find(
    (supplier) =>
      usesAccount(supplier) &&
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
export function strongestIdentityKey(invoice: SupplierParty): string {
  if (invoice.taxKey !== undefined) return `t:${invoice.taxCountry ?? ''}:${invoice.taxKey}`;
  if (invoice.nameKey !== '') return `n:${invoice.nameKey}`;
  return invoice.bankKey === undefined ? `r:${invoice.supplierName}` : `b:${invoice.bankKey}`;
}

/**
 * The stored identity after an invoice of this supplier: new keys join, a tax id that was missing is taken over, and so
 * is the country of one where more is known about it.
 */
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
      lookalikeKeysVersion: LOOKALIKE_KEYS_VERSION,
      ...taxPartsOf(invoice),
    };
  }
  const takesTaxId =
    known.taxKey === undefined ||
    (known.taxKey === invoice.taxKey && countryCertainty(invoice) > countryCertainty(known));
  const names = lookalikeKeysAfter(known, invoice);
  if (!takesTaxId) return { ...known, ...names, keys };
  const { taxKey: _key, taxCountry: _country, taxCountryPresumed: _presumed, taxValid: _valid, ...untaxed } = known;
  return { ...untaxed, ...names, keys, ...taxPartsOf(invoice) };
}

/** A supplier is found by names like each of its own; keys of an older rule are made again. */
function lookalikeKeysAfter(
  known: KnownSupplier,
  invoice: Candidate,
): Pick<KnownSupplier, 'lookalikeKeys' | 'lookalikeKeysVersion'> {
  const isCurrent = known.lookalikeKeysVersion === LOOKALIKE_KEYS_VERSION;
  const isOtherName = invoice.nameKey !== known.nameKey && !known.keys.includes(`n:${invoice.nameKey}`);
  if (isCurrent && !isOtherName) return {};
  const made = [
    ...(isCurrent ? (known.lookalikeKeys ?? []) : lookalikeKeysOf(known)),
    ...(isOtherName ? lookalikeKeysOf(invoice) : []),
    ...(isCurrent ? [] : (known.lookalikeKeys ?? [])),
  ];
  return {
    lookalikeKeys: [...new Set(made)].slice(0, LOOKALIKE_KEYS_MAX),
    lookalikeKeysVersion: LOOKALIKE_KEYS_VERSION,
  };
}

/** True when both have a tax id that is valid in its country and they are two different ones. */
export function haveConflictingTaxIds(left: TaxedParty, right: TaxedParty): boolean {
  if (left.taxKey === undefined || right.taxKey === undefined) return false;
  return left.taxValid === true && right.taxValid === true && !haveSameTaxId(left, right);
}

/**
 * Equal tax ids; false when either is missing. Two countries that are stated tell equal numbers apart. One that is only
 * presumed from an account does not where the names are similar: a forger of the account would choose the country.
 * Where they differ it does, because numbers of nine digits coincide between countries.
 */
export function haveSameTaxId(left: TaxedParty, right: TaxedParty): boolean {
  if (left.taxKey === undefined || left.taxKey !== right.taxKey) return false;
  if (left.taxCountry === undefined || right.taxCountry === undefined) return true;
  if (left.taxCountry === right.taxCountry) return true;
  const isPresumed = left.taxCountryPresumed === true || right.taxCountryPresumed === true;
  return isPresumed && isLikeName([left.nameKey], right.nameKey);
}

/** The tax id as it is stated: without a country that is only presumed. Empty when there is none. */
export function taxText({ taxKey = '', taxCountry = '', taxCountryPresumed }: TaxParts): string {
  return taxCountryPresumed === true ? taxKey : `${taxCountry}${taxKey}`;
}

/** Equal name keys, in the plain or in the folded form. */
export function isSameName(left: NameParts, right: NameParts): boolean {
  if (left.nameKey === '' || right.nameKey === '') return false;
  return left.nameKey === right.nameKey || (left.nameFold ?? left.nameKey) === (right.nameFold ?? right.nameKey);
}

interface TaxParts {
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly taxCountryPresumed?: boolean;
  readonly taxValid?: boolean;
}

type TaxedParty = TaxParts & Pick<NameParts, 'nameKey'>;

interface NameParts {
  readonly nameKey: string;
  readonly nameFold?: string;
}

/** Rates the knowledge about the country of a tax id: none, a presumption, or the stated country. */
function countryCertainty({ taxCountry, taxCountryPresumed }: TaxParts): number {
  if (taxCountry === undefined) return 0;
  return taxCountryPresumed === true ? 1 : 2;
}

function taxPartsOf(invoice: Candidate): TaxParts {
  return {
    ...(invoice.taxKey === undefined ? {} : { taxKey: invoice.taxKey }),
    ...(invoice.taxCountry === undefined ? {} : { taxCountry: invoice.taxCountry }),
    ...(invoice.taxCountryPresumed === undefined ? {} : { taxCountryPresumed: invoice.taxCountryPresumed }),
    ...(invoice.taxValid === undefined ? {} : { taxValid: invoice.taxValid }),
  };
}
