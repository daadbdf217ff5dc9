import type { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import type { RequestContext } from '../request-context.js';
import { ProofRefused } from './proof-refused.js';

/**
 * Returns the limit that applies to a call. If the caller has a grant, the grant states the limit. A
 * service that works without the request of a user has no grant, and states in its request the limit that it read from
 * the organization service.
 * @param stated limit in the request, or undefined if the request states none
 */
export function limitOf(
  { principal }: RequestContext,
  name: keyof NonNullable<Grant['limits']>,
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
