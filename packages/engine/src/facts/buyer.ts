import type { Company } from './companies.js';
import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { Facts } from './facts.js';
import { taxIdOfCompany } from './companies.js';

/** The buyer, as the invoice states it and by the company it was routed to. */
export interface Buyer {
  /** Tax id of the buyer as the invoice states it. */
  readonly taxId: TaxId | undefined;
  /** Absent when facts hold no companies. */
  readonly company: Company | undefined;
  readonly country: string | undefined;
}

/** The buyer of the checked invoice. Its country is that of the stated tax id, else that of its company. */
export function buyerOf({ invoice, companies = [] }: Facts): Buyer {
  const taxId = invoice.buyerTaxId === undefined ? undefined : parseTaxId(invoice.buyerTaxId);
  const company = companies.find(({ companyId }) => companyId === invoice.companyId);
  const country = taxId?.country ?? (company === undefined ? undefined : countryOf(company, taxId));
  return { taxId, company, country };
}

/** A tax id without a country is of the company's country only when it is the company's. */
function countryOf(company: Company, taxId: TaxId | undefined): string | undefined {
  const own = taxIdOfCompany(company);
  if (taxId !== undefined && (own === undefined || !sameTaxId(own, taxId))) return undefined;
  return own?.country ?? company.country;
}
