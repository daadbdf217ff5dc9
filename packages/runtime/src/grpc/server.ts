import type { Definition, Methods } from '@invoicecontrol/contracts/definition';
import { DomainError, plainSentences } from '@invoicecontrol/errors';
import { Server, status } from '@grpc/grpc-js';
import type { handleClientStreamingCall, handleServerStreamingCall, handleUnaryCall } from '@grpc/grpc-js';
import type { MethodDefinition, StatusObject, UntypedHandleCall } from '@grpc/grpc-js';
import type { HealthImplementation } from 'grpc-health-check';
import type { Identity } from '../identity/identity.js';
import type { Logger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
import type { SilenceWatch } from '../silence-watch.js';
import { measure } from '../telemetry.js';
import { admission } from './admission.js';
import type { Admission } from './admission.js';
import { callAttributes } from './call-attributes.js';
import { callerGuard, requireEntries } from './caller-guard.js';
import { toStatus } from './errors.js';
import { ProofRefused } from './proof-refused.js';
import { newHealth } from './health-server.js';
import { MESSAGE_BYTES_MAX } from './message-size.js';
import { principalGuard } from './principal-guard.js';
import type { IncomingCall, PrincipalGuard } from './principal-guard.js';
import type { RefusedCall } from '../refused-calls.js';
import { addReflection } from './reflection.js';
import { listenSecurely } from './secure-listener.js';
import { toGrpc } from './service-definition.js';
import { readStream, writeStream } from './streams.js';

/** The handlers of a gRPC service definition. If a handler is missing, the code does not compile. */
export type Implementation<D extends Definition> = Methods<D, RequestContext>;

/** A gRPC service definition with its handlers. */
export interface Binding {
  readonly definition: Definition;
  readonly implementation: Readonly<
    Record<string, (request: never, context: RequestContext) => Promise<unknown> | AsyncIterable<unknown>>
  >;
}

export function bind<D extends Definition>(definition: D, implementation: Implementation<D>): Binding {
  return { definition, implementation };
}

export interface GrpcServerOptions {
  /** Address on which the gRPC server listens: `0.0.0.0` in a container, `127.0.0.1` on a workstation. */
  readonly host: string;
  /** Port of the gRPC server. With 0, the operating system chooses a free port. */
  readonly port: number;
  /** Identity of the service, by which it and its callers prove who they are. */
  readonly identity: Identity;
  readonly bindings: readonly Binding[];
  readonly logger: Logger;
  /**
   * Checks whether an error means that a database or broker of the service is unavailable. Callers then get
   * `unavailable` and may retry.
   */
  readonly isOutage?: (error: unknown) => boolean;
  /**
   * While the database does not respond, gRPC calls are refused as `unavailable`. Calls that are already running
   * continue, unless they observe the signal of their context.
   */
  readonly silence?: SilenceWatch | undefined;
  /** Records refused calls that name an organization. */
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
  readonly hasReflection?: boolean;
  readonly messageBytesMax?: number;
  /** Maximum age of a connection in milliseconds. Only tests change this age. */
  readonly connectionAgeMs?: number;
}

export interface GrpcServer {
  /** Address of the running gRPC server, as `host:port` with its actual port. */
  readonly address: string;
  /**
   * State of the service that the gRPC health service reports. The separate health server for probes reports the same
   * state.
   */
  readonly health: HealthImplementation;
  /**
   * Sets whether the gRPC health service reports the name `ready` as healthy. The empty name, which means that the
   * process is alive, is always reported as healthy.
   */
  setReady(isReady: boolean): void;
  /** Stops the gRPC server. Calls in progress may end within `timeoutMs`, and are then canceled. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Maximum age of a gRPC connection. When it is reached, running calls end first, and callers then reconnect and find
 * new replicas.
 */
const CONNECTION_AGE_MS_MAX = 5 * 60_000;
/**
 * Maximum time for running calls on an old gRPC connection, longer than the longest call (analyzing a whole file of
 * rows).
 */
const CONNECTION_AGE_GRACE_MS = 150_000;

/**
 * Serves the given gRPC definitions, the health service and, if it is enabled, reflection. Only the services that the
 * table of callers lists can call them. The server is not ready until `setReady` is called.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const messageBytesMax = options.messageBytesMax ?? MESSAGE_BYTES_MAX;
  const { host, port, identity, logger } = options;
  const callers = new Map<string, string>();
  const server = new Server({
    interceptors: [callerGuard({ callers, service: identity.service, logger, onRefused: options.onRefused })],
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.max_connection_age_ms': options.connectionAgeMs ?? CONNECTION_AGE_MS_MAX,
    'grpc.max_connection_age_grace_ms': CONNECTION_AGE_GRACE_MS,
  });
  const health = newHealth();
  health.addToServer(server);
  const principals = principalGuard({ callers, identity, logger, onRefused: options.onRefused });
  const admitted = admission(identity.service, logger);
  for (const binding of options.bindings) serve(server, binding, { principals, admission: admitted }, options);
  if (options.hasReflection === true) addReflection(server);
  const { port: bound, close } = await listenSecurely(server, { host, port, identity, logger, callers });
  const closeReport = admitted.report();
  return {
    address: `${host === '0.0.0.0' ? '127.0.0.1' : host}:${bound}`,
    health,
    setReady: (isReady) => health.setStatus('ready', isReady ? 'SERVING' : 'NOT_SERVING'),
    stop: (timeoutMs) =>
      new Promise<void>((resolve) => {
        closeReport();
        close();
        const cut = setTimeout(() => server.forceShutdown(), timeoutMs);
        cut.unref();
        server.tryShutdown(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

interface AnyCall extends IncomingCall {
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

type Work = (request: unknown, context: RequestContext) => unknown;
type Refusal = Pick<StatusObject, 'code' | 'details' | 'metadata'>;
/** Function that sends the result or the refusal of a gRPC call to its caller. */
type End = (refusal: Refusal | null, response?: unknown) => void;

/** Checks that every gRPC call passes before its work begins. */
interface Gates {
  readonly principals: PrincipalGuard;
  readonly admission: Admission;
}

function serve(
  server: Server,
  { definition, implementation }: Binding,
  { principals, admission: gate }: Gates,
  { logger, isOutage = () => false, silence }: GrpcServerOptions,
): void {
  const grpcMethods = gate.watchRequests(principals.watchRequests(toGrpc(definition)));
  requireEntries(grpcMethods);
  const handlers = Object.entries(grpcMethods).map(([key, method]) => {
    const work = implementation[key] as Work | undefined;
    if (work === undefined)
      throw new TypeError(`The gRPC service ${definition.fullName} is served without a handler for ${key}.`);
    const name = method.path.slice(1);
    // grpc-js ignores the promise that a handler returns, so this function handles its rejection. Otherwise the
    // rejection would end the process, and the caller would wait until its deadline.
    const run = (call: AnyCall, begin: (context: RequestContext) => Promise<unknown>, end: End): void => {
      const caller = principals.contextOf(call);
      const measured = measure('server', name, {
        parent: caller,
        requestId: caller.requestId,
        duration: 'rpc.server.call.duration',
      });
      const ending = new AbortController();
      call.once('cancelled', () => ending.abort());
      const context = { ...caller, ...measured.headers, ...deadlineOf(call), signal: ending.signal };
      const isStream = method.requestStream || method.responseStream;
      const proven = async (): Promise<unknown> => begin(principals.admit(call, method.path, context));
      // The few calls of the operator are always admitted, so that the operator can look into an overloaded service.
      const admitted = (): Promise<unknown> =>
        caller.actor.type === 'OPERATOR' ? proven() : gate.during({ isStream, request: call.request }, proven);
      const refused = {
        onRefused: () => ending.abort(),
        onLate: (error: unknown) => {
          if (error instanceof DomainError || isOutage(error)) return;
          logger.error({ error, rpc: name, requestId: context.requestId }, 'the work of a refused rpc failed');
        },
      };
      const succeed = (response: unknown): void => {
        measured.end({ failed: false, attributes: callAttributes(name, status.OK) });
        end(null, response);
      };
      const refuse = (error: unknown): void => {
        if (error instanceof ProofRefused) principals.noteRefusal(call, method.path, error);
        const isExpected = error instanceof DomainError && error.kind !== 'internal';
        const fields = { error, rpc: name, requestId: context.requestId };
        if (!isExpected) logger.error(fields, 'an rpc failed');
        else if (error.cause !== undefined) logger.warn(fields, 'an rpc was refused');
        const refusal = toStatus(error, isOutage);
        measured.end({ failed: !isExpected, attributes: callAttributes(name, refusal.code) });
        end(refusal);
      };
      void measured.during(() =>
        (silence === undefined ? admitted() : unlessSilent(silence, admitted, refused)).then(succeed, refuse),
      );
    };
    return [key, handlerOf(method, work, run)] as const;
  });
  server.addService(grpcMethods, Object.fromEntries(handlers));
}

function handlerOf(
  { requestStream, responseStream }: MethodDefinition<unknown, unknown>,
  work: Work,
  run: (call: AnyCall, begin: (context: RequestContext) => Promise<unknown>, end: End) => void,
): UntypedHandleCall {
  if (requestStream) {
    const receive: handleClientStreamingCall<unknown, unknown> = (call, callback) =>
      run(call, async (context) => work(readStream(call), context), callback);
    return receive;
  }
  if (responseStream) {
    const send: handleServerStreamingCall<unknown, unknown> = (call) =>
      run(
        call,
        ({ signal, ...context }) =>
          writeStream(work(call.request, { ...context, signal }) as AsyncIterable<unknown>, call, signal),
        // The refusal of a streamed gRPC call is sent as an error of the stream, unless the stream was cancelled and
        // nobody receives it.
        (refusal) => {
          if (call.destroyed) return;
          if (refusal === null) call.end();
          else call.emit('error', refusal);
        },
      );
    return send;
  }
  const answer: handleUnaryCall<unknown, unknown> = (call, callback) =>
    run(call, async (context) => work(call.request, context), callback);
  return answer;
}

function deadlineOf(call: AnyCall): Pick<RequestContext, 'deadline'> {
  // If the caller of the rpc set no deadline, the deadline is infinite.
  const deadline = Number(call.getDeadline());
  return Number.isFinite(deadline) ? { deadline } : {};
}

interface Refused {
  /**
   * Function that is called when an rpc is refused because the database does not respond. The work of the rpc may still
   * be running then.
   */
  onRefused(): void;
  /** Function that is called if the work of a gRPC call fails after its caller was refused. */
  onLate(error: unknown): void;
}

/** Returns the result of an rpc, or throws `unavailable` if the database stops responding during the work. */
function unlessSilent(
  silence: SilenceWatch,
  begin: () => Promise<unknown>,
  { onRefused, onLate }: Refused,
): Promise<unknown> {
  const refusal = (): DomainError =>
    new DomainError('unavailable', plainSentences.unavailable, { cause: new Error('the database does not respond') });
  if (silence.isSilent()) return Promise.reject(refusal());
  return new Promise((resolve, reject) => {
    let isRefused = false;
    const stopWaiting = silence.whenSilent(() => {
      isRefused = true;
      reject(refusal());
      onRefused();
    });
    begin().then(
      (response) => {
        stopWaiting();
        resolve(response);
      },
      (error: unknown) => {
        stopWaiting();
        if (isRefused) onLate(error);
        reject(error as Error);
      },
    );
  });
}
