import {
  ClosedConnectionError,
  ConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';

/** The broker could not be reached or does not answer; whether it has what was published is not known. */
export function isBrokerOutOfReach(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof ClosedConnectionError ||
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    (error instanceof RequestError && isBrokerOutOfReach(error.cause))
  );
}
