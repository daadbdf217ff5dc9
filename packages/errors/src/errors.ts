/**
 * All error kinds of the product: the gRPC status that carries an error between services, and the error code and HTTP
 * status of the public response (specification section 7).
 */
export const errorTable = {
  invalid: { grpc: 'INVALID_ARGUMENT', code: 'INVALID_REQUEST', http: 400 },
  unauthenticated: { grpc: 'UNAUTHENTICATED', code: 'UNAUTHORIZED', http: 401 },
  forbidden: { grpc: 'PERMISSION_DENIED', code: 'FORBIDDEN', http: 403 },
  subscription_required: { grpc: 'PERMISSION_DENIED', code: 'FORBIDDEN', http: 403 },
  not_found: { grpc: 'NOT_FOUND', code: 'NOT_FOUND', http: 404 },
  already_exists: { grpc: 'ALREADY_EXISTS', code: 'CONFLICT', http: 409 },
  idempotency_mismatch: { grpc: 'ALREADY_EXISTS', code: 'CONFLICT', http: 409 },
  wrong_state: { grpc: 'FAILED_PRECONDITION', code: 'CONFLICT', http: 409 },
  concurrent_change: { grpc: 'ABORTED', code: 'CONFLICT', http: 409 },
  in_progress: { grpc: 'ABORTED', code: 'CONFLICT', http: 409 },
  too_large: { grpc: 'INVALID_ARGUMENT', code: 'INVALID_REQUEST', http: 413 },
  unsupported_media_type: { grpc: 'INVALID_ARGUMENT', code: 'INVALID_REQUEST', http: 415 },
  range_unsatisfiable: { grpc: 'OUT_OF_RANGE', code: 'INVALID_REQUEST', http: 416 },
  rate_limited: { grpc: 'RESOURCE_EXHAUSTED', code: 'RATE_LIMITED', http: 429 },
  usage_exceeded: { grpc: 'RESOURCE_EXHAUSTED', code: 'USAGE_LIMIT_EXCEEDED', http: 429 },
  unprocessable: { grpc: 'INVALID_ARGUMENT', code: 'PROCESSING_FAILED', http: 422 },
  foreign_failure: { grpc: 'INTERNAL', code: 'PROCESSING_FAILED', http: 502 },
  unavailable: { grpc: 'UNAVAILABLE', code: 'PROCESSING_FAILED', http: 503 },
  deadline: { grpc: 'DEADLINE_EXCEEDED', code: 'PROCESSING_FAILED', http: 504 },
  internal: { grpc: 'INTERNAL', code: 'PROCESSING_FAILED', http: 500 },
} as const satisfies Record<string, { grpc: string; code: EnvelopeCode; http: number }>;

/** The eight error codes of the public API. The gateway returns no others. */
export type EnvelopeCode =
  | 'NOT_FOUND'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'INVALID_REQUEST'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'USAGE_LIMIT_EXCEEDED'
  | 'PROCESSING_FAILED';

export type ErrorKind = keyof typeof errorTable;

/**
 * Messages for an outage about which nothing but its kind is known. Only the gateway can add whether the request took
 * effect and what to do, because that depends on the request.
 */
export const plainSentences = {
  unavailable: 'Part of the service is unavailable right now.',
  deadline: 'The service did not respond in time.',
  internal: 'Something went wrong on our side.',
} as const satisfies Partial<Record<ErrorKind, string>>;

export function isErrorKind(value: string): value is ErrorKind {
  return Object.hasOwn(errorTable, value);
}

/**
 * An invalid field of a request. `path` is as the caller wrote it (`supplier.bank_account.iban`), and `message` is a
 * sentence.
 */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

export interface DomainErrorOptions {
  /** Internal cause of a refusal, which is logged and never sent to a caller. */
  readonly cause?: unknown;
  readonly details?: readonly FieldFault[];
  /** Time in seconds after which the caller should retry the refused request. */
  readonly retryAfterSeconds?: number;
  /** True if the refusal is the stored response to an earlier request. */
  readonly isReplayed?: boolean;
}

/** Maximum number of invalid fields in one error and in one response of the API. */
export const FIELD_FAULTS_MAX = 50;

/**
 * An error that may be shown to the caller. The kind determines status and code, and the message states what to change.
 */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly publicMessage: string;
  readonly details: readonly FieldFault[];
  readonly retryAfterSeconds: number | undefined;
  readonly isReplayed: boolean;

  constructor(kind: ErrorKind, publicMessage: string, options: DomainErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.kind = kind;
    this.publicMessage = publicMessage;
    this.details = (options.details ?? []).slice(0, FIELD_FAULTS_MAX);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isReplayed = options.isReplayed ?? false;
  }
}

/** Checks whether the same call may succeed later, because a required service is unavailable or too slow. */
export function isTemporary(error: unknown): error is DomainError {
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline');
}

/**
 * The message for resources that do not exist and for resources of other organizations, so that the two cannot be
 * distinguished.
 */
export function notFound(resourceName: string): DomainError {
  return new DomainError('not_found', `No such ${resourceName}.`);
}

/** Creates an `invalid` error, which refuses a request for one field. */
export function invalidField(path: string, message: string): DomainError {
  return new DomainError('invalid', `${path}: ${message}`, { details: [{ path, message }] });
}

/**
 * Collects the invalid fields of a request. Every invalid field is counted, and the first {@link FIELD_FAULTS_MAX} are
 * kept.
 */
export class FieldFaults {
  readonly #kept: FieldFault[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(path: string, message: string): void {
    this.#count++;
    if (this.#kept.length < FIELD_FAULTS_MAX) this.#kept.push({ path, message });
  }

  /**
   * Returns the refusal with the first invalid field and the number of faults. Throws a TypeError if there is no
   * invalid field.
   */
  refusal(): DomainError {
    const [first] = this.#kept;
    if (first === undefined) throw new TypeError('A refusal of invalid input must name at least one invalid field.');
    const more = this.#count === 1 ? '' : ` (1 of ${this.#count} faults)`;
    return new DomainError('invalid', `${first.path}: ${first.message}${more}`, { details: this.#kept });
  }

  /**
   * Refuses the request if it has at least one invalid field.
   * @throws DomainError invalid if there is a fault
   */
  throwIfAny(): void {
    if (this.#count > 0) throw this.refusal();
  }
}
