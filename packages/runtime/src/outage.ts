import { isMongoUnavailable } from './mongo/connection.js';
import { isNatsUnavailable } from './nats/unavailable.js';

/** Tells whether MongoDB or NATS is unavailable: the work itself is not at fault and succeeds once they are back. */
export function isOutage(error: unknown): boolean {
  return isMongoUnavailable(error) || isNatsUnavailable(error);
}
