/**
 * Kind of a KSeF refusal. It determines the caller's next step after a call without a result (KSeF reference, sections
 * 3 and 6):
 * - TRANSIENT: nothing was done, or repeating the call does no harm. Call again, after `retryAfterMs` if it is given.
 * - UNKNOWN: occurs only when sending a document. It may have arrived, so read the session before anything else.
 * - BLOCKED: the KSeF gateway blocks this installation. Call again after 30 minutes and notify a person.
 * - SESSION: the session accepts no more documents. Read its status, then open another one.
 * - PERMANENT: the same call will be refused again. `concerns` states which other calls will be refused.
 */
export type RefusalKind = 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT';

/**
 * Scope of a PERMANENT refusal of KSeF:
 * - CALL: the request of this call is wrong.
 * - REFERENCE: the session, invoice or login that the call names does not exist or is hidden from this caller. Calls
 *   that name something else are not affected.
 * - CONNECTION: every call of the connection will be refused until a person acts.
 */
export type RefusalScope = 'CALL' | 'REFERENCE' | 'CONNECTION';

export interface RefusalFacts {
  /**
   * Code of a KSeF refusal, such as `KSEF_HTTP_403`, `KSEF_API_21405` or `KSEF_AUTH_450`. Codes such as `KSEF_TIMEOUT`
   * mean that KSeF did not respond.
   */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  /** Reason of a 403 response as KSeF names it, such as `missing-permissions`. */
  readonly reasonCode?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Scope of a PERMANENT refusal of KSeF, CALL by default. */
  readonly concerns?: RefusalScope;
  /** True if the call that KSeF refused belongs to the login (A1 to A7) that another call needed. */
  readonly isOfLogin?: boolean | undefined;
  /** Id of a block by the KSeF gateway. The KSeF helpdesk needs this id. */
  readonly incidentId?: string | undefined;
}

/** Maximum length of a KSeF error message in characters. Longer messages are truncated. */
const REFUSAL_TEXT_MAX = 1_000;
/** Reason that KSeF names in a 403 response for a missing permission. */
export const MISSING_PERMISSIONS = 'missing-permissions';
/** Code for a successful KSeF response whose content does not match the KSeF documentation. */
export const UNREADABLE_ANSWER = 'KSEF_ANSWER';

/** Error for a KSeF call without a result. The message never contains a token, a complete NIP, an address or a body. */
export class KsefRefusal extends Error {
  readonly kind: RefusalKind;
  readonly code: string;
  /** HTTP status of the KSeF response. Undefined if no complete response was received. */
  readonly httpStatus: number | undefined;
  readonly reasonCode: string | undefined;
  /** Minimum time in milliseconds before the call to KSeF may be repeated. */
  readonly retryAfterMs: number | undefined;
  readonly concerns: RefusalScope;
  readonly isOfLogin: boolean;
  readonly incidentId: string | undefined;

  constructor(
    kind: RefusalKind,
    message: string,
    { code, httpStatus, reasonCode, retryAfterMs, concerns = 'CALL', isOfLogin = false, incidentId }: RefusalFacts,
  ) {
    super(message.slice(0, REFUSAL_TEXT_MAX));
    this.name = 'KsefRefusal';
    this.kind = kind;
    this.code = code;
    this.httpStatus = httpStatus;
    this.reasonCode = reasonCode;
    this.retryAfterMs = retryAfterMs;
    this.concerns = concerns;
    this.isOfLogin = isOfLogin;
    this.incidentId = incidentId;
  }

  /** True if KSeF refused the call because the token, or the holder of the certificate, lacks a permission. */
  get isAboutPermission(): boolean {
    return this.httpStatus === 403 && this.reasonCode === MISSING_PERMISSIONS;
  }

  /**
   * True if the KSeF call only has to wait because of a rate limit, either a limit that KSeF reported or one that the
   * ksef service enforces.
   */
  get isAboutLimits(): boolean {
    return this.httpStatus === 429 || this.isPutOff;
  }

  /** True if the ksef service postponed the KSeF call before sending it, according to its own count of the limits. */
  get isPutOff(): boolean {
    return this.code === 'KSEF_LIMIT';
  }

  /** True if every call of the KSeF connection will be refused until a person acts. */
  get isAboutConnection(): boolean {
    return this.kind === 'PERMANENT' && this.concerns === 'CONNECTION';
  }

  /**
   * True if KSeF sent an inconclusive response: one that cannot be read, or a 4xx response that KSeF does not document.
   * Unlike an outage, such responses may never end.
   */
  get decidesNothing(): boolean {
    if (this.code === UNREADABLE_ANSWER) return true;
    const { kind, httpStatus = 0, isOfLogin } = this;
    return (
      kind === 'TRANSIENT' && !isOfLogin && httpStatus >= 400 && httpStatus < 500 && ![408, 429].includes(httpStatus)
    );
  }
}
