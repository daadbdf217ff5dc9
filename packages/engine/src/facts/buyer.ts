import type { Company } from './companies.js';
import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { Facts } from './facts.js';
import { taxIdOfCompany } from './companies.js';

/** The buyer stated on the invoice, and the company to which the invoice was routed. */
export interface Buyer {
  /** Tax id of the buyer as stated on the invoice. */
  readonly taxId: TaxId | undefined;
  /** The company to which the invoice is addressed. Absent if the facts contain no companies. */
  readonly company: Company | undefined;
  readonly country: string | undefined;
}

/**
 * Returns the buyer stated on the checked invoice. Its country is the country of the stated tax id or, if the tax id
 * states no country, the country of the company that receives the invoice.
 */
export function buyerOf({ invoice, companies = [] }: Facts): Buyer {
  const taxId = invoice.buyerTaxId === undefined ? undefined : parseTaxId(invoice.buyerTaxId);
  const company = companies.find(({ companyId }) => companyId === invoice.companyId);
  const country = taxId?.country ?? (company === undefined ? undefined : countryOf(company, taxId));
  return { taxId, company, country };
}

/**
 * Returns the country of the buyer. A tax id without a country belongs to the country of the company only if it is the
 * company's own tax id.
 */
function countryOf(company: Company, taxId: TaxId | undefined): string | undefined {
  const own = taxIdOfCompany(company);
  if (taxId !== undefined && (own === undefined || !sameTaxId(own, taxId))) return undefined;
  return own?.country ?? company.country;
}
