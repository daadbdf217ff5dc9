/**
 * Next step of a caller after a call without a result (KSeF reference, sections 3 and 6):
 * - TRANSIENT: nothing was done, or doing it again does no harm. Call again, after `retryAfterMs` where it is given.
 * - UNKNOWN: only of sending a document. It may have arrived: read the session before anything else.
 * - BLOCKED: the gateway of KSeF blocks this installation. Call again after 30 minutes, and tell a person.
 * - SESSION: the session takes nothing more. Read its status, then open another one.
 * - PERMANENT: the same call will be refused again. `concerns` says what else will be.
 */
export type RefusalKind = 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT';

/**
 * Scope of a PERMANENT refusal:
 * - CALL: the request of this call is wrong.
 * - REFERENCE: KSeF does not show this caller, or does not have, what the call names. Other sessions, invoices and logins are not affected.
 * - CONNECTION: each call of the connection will be refused until a person acts.
 */
export type RefusalScope = 'CALL' | 'REFERENCE' | 'CONNECTION';

export interface RefusalFacts {
  /** `KSEF_HTTP_403`, `KSEF_API_21405`, `KSEF_AUTH_450`; others name what KSeF did not answer, such as `KSEF_TIMEOUT`. */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Scope of a PERMANENT refusal; CALL when absent. */
  readonly concerns?: RefusalScope;
  /** True when the refused call was one of the login (A1 to A7) that another call needed. */
  readonly isOfLogin?: boolean | undefined;
  /** Id under which the helpdesk of KSeF finds a block of its gateway. */
  readonly incidentId?: string | undefined;
}

/** No longer than this; texts of KSeF are cut. */
const REFUSAL_TEXT_MAX = 1_000;
/** KSeF answered with success, but with content that it does not have. */
export const UNREADABLE_ANSWER = 'KSEF_ANSWER';

/** A call of KSeF without a result. The message never holds a token, a whole NIP, an address or a body. */
export class KsefRefusal extends Error {
  readonly kind: RefusalKind;
  readonly code: string;
  /** Undefined where no whole answer came. */
  readonly httpStatus: number | undefined;
  /** Milliseconds before which the call must not be repeated. */
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

  /** Tells whether KSeF, or our own count of its limits, lets the call wait for its turn: nothing is wrong. */
  get isAboutLimits(): boolean {
    return this.httpStatus === 429 || this.isPutOff;
  }

  /** Tells whether our own count of the limits put the call off: it did not leave. */
  get isPutOff(): boolean {
    return this.code === 'KSEF_LIMIT';
  }

  /** Tells whether each call of the connection will be refused until someone acts. */
  get isAboutConnection(): boolean {
    return this.kind === 'PERMANENT' && this.concerns === 'CONNECTION';
  }

  /**
   * Tells whether there is a response that decides nothing: nobody can read it, or it is a 4xx that KSeF does not declare. Unlike an
   * outage, this may never end.
   */
  get decidesNothing(): boolean {
    if (this.code === UNREADABLE_ANSWER) return true;
    const { kind, httpStatus = 0, isOfLogin } = this;
    return (
      kind === 'TRANSIENT' && !isOfLogin && httpStatus >= 400 && httpStatus < 500 && ![408, 429].includes(httpStatus)
    );
  }
}
