import type { EndpointDisabled, EndpointFailing } from '@invoicecontrol/contracts/webhooks/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyAdmins } from '../../application/notifications.js';
import type { EndpointTrouble } from '../../domain/notification.js';

type NotifyDeps = Parameters<typeof notifyAdmins>[0] & { readonly clock: Clock };

/** Handles the events `endpoint_failing` and `endpoint_disabled` of the webhooks service. */
export function onEndpointTrouble(
  deps: NotifyDeps,
  kind: EndpointTrouble['kind'],
): (event: EndpointFailing | EndpointDisabled) => Promise<void> {
  return ({ eventId, eventTime, organizationId, endpointId, host, failingSinceTime, goneTime }) => {
    const at = eventTime ?? deps.clock.now();
    const trouble = { kind, endpointId, host, failingSince: failingSinceTime ?? at, goneAt: goneTime };
    return notifyAdmins(deps)({ eventId, organizationId, at, trouble });
  };
}
