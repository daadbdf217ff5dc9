import type { Grant } from '@invoicecontrol/contracts/organization/v1/grant';

/** The actor of a request: an API key, a member, the operator, or the product itself. */
export interface Actor {
  readonly type: 'API_KEY' | 'USER' | 'OPERATOR' | 'SYSTEM';
  readonly id: string;
}

const actorTypes: ReadonlySet<string> = new Set<Actor['type']>(['API_KEY', 'USER', 'OPERATOR', 'SYSTEM']);

/** Reads the actor of a request from a gRPC message. An actor without a known type is the product itself. */
export function readActor(type: string | undefined, id: string | undefined): Actor {
  return {
    type: type !== undefined && actorTypes.has(type) ? (type as Actor['type']) : 'SYSTEM',
    id: id ?? 'unknown',
  };
}

/**
 * The context that services pass on with a request. It does not contain the organization, which is a field of each
 * request.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly actor: Actor;
  /**
   * Person for whom the actor acts, in the form `USER:<id>`: the member to whom an API key belongs or, for a key that
   * belongs to no member, its creator. Absent for an actor that acts only for itself.
   */
  readonly person?: string | undefined;
  /**
   * Proven facts about the caller for whom a call is made: organization, rights and limits. Absent for work that a
   * service does on its own, and in the gateway, which only passes on the grant.
   */
  readonly principal?: Grant | undefined;
  /** Signed proof of the principal, which calls with this context pass on. */
  readonly grant?: Buffer | undefined;
  /** W3C trace context of the form `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | undefined;
  /**
   * Entries that systems between our services add to the W3C trace context (`tracestate`). They are passed on
   * unchanged.
   */
  readonly tracestate?: string | undefined;
  /** IP address of the external caller, as the gateway saw it. */
  readonly ip?: string | undefined;
  /**
   * Time when the caller of a request stops waiting, in milliseconds since the epoch. Calls with this context end
   * earlier.
   */
  readonly deadline?: number | undefined;
  /** Signal that is aborted when the caller of the request stops waiting for any reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the request context of the same caller without deadline and signal, for work that continues after the
 * request.
 */
export function unbounded({ deadline, signal, ...context }: RequestContext): RequestContext {
  return context;
}

/**
 * Returns the person who is responsible for a request. Rules that need two people compare persons, because one member
 * may have several API keys.
 */
export function personOf({ actor, person }: RequestContext): string {
  return person ?? `${actor.type}:${actor.id}`;
}

/** Creates the request context of work without a request, such as jobs and consumers. */
export function systemContext(requestId: string): RequestContext {
  return { requestId, actor: { type: 'SYSTEM', id: 'system' } };
}
