import type { KnownSupplier, SupplierProfile, SupplierResolution } from '../facts/supplier.js';
import { completeTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import { v5 as uuidV5 } from 'uuid';
import type { Candidate } from '../facts/invoice.js';
import { supplierKeysOf } from '../normalisation/match-keys.js';
import { legalFormOf } from '../normalisation/name-key.js';
import { editDistance, jaroWinkler } from '../normalisation/similarity.js';
import { compareSuppliers } from '../facts/record-order.js';
import { LOOKALIKE_KEYS_VERSION, lookalikeKeysOf } from './lookalike.js';
import { isOwnTaxId } from './late-tax-ids.js';
import { isLikeName } from './name-likeness.js';
import { emptyProfile } from './profile.js';

/** Fields in which an invoice, or an ERP vendor, states the identity of a supplier. */
export type SupplierParty = Pick<
  Candidate,
  'bankKey' | 'nameFold' | 'nameKey' | 'supplierName' | 'taxCountry' | 'taxCountryPresumed' | 'taxKey' | 'taxValid'
>;

const IDENTITY_KEYS_MAX = 64;
const LOOKALIKE_KEYS_MAX = 512;

/**
 * Finds the supplier of an invoice among the stored suppliers that share a key with the invoice (detection reference,
 * section 6). The ERP vendor id has priority over the tax id, the tax id over the name, and the name over the bank
 * account. A supplier with the same name matches only if the invoice or the supplier lacks a tax id, or if the
 * supplier's tax id is a mistyped form of the tax id on the invoice. If several suppliers with the name match, the one
 * that uses the invoice's account is preferred, and otherwise the one with the same legal form as on the invoice. A
 * supplier with the same account matches only if the names are similar too. If no supplier matches, the invoice belongs
 * to a new supplier with a derived id. Two different valid tax ids never belong to one supplier.
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
    (supplier) =>
      isSameName(supplier, invoice) &&
      (invoice.taxKey === undefined || supplier.taxKey === undefined || isMistyped(supplier, invoice)),
  );
  const named =
    sameName.find(usesAccount) ??
    sameName.find(({ name }) => legalFormOf(name) === legalFormOf(invoice.supplierName)) ??
    sameName[0];
  if (named !== undefined) return { supplierId: named.supplierId, reason: 'NAME_KEY' };
  // A tax id that was stated under another form of the supplier name does not identify the supplier yet.
  const stated = ordered.find(
    ({ keys, nameKey, taxKey }) =>
      taxKey === undefined &&
      invoice.taxKey !== undefined &&
      keys.includes(`t:${invoice.taxKey}`) &&
      isLikeName([nameKey], invoice.nameKey),
  );
  if (stated !== undefined) return { supplierId: stated.supplierId, reason: 'NAME_KEY' };
  const sameBank = ordered.find(
    (supplier) =>
      usesAccount(supplier) &&
      !haveConflictingTaxIds(supplier, invoice) &&
      jaroWinkler(supplier.nameKey, invoice.nameKey) >= options.similarNameMin,
  );
  if (sameBank !== undefined) return { supplierId: sameBank.supplierId, reason: 'BANK_KEY' };
  return { supplierId: supplierIdOf(organizationId, strongestIdentityKey(invoice)), reason: 'NEW' };
}

/**
 * Returns a UUIDv5 derived from the strongest identity key in the organization, so that two concurrent first invoices
 * create one supplier.
 */
export function supplierIdOf(organizationId: string, strongestKey: string): string {
  return uuidV5(`supplier|${strongestKey}`, organizationId);
}

/**
 * Returns the tax id with its country or, without one, the name. The bank account is used only if the invoice states
 * neither a tax id nor a name.
 */
export function strongestIdentityKey(invoice: SupplierParty): string {
  if (invoice.taxKey !== undefined) return `t:${invoice.taxCountry ?? ''}:${invoice.taxKey}`;
  if (invoice.nameKey !== '') return `n:${invoice.nameKey}`;
  return invoice.bankKey === undefined ? `r:${invoice.supplierName}` : `b:${invoice.bankKey}`;
}

/**
 * Returns the stored identity of a supplier after one more of its invoices was counted. Keys of the invoice that are
 * new are added. If the supplier has no tax id, it gets the tax id of the invoice, provided that the profile shows that
 * this tax id is the supplier's own. A mistyped tax id is replaced. The country of a tax id is replaced if the invoice
 * is more certain about it.
 */
export function identityAfter(
  known: KnownSupplier | undefined,
  supplierId: string,
  invoice: Candidate,
  profile: SupplierProfile = emptyProfile,
): KnownSupplier {
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
    isMistyped(known, invoice) ||
    (known.taxKey === undefined && invoice.taxKey !== undefined && isOwnTaxId(profile, invoice.taxKey)) ||
    (known.taxKey === invoice.taxKey && countryCertainty(invoice) > countryCertainty(known));
  const names = lookalikeKeysAfter(known, invoice);
  if (!takesTaxId) return { ...known, ...names, keys };
  const { taxKey: _key, taxCountry: _country, taxCountryPresumed: _presumed, taxValid: _valid, ...untaxed } = known;
  return { ...untaxed, ...names, keys, ...taxPartsOf(invoice) };
}

/**
 * Returns the keys by which a supplier is found from similar names. Keys that an older version of the rule built are
 * rebuilt.
 */
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

/** Checks whether two suppliers both have a valid tax id and the two tax ids are different. */
export function haveConflictingTaxIds(left: TaxedParty, right: TaxedParty): boolean {
  if (left.taxKey === undefined || right.taxKey === undefined) return false;
  return left.taxValid === true && right.taxValid === true && !haveSameTaxId(left, right);
}

/**
 * Checks whether two suppliers have the same tax id. If one of the tax ids is missing, the result is false. Equal
 * numbers from two different stated countries are different tax ids. A country may also be presumed from the bank
 * account. If the names of the suppliers are similar, a presumed country is ignored, because a forger who chooses the
 * account would also choose the country. If the names differ, the presumed country counts, because two countries may
 * have issued the same number.
 */
export function haveSameTaxId(left: TaxedParty, right: TaxedParty): boolean {
  if (left.taxKey === undefined || right.taxKey === undefined) return false;
  const country = left.taxCountry ?? right.taxCountry;
  if (completeTaxId(left.taxKey, country) !== completeTaxId(right.taxKey, country)) return false;
  if (left.taxCountry === undefined || right.taxCountry === undefined) return true;
  if (left.taxCountry === right.taxCountry) return true;
  const isPresumed = left.taxCountryPresumed === true || right.taxCountryPresumed === true;
  return isPresumed && isLikeName([left.nameKey], right.nameKey);
}

/** Maximum number of characters in which a mistyped tax id differs from the right tax id. */
const MISTYPED_CHARACTERS_MAX = 2;

/**
 * Checks whether the stored tax id of a supplier is a mistyped form of the valid tax id on an invoice: the stored tax
 * id is impossible in its stated country and differs in one or two characters. The reverse does not count, because a
 * forger can choose a tax id that looks like a mistyped form of the supplier's.
 */
function isMistyped(known: TaxParts, invoice: TaxParts): boolean {
  if (known.taxKey === undefined || invoice.taxKey === undefined) return false;
  return (
    invoice.taxValid === true &&
    isImpossible(known) &&
    known.taxCountry === invoice.taxCountry &&
    editDistance(known.taxKey, invoice.taxKey, MISTYPED_CHARACTERS_MAX) <= MISTYPED_CHARACTERS_MAX
  );
}

/**
 * Checks whether a tax id is impossible in its stated country. A tax id whose country is only presumed may be a
 * national number of another kind, so it never counts as impossible.
 */
function isImpossible({ taxKey, taxCountry, taxCountryPresumed }: TaxParts): boolean {
  if (taxKey === undefined || taxCountry === undefined || taxCountryPresumed === true) return false;
  const validity = taxIdValidity(taxKey, taxCountry);
  return validity === 'WRONG_FORMAT' || validity === 'WRONG_CHECK_DIGIT';
}

/**
 * Returns the tax id as the invoice states it. A country that is only presumed is left out. Empty if the invoice states
 * no tax id.
 */
export function taxText({ taxKey = '', taxCountry = '', taxCountryPresumed }: TaxParts): string {
  return taxCountryPresumed === true ? taxKey : `${taxCountry}${taxKey}`;
}

/** Checks whether the name keys of two suppliers are equal, in the plain or in the folded form. */
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

/** Rates the certainty with which the country of a tax id is known: unknown, presumed or stated. */
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
