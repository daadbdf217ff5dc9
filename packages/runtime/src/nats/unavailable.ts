import {
  ClosedConnectionError,
  ConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';

/**
 * Checks whether an error means that NATS is unavailable. It is then unknown whether NATS stored the event that was
 * being published.
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
