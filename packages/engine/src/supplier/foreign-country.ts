import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import { isLegalTender, sharedCurrencies } from '../data/country-currencies.js';
import { countryName } from '../explanation/country.js';
import { listed } from '../explanation/phrases.js';
import { buyerOf } from '../facts/buyer.js';
import type { Facts } from '../facts/facts.js';
import { compareText } from '../facts/record-order.js';
import { statedTaxCountry } from './habits.js';
import { isKnownAccount } from './profile.js';

/**
 * Explains why a country is abroad for the supplier, as the end of a sentence. Returns undefined if the country is not
 * abroad, or if this is unknown. The country is compared with the countries of the supplier's tax ids; if they are
 * unknown, with those of its bank accounts; otherwise with its currencies or the country of the buyer. Only tax ids,
 * accounts and currencies from earlier invoices count, because a forger chooses what the checked invoice states.
 */
export function abroadReason(facts: Facts, country: string): string | undefined {
  const { invoice, supplier } = facts;
  const registered = registeredCountries(facts);
  if (registered.length > 0) {
    if (registered.includes(country)) return undefined;
    return `the tax id of the supplier is from ${listed(registered.map(countryName), 'or')}`;
  }
  if (supplier.reason === 'TAX_KEY' && isNoTaxIdOf(country, invoice.taxKey)) {
    return `the tax id of the supplier is not one from ${countryName(country)}`;
  }
  const banks = supplier.profile.accounts
    .filter(({ key }) => isKnownAccount(supplier.profile, key))
    .flatMap((use) => use.country ?? []);
  if (banks.includes(country)) return undefined;
  if (banks.length > 0) return `the supplier's account is in ${listed([...new Set(banks)].map(countryName), 'or')}`;
  const { country: buyerCountry } = buyerOf(facts);
  if (buyerCountry === country) return undefined;
  const used = Object.keys(supplier.profile.currencies).sort(compareText);
  const national = used.filter((currency) => !sharedCurrencies.includes(currency));
  if (national.some((currency) => isLegalTender(currency, country))) return undefined;
  if (national.length > 0 || (used.length > 0 && used.every((currency) => !isLegalTender(currency, country)))) {
    return `earlier invoices were in ${listed(used, 'or')}`;
  }
  return buyerCountry === undefined ? undefined : `the buyer is in ${countryName(buyerCountry)}`;
}

/**
 * Lists the countries of the supplier's earlier tax ids. The country that the checked invoice states counts only if the
 * supplier was found by its tax id.
 */
function registeredCountries({ invoice, supplier }: Facts): readonly string[] {
  const known = supplier.profile.taxCountries ?? [];
  if (known.length > 0) return known;
  const stated = supplier.reason === 'TAX_KEY' ? statedTaxCountry(invoice) : undefined;
  return stated === undefined ? [] : [stated];
}

function isNoTaxIdOf(country: string, taxKey: string | undefined): boolean {
  if (taxKey === undefined) return false;
  const validity = taxIdValidity(taxKey, country);
  return validity === 'WRONG_FORMAT' || validity === 'WRONG_CHECK_DIGIT';
}
