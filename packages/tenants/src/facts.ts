/** A company (legal entity) of an organization. */
export interface TenantCompany {
  readonly companyId: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
}

/** The facts about an organization that other services base their decisions on. */
export interface TenantFacts {
  /** Name of the organization. */
  readonly name: string;
  /** Base currency of the organization as ISO 4217 code. */
  readonly baseCurrency: string;
  readonly defaultCompanyId: string;
  readonly companies: readonly TenantCompany[];
  /** Plan of the organization: FREE, CORE, CONTROL, SCALE or ENTERPRISE. */
  readonly plan: string;
  /** True if the organization may use features that require an active subscription. */
  readonly hasActiveSubscription: boolean;
  /** Maximum number of ERP connections, or undefined if there is no limit. */
  readonly erpConnectionsLimit: number | undefined;
  /** Maximum number of analyses in a month that the plan allows, or undefined if there is no limit. */
  readonly analysesPerMonthLimit?: number | undefined;
  /** Maximum number of uploaded bytes in a month, or undefined if there is no limit. */
  readonly uploadBytesPerMonthLimit?: number | undefined;
  /**
   * Reference validation mode of the organization, which decides which electronic invoices are validated against the
   * rules of their profile.
   */
  readonly referenceValidationMode: string;
  /** True if the organization requires that a second person confirms the payment that one person releases. */
  readonly fourEyes: boolean;
}

export function hasCompany({ companies }: TenantFacts, companyId: string): boolean {
  return companies.some((company) => company.companyId === companyId);
}
