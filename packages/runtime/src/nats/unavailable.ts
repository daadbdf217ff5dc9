import { JetStreamApiError } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  ConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';

/** The NATS cluster has too few servers for the replicas of a stream, or is electing a leader. */
const CLUSTER_NOT_READY: readonly number[] = [10_005, 10_008];

/**
 * Checks whether an error means that NATS is unavailable. Whether NATS stored the event that was being published is
 * then unknown.
 */
export function isNatsUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof ClosedConnectionError ||
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    (error instanceof JetStreamApiError && CLUSTER_NOT_READY.includes(error.code)) ||
    (error instanceof RequestError && isNatsUnavailable(error.cause))
  );
}
