import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import type { Organization as WireOrganization } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AuditTrail } from '../../application/audit-trail.js';
import { beginExport } from '../../application/begin-export.js';
import { readBillingContact } from '../../application/billing-contact.js';
import type { BillingContactDeps } from '../../application/billing-contact.js';
import { updateBaseCurrency, updateDetails, updateReferenceValidation } from '../../application/change-settings.js';
import { deleteOrganization, restoreByToken } from '../../application/organization-lifecycle.js';
import type { OrganizationLifecycleDeps } from '../../application/organization-lifecycle.js';
import type { Rosters } from '../../application/rosters.js';
import { requireOrganization } from '../../application/organizations.js';
import { referenceValidationInForce } from '../../domain/organization.js';
import type { Organization } from '../../domain/organization.js';
import { entitlements } from '../../domain/plans.js';
import { requireRole } from '../../domain/rights.js';
import { grantorOf } from './grantor.js';

export function organizationService(
  deps: OrganizationLifecycleDeps & BillingContactDeps & { readonly auditTrail: AuditTrail; readonly rosters: Rosters },
): Binding {
  const { organizations } = deps;
  return bind(OrganizationServiceDefinition, {
    async getOrganization({ organizationId }) {
      return { organization: toWire(await requireOrganization(organizations, organizationId)) };
    },
    async updateOrganization(request, context) {
      return { organization: toWire(await updateDetails(deps)(request, context)) };
    },
    async updateBaseCurrency(request, context) {
      return { organization: toWire(await updateBaseCurrency(organizations)(request, context)) };
    },
    async updateReferenceValidation(request, context) {
      return { organization: toWire(await updateReferenceValidation(organizations)(request, context)) };
    },
    async deleteOrganization(request, context) {
      requireRole(grantorOf(context), 'OWNER');
      const { deletedAt, recoveryToken, recoveryExpiresAt } = await deleteOrganization(deps)(request, context);
      return { deletedTime: deletedAt, recoveryToken, recoveryExpiresTime: recoveryExpiresAt };
    },
    async restoreOrganization({ recoveryToken }, context) {
      const { organization, ownerKey } = await restoreByToken(deps)(recoveryToken, context);
      return { organization: toWire(organization), ownerKey };
    },
    async beginExport(request, context) {
      const { organization, begunAt } = await beginExport(deps)(request, context);
      return { organization: toWire(organization), begunTime: begunAt };
    },
    async getBillingContact({ organizationId }) {
      return readBillingContact(deps)(organizationId);
    },
    async getTenantFacts({ organizationId }) {
      const organization = await requireOrganization(organizations, organizationId);
      const { name, baseCurrency, defaultCompanyId, companies, version } = organization;
      const { plan, hasActiveSubscription, limits } = entitlements(organization);
      return {
        name,
        baseCurrency,
        defaultCompanyId,
        companies: companies.map(({ id, name, taxId, country }) => ({ companyId: id, name, taxId, country })),
        referenceValidationMode: referenceValidationInForce(organization),
        fourEyes: organization.fourEyes,
        version,
        plan,
        hasActiveSubscription,
        erpConnectionsLimit: limits.erpConnections,
        analysesPerMonthLimit: limits.analysesPerMonth,
        uploadBytesPerMonthLimit: limits.uploadBytesPerMonth,
      };
    },
  });
}

export function toWire(organization: Organization): WireOrganization {
  const inForce = referenceValidationInForce(organization);
  const request = organization.fourEyesRequest;
  return {
    organizationId: organization.id,
    name: organization.name,
    billingEmail: organization.billingEmail,
    baseCurrency: organization.baseCurrency,
    referenceValidationMode: organization.referenceValidationMode,
    referenceValidationInForce: inForce === organization.referenceValidationMode ? undefined : inForce,
    plan: organization.plan,
    subscriptionStatus: organization.subscriptionStatus,
    createdTime: organization.createdAt,
    isTest: organization.testOf !== undefined,
    fourEyes: organization.fourEyes,
    fourEyesRequest: request === undefined ? undefined : { requestedBy: request.by, requestedTime: request.at },
  };
}
