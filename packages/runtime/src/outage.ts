import { isMongoUnavailable } from './mongo/connection.js';
import { isNatsUnavailable } from './nats/unavailable.js';

/** Checks whether an error means that MongoDB or NATS is unavailable. The same work will succeed after the outage. */
export function isOutage(error: unknown): boolean {
  return isMongoUnavailable(error) || isNatsUnavailable(error);
}
