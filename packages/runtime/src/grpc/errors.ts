import { BadRequest, ErrorInfo, RetryInfo } from '@invoicecontrol/contracts/google/rpc/error-details';
import { Status } from '@invoicecontrol/contracts/google/rpc/status';
import { DomainError, errorTable, isErrorKind, plainSentences } from '@invoicecontrol/errors';
import type { DomainErrorOptions, ErrorKind, FieldFault } from '@invoicecontrol/errors';
import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError, StatusObject } from '@grpc/grpc-js';

/** Name of the metadata entry in which gRPC carries the details of an error (google.rpc.Status). */
const DETAILS = 'grpc-status-details-bin';
const DOMAIN = 'invoicecontrol';
/**
 * Key in the ErrorInfo metadata of a gRPC error, which means that the refusal is the stored response to an earlier
 * request.
 */
const REPLAYED = 'replayed';

/**
 * Converts an error to the gRPC status of a failed call. The error kind is in the status details, because several kinds
 * share a status code.
 * @param isOutage checks whether an error means that a database or broker of the service is unavailable
 */
export function toStatus(
  error: unknown,
  isOutage: (error: unknown) => boolean,
): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const refusal = refusalOf(error, isOutage);
  const code = status[errorTable[refusal.kind].grpc];
  const facts = refusal.isReplayed ? { [REPLAYED]: 'true' } : {};
  const details = [pack(ErrorInfo, 'ErrorInfo', { reason: refusal.kind, domain: DOMAIN, metadata: facts })];
  if (refusal.details.length > 0) {
    const fieldViolations = refusal.details.map(({ path, message }) => ({ field: path, description: message }));
    details.push(pack(BadRequest, 'BadRequest', BadRequest.fromPartial({ fieldViolations })));
  }
  if (refusal.retryAfterSeconds !== undefined) {
    details.push(pack(RetryInfo, 'RetryInfo', { retryDelay: { seconds: refusal.retryAfterSeconds, nanos: 0 } }));
  }
  const metadata = new Metadata();
  metadata.set(DETAILS, Buffer.from(Status.encode({ code, message: refusal.publicMessage, details }).finish()));
  return { code, details: refusal.publicMessage, metadata };
}

/**
 * A service whose database is unavailable is itself unavailable, so the caller may retry. Any other unexpected error of
 * an rpc is an internal error.
 */
function refusalOf(error: unknown, isOutage: (error: unknown) => boolean): DomainError {
  if (error instanceof DomainError) return error;
  if (isOutage(error)) return new DomainError('unavailable', plainSentences.unavailable, { cause: error });
  return new DomainError('internal', plainSentences.internal, { cause: error });
}

/** Checks whether a call failed before a service of the product received it: the connection failed. */
export function isFromTransport(error: ServiceError): boolean {
  return error.code === status.UNAVAILABLE && (error.metadata?.get(DETAILS) ?? []).length === 0;
}

/**
 * Converts the gRPC status of a failed call to an error for its caller. A status without error details comes from the
 * gRPC library, or from a server that is not part of the product.
 */
export function toDomainError(error: ServiceError): DomainError {
  const [bytes] = error.metadata?.get(DETAILS) ?? [];
  if (Buffer.isBuffer(bytes)) {
    const decoded = decodeDetails(bytes);
    if (decoded !== undefined) {
      return new DomainError(decoded.kind, error.details, { ...decoded.options, cause: error });
    }
  }
  const kind = kindByStatus[error.code] ?? 'internal';
  const sentences: Partial<Record<ErrorKind, string>> = plainSentences;
  return new DomainError(kind, sentences[kind] ?? plainSentences.internal, { cause: error });
}

function decodeDetails(bytes: Buffer): { kind: ErrorKind; options: DomainErrorOptions } | undefined {
  let kind: ErrorKind | undefined;
  let isReplayed = false;
  const details: FieldFault[] = [];
  let retryAfterSeconds: number | undefined;
  for (const { typeUrl, value } of Status.decode(bytes).details) {
    if (typeUrl.endsWith('/google.rpc.ErrorInfo')) {
      const { reason, domain, metadata } = ErrorInfo.decode(value);
      if (domain !== DOMAIN || !isErrorKind(reason)) continue;
      kind = reason;
      isReplayed = metadata[REPLAYED] === 'true';
    } else if (typeUrl.endsWith('/google.rpc.BadRequest')) {
      for (const { field, description } of BadRequest.decode(value).fieldViolations) {
        details.push({ path: field, message: description });
      }
    } else if (typeUrl.endsWith('/google.rpc.RetryInfo')) {
      retryAfterSeconds = RetryInfo.decode(value).retryDelay?.seconds;
    }
  }
  if (kind === undefined) return undefined;
  return { kind, options: { details, isReplayed, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) } };
}

/**
 * Kind of error for each gRPC status without error details. The status RESOURCE_EXHAUSTED is missing, because without a
 * reason it means that a message exceeds the product's own size limit, which is an internal error.
 */
const kindByStatus: Partial<Record<status, ErrorKind>> = {
  [status.INVALID_ARGUMENT]: 'invalid',
  [status.UNAUTHENTICATED]: 'unauthenticated',
  [status.PERMISSION_DENIED]: 'forbidden',
  [status.NOT_FOUND]: 'not_found',
  [status.ALREADY_EXISTS]: 'already_exists',
  [status.FAILED_PRECONDITION]: 'wrong_state',
  [status.ABORTED]: 'concurrent_change',
  [status.OUT_OF_RANGE]: 'range_unsatisfiable',
  [status.UNAVAILABLE]: 'unavailable',
  [status.CANCELLED]: 'unavailable',
  [status.DEADLINE_EXCEEDED]: 'deadline',
};

function pack<T>(
  codec: { encode(message: T): { finish(): Uint8Array } },
  name: string,
  message: T,
): { typeUrl: string; value: Buffer } {
  return {
    typeUrl: `type.googleapis.com/google.rpc.${name}`,
    value: Buffer.from(codec.encode(message).finish()),
  };
}
