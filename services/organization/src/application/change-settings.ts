import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { changeReferenceValidation, readBaseCurrency, setContract } from '../domain/organization.js';
import type { Organization } from '../domain/organization.js';
import { readAdditionalLegalEntities, readPlan, readSubscriptionStatus } from '../domain/plans.js';
import { readEmail, readName } from '../domain/text.js';
import { changeOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

/** Changes the name or the billing e-mail. Undefined leaves a field unchanged. */
export const updateDetails =
  (organizations: Organizations) =>
  (
    input: { organizationId: string; name?: string | undefined; billingEmail?: string | undefined },
    context: RequestContext,
  ): Promise<Organization> => {
    return changeOrganization(organizations, {
      organizationId: input.organizationId,
      context,
      audit: { action: 'organization.updated', target: `organization:${input.organizationId}` },
      changed: (before, after) => [
        ...(before.name === after.name ? [] : ['name']),
        ...(before.billingEmail === after.billingEmail ? [] : ['billing_email']),
      ],
      apply: (organization) => ({
        ...organization,
        name: input.name === undefined ? organization.name : readName('name', input.name),
        billingEmail:
          input.billingEmail === undefined ? organization.billingEmail : readEmail('billing_email', input.billingEmail),
      }),
    });
  };

/** Sets the base currency of future invoices (endpoint 19). */
export const updateBaseCurrency =
  (organizations: Organizations) =>
  (
    { organizationId, baseCurrency }: { organizationId: string; baseCurrency: string },
    context: RequestContext,
  ): Promise<Organization> => {
    return changeOrganization(organizations, {
      organizationId,
      context,
      audit: { action: 'organization.base_currency_changed', target: `organization:${organizationId}` },
      changed: () => ['base_currency'],
      apply: (organization) => ({ ...organization, baseCurrency: readBaseCurrency(baseCurrency) }),
    });
  };

/** Sets how reference documents are validated (endpoint 20). */
export const updateReferenceValidation =
  (organizations: Organizations) =>
  (
    { organizationId, mode }: { organizationId: string; mode: string },
    context: RequestContext,
  ): Promise<Organization> => {
    return changeOrganization(organizations, {
      organizationId,
      context,
      audit: { action: 'organization.reference_validation_changed', target: `organization:${organizationId}` },
      changed: () => ['reference_validation'],
      apply: (organization) => changeReferenceValidation(organization, mode),
    });
  };

/** Sets plan and subscription with `setContract`. Empty or undefined leaves a field unchanged. */
export const setPlan =
  (organizations: Organizations) =>
  (
    input: {
      organizationId: string;
      plan: string;
      subscriptionStatus: string;
      additionalLegalEntities?: number | undefined;
    },
    context: RequestContext,
  ): Promise<Organization> => {
    const { organizationId, plan, subscriptionStatus, additionalLegalEntities } = input;
    return changeOrganization(organizations, {
      organizationId,
      context,
      audit: { action: 'organization.plan_changed', target: `organization:${organizationId}` },
      changed: () => ['plan'],
      apply: (organization) =>
        setContract(organization, {
          ...(plan === '' ? {} : { plan: readPlan(plan) }),
          ...(subscriptionStatus === '' ? {} : { subscriptionStatus: readSubscriptionStatus(subscriptionStatus) }),
          ...(additionalLegalEntities === undefined
            ? {}
            : { additionalLegalEntities: readAdditionalLegalEntities(additionalLegalEntities) }),
        }),
    });
  };
