import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { AuthenticateKeyResponse } from '@invoicecontrol/contracts/organization/v1/access_service';
import { issueGrant } from '@invoicecontrol/runtime/grpc/grants';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { Identity } from '@invoicecontrol/runtime/identity/identity';
import { authenticateKey } from '../../application/authenticate-key.js';
import type { Principal } from '../../application/authenticate-key.js';
import { authenticateSession } from '../../application/authenticate-session.js';
import type { SessionAuthenticationDeps, SessionPrincipal } from '../../application/authenticate-session.js';
import { reserveRequests } from '../../application/reserve-requests.js';
import type { RateWindows } from '../../application/reserve-requests.js';

interface AccessDeps extends SessionAuthenticationDeps {
  readonly windows: RateWindows;
  /** Identity with which the organization service signs grants. A grant proves to other services who a caller is. */
  readonly identity: Identity;
}

export function accessService(deps: AccessDeps): Binding {
  const reserve = reserveRequests(deps);
  return bind(AccessServiceDefinition, {
    async authenticateKey({ key }) {
      return answerOf({ ...(await authenticateKey(deps)(key)), session: undefined }, deps.identity);
    },
    async authenticateSession({ token }) {
      return answerOf(await authenticateSession(deps)(token), deps.identity);
    },
    async reserveRequests({ policies }) {
      return { reservations: [...(await reserve(policies))] };
    },
  });
}

/** Returns the principal of a caller together with a grant. The grant proves the principal to other services. */
function answerOf(
  { scopes, ...facts }: Principal & { readonly session: SessionPrincipal['session'] | undefined },
  identity: Identity,
): AuthenticateKeyResponse {
  const principal = { ...facts, scopes: [...scopes] };
  const { organizationId, apiKeyId, session, person, role, plan, limits, isTest } = principal;
  const grant = issueGrant(identity, {
    organizationId,
    actorType: 'API_KEY',
    actorId: apiKeyId,
    sessionId: session?.sessionId ?? '',
    person,
    role,
    scopes: principal.scopes,
    plan,
    limits,
    isTest,
  });
  return { principal, grant };
}
