import type { Attributes } from '@opentelemetry/api';

/** What an event carries beside its payload: the trace context of its publication, and the request that it tells of. */
export const TRACEPARENT_HEADER = 'traceparent';
export const REQUEST_ID_HEADER = 'request-id';

/** What is done with an event, in traces and metrics, by the semantic conventions for messaging. */
export function messagingAttributes(operation: 'publish' | 'process', subject: string): Attributes {
  return {
    'messaging.system': 'nats',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation === 'publish' ? 'send' : 'process',
    'messaging.destination.name': subject,
  };
}
