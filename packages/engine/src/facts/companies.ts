import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { NormalisedInvoice } from './invoice.js';

/** A company of the organization. The recipient and the supplier on an invoice are compared with it. */
export interface Company {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/**
 * Returns the tax id of a company with its country. A tax id without a country prefix belongs to the country of the
 * company.
 */
export function taxIdOfCompany({ taxId, country }: Company): TaxId | undefined {
  const stated = taxId === undefined ? undefined : parseTaxId(taxId);
  return stated === undefined || country === undefined ? stated : { country, ...stated };
}

export function hasTaxId(company: Company, taxId: TaxId): boolean {
  const own = taxIdOfCompany(company);
  return own !== undefined && sameTaxId(own, taxId);
}

/** Returns the organization's company that has the tax id of the invoice's supplier. */
export function companyOf(
  { taxKey, taxCountry }: NormalisedInvoice,
  companies: readonly Company[],
): Company | undefined {
  if (taxKey === undefined) return undefined;
  const taxId = { body: taxKey, ...(taxCountry && { country: taxCountry }) };
  return companies.find((company) => hasTaxId(company, taxId));
}
