import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import type { Company as WireCompany } from '@invoicecontrol/contracts/organization/v1/company_service';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { newestPageOf, readPageRequest } from '@invoicecontrol/runtime/page';
import { createCompany, deleteCompany, updateCompany } from '../../application/change-companies.js';
import { requireOrganization } from '../../application/organizations.js';
import type { Organizations } from '../../application/organizations.js';
import { requireCompany } from '../../domain/companies.js';
import type { Organization } from '../../domain/organization.js';

export function companyService({ organizations, clock }: { organizations: Organizations; clock: Clock }): Binding {
  return bind(CompanyServiceDefinition, {
    async listCompanies(request) {
      const page = readPageRequest(request);
      const organization = await requireOrganization(organizations, request.organizationId);
      const { items, nextPageToken } = newestPageOf(organization.companies, page);
      return { companies: items.map(({ id }) => toWire(organization, id)), nextPageToken };
    },
    async getCompany({ organizationId, companyId }) {
      return { company: toWire(await requireOrganization(organizations, organizationId), companyId) };
    },
    async createCompany({ organizationId, ...input }, context) {
      const { organization, companyId } = await createCompany({ organizations, clock })(
        { organizationId, input },
        context,
      );
      return { company: toWire(organization, companyId) };
    },
    async updateCompany({ organizationId, companyId, ...input }, context) {
      const organization = await updateCompany(organizations)({ organizationId, companyId, input }, context);
      return { company: toWire(organization, companyId) };
    },
    async deleteCompany({ organizationId, companyId }, context) {
      await deleteCompany(organizations)({ organizationId, companyId }, context);
      return {};
    },
  });
}

export function toWire(organization: Organization, companyId: string): WireCompany {
  const { id, name, taxId, country, createdAt } = requireCompany(organization, companyId);
  const isDefault = organization.defaultCompanyId === id;
  return { companyId: id, name, taxId, country, isDefault, createdTime: createdAt };
}
