import {
  ClosedConnectionError,
  ConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';

/**
 * Tells whether an error means that NATS is unavailable. Whether NATS stored the event that was being published is then
 * unknown.
 */
export function isNatsUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof ClosedConnectionError ||
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    (error instanceof RequestError && isNatsUnavailable(error.cause))
  );
}
