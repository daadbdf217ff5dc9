import type { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import type { RequestContext } from '../request-context.js';
import { ProofRefused } from './proof-refused.js';

type LimitName = keyof NonNullable<Grant['limits']>;

/**
 * Returns the limit that the grant of a call states, or undefined if there is no limit.
 * @throws ProofRefused if the call has no grant
 */
export function limitOf(context: RequestContext, name: LimitName): number | undefined {
  return requirePrincipal(context).limits?.[name];
}

/**
 * Returns the limit that applies to a call which a service also makes without the request of a user. Such a call has no
 * grant, and states in its request the limit that the service has read from the organization service.
 * @param stated limit in the request, or undefined if the request states none
 */
export function limitOfWork(
  { principal }: RequestContext,
  name: LimitName,
  stated: number | undefined,
): number | undefined {
  return principal === undefined ? stated : principal.limits?.[name];
}

/**
 * Returns the proven principal of a call that only a caller with a grant may make.
 * @throws ProofRefused if the call has no grant
 */
export function requirePrincipal({ principal }: RequestContext): Grant {
  if (principal === undefined) throw new ProofRefused('grant_missing');
  return principal;
}

/**
 * Checks that a call acts for the given organization. It is used for calls that name the organization in a message of a
 * stream. If a request names the organization in a field, the check is made before the handler of the call runs.
 * @throws ProofRefused if the call has no grant, or the grant of another organization
 */
export function requireGrantOf(context: RequestContext, organizationId: string): void {
  if (requirePrincipal(context).organizationId !== organizationId) throw new ProofRefused('grant_foreign');
}
