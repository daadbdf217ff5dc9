import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { readRole, readScopes } from '../../domain/rights.js';
import type { Rights } from '../../domain/rights.js';

/**
 * Returns the rights of the caller who gives rights to others. They are read only from the signed grant of the caller,
 * not from the request.
 * @throws ProofRefused if the call has no grant
 */
export function grantorOf(context: RequestContext): Rights {
  const { role, scopes } = requirePrincipal(context);
  return { role: readRole(role), scopes: readScopes(scopes) };
}
