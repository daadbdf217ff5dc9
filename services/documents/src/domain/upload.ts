import { DomainError, FieldFaults } from '@invoicecontrol/errors';
import { UPLOAD_BYTES_MAX, uploadBytesMax, uploadTypes } from '@invoicecontrol/values/upload-type';

/** Headers of a PUT request with an uploaded file, which are checked before its bytes arrive. */
export interface ContentHeader {
  /** Media type that the Content-Type header of an upload states, without parameters and in lower case. */
  readonly mediaType: string | undefined;
  /** Size in bytes that the Content-Length header of an upload announces. Undefined for a chunked body. */
  readonly declaredBytes: number | undefined;
  readonly hasContentEncoding: boolean;
}

/** Media type and size that an upload reserves. */
export interface Reserved {
  readonly mediaType: string;
  readonly byteSize: number;
}

/**
 * Checks that an upload reservation is within the limits.
 * @throws DomainError invalid, which names the limit
 */
export function requireReservable({ mediaType, byteSize }: Reserved): void {
  const faults = new FieldFaults();
  const bytesMax = Object.hasOwn(uploadBytesMax, mediaType) ? uploadBytesMax[mediaType] : undefined;
  if (bytesMax === undefined) {
    faults.add('mediaType', `Must be one of ${uploadTypes.join(', ')}.`);
  }
  const limit = bytesMax ?? UPLOAD_BYTES_MAX;
  if (!Number.isSafeInteger(byteSize) || byteSize < 1 || byteSize > limit) {
    faults.add('byteSize', `Must be a whole number from 1 to ${limit}, the largest file of this type in bytes.`);
  }
  faults.throwIfAny();
}

/**
 * Checks the headers of a PUT request with an uploaded file before its bytes are read, in the order of the HTTP and
 * security reference: 415, 413, 400.
 * @throws DomainError unsupported_media_type, too_large, invalid
 */
export function requireFittingHeader(reserved: Reserved, header: ContentHeader): void {
  if (header.hasContentEncoding) {
    throw new DomainError(
      'unsupported_media_type',
      'Content-Encoding is not supported. Send the file as it is, without Content-Encoding.',
    );
  }
  if (header.mediaType !== reserved.mediaType) {
    throw new DomainError(
      'unsupported_media_type',
      `The upload is reserved for ${reserved.mediaType}. Send only that Content-Type, or reserve another upload.`,
    );
  }
  if (header.declaredBytes === undefined) return;
  if (header.declaredBytes > reserved.byteSize) throw longerThan(reserved);
  if (header.declaredBytes < reserved.byteSize) throw shorterThan(reserved, header.declaredBytes);
}

/**
 * Checks that the media type detected from the content of an upload is the media type that was reserved.
 * @throws DomainError invalid
 */
export function requireReservedType(reserved: Reserved, sniffed: string | undefined): string {
  const { mediaType } = reserved;
  if (sniffed !== undefined && isOfType(mediaType, sniffed)) return sniffed;
  throw new DomainError(
    'invalid',
    `The upload was reserved for ${mediaType}, but ${firstBytesOf(sniffed)}. Reserve an upload with the actual type of the file.`,
  );
}

/**
 * Checks whether the media type that was detected from the content of an upload agrees with the stated type. The
 * content does not show which of the two XML types it has.
 */
export function isOfType(mediaType: string, sniffed: string | undefined): boolean {
  return sniffed === (mediaType === 'text/xml' ? 'application/xml' : mediaType);
}

/** Describes the media type that the first bytes of an uploaded file show, as the last words of an error message. */
export function firstBytesOf(sniffed: string | undefined): string {
  return `its first bytes are ${sniffed === undefined ? 'of no supported type' : `those of ${sniffed}`}`;
}

export function longerThan({ byteSize }: Reserved): DomainError {
  return new DomainError(
    'too_large',
    `The file is longer than the ${byteSize} bytes that were reserved. Reserve an upload of its real size.`,
  );
}

export function shorterThan({ byteSize }: Reserved, bytes: number): DomainError {
  return new DomainError(
    'invalid',
    `The file has ${bytes} of the ${byteSize} bytes that were reserved. Send the whole file, or reserve its real size.`,
  );
}
