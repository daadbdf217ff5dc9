import type { MsgHdrs } from '@nats-io/transport-node';
import { measure } from '../telemetry.js';
import type { Measured } from '../telemetry.js';

/** Headers of an event: the trace context of its publication, and the request that caused it. */
export const TRACEPARENT_HEADER = 'traceparent';
export const TRACESTATE_HEADER = 'tracestate';
export const REQUEST_ID_HEADER = 'request-id';

/** Returns the trace attributes of publishing an event, according to the semantic conventions for messaging. */
export function publishAttributes(subject: string) {
  return {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.destination.name': subject,
  } as const;
}

/** Returns the trace attributes of handling an event, except its consumer. */
export function processAttributes(subject: string) {
  return {
    'messaging.system': 'nats',
    'messaging.operation.name': 'process',
    'messaging.destination.name': subject,
  } as const;
}

/**
 * Starts a trace for handling a delivered event. The trace has a link to the trace of the publication and does not
 * continue it, because the publisher does not wait for the handling.
 */
export function measureDelivery(carried: MsgHdrs | undefined, subject: string): Measured<'messaging.process.duration'> {
  return measure('consumer', `process ${subject}`, {
    link: carried?.get(TRACEPARENT_HEADER),
    requestId: carried?.get(REQUEST_ID_HEADER) || undefined,
    duration: 'messaging.process.duration',
  });
}
