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
}

/** No longer than this; texts of KSeF are cut. */
const REFUSAL_TEXT_MAX = 1_000;

/** A call of KSeF without a result. The message never holds a token, a whole NIP, an address or a body. */
export class KsefRefusal extends Error {
  readonly kind: RefusalKind;
  readonly code: string;
  /** Undefined where no whole answer came. */
  readonly httpStatus: number | undefined;
  /** Not to be called again before. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: RefusalKind, message: string, { code, httpStatus, retryAfterMs }: RefusalFacts) {
    super(message.slice(0, REFUSAL_TEXT_MAX));
    this.name = 'KsefRefusal';
    this.kind = kind;
    this.code = code;
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
  }
}
