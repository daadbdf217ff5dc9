import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import { isCountryCode } from '@invoicecontrol/values/country';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { parseTaxId, sameTaxId } from '@invoicecontrol/values/tax-id';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import type { Company, Organization } from './organization.js';
import { entitlements } from './plans.js';
import { readName } from './text.js';

/** Fields of a company of the organization that a request sets. Undefined fields stay unchanged. */
export interface CompanyInput {
  readonly name?: string | undefined;
  readonly taxId?: string | undefined;
  readonly country?: string | undefined;
  readonly isDefault?: boolean | undefined;
}

/**
 * Maximum number of companies of an organization whose plan has no limit. This maximum limits the size of the database
 * document that contains all companies.
 */
export const COMPANIES_MAX = 1_000;
const TAX_ID_CHARACTERS_MAX = 50;

/**
 * Returns a company of the organization.
 * @throws DomainError not_found
 */
export function requireCompany(organization: Organization, companyId: string): Company {
  const company = organization.companies.find(({ id }) => id === companyId);
  if (company === undefined) throw notFound('company');
  return company;
}

/**
 * Adds a company to the organization.
 * @throws DomainError invalid, already_exists if another company has the VAT id, usage_exceeded beyond the limit of the
 * plan
 */
export function addCompany(
  organization: Organization,
  input: CompanyInput,
  identity: { id: string; createdAt: Date },
): Organization {
  const company: Company = {
    ...identity,
    name: readName('name', input.name ?? ''),
    taxId: input.taxId === undefined ? undefined : readTaxId(input.taxId),
    country: input.country === undefined ? undefined : readCountry(input.country),
  };
  const companiesMax = entitlements(organization).limits.companies ?? COMPANIES_MAX;
  if (organization.companies.length >= companiesMax) {
    throw new DomainError(
      'usage_exceeded',
      `The plan's limit of ${companiesMax} ${companiesMax === 1 ? 'company' : 'companies'} is reached. Remove a company, or change the plan.`,
    );
  }
  refuseDuplicateTaxId(organization, company);
  return {
    ...organization,
    companies: [...organization.companies, company],
    defaultCompanyId: input.isDefault === true ? company.id : organization.defaultCompanyId,
  };
}

/**
 * Changes a company of the organization. The value `isDefault: true` makes the company the default company.
 * @throws DomainError not_found, invalid, already_exists, or wrong_state for `isDefault: false` on the default company
 */
export function changeCompany(organization: Organization, companyId: string, input: CompanyInput): Organization {
  const current = requireCompany(organization, companyId);
  const company: Company = {
    ...current,
    name: input.name === undefined ? current.name : readName('name', input.name),
    taxId: input.taxId === undefined ? current.taxId : readTaxId(input.taxId),
    country: input.country === undefined ? current.country : readCountry(input.country),
  };
  const isDefault = organization.defaultCompanyId === companyId;
  if (isDefault && input.isDefault === false) {
    throw new DomainError(
      'wrong_state',
      'An organization always has one default company. To change it, make another company the default.',
    );
  }
  refuseDuplicateTaxId(organization, company);
  return {
    ...organization,
    companies: organization.companies.map((other) => (other.id === companyId ? company : other)),
    defaultCompanyId: input.isDefault === true ? companyId : organization.defaultCompanyId,
  };
}

/**
 * Removes a company from the organization.
 * @throws DomainError not_found, or wrong_state for the default company
 */
export function removeCompany(organization: Organization, companyId: string): Organization {
  requireCompany(organization, companyId);
  if (organization.defaultCompanyId === companyId) {
    throw new DomainError(
      'wrong_state',
      'The default company of the organization cannot be removed. Make another company the default first.',
    );
  }
  return { ...organization, companies: organization.companies.filter(({ id }) => id !== companyId) };
}

function readTaxId(value: string): string {
  const taxId = value.trim();
  if (taxId.length > TAX_ID_CHARACTERS_MAX || parseTaxId(taxId) === undefined) {
    throw invalidField('tax_id', 'must be a VAT id such as DE994175284.');
  }
  const fault = faultOfLine(taxId);
  if (fault !== undefined) throw invalidField('tax_id', fault);
  return taxId;
}

function readCountry(value: string): string {
  if (!isCountryCode(value)) throw invalidField('country', 'must be an ISO 3166 country code such as DE.');
  return value;
}

/** Refuses a VAT id that another company has, because invoices are routed by the buyer's VAT id. */
function refuseDuplicateTaxId({ companies }: Organization, company: Company): void {
  const taxId = identifyingTaxId(company);
  if (taxId === undefined) return;
  const isDuplicate = companies.some((other) => {
    const otherTaxId = other.id === company.id ? undefined : identifyingTaxId(other);
    return otherTaxId !== undefined && sameTaxId(taxId, otherTaxId);
  });
  if (isDuplicate)
    throw new DomainError(
      'already_exists',
      'Another company of the organization already has this tax_id. Send a different tax_id, or change the other company first.',
    );
}

/**
 * Returns the VAT id of a company of the organization with its country. If the VAT id has no country prefix, the
 * country of the company is used.
 */
function identifyingTaxId({ taxId, country }: Company): TaxId | undefined {
  const parsed = taxId === undefined ? undefined : parseTaxId(taxId);
  if (parsed === undefined || parsed.country !== undefined || country === undefined) return parsed;
  return { ...parsed, country };
}
