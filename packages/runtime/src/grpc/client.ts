import { setTimeout as delay } from 'node:timers/promises';
import type { PeerCertificate } from 'node:tls';
import { isSealed } from '@invoicecontrol/contracts/callers';
import type { Definition, Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import { Client, credentials, status } from '@grpc/grpc-js';
import type { MethodDefinition, ServiceError } from '@grpc/grpc-js';
import type { Identity } from '../identity/identity.js';
import { peerService } from '../identity/service-name.js';
import { onceAMinute } from '../once-a-minute.js';
import type { RequestContext } from '../request-context.js';
import { measure } from '../telemetry.js';
import type { ServiceName } from '../telemetry/schema.js';
import { activeTrace } from '../trace-context.js';
import { callAttributes } from './call-attributes.js';
import './draining-connections.js';
import { isFromTransport, toDomainError } from './errors.js';
import { MESSAGE_BYTES_MAX } from './message-size.js';
import { metadataOf, SEAL } from './metadata.js';
import { requestHash, sealRequest } from './seals.js';
import { toGrpc } from './service-definition.js';
import { writeStream } from './streams.js';

export interface CallOptions {
  readonly context: RequestContext;
  /**
   * Maximum time that the caller of an rpc waits, including retries (default 10 seconds). The deadline of the context
   * also applies.
   */
  readonly timeoutMs?: number;
  /** Signal that cancels the gRPC call: the service is informed, and its response is ignored. */
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS_DEFAULT = 10_000;
/**
 * Time by which a nested gRPC call must end earlier than the call that it serves, so that the outer call has time to
 * report the result.
 */
export const DEADLINE_MARGIN_MS = 200;
/**
 * Interval of gRPC pings while calls are open, and maximum time to wait for a ping response. A machine that failed
 * sends nothing; without pings its connection would be used until the kernel gives up after 15 minutes. The maximum
 * wait is long enough for a busy server.
 */
export const KEEPALIVE = { eachMs: 5_000, answerMsMax: 10_000 } as const;

/** A gRPC connection to a service, which the clients of all its definitions share. */
export interface Channel {
  readonly client: Pick<Client, 'makeUnaryRequest' | 'makeClientStreamRequest' | 'makeServerStreamRequest'>;
  /**
   * Seals a request that grants or revokes rights.
   * @returns the bytes of the metadata `request-bin`
   */
  seal(path: string, request: Uint8Array): Buffer;
  /** Logs at most once a minute why the called service could not be reached. */
  unreachable(error: ServiceError): void;
  close(): void;
}

export interface ChannelOptions {
  /** Service that the address should lead to. A connection to another service is refused. */
  readonly service: ServiceName;
  /** Identity by which the calling program proves who it is. */
  readonly identity: Identity;
  readonly messageBytesMax?: number;
}

/**
 * Opens a connection by mutual TLS when it is first used. Calls are distributed over all addresses that the name
 * resolves to.
 * @param address `host:port`, or a gRPC target such as `dns:///analysis:50051`
 */
export function openChannel(
  address: string,
  { service, identity, messageBytesMax = MESSAGE_BYTES_MAX }: ChannelOptions,
): Channel {
  const checkServerIdentity = (expected: string, { subjectaltname }: PeerCertificate): Error | undefined => {
    try {
      const found = peerService(subjectaltname, identity);
      return found === expected ? undefined : new Error(`expected the service ${expected}, got ${found}`);
    } catch (error) {
      return error as Error;
    }
  };
  const secure = credentials.createFromSecureContext(identity.secureContext, { checkServerIdentity });
  const isDue = onceAMinute();
  const client = new Client(address, secure, {
    // gRPC compares the certificate with the name of the called service and not with its address, because the address
    // is only an IP address if all services run on one machine.
    'grpc.ssl_target_name_override': service,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': KEEPALIVE.eachMs,
    'grpc.keepalive_timeout_ms': KEEPALIVE.answerMsMax,
  });
  return {
    client,
    seal: (path, request) => sealRequest(identity, path, requestHash(request)),
    unreachable({ details }) {
      if (isDue(service)) identity.logger.warn({ called: service, reason: details }, 'a service cannot be reached');
    },
    close: () => client.close(),
  };
}

/**
 * Returns every gRPC method of a service as a function that sets the deadline, passes on the context and the trace of
 * the caller, and converts errors. If the service could not be reached, a call is repeated once, provided that the
 * contract of the method calls it idempotent. A call with a stream of requests is never repeated. A call with a stream
 * of responses is not repeated after its first message.
 */
export function client<D extends Definition>(definition: D, channel: Channel): Methods<D, CallOptions> {
  const grpcMethods = toGrpc(definition);
  return Object.fromEntries(
    Object.entries(definition.methods).map(([key, rpc]) => {
      const method = grpcMethods[key];
      if (method === undefined) throw new TypeError(`The gRPC service ${definition.fullName} has no rpc ${key}.`);
      const isIdempotent = rpc.options.idempotencyLevel !== undefined;
      if (rpc.requestStream) {
        const send = (requests: AsyncIterable<unknown>, options: CallOptions): Promise<unknown> =>
          sendStream(channel, method, requests, attemptOf(options));
        return [key, send];
      }
      if (rpc.responseStream) {
        const read = (request: unknown, options: CallOptions): AsyncIterable<unknown> =>
          readResponses(channel, method, request, { attempt: attemptOf(options), isIdempotent });
        return [key, read];
      }
      const call = async (request: unknown, options: CallOptions): Promise<unknown> => {
        const attempt = attemptOf(options);
        try {
          return await callOnce(channel, method, request, attempt);
        } catch (error) {
          if (!isIdempotent || !isWorthRepeating(error, attempt)) throw error;
        }
        await delay(50 + Math.random() * 100);
        return callOnce(channel, method, request, attempt);
      };
      return [key, call];
    }),
  ) as Methods<D, CallOptions>;
}

type Method = MethodDefinition<unknown, unknown>;

/** An attempt of a gRPC call. A retry of the call has the same deadline. */
interface Attempt {
  readonly context: RequestContext;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number;
}

function attemptOf({ context, timeoutMs = TIMEOUT_MS_DEFAULT, signal }: CallOptions): Attempt {
  const deadline = Math.min(Date.now() + timeoutMs, (context.deadline ?? Infinity) - DEADLINE_MARGIN_MS);
  return { context, signal, deadline };
}

function isWorthRepeating(error: unknown, { signal }: Attempt): boolean {
  return error instanceof DomainError && error.kind === 'unavailable' && signal?.aborted !== true;
}

/** Starts to measure the duration of a gRPC call. */
function measureCall(channel: Channel, { path }: Method, { context }: Attempt) {
  const name = path.slice(1);
  const measured = measure('client', name, {
    parent: context.traceparent === undefined ? activeTrace() : context,
    requestId: context.requestId,
    duration: 'rpc.client.call.duration',
  });
  return {
    metadata: metadataOf(context, measured.headers),
    end(error: ServiceError | null): void {
      if (error !== null && isFromTransport(error)) channel.unreachable(error);
      measured.end({ failed: error !== null, attributes: callAttributes(name, error?.code ?? status.OK) });
    },
  };
}

/**
 * Cancels the gRPC call when the signal is aborted.
 * @returns a function that removes the listener of the signal
 */
function cancelOn(signal: AbortSignal | undefined, call: { cancel(): void }): () => void {
  const cancel = (): void => call.cancel();
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener('abort', cancel);
  return () => signal?.removeEventListener('abort', cancel);
}

function callOnce(channel: Channel, method: Method, request: unknown, attempt: Attempt): Promise<unknown> {
  const measured = measureCall(channel, method, attempt);
  if (isSealed(method.path)) measured.metadata.set(SEAL, channel.seal(method.path, method.requestSerialize(request)));
  return new Promise((resolve, reject) => {
    const running = channel.client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      measured.metadata,
      { deadline: attempt.deadline },
      (error: ServiceError | null, response?: unknown) => {
        stopWatching();
        measured.end(error);
        if (error === null) resolve(response);
        else reject(toDomainError(error));
      },
    );
    const stopWatching = cancelOn(attempt.signal, running);
  });
}

/**
 * Sends the requests of a gRPC stream one by one, each after the previous one was sent. If the response arrives before
 * the last request, no further requests are read. If reading the requests fails, the call is cancelled and the caller
 * gets that error.
 */
function sendStream(
  channel: Channel,
  method: Method,
  requests: AsyncIterable<unknown>,
  attempt: Attempt,
): Promise<unknown> {
  const measured = measureCall(channel, method, attempt);
  return new Promise((resolve, reject) => {
    const answered = new AbortController();
    let sourceFailure: { readonly error: unknown } | undefined;
    const running = channel.client.makeClientStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      measured.metadata,
      { deadline: attempt.deadline },
      (error: ServiceError | null, response?: unknown) => {
        stopWatching();
        answered.abort();
        measured.end(error);
        if (sourceFailure !== undefined) reject(sourceFailure.error as Error);
        else if (error === null) resolve(response);
        else reject(toDomainError(error));
      },
    );
    // An error event of a gRPC stream that has no listener would end the process, so this listener ignores the error.
    // The callback of the call receives the error as well.
    running.on('error', () => {});
    const stopWatching = cancelOn(attempt.signal, running);
    writeStream(requests, running, answered.signal).then(
      () => {
        if (!answered.signal.aborted) running.end();
      },
      (error: unknown) => {
        sourceFailure = { error };
        running.cancel();
      },
    );
  });
}

async function* readResponses(
  channel: Channel,
  method: Method,
  request: unknown,
  { attempt, isIdempotent }: { readonly attempt: Attempt; readonly isIdempotent: boolean },
): AsyncIterable<unknown> {
  let hasBegun = false;
  try {
    for await (const response of readOnce(channel, method, request, attempt)) {
      hasBegun = true;
      yield response;
    }
    return;
  } catch (error) {
    if (hasBegun || !isIdempotent || !isWorthRepeating(error, attempt)) throw error;
  }
  await delay(50 + Math.random() * 100);
  yield* readOnce(channel, method, request, attempt);
}

/**
 * Yields the responses of a gRPC stream as fast as the caller reads them. A caller that stops reading cancels the call.
 */
async function* readOnce(channel: Channel, method: Method, request: unknown, attempt: Attempt): AsyncIterable<unknown> {
  const measured = measureCall(channel, method, attempt);
  const running = channel.client.makeServerStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    measured.metadata,
    { deadline: attempt.deadline },
  );
  // After the caller has stopped reading the responses of a gRPC stream, the error that its cancellation causes is
  // ignored.
  running.on('error', () => {});
  const stopWatching = cancelOn(attempt.signal, running);
  let failure: ServiceError | null = null;
  let isComplete = false;
  try {
    yield* running as AsyncIterable<unknown>;
    isComplete = true;
  } catch (error) {
    failure = error as ServiceError;
    throw toDomainError(failure);
  } finally {
    stopWatching();
    if (!isComplete && failure === null) running.cancel();
    measured.end(failure);
  }
}
