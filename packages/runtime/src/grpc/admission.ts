import type { MethodDefinition } from '@grpc/grpc-js';
import { DomainError } from '@invoicecontrol/errors';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { organizationOf } from '../refused-calls.js';
import { count, reportGauges } from '../telemetry.js';
import { watchRequests } from './service-definition.js';

/**
 * Maximum number of gRPC calls with one request and one response that a process works on at the same time. If the
 * database is slow, the work of a call continues after its caller has stopped waiting, so the callers do not limit it.
 */
export const CALLS_MAX = 500;
/**
 * Maximum number of calls for one organization that a process works on at the same time, half of all, so that the
 * expensive requests of one organization do not block the other organizations.
 */
export const ORGANIZATION_CALLS_MAX = 250;
/**
 * Maximum number of gRPC calls with a stream that a process works on at the same time. They have a limit of their own,
 * because a client that sends a file or reads one slowly may keep its call open for minutes.
 */
export const STREAMS_MAX = 500;
/**
 * Maximum size in bytes of all requests that a process works on at the same time, as they were received. It is larger
 * than the largest message.
 */
export const REQUEST_BYTES_MAX = 32 * 1024 * 1024;

/** Time in seconds after which the caller of a refused call should retry it. */
const RETRY_SECONDS = 2;

type Method = MethodDefinition<unknown, unknown>;

/** A gRPC call whose work may begin. */
interface AdmittedCall {
  readonly isStream: boolean;
  /** Request of the call. A call with a stream of requests has none when it begins. */
  readonly request?: unknown;
}

interface SizedCall {
  readonly isStream: boolean;
  /** Organization that the request names, if it names one. */
  readonly organizationId: string | undefined;
  readonly size: number;
}

/** Limits the gRPC calls that a process works on at the same time, so that its memory is bounded. */
export interface Admission {
  /** Returns the methods of a gRPC service in a form in which the size of each request is known. */
  watchRequests(methods: Record<string, Method>): Record<string, Method>;
  /**
   * Does the work of a gRPC call. The call counts towards the limits until its work has ended, even if its caller has
   * stopped waiting.
   * @throws DomainError unavailable if a limit is reached; the work then does not begin
   */
  during<T>(call: AdmittedCall, work: () => Promise<T>): Promise<T>;
  /**
   * Reports the current work as metrics.
   * @returns a function that ends the reports
   */
  report(): () => void;
}

/** @param service name of the service whose calls are limited */
export function admission(service: string, logger: Logger): Admission {
  const sizes = new WeakMap<object, number>();
  const isDue = onceAMinute();
  let calls = 0;
  let streams = 0;
  let bytes = 0;
  /** Calls and streams in progress of each organization that has any. */
  const ofOrganizations = new Map<string, number>();
  const limitReached = ({ isStream, organizationId, size }: SizedCall) => {
    if (isStream ? streams >= STREAMS_MAX : calls >= CALLS_MAX) return isStream ? 'streams' : 'calls';
    if (bytes + size > REQUEST_BYTES_MAX) return 'bytes';
    const own = organizationId === undefined ? 0 : (ofOrganizations.get(organizationId) ?? 0);
    return own >= ORGANIZATION_CALLS_MAX ? 'organization' : undefined;
  };
  const change = ({ isStream, organizationId, size }: SizedCall, difference: 1 | -1): void => {
    if (isStream) streams += difference;
    else calls += difference;
    bytes += difference * size;
    if (organizationId === undefined) return;
    const own = (ofOrganizations.get(organizationId) ?? 0) + difference;
    if (own === 0) ofOrganizations.delete(organizationId);
    else ofOrganizations.set(organizationId, own);
  };
  return {
    watchRequests: (methods) =>
      watchRequests(
        methods,
        // The messages of a request stream are read one after the other, so only the number of streams counts.
        ({ requestStream }) => !requestStream,
        (request, received) => sizes.set(request, received.length),
      ),
    async during({ isStream, request }, work) {
      const size = request === undefined ? 0 : (sizes.get(request as object) ?? 0);
      const call = { isStream, organizationId: organizationOf(request), size };
      const reason = limitReached(call);
      if (reason !== undefined) {
        count('invoicecontrol.rpc.shed', { reason }, 1, service);
        if (isDue(reason)) logger.warn({ reason }, 'calls are refused: too much work is in progress');
        throw new DomainError('unavailable', 'The service is overloaded. Retry the request in a moment.', {
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      change(call, 1);
      try {
        return await work();
      } finally {
        change(call, -1);
      }
    },
    report: () =>
      reportGauges(
        ['invoicecontrol.rpc.calls', 'invoicecontrol.rpc.streams', 'invoicecontrol.rpc.request_bytes'],
        async () => [
          {
            attributes: {},
            values: {
              'invoicecontrol.rpc.calls': calls,
              'invoicecontrol.rpc.streams': streams,
              'invoicecontrol.rpc.request_bytes': bytes,
            },
          },
        ],
        service,
      ),
  };
}
