import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { authenticateKey } from '../../application/authenticate-key.js';
import type { AuthenticationDeps } from '../../application/authenticate-key.js';
import { reserveRequests } from '../../application/reserve-requests.js';
import type { RateWindows } from '../../application/reserve-requests.js';

export function accessService(deps: AuthenticationDeps & { windows: RateWindows }): Binding {
  const reserve = reserveRequests(deps);
  return bind(AccessServiceDefinition, {
    async authenticateKey({ key }) {
      const { scopes, ...principal } = await authenticateKey(deps)(key);
      return { principal: { ...principal, scopes: [...scopes] } };
    },
    async reserveRequests({ policies }) {
      return { reservations: [...(await reserve(policies))] };
    },
  });
}
