import { setTimeout as delay } from 'node:timers/promises';
import type { Definition, Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import { Client, credentials } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { RequestContext } from '../request-context.js';
import { measure } from '../telemetry.js';
import { toDomainError } from './errors.js';
import { MESSAGE_BYTES_MAX } from './message-size.js';
import { metadataOf } from './metadata.js';
import { toGrpc } from './service-definition.js';

export interface CallOptions {
  readonly context: RequestContext;
  /** The caller waits this long at most, repeats included; 10 seconds where nothing is said. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS_DEFAULT = 10_000;

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
      const once = (request: unknown, context: RequestContext, deadline: number): Promise<unknown> => {
        const measured = measure('client', name, context.traceparent, 'rpc.client.duration');
        return new Promise((resolve, reject) => {
          channel.client.makeUnaryRequest(
            method.path,
            method.requestSerialize,
            method.responseDeserialize,
            request,
            metadataOf(context, measured.traceparent),
            { deadline },
            (error: ServiceError | null, response?: unknown) => {
              measured.end({
                failed: error !== null,
                attributes: { 'rpc.method': name, 'rpc.grpc.status_code': error?.code ?? 0 },
              });
              if (error === null) resolve(response);
              else reject(toDomainError(error));
            },
          );
        });
      };
      const call = async (
        request: unknown,
        { context, timeoutMs = TIMEOUT_MS_DEFAULT }: CallOptions,
      ): Promise<unknown> => {
        const deadline = Date.now() + timeoutMs;
        try {
          return await once(request, context, deadline);
        } catch (error) {
          const isRepeatable = rpc.options.idempotencyLevel !== undefined;
          if (!isRepeatable || !(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
        }
        await delay(50 + Math.random() * 100);
        return once(request, context, deadline);
      };
      return [key, call];
    }),
  ) as Methods<D, CallOptions>;
}
