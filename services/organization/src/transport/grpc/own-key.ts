import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { ProofRefused } from '@invoicecontrol/runtime/grpc/proof-refused';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/**
 * Checks that the API key in a request is the one that the grant of the caller proves. Otherwise a gateway that an
 * attacker controls could open a session with the rights of any API key of the organization.
 * @throws ProofRefused if the grant is that of another API key
 */
export function requireOwnKey(context: RequestContext, apiKeyId: string): void {
  if (requirePrincipal(context).actorId !== apiKeyId) throw new ProofRefused('grant_foreign');
}
