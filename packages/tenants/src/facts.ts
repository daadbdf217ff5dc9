/** A company of a tenant. */
export interface TenantCompany {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/** The facts of a tenant that other services decide by. */
export interface TenantFacts {
  /** Name of the workspace. */
  readonly name: string;
  /** ISO 4217. */
  readonly baseCurrency: string;
  readonly defaultCompanyId: string;
  readonly companies: readonly TenantCompany[];
  /** The effective plan: FREE, CORE, CONTROL, SCALE or ENTERPRISE. */
  readonly plan: string;
  /** The state of the subscription, which every gate for subscribers reads. */
  readonly hasActiveSubscription: boolean;
  /** ERP connections that the plan allows; undefined when there is no limit. */
  readonly erpConnectionsLimit: number | undefined;
  /** Analyses that the plan allows in a month; undefined when there is no limit. */
  readonly analysesPerMonthLimit?: number | undefined;
  /** Bytes that the plan lets the organization store in a month; undefined when there is no limit. */
  readonly uploadBytesPerMonthLimit?: number | undefined;
  /** The mode in force: which electronic invoices are validated against the rules of their profile. */
  readonly referenceValidationMode: string;
}

export function hasCompany({ companies }: TenantFacts, companyId: string): boolean {
  return companies.some((company) => company.companyId === companyId);
}
