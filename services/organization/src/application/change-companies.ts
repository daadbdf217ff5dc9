import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import { addCompany, changeCompany, removeCompany } from '../domain/companies.js';
import type { CompanyInput } from '../domain/companies.js';
import type { Organization } from '../domain/organization.js';
import type { AuditAction } from './change.js';
import { changeOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

export const createCompany =
  ({ organizations, clock }: { organizations: Organizations; clock: Clock }) =>
  async (
    { organizationId, input }: { organizationId: string; input: CompanyInput },
    context: RequestContext,
  ): Promise<{ organization: Organization; companyId: string }> => {
    const identity = { id: uuidv7(), createdAt: clock.now() };
    const organization = await changeOrganization(organizations, {
      ...companyChange('company.created', organizationId, identity.id, context),
      apply: (current) => addCompany(current, input, identity),
    });
    return { organization, companyId: identity.id };
  };

export const updateCompany =
  (organizations: Organizations) =>
  (
    { organizationId, companyId, input }: { organizationId: string; companyId: string; input: CompanyInput },
    context: RequestContext,
  ): Promise<Organization> => {
    return changeOrganization(organizations, {
      ...companyChange('company.updated', organizationId, companyId, context),
      apply: (current) => changeCompany(current, companyId, input),
    });
  };

export const deleteCompany =
  (organizations: Organizations) =>
  async (
    { organizationId, companyId }: { organizationId: string; companyId: string },
    context: RequestContext,
  ): Promise<void> => {
    await changeOrganization(organizations, {
      ...companyChange('company.removed', organizationId, companyId, context),
      apply: (current) => removeCompany(current, companyId),
    });
  };

function companyChange(action: AuditAction, organizationId: string, companyId: string, context: RequestContext) {
  return {
    organizationId,
    context,
    audit: { action, target: `company:${companyId}` },
    changed: () => ['companies'],
  };
}
