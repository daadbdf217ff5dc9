import { setTimeout as delay } from 'node:timers/promises';
import type { Definition, Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import { Client, credentials, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { RequestContext } from '../request-context.js';
import { measure } from '../telemetry.js';
import { activeTraceparent } from '../trace-context.js';
import { callAttributes } from './call-attributes.js';
import { toDomainError } from './errors.js';
import { MESSAGE_BYTES_MAX } from './message-size.js';
import { metadataOf } from './metadata.js';
import { toGrpc } from './service-definition.js';

export interface CallOptions {
  readonly context: RequestContext;
  /**
   * The caller waits this long at most, repeats included; 10 seconds where nothing is said. The deadline of the context
   * holds, too.
   */
  readonly timeoutMs?: number;
  /** Ends the call at once: its service is told, and what it answers is not waited for. */
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS_DEFAULT = 10_000;
/** A call ends so much before the one that it serves, so that there is time to say what became of it. */
export const DEADLINE_MARGIN_MS = 200;
/**
 * While calls are open the other end is pinged. A machine that is gone says nothing: without pings its connection would
 * be used until the kernel gives up, a quarter of an hour later. The wait for the answer outlasts a busy server.
 */
const KEEPALIVE = { eachMs: 5_000, answerMsMax: 10_000 } as const;

/** One connection to a service, shared by the clients of all its definitions. */
export interface Channel {
  readonly client: Client;
  close(): void;
}

export interface ChannelOptions {
  readonly messageBytesMax?: number;
}

/**
 * Connects lazily; calls are spread over every address the name resolves to.
 * @param address `host:port` or a gRPC target such as `dns:///analysis:50051`
 */
export function openChannel(address: string, options: ChannelOptions = {}): Channel {
  const messageBytesMax = options.messageBytesMax ?? MESSAGE_BYTES_MAX;
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': KEEPALIVE.eachMs,
    'grpc.keepalive_timeout_ms': KEEPALIVE.answerMsMax,
  });
  return { client, close: () => client.close() };
}

/**
 * Every rpc of a service as a promise: deadline, caller context, trace and our error kind in one place. An rpc that its
 * contract calls idempotent is repeated once when the service could not be reached.
 */
export function client<D extends Definition>(definition: D, channel: Channel): Methods<D, CallOptions> {
  const grpcMethods = toGrpc(definition);
  return Object.fromEntries(
    Object.entries(definition.methods).map(([key, rpc]) => {
      const method = grpcMethods[key];
      if (method === undefined) throw new TypeError(`${definition.fullName} has no ${key}.`);
      const name = method.path.slice(1);
      const once = (
        request: unknown,
        { context, signal, deadline }: { context: RequestContext; signal: AbortSignal | undefined; deadline: number },
      ): Promise<unknown> => {
        const measured = measure('client', name, {
          parent: context.traceparent ?? activeTraceparent(),
          requestId: context.requestId,
          duration: 'rpc.client.call.duration',
        });
        return new Promise((resolve, reject) => {
          const running = channel.client.makeUnaryRequest(
            method.path,
            method.requestSerialize,
            method.responseDeserialize,
            request,
            metadataOf(context, measured.traceparent),
            { deadline },
            (error: ServiceError | null, response?: unknown) => {
              signal?.removeEventListener('abort', cancel);
              measured.end({ failed: error !== null, attributes: callAttributes(name, error?.code ?? status.OK) });
              if (error === null) resolve(response);
              else reject(toDomainError(error));
            },
          );
          const cancel = (): void => running.cancel();
          if (signal?.aborted === true) cancel();
          else signal?.addEventListener('abort', cancel);
        });
      };
      const call = async (
        request: unknown,
        { context, timeoutMs = TIMEOUT_MS_DEFAULT, signal }: CallOptions,
      ): Promise<unknown> => {
        const deadline = Math.min(Date.now() + timeoutMs, (context.deadline ?? Infinity) - DEADLINE_MARGIN_MS);
        try {
          return await once(request, { context, signal, deadline });
        } catch (error) {
          const isRepeatable = rpc.options.idempotencyLevel !== undefined && signal?.aborted !== true;
          if (!isRepeatable || !(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
        }
        await delay(50 + Math.random() * 100);
        return once(request, { context, signal, deadline });
      };
      return [key, call];
    }),
  ) as Methods<D, CallOptions>;
}
