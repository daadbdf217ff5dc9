import type { MsgHdrs } from '@nats-io/transport-node';
import type { Attributes } from '@opentelemetry/api';
import { measure } from '../telemetry.js';
import type { Measured } from '../telemetry.js';

/** Headers of an event: the trace context of its publication, and the request that caused it. */
export const TRACEPARENT_HEADER = 'traceparent';
export const REQUEST_ID_HEADER = 'request-id';

/**
 * Returns the attributes of an operation on an event for traces and metrics, according to the semantic conventions for
 * messaging.
 */
export function messagingAttributes(operation: 'publish' | 'process', subject: string): Attributes {
  return {
    'messaging.system': 'nats',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation === 'publish' ? 'send' : 'process',
    'messaging.destination.name': subject,
  };
}

/**
 * Starts a trace for handling a delivered event. The trace links to that of the publication, because the publisher does
 * not wait.
 */
export function measureDelivery(carried: MsgHdrs | undefined, subject: string): Measured {
  return measure('consumer', `process ${subject}`, {
    link: carried?.get(TRACEPARENT_HEADER),
    requestId: carried?.get(REQUEST_ID_HEADER) || undefined,
    duration: 'messaging.process.duration',
  });
}
