/** A company of a tenant. */
export interface TenantCompany {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/** What a tenant is, as far as other services decide by it. */
export interface TenantFacts {
  /** Of the workspace. */
  readonly name: string;
  /** ISO 4217. */
  readonly baseCurrency: string;
  readonly defaultCompanyId: string;
  readonly companies: readonly TenantCompany[];
  /** The effective plan: FREE, CORE, CONTROL, SCALE or ENTERPRISE. */
  readonly plan: string;
  /** What every gate for subscribers reads. */
  readonly hasActiveSubscription: boolean;
  /** ERP connections that the plan allows; undefined: no limit. */
  readonly erpConnectionsLimit: number | undefined;
  /** Which electronic invoices are held against the rules of their profile: the mode in force. */
  readonly referenceValidationMode: string;
}

export function hasCompany({ companies }: TenantFacts, companyId: string): boolean {
  return companies.some((company) => company.companyId === companyId);
}
