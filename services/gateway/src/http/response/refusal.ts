import type { EnvelopeCode } from '@invoicecontrol/errors';

/**
 * Refusal that concerns only HTTP (method, size, media type, slow client). Refusals by product rules are DomainErrors.
 * The code is INVALID_REQUEST if the caller must change the request.
 */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly code: EnvelopeCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code: EnvelopeCode = 'INVALID_REQUEST',
  ) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
