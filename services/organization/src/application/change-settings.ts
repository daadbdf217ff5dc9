import type { Clock } from '@invoicecontrol/runtime/clock';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { changeFourEyes, changeReferenceValidation, readBaseCurrency, setContract } from '../domain/organization.js';
import type { Organization } from '../domain/organization.js';
import { readAdditionalLegalEntities, readPlan, readSubscriptionStatus } from '../domain/plans.js';
import { activeOwnerIds } from '../domain/roster.js';
import { readEmail, readName } from '../domain/text.js';
import type { AuditAction } from './change.js';
import { changeOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';

interface DetailsDeps {
  readonly organizations: Organizations;
  readonly rosters: Pick<Rosters, 'find'>;
  readonly clock: Clock;
}

/** Changes of an organization. An undefined field is not changed. */
interface DetailsChange {
  readonly organizationId: string;
  readonly name?: string | undefined;
  readonly billingEmail?: string | undefined;
  readonly fourEyes?: boolean | undefined;
}

/** Changes the name, the billing e-mail or the four-eyes rule of an organization. */
export const updateDetails =
  ({ organizations, rosters, clock }: DetailsDeps) =>
  ({ organizationId, name, billingEmail, fourEyes }: DetailsChange, context: RequestContext): Promise<Organization> => {
    return changeOrganization(organizations, {
      organizationId,
      context,
      audit: (before, after) =>
        auditedDetails(before, after).map((action) => ({ action, target: `organization:${organizationId}` })),
      changed: changedDetails,
      apply: async (organization) => {
        const renamed = {
          ...organization,
          name: name === undefined ? organization.name : readName('name', name),
          billingEmail:
            billingEmail === undefined ? organization.billingEmail : readEmail('billing_email', billingEmail),
        };
        if (fourEyes === undefined) return renamed;
        const ownerUserIds = activeOwnerIds((await rosters.find(organizationId)) ?? { members: [] });
        return changeFourEyes(renamed, fourEyes, { person: personOf(context), ownerUserIds, now: clock.now() });
      },
    });
  };

function changedDetails(before: Organization, after: Organization): readonly string[] {
  return [
    ...(before.name === after.name ? [] : ['name']),
    ...(before.billingEmail === after.billingEmail ? [] : ['billing_email']),
    ...(before.fourEyes === after.fourEyes ? [] : ['four_eyes']),
  ];
}

function auditedDetails(before: Organization, after: Organization): readonly AuditAction[] {
  const isRequested = after.fourEyesRequest !== undefined && after.fourEyesRequest !== before.fourEyesRequest;
  const isWithdrawn = after.fourEyes && after.fourEyesRequest === undefined && before.fourEyesRequest !== undefined;
  return [
    ...(changedDetails(before, after).some((field) => field !== 'four_eyes')
      ? (['organization.updated'] as const)
      : []),
    ...(before.fourEyes === after.fourEyes ? [] : (['organization.four_eyes_changed'] as const)),
    ...(isRequested ? (['organization.four_eyes_off_requested'] as const) : []),
    ...(isWithdrawn ? (['organization.four_eyes_off_withdrawn'] as const) : []),
  ];
}

/** Sets the base currency of an organization for future invoices (endpoint 19). */
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

/** Sets how reference documents of an organization are validated (endpoint 20). */
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

/**
 * Sets plan and subscription of an organization with `setContract`. A field that is empty or undefined is not changed.
 */
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
