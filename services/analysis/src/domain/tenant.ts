import { invalidField } from '@invoicecontrol/errors';
import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';

/** A company of a tenant, as decisions need it. */
export interface TenantCompany {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/** What a tenant is, as far as decisions depend on it. */
export interface TenantFacts {
  readonly baseCurrency: string;
  readonly defaultCompanyId: string;
  readonly companies: readonly TenantCompany[];
}

/** What an invoice says about its recipient. */
export interface Addressee {
  readonly companyId?: string | undefined;
  readonly buyerTaxId?: string | undefined;
}

/**
 * The company that an invoice is for: the one it names, else the one whose VAT id the buyer carries, else the default
 * (specification 2.2). A VAT id that no company has is not an error: the invoice goes to the default company.
 * @throws DomainError invalid when the named company is not one of the organization's
 */
export function companyFor({ companyId, buyerTaxId }: Addressee, tenant: TenantFacts): string {
  if (companyId !== undefined) {
    if (tenant.companies.some((company) => company.companyId === companyId)) return companyId;
    throw invalidField('company_id', 'names no company of this organization; leave it out for the default company.');
  }
  const buyer = buyerTaxId === undefined ? undefined : parseTaxId(buyerTaxId);
  if (buyer === undefined) return tenant.defaultCompanyId;
  const addressed = tenant.companies.find((company) => {
    const own = company.taxId === undefined ? undefined : parseTaxId(company.taxId);
    return own !== undefined && sameTaxId(own, buyer);
  });
  return addressed?.companyId ?? tenant.defaultCompanyId;
}
