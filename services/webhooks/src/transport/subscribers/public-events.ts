import type { EventHeader } from '@invoicecontrol/contracts/events';
import type { PublicEvent } from '@invoicecontrol/public-events';
import type { FanOut } from '../../application/fan-out.js';

/** Handles an internal event that customers may receive through webhooks. */
export function onPublicEvent<T extends EventHeader>(
  deliver: FanOut,
  toPublic: (event: T) => PublicEvent | undefined,
): (event: T) => Promise<void> {
  return async (received) => {
    const event = toPublic(received);
    if (event === undefined) return;
    const { eventId, eventTime = new Date(0), organizationId } = received;
    await deliver({ eventId, at: eventTime, organizationId, event });
  };
}
