import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';

/** Counts a request or a connection that the gateway refused to protect itself or its other callers. */
export function requestRefused(reason: AttributesOf<'invoicecontrol.requests.refused'>['reason']): void {
  count('invoicecontrol.requests.refused', { reason });
}

/** Counts how the caller of an API key was found: in the cache or by a check. */
export function keyLookedUp(result: AttributesOf<'invoicecontrol.keys.cache'>['result']): void {
  count('invoicecontrol.keys.cache', { result });
}

/** Counts a request that was not authenticated, by reason. The message to the caller is the same for most reasons. */
export function authenticationFailed(reason: AttributesOf<'invoicecontrol.auth.failures'>['reason']): void {
  count('invoicecontrol.auth.failures', { reason });
}

/** Reports the open connections of the gateway and the bytes of request bodies in progress. */
export function reportLoad({
  connections,
  bodyBytes,
}: {
  readonly connections: () => number;
  readonly bodyBytes: () => number;
}): () => void {
  const closeConnections = reportGauges(['invoicecontrol.http.connections'], async () => [
    { attributes: {}, values: { 'invoicecontrol.http.connections': connections() } },
  ]);
  const closeBytes = reportGauges(['invoicecontrol.http.body_bytes'], async () => [
    { attributes: {}, values: { 'invoicecontrol.http.body_bytes': bodyBytes() } },
  ]);
  return () => {
    closeConnections();
    closeBytes();
  };
}
