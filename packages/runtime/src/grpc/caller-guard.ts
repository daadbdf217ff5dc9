import { callerNames, callersOf, EVERYONE } from '@invoicecontrol/contracts/callers';
import type { Caller } from '@invoicecontrol/contracts/callers';
import { rightsOf } from '@invoicecontrol/contracts/rights';
import { DomainError } from '@invoicecontrol/errors';
import { ServerInterceptingCall } from '@grpc/grpc-js';
import type { MethodDefinition, ServerInterceptor, ServerListener } from '@grpc/grpc-js';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { timesAMinute } from '../times-a-minute.js';
import { count } from '../telemetry.js';
import { toStatus } from './errors.js';
import { claimedContextOf } from './metadata.js';
import { organizationIn, RECORDS_A_MINUTE_MAX } from '../refused-calls.js';
import type { RefusedCall } from '../refused-calls.js';

export interface CallerGuardOptions {
  /** Names of the services that opened the current connections, by the addresses of the connections. */
  readonly callers: ReadonlyMap<string, string>;
  /** Name of the service whose rpcs are called. */
  readonly service: string;
  readonly logger: Logger;
  /** Receives the refused calls that name an organization, at most {@link RECORDS_A_MINUTE_MAX} a minute for each caller. */
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
}

/** Maximum time that a refused call may take to send its request, which names the organization. */
const REQUEST_MS_MAX = 1_000;

/**
 * Checks that the table of callers has an entry for each rpc that a server offers, and that the table of rights has one
 * for each rpc that the gateway may call.
 * @throws TypeError that names the missing entries
 */
export function requireEntries(methods: Readonly<Record<string, Pick<MethodDefinition<never, never>, 'path'>>>): void {
  const paths = Object.values(methods).map(({ path }) => path);
  const named = (missing: readonly string[]): string => missing.map((path) => path.slice(1)).join(', ');
  const callerless = paths.filter((path) => callersOf(path) === undefined);
  if (callerless.length > 0)
    throw new TypeError(`packages/contracts/src/callers.ts does not say who may call ${named(callerless)}.`);
  const rightless = paths.filter(
    (path) => callersOf(path)?.includes('gateway') === true && rightsOf(path) === undefined,
  );
  if (rightless.length > 0)
    throw new TypeError(`packages/contracts/src/rights.ts does not say which rights ${named(rightless)} needs.`);
}

/**
 * Refuses a call if the table of callers does not list the calling service for the rpc. The request of a refused call
 * is read only a limited number of times a minute for each caller, to record which organization it names. Allowed calls
 * pass unchanged.
 */
export function callerGuard({ callers, service, logger, onRefused }: CallerGuardOptions): ServerInterceptor {
  const isDue = onceAMinute();
  const mayBeRead = timesAMinute(RECORDS_A_MINUTE_MAX);
  return ({ path }, call) => {
    const caller = callers.get(call.getPeer());
    const allowed = callersOf(path);
    if (caller !== undefined && (allowed === EVERYONE || allowed?.includes(caller as Caller) === true))
      return new ServerInterceptingCall(call);
    const rpc = path.slice(1);
    const reason = caller === undefined ? 'no_connection' : 'not_listed';
    count('invoicecontrol.rpc.refused', { caller: nameOfCaller(caller), rpc, reason }, 1, service);
    if (isDue(`${caller} ${rpc}`)) logger.warn({ caller, rpc, reason }, 'a caller was refused');
    const refusal =
      caller === undefined
        ? new DomainError(
            'unauthenticated',
            'The service that makes this gRPC call could not be identified. Connect again.',
          )
        : new DomainError('forbidden', `The service ${caller} may not call ${rpc}.`);
    const refuse = (): void => call.sendStatus(toStatus(refusal, () => false));
    if (caller === undefined || onRefused === undefined || !mayBeRead(caller))
      return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata: refuse }) });
    const onRequest = (request: unknown, requestId: string): void => {
      const organizationId = organizationIn(request);
      if (organizationId !== undefined) onRefused({ organizationId, caller, rpc, reason, requestId });
    };
    return new ServerInterceptingCall(call, { start: (next) => next(listenOnce({ call, refuse, onRequest })) });
  };
}

interface Listening {
  readonly call: Parameters<ServerInterceptor>[1];
  readonly refuse: () => void;
  readonly onRequest: (request: unknown, requestId: string) => void;
}

/** Returns a listener that refuses a call after its first message, or when no message arrives in time. */
function listenOnce({ call, refuse, onRequest }: Listening): ServerListener {
  let requestId = 'none';
  let isRefused = false;
  const end = (): void => {
    if (isRefused) return;
    isRefused = true;
    clearTimeout(timer);
    refuse();
  };
  const timer = setTimeout(end, REQUEST_MS_MAX);
  timer.unref();
  return {
    onReceiveMetadata(metadata) {
      ({ requestId } = claimedContextOf(metadata));
      call.startRead();
    },
    onReceiveMessage(request) {
      if (!isRefused) onRequest(request, requestId);
      end();
    },
    onReceiveHalfClose: end,
    onCancel: end,
  };
}

/**
 * Returns the name of a calling service as the value of a metric attribute. Names in certificates are not a closed set,
 * so an unknown name becomes `other`.
 */
export function nameOfCaller(caller: string | undefined): Caller | 'other' {
  return callerNames.find((name) => name === caller) ?? 'other';
}
