import { Metadata } from '@grpc/grpc-js';
import { readActor } from '../request-context.js';
import type { RequestContext } from '../request-context.js';
import { readTraceparent } from '../trace-context.js';
import type { TraceHeaders } from '../trace-context.js';

/** Name of the metadata entry with the signed proof of who sent the request that a call belongs to. */
const GRANT = 'grant-bin';
/** Name of the metadata entry with the seal of a request that grants or revokes rights. */
export const SEAL = 'request-bin';

/** Returns the metadata that a gRPC call sends with its message. */
export function metadataOf(context: RequestContext, { traceparent, tracestate }: TraceHeaders): Metadata {
  const metadata = new Metadata();
  metadata.set('request-id', context.requestId);
  metadata.set('actor-type', context.actor.type);
  metadata.set('actor-id', context.actor.id);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  if (tracestate !== undefined) metadata.set('tracestate', tracestate);
  if (context.ip !== undefined) metadata.set('caller-ip', context.ip);
  if (context.grant !== undefined) metadata.set(GRANT, context.grant);
  return metadata;
}

/**
 * Returns the context that a call claims. Nothing may be decided by the claimed actor or address before the claims are
 * proven.
 */
export function claimedContextOf(metadata: Metadata): RequestContext {
  return {
    requestId: text(metadata, 'request-id') ?? 'none',
    actor: readActor(text(metadata, 'actor-type'), text(metadata, 'actor-id')),
    traceparent: readTraceparent(text(metadata, 'traceparent')),
    tracestate: text(metadata, 'tracestate'),
    ip: text(metadata, 'caller-ip'),
  };
}

/** Returns the grant of a call as it was sent. */
export function grantBytesOf(metadata: Metadata): Buffer | undefined {
  return bytes(metadata, GRANT);
}

/** Returns the seal of the request of a call as it was sent. */
export function sealBytesOf(metadata: Metadata): Buffer | undefined {
  return bytes(metadata, SEAL);
}

function bytes(metadata: Metadata, name: string): Buffer | undefined {
  const [value] = metadata.get(name);
  return Buffer.isBuffer(value) ? value : undefined;
}

function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}
