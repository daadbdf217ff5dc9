import type { MethodDefinition } from '@grpc/grpc-js';
import { DomainError } from '@invoicecontrol/errors';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { count, reportGauges } from '../telemetry.js';

/**
 * Maximum number of gRPC calls with one request and one response that a process works on at the same time. If the
 * database is slow, the work of a call continues after its caller has stopped waiting, so the callers do not limit it.
 */
export const CALLS_MAX = 400;
/**
 * Maximum number of gRPC calls with a stream that a process works on at the same time. They have a limit of their own,
 * because a client that sends a file or reads one slowly may keep its call open for minutes.
 */
export const STREAMS_MAX = 400;
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
  const limitReached = (isStream: boolean, size: number): 'calls' | 'streams' | 'bytes' | undefined => {
    if (isStream ? streams >= STREAMS_MAX : calls >= CALLS_MAX) return isStream ? 'streams' : 'calls';
    return bytes + size > REQUEST_BYTES_MAX ? 'bytes' : undefined;
  };
  const change = (isStream: boolean, difference: 1 | -1, size: number): void => {
    if (isStream) streams += difference;
    else calls += difference;
    bytes += difference * size;
  };
  return {
    watchRequests: (methods) =>
      Object.fromEntries(
        Object.entries(methods).map(([key, method]): [string, Method] => {
          // The messages of a request stream are read one after the other, so only the number of streams counts.
          if (method.requestStream) return [key, method];
          const requestDeserialize = (serialized: Buffer): unknown => {
            const request = method.requestDeserialize(serialized);
            sizes.set(request as object, serialized.length);
            return request;
          };
          return [key, { ...method, requestDeserialize }];
        }),
      ),
    async during({ isStream, request }, work) {
      const size = request === undefined ? 0 : (sizes.get(request as object) ?? 0);
      const reason = limitReached(isStream, size);
      if (reason !== undefined) {
        count('invoicecontrol.rpc.shed', { reason }, 1, service);
        if (isDue(reason)) logger.warn({ reason }, 'calls are refused: too much work is in progress');
        throw new DomainError('unavailable', 'The service is overloaded. Retry the request in a moment.', {
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      change(isStream, 1, size);
      try {
        return await work();
      } finally {
        change(isStream, -1, size);
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
