import { isOutOfReach } from './mongo/connection.js';
import { isBrokerOutOfReach } from './nats/out-of-reach.js';

/** Database or broker is out of reach: nothing is wrong with the work, and the same work succeeds when they are back. */
export function isOutage(error: unknown): boolean {
  return isOutOfReach(error) || isBrokerOutOfReach(error);
}
