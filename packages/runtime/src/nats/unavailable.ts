import {
  ClosedConnectionError,
  ConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';

/** Whether an error says that NATS is unavailable. Whether it stored what was being published is then not known. */
export function isNatsUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof ClosedConnectionError ||
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    (error instanceof RequestError && isNatsUnavailable(error.cause))
  );
}
