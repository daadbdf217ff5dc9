/**
 * Kind of a refusal. It determines the caller's next step after a call without a result (KSeF reference, sections 3 and
 * 6):
 * - TRANSIENT: nothing was done, or repeating the call does no harm. Call again, after `retryAfterMs` if it is given.
 * - UNKNOWN: occurs only when sending a document. It may have arrived, so read the session before anything else.
 * - BLOCKED: the gateway of KSeF blocks this installation. Call again after 30 minutes and notify a person.
 * - SESSION: the session accepts nothing more. Read its status, then open another one.
 * - PERMANENT: the same call will be refused again. `concerns` tells which other calls will be refused.
 */
export type RefusalKind = 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT';

/**
 * Scope of a PERMANENT refusal:
 * - CALL: the request of this call is wrong.
 * - REFERENCE: the session, invoice or login that the call names does not exist or is hidden from this caller. Others
 *   are not affected.
 * - CONNECTION: every call of the connection will be refused until a person acts.
 */
export type RefusalScope = 'CALL' | 'REFERENCE' | 'CONNECTION';

export interface RefusalFacts {
  /**
   * Code of the refusal, such as `KSEF_HTTP_403`, `KSEF_API_21405` or `KSEF_AUTH_450`. Codes such as `KSEF_TIMEOUT`
   * mean that KSeF did not respond.
   */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Scope of a PERMANENT refusal. The default is CALL. */
  readonly concerns?: RefusalScope;
  /** True when the refused call belongs to the login (A1 to A7) that another call needed. */
  readonly isOfLogin?: boolean | undefined;
  /** Id of a block by the gateway, which the helpdesk of KSeF needs. */
  readonly incidentId?: string | undefined;
}

/** Maximum length of the message in characters. Texts of KSeF are cut. */
const REFUSAL_TEXT_MAX = 1_000;
/** Code for a successful response with content that KSeF does not send. */
export const UNREADABLE_ANSWER = 'KSEF_ANSWER';

/** A call of KSeF without a result. The message never contains a token, a complete NIP, an address or a body. */
export class KsefRefusal extends Error {
  readonly kind: RefusalKind;
  readonly code: string;
  /** Undefined if no complete response was received. */
  readonly httpStatus: number | undefined;
  /** Minimum time in milliseconds before the call may be repeated. */
  readonly retryAfterMs: number | undefined;
  readonly concerns: RefusalScope;
  readonly isOfLogin: boolean;
  readonly incidentId: string | undefined;

  constructor(
    kind: RefusalKind,
    message: string,
    { code, httpStatus, retryAfterMs, concerns = 'CALL', isOfLogin = false, incidentId }: RefusalFacts,
  ) {
    super(message.slice(0, REFUSAL_TEXT_MAX));
    this.name = 'KsefRefusal';
    this.kind = kind;
    this.code = code;
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
    this.concerns = concerns;
    this.isOfLogin = isOfLogin;
    this.incidentId = incidentId;
  }

  /** Tells whether the call must only wait because of rate limits, those of KSeF or our own count of them. */
  get isAboutLimits(): boolean {
    return this.httpStatus === 429 || this.isPutOff;
  }

  /** Tells whether our own count of the limits postponed the call before it was sent. */
  get isPutOff(): boolean {
    return this.code === 'KSEF_LIMIT';
  }

  /** Tells whether every call of the connection will be refused until someone acts. */
  get isAboutConnection(): boolean {
    return this.kind === 'PERMANENT' && this.concerns === 'CONNECTION';
  }

  /**
   * Tells whether KSeF sent an inconclusive response: one that cannot be read, or a 4xx that KSeF does not declare.
   * Unlike an outage, this may never end.
   */
  get decidesNothing(): boolean {
    if (this.code === UNREADABLE_ANSWER) return true;
    const { kind, httpStatus = 0, isOfLogin } = this;
    return (
      kind === 'TRANSIENT' && !isOfLogin && httpStatus >= 400 && httpStatus < 500 && ![408, 429].includes(httpStatus)
    );
  }
}
