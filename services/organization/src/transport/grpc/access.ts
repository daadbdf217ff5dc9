import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { authenticateKey } from '../../application/authenticate-key.js';
import { authenticateSession } from '../../application/authenticate-session.js';
import type { SessionAuthenticationDeps } from '../../application/authenticate-session.js';
import { reserveRequests } from '../../application/reserve-requests.js';
import type { RateWindows } from '../../application/reserve-requests.js';

export function accessService(deps: SessionAuthenticationDeps & { windows: RateWindows }): Binding {
  const reserve = reserveRequests(deps);
  return bind(AccessServiceDefinition, {
    async authenticateKey({ key }) {
      const { scopes, ...principal } = await authenticateKey(deps)(key);
      return { principal: { ...principal, scopes: [...scopes], session: undefined } };
    },
    async authenticateSession({ token }) {
      const { scopes, ...principal } = await authenticateSession(deps)(token);
      return { principal: { ...principal, scopes: [...scopes] } };
    },
    async reserveRequests({ policies }) {
      return { reservations: [...(await reserve(policies))] };
    },
  });
}
