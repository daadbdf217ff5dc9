/**
 * What a caller does about a call that brought no result (KSeF reference, sections 3 and 6):
 * - TRANSIENT: nothing was done, or doing it again does no harm. Call again, after `retryAfterMs` where it is given.
 * - UNKNOWN: of sending a document alone. It may have arrived: look into the session before anything else.
 * - BLOCKED: the gateway of KSeF blocks us. Call again after 30 minutes, and tell a person.
 * - SESSION: the session takes nothing more. Read its status, then open another one.
 * - PERMANENT: the same call will be refused again.
 */
export type RefusalKind = 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT';

export interface RefusalFacts {
  /** `KSEF_HTTP_403`, `KSEF_API_21405`, `KSEF_AUTH_450`; others name what KSeF did not answer, such as `KSEF_TIMEOUT`. */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Of a call that obtains access (A1 to A7), and not of what was asked with it. */
  readonly isAboutAccess?: boolean;
  /** Under which the helpdesk of KSeF finds a block of its gateway. */
  readonly incidentId?: string | undefined;
}

/** No longer than this; texts of KSeF are cut. */
const REFUSAL_TEXT_MAX = 1_000;
const TOKEN_CODES: ReadonlySet<string> = new Set(['KSEF_HTTP_401', 'KSEF_TOKEN_TOO_LONG']);

/** A call of KSeF without a result. The message never holds a token, a whole NIP, an address or a body. */
export class KsefRefusal extends Error {
  readonly kind: RefusalKind;
  readonly code: string;
  /** Undefined where no whole answer came. */
  readonly httpStatus: number | undefined;
  /** Not to be called again before. */
  readonly retryAfterMs: number | undefined;
  readonly isAboutAccess: boolean;
  readonly incidentId: string | undefined;

  constructor(
    kind: RefusalKind,
    message: string,
    { code, httpStatus, retryAfterMs, isAboutAccess = false, incidentId }: RefusalFacts,
  ) {
    super(message.slice(0, REFUSAL_TEXT_MAX));
    this.name = 'KsefRefusal';
    this.kind = kind;
    this.code = code;
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
    this.isAboutAccess = isAboutAccess;
    this.incidentId = incidentId;
  }

  /** Whether KSeF, or our own count of its limits, lets the call wait for its turn: nothing is wrong. */
  get isAboutLimits(): boolean {
    return this.httpStatus === 429 || this.isPutOff;
  }

  /** Whether our own count of the limits put the call off: it did not leave. */
  get isPutOff(): boolean {
    return this.code === 'KSEF_LIMIT';
  }

  /** Whether every call with this token will be refused until there is another one. */
  get isAboutToken(): boolean {
    if (this.kind !== 'PERMANENT') return false;
    return this.isAboutAccess || TOKEN_CODES.has(this.code) || this.code.startsWith('KSEF_AUTH_');
  }
}
