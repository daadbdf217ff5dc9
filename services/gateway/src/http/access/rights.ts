import { hasScope, isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role, Scope } from '@invoicecontrol/api-key/rights';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';

/**
 * Rights that a route requires. If no role is given, any valid API key with the scope is sufficient (specification
 * section 4).
 */
export interface KeyAccess {
  /** Scope that the API key needs for a route. Absent if any valid key is sufficient. */
  readonly scope?: Scope;
  readonly minimumRole?: Role;
  /** True if the route requires the organization to have an active subscription. */
  readonly needsSubscription?: true;
  /**
   * True if test keys are refused, because the route is about something that a test organization does not have, such as
   * ERP connections or members.
   */
  readonly refusesTestKeys?: true;
}

/** Returns the required role in words. OWNER is the highest role. */
export function atLeast(role: Role): string {
  return role === 'OWNER' ? role : `${role} or higher`;
}

/**
 * Refuses a caller who lacks the rights for a route.
 * @throws DomainError `forbidden` with the missing right, before any lookup, so that the refusal reveals nothing about
 * the resource
 */
export function requireRight(
  principal: Pick<Principal, 'role' | 'scopes' | 'hasActiveSubscription' | 'isTest'>,
  { minimumRole, scope, needsSubscription, refusesTestKeys }: KeyAccess,
): void {
  if (minimumRole !== undefined && !isRoleAtLeast(principal.role, minimumRole)) {
    throw new DomainError('forbidden', `This request requires an API key with the role ${atLeast(minimumRole)}.`);
  }
  if (scope !== undefined && !hasScope(principal.scopes, scope)) {
    throw new DomainError('forbidden', `This request requires an API key with the scope ${scope}.`);
  }
  if (refusesTestKeys === true && principal.isTest) {
    throw new DomainError(
      'forbidden',
      'This request is not available to test keys, because a test organization has no ERP connections, KSeF connections, payments, subscription or members. Use an API key that begins with `ick_live_`.',
    );
  }
  if (needsSubscription === true && !principal.hasActiveSubscription) {
    throw new DomainError(
      'subscription_required',
      'This request requires an active subscription. Start one with POST /v1/billing/checkout.',
    );
  }
}
