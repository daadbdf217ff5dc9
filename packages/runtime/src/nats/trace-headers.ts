import type { MsgHdrs } from '@nats-io/transport-node';
import type { Attributes } from '@opentelemetry/api';
import { measure } from '../telemetry.js';
import type { Measured } from '../telemetry.js';

/** The headers of an event: the trace context of its publication, and the request that it tells of. */
export const TRACEPARENT_HEADER = 'traceparent';
export const REQUEST_ID_HEADER = 'request-id';

/** Attributes of an operation on an event in traces and metrics, after the semantic conventions for messaging. */
export function messagingAttributes(operation: 'publish' | 'process', subject: string): Attributes {
  return {
    'messaging.system': 'nats',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation === 'publish' ? 'send' : 'process',
    'messaging.destination.name': subject,
  };
}

/** Begins the handling of a delivered event: a trace of its own that links to the publication, because nobody who published waits. */
export function measureDelivery(carried: MsgHdrs | undefined, subject: string): Measured {
  return measure('consumer', `process ${subject}`, {
    link: carried?.get(TRACEPARENT_HEADER),
    requestId: carried?.get(REQUEST_ID_HEADER) || undefined,
    duration: 'messaging.process.duration',
  });
}
