/** The actor of a request: a key, a member, the operator, or the product itself. */
export interface Actor {
  readonly type: 'API_KEY' | 'USER' | 'OPERATOR' | 'SYSTEM';
  readonly id: string;
}

const actorTypes: ReadonlySet<string> = new Set<Actor['type']>(['API_KEY', 'USER', 'OPERATOR', 'SYSTEM']);

/** An actor as it arrives in a message; one without a known type is the product itself. */
export function readActor(type: string | undefined, id: string | undefined): Actor {
  return {
    type: type !== undefined && actorTypes.has(type) ? (type as Actor['type']) : 'SYSTEM',
    id: id ?? 'unknown',
  };
}

/** The context that every service passes on with a request. It never names the tenant, which is a field of the request itself. */
export interface RequestContext {
  readonly requestId: string;
  readonly actor: Actor;
  /** W3C trace context, `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | undefined;
  /** Address of the caller outside, for the records of who did what. */
  readonly ip?: string | undefined;
  /** Proof that the caller is the operator of the installation; only the command line sends it. */
  readonly operatorToken?: string | undefined;
  /** Time when the caller stops waiting, in milliseconds since the epoch. Calls made with this context end before. */
  readonly deadline?: number | undefined;
  /** Aborted when the caller has stopped waiting, whatever the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The same caller, for work that continues without it. */
export function unbounded({ deadline, signal, ...context }: RequestContext): RequestContext {
  return context;
}

/** The context of work without a request: workers, sweeps, consumers. */
export function systemContext(requestId: string): RequestContext {
  return { requestId, actor: { type: 'SYSTEM', id: 'system' } };
}
