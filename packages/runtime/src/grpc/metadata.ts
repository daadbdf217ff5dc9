import { Metadata } from '@grpc/grpc-js';
import { readActor } from '../request-context.js';
import type { RequestContext } from '../request-context.js';
import { readTraceparent } from '../trace-context.js';
import type { TraceHeaders } from '../trace-context.js';

/** Returns the metadata that a gRPC call sends with its message. */
export function metadataOf(context: RequestContext, { traceparent, tracestate }: TraceHeaders): Metadata {
  const metadata = new Metadata();
  metadata.set('request-id', context.requestId);
  metadata.set('actor-type', context.actor.type);
  metadata.set('actor-id', context.actor.id);
  if (context.person !== undefined) metadata.set('person', context.person);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  if (tracestate !== undefined) metadata.set('tracestate', tracestate);
  if (context.ip !== undefined) metadata.set('caller-ip', context.ip);
  return metadata;
}

/**
 * Returns the context of the caller of an rpc. A call without context (from a command line tool or a probe) acts as
 * SYSTEM.
 */
export function contextOf(metadata: Metadata): RequestContext {
  return {
    requestId: text(metadata, 'request-id') ?? 'none',
    actor: readActor(text(metadata, 'actor-type'), text(metadata, 'actor-id')),
    person: text(metadata, 'person'),
    traceparent: readTraceparent(text(metadata, 'traceparent')),
    tracestate: text(metadata, 'tracestate'),
    ip: text(metadata, 'caller-ip'),
  };
}

function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}
