import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import { countryName } from '../explanation/country.js';
import { buyerOf } from '../facts/buyer.js';
import type { Facts } from '../facts/facts.js';
import { isOtherAccount, statedTaxCountry } from './habits.js';

/** Country in which a supplier is registered for tax, and the basis on which the country is known. */
export interface TaxRegistration {
  readonly country: string;
  readonly basis: 'STATED' | 'EARLIER_INVOICES' | 'ACCOUNT_AND_BUYER';
}

/**
 * Finds the country in which the supplier is registered for tax. In several countries, tax ids are printed without the
 * country. In this case, the country is taken from the supplier's earlier invoices. If these do not show it, it is the
 * country of the bank account and of the buyer, if both are in the same country. The account alone proves nothing, and
 * an account that the supplier has never used before does not count, because a forger would choose its country.
 */
export function taxRegistration(facts: Facts): TaxRegistration | undefined {
  const { invoice, supplier } = facts;
  const stated = statedTaxCountry(invoice);
  if (stated !== undefined) return { country: stated, basis: 'STATED' };
  const [known, another] = supplier.profile.taxCountries ?? [];
  if (known !== undefined) return another === undefined ? { country: known, basis: 'EARLIER_INVOICES' } : undefined;
  const { taxKey, bankCountry: country } = invoice;
  if (taxKey === undefined || country === undefined || invoice.taxCountryPresumed !== true) return undefined;
  if (country !== buyerOf(facts).country || isOtherAccount(facts)) return undefined;
  return taxIdValidity(taxKey, country) === 'WRONG_FORMAT' ? undefined : { country, basis: 'ACCOUNT_AND_BUYER' };
}

/** Fault of a tax id, with the country whose rules for tax ids it breaks. */
export interface TaxIdFault extends TaxRegistration {
  readonly reason: 'WRONG_FORMAT' | 'WRONG_CHECK_DIGIT';
}

/**
 * Returns the fault of the supplier's tax id. Undefined if the tax id has no fault, or if its country is unknown. A tax
 * id that was printed without a country and has a wrong format is no fault, because it may be a national number of
 * another kind.
 */
export function taxIdFault(facts: Facts): TaxIdFault | undefined {
  const registration = taxRegistration(facts);
  if (registration === undefined) return undefined;
  const { taxKey, taxValidity } = facts.invoice;
  if (registration.basis === 'STATED') {
    return taxValidity === 'WRONG_FORMAT' || taxValidity === 'WRONG_CHECK_DIGIT'
      ? { ...registration, reason: taxValidity }
      : undefined;
  }
  if (taxKey === undefined || taxIdValidity(taxKey, registration.country) !== 'WRONG_CHECK_DIGIT') return undefined;
  return { ...registration, reason: 'WRONG_CHECK_DIGIT' };
}

/** Explains the basis on which the country of the supplier is known, as a sentence in the evidence. */
export function registrationText({ country, basis }: TaxRegistration): string {
  const name = countryName(country);
  switch (basis) {
    case 'STATED':
      return `The tax id is from ${name}.`;
    case 'EARLIER_INVOICES':
      return `Earlier invoices of the supplier stated a tax id from ${name}.`;
    case 'ACCOUNT_AND_BUYER':
      return `The tax id states no country; the account and the buyer are both in ${name}.`;
  }
}
