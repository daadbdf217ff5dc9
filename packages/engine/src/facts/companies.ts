import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { NormalisedInvoice } from './invoice.js';

/** A company of the customer: what an invoice's recipient and supplier are compared with. */
export interface Company {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/** The tax id of a company; one without a prefix belongs to the country of its company. */
export function taxIdOfCompany({ taxId, country }: Company): TaxId | undefined {
  const stated = taxId === undefined ? undefined : parseTaxId(taxId);
  return stated === undefined || country === undefined ? stated : { country, ...stated };
}

export function hasTaxId(company: Company, taxId: TaxId): boolean {
  const own = taxIdOfCompany(company);
  return own !== undefined && sameTaxId(own, taxId);
}

/** The company of the organization that has the tax id of the invoice's supplier. */
export function companyOf(
  { taxKey, taxCountry }: NormalisedInvoice,
  companies: readonly Company[],
): Company | undefined {
  if (taxKey === undefined) return undefined;
  const taxId = { body: taxKey, ...(taxCountry && { country: taxCountry }) };
  return companies.find((company) => hasTaxId(company, taxId));
}
