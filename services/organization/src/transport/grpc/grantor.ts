import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { readRole, readScopes } from '../../domain/rights.js';
import type { Rights } from '../../domain/rights.js';

/**
 * Returns the rights of the caller who gives rights to others, as the grant of the caller proves them. What the request
 * states about them is not read.
 * @throws ProofRefused if the call has no grant
 */
export function grantorOf(context: RequestContext): Rights {
  const { role, scopes } = requirePrincipal(context);
  return { role: readRole(role), scopes: readScopes(scopes) };
}
