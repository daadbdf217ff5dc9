/** Reason why a run, a stream or a test failed (ERP reference, sections 9 and 14). */
export type FaultCode =
  | 'AUTH_FAILED'
  | 'REAUTH_REQUIRED'
  | 'PERMISSION_DENIED'
  | 'TENANT_NOT_FOUND'
  | 'DATABASE_REQUIRED'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UPSTREAM_ERROR'
  | 'BAD_RESPONSE'
  | 'BANK_FIELD_MISSING'
  | 'RECORD_INVALID'
  | 'RUN_ABANDONED';

/** Faults that someone must mend: the connection turns to ERROR at once, and nothing is retried. */
const needingAPerson: ReadonlySet<FaultCode> = new Set([
  'AUTH_FAILED',
  'REAUTH_REQUIRED',
  'PERMISSION_DENIED',
  'TENANT_NOT_FOUND',
  'DATABASE_REQUIRED',
]);

/** A fault of an ERP. The message is ours: it has no body, address, header or trace of the ERP. */
export class ErpFault extends Error {
  readonly code: FaultCode;
  /** Not to be called before so many milliseconds have passed, where the ERP says so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: FaultCode, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ErpFault';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get needsAPerson(): boolean {
    return needingAPerson.has(this.code);
  }
}

/** May pass without anybody's help, whatever its code: it is tried again, within the call and by the next run. */
export class Outage extends ErpFault {}

/** The budget of a run is used up: the run ends with what it has, and the next one continues. */
export class BudgetSpent extends ErpFault {}
