import { hasTaxId } from '@invoicecontrol/engine/facts/companies';
import { invalidField } from '@invoicecontrol/errors';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { TenantCompany, TenantFacts } from '@invoicecontrol/tenants/facts';
import { parseTaxId } from '@invoicecontrol/values/tax-id';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { jaroWinkler } from '@invoicecontrol/engine/normalisation/similarity';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/** Fields of an invoice that identify the company of the organization that received it. */
export interface Addressee {
  readonly companyId?: string | undefined;
  readonly buyerTaxId?: string | undefined;
}

/**
 * Returns the company to which an invoice is addressed: the company that it names, or the company with the buyer's VAT
 * id, or the default company (specification 2.2). A VAT id that no company has is not an error.
 * @throws DomainError invalid if the named company does not belong to the organization
 */
export function companyFor({ companyId, buyerTaxId }: Addressee, tenant: TenantFacts): string {
  if (companyId !== undefined) {
    if (hasCompany(tenant, companyId)) return companyId;
    throw invalidField(
      'company_id',
      'must be the id of a company in this organization. Omit it to use the default company.',
    );
  }
  const buyer = buyerTaxId === undefined ? undefined : parseTaxId(buyerTaxId);
  if (buyer === undefined) return tenant.defaultCompanyId;
  const addressed = tenant.companies.find((company) => hasTaxId(company, buyer));
  return addressed?.companyId ?? tenant.defaultCompanyId;
}

/** Maximum number of companies in the facts about an invoice. An organization may have a thousand. */
const FACT_COMPANIES_MAX = 64;

/**
 * Selects the companies to compare when an invoice is analyzed. If there are very many, it selects the invoice's own
 * company, companies with the tax id of the buyer or the supplier, and companies whose names are most similar to the
 * buyer's.
 */
export function companiesAround(
  { companyId, buyerTaxId, buyerName, taxKey, taxCountry }: NormalisedInvoice,
  { companies }: TenantFacts,
): readonly TenantCompany[] {
  if (companies.length <= FACT_COMPANIES_MAX) return companies;
  const buyer = buyerTaxId === undefined ? undefined : parseTaxId(buyerTaxId);
  const supplier = taxKey === undefined ? undefined : { body: taxKey, ...(taxCountry && { country: taxCountry }) };
  const name = buyerName === undefined ? '' : readName(buyerName).key;
  const nearness = (company: TenantCompany): number => {
    if (company.companyId === companyId) return 3;
    if ([buyer, supplier].some((taxId) => taxId !== undefined && hasTaxId(company, taxId))) return 2;
    return name === '' ? 0 : jaroWinkler(readName(company.name).key, name);
  };
  return companies
    .map((company) => ({ company, near: nearness(company) }))
    .sort((left, right) => right.near - left.near || compareText(left.company.companyId, right.company.companyId))
    .slice(0, FACT_COMPANIES_MAX)
    .map(({ company }) => company);
}
