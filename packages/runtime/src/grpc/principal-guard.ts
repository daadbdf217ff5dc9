import { isSealed, needsGrant } from '@invoicecontrol/contracts/callers';
import { lackedFor } from '@invoicecontrol/contracts/rights';
import type { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import type { Metadata, MethodDefinition } from '@grpc/grpc-js';
import type { Identity } from '../identity/identity.js';
import { contentVerifier } from '../identity/signatures.js';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { readActor } from '../request-context.js';
import type { Actor, RequestContext } from '../request-context.js';
import { count } from '../telemetry.js';
import { nameOfCaller } from './caller-guard.js';
import { grantReader } from './grants.js';
import { ProofRefused } from './proof-refused.js';
import { claimedContextOf, grantBytesOf, sealBytesOf } from './metadata.js';
import { requestHash, sealBreaker } from './seals.js';
import { watchRequests } from './service-definition.js';
import { organizationIn, organizationOf } from '../refused-calls.js';
import type { RefusedCall } from '../refused-calls.js';

export interface PrincipalGuardOptions {
  /** Names of the services that opened the current connections, by the addresses of the connections. */
  readonly callers: ReadonlyMap<string, string>;
  readonly identity: Identity;
  readonly logger: Logger;
  /** Receives the refused calls that name an organization. */
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
}

/** The parts of a gRPC call that show who makes it. */
export interface IncomingCall {
  readonly metadata: Metadata;
  /** Request of the call. A call with a stream of requests has none when it begins. */
  readonly request?: unknown;
  getPeer(): string;
}

/**
 * Determines who makes a gRPC call. A claim in the message or its metadata is accepted only if the certificate of the
 * calling service or a grant proves it:
 *
 * - The gateway acts for the organization and actor of a grant. A request for another organization is refused, and so is
 *   one for which the grant has not the role or the scope.
 * - Every other service acts for the actor of the grant under which its work began, or without a grant as itself.
 * - Only the operator states its own name.
 */
export interface PrincipalGuard {
  /**
   * Returns the methods of a service in a form in which the guard sees the bytes of every request that must be sealed.
   */
  watchRequests(methods: Record<string, Method>): Record<string, Method>;
  /**
   * Returns the context of a call before it is admitted, for the trace and the log. Its actor is the calling service.
   */
  contextOf(call: IncomingCall): RequestContext;
  /**
   * Returns the context of a call with its proven actor and principal.
   * @param path of the rpc, such as `/invoicecontrol.organization.v1.ApiKeyService/ListApiKeys`
   * @throws ProofRefused if the call needs a grant that it does not have, is for another organization, or needs more
   *   rights than its grant has
   */
  admit(call: IncomingCall, path: string, context: RequestContext): RequestContext;
  /** Counts and logs a call that any part of the service refused because of its grant. */
  noteRefusal(call: IncomingCall, path: string, refusal: ProofRefused): void;
}

type Method = MethodDefinition<unknown, unknown>;

/** Caller whose grants expire, because it uses a grant only while it handles the request to which the grant belongs. */
const GATEWAY = 'gateway';
const OPERATOR = 'operator';

export function principalGuard({ callers, identity, logger, onRefused }: PrincipalGuardOptions): PrincipalGuard {
  const verifyContent = contentVerifier(identity);
  const readGrant = grantReader(identity, verifyContent);
  const breakSeal = sealBreaker(verifyContent);
  /** Hashes of the received bytes of sealed requests. */
  const hashes = new WeakMap<object, Buffer>();
  const isDue = onceAMinute();
  const callerOf = (call: IncomingCall): string => callers.get(call.getPeer()) ?? 'unknown';
  const prove = (call: IncomingCall, caller: string, path: string): Grant | undefined => {
    const bytes = grantBytesOf(call.metadata);
    const organizationId = organizationOf(call.request);
    const grant = bytes === undefined ? undefined : readGrant(bytes, caller === GATEWAY ? 'request' : 'work');
    if (grant === undefined) {
      if (organizationId !== undefined && needsGrant(path, caller)) throw new ProofRefused('grant_missing');
      return undefined;
    }
    if (organizationId !== undefined && grant.organizationId !== organizationId)
      throw new ProofRefused('grant_foreign');
    if (caller !== GATEWAY) return grant;
    const lacked = lackedFor(path, grant);
    if (lacked !== undefined) throw new ProofRefused(`grant_${lacked}`);
    if (organizationId !== undefined && isSealed(path))
      breakSeal(sealBytesOf(call.metadata), path, hashes.get(call.request as object) ?? Buffer.alloc(0));
    return grant;
  };
  return {
    watchRequests: (methods) =>
      watchRequests(
        methods,
        ({ path }) => isSealed(path),
        (request, received) => hashes.set(request, requestHash(received)),
      ),
    contextOf(call) {
      const caller = callerOf(call);
      const context = claimedContextOf(call.metadata);
      const actor: Actor =
        caller === OPERATOR ? { type: 'OPERATOR', id: context.actor.id } : { type: 'SYSTEM', id: caller };
      return { ...context, actor, ip: caller === GATEWAY ? context.ip : undefined };
    },
    admit(call, path, context) {
      const principal = prove(call, callerOf(call), path);
      if (principal === undefined) return context;
      return {
        ...context,
        actor: readActor(principal.actorType, principal.actorId),
        person: principal.person === '' ? undefined : principal.person,
        principal,
        grant: grantBytesOf(call.metadata),
      };
    },
    noteRefusal(call, path, { reason, cause }) {
      const caller = callerOf(call);
      const rpc = path.slice(1);
      count('invoicecontrol.rpc.refused', { caller: nameOfCaller(caller), rpc, reason }, 1, identity.service);
      if (isDue(`${caller} ${rpc} ${reason}`))
        logger.warn({ caller, rpc, reason, error: cause }, 'a caller was refused');
      const organizationId = organizationIn(call.request);
      const { requestId } = claimedContextOf(call.metadata);
      // A refusal because of an expired grant is not reported to the organization, because the grant was valid when the
      // request began.
      if (organizationId !== undefined && reason !== 'grant_expired')
        onRefused?.({ organizationId, caller, rpc, reason, requestId });
    },
  };
}
