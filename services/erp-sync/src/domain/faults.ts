/**
 * Reason why an ERP import run, the reading of one ERP stream or a connection test failed (ERP reference, sections 9
 * and 14).
 */
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

/** Faults that a person must fix. The ERP connection changes to ERROR immediately, and no call is retried. */
const needingAPerson: ReadonlySet<FaultCode> = new Set([
  'AUTH_FAILED',
  'REAUTH_REQUIRED',
  'PERMISSION_DENIED',
  'TENANT_NOT_FOUND',
  'DATABASE_REQUIRED',
]);

/**
 * Error for an ERP fault. The product writes the message of the fault, which contains no body, address, header or stack
 * trace of the ERP.
 */
export class ErpFault extends Error {
  readonly code: FaultCode;
  /** Minimum delay before the next call to the ERP, if the ERP states one. */
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

/**
 * Error for an ERP fault that may disappear without any action, whatever its code. The call is retried, and so is the
 * next import run.
 */
export class Outage extends ErpFault {}

/**
 * Error that is thrown when the call budget of an ERP import run is used up. The run ends with its results so far, and
 * the next run continues.
 */
export class BudgetSpent extends ErpFault {}
