import type { IncomingMessage } from 'node:http';
import { invalidField } from '@invoicecontrol/errors';

export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/**
 * Matches the value of an Idempotency-Key header: a key without comma and quotation mark, or a key in quotation marks.
 */
const KEY = /^(?:([\x21\x23-\x2b\x2d-\x7e]+)|"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)")$/;
export const IDEMPOTENCY_KEY_PATTERN = KEY.source;

/**
 * Reads the Idempotency-Key header of a request: 1 to 255 visible ASCII characters, either bare (`abc`) or quoted
 * (`"abc"`, a structured field string). Both spellings are the same key. A comma outside quotation marks would make a
 * list of keys and is refused, and so are several headers (HTTP and security reference, section 3).
 * @returns undefined without the header
 * @throws DomainError `invalid`
 */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  const values = request.headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = '', ...others] = values;
  if (others.length > 0)
    throw invalidField(
      'Idempotency-Key',
      'The request has more than one Idempotency-Key header. Send only one such header.',
    );
  return parseIdempotencyKey(value);
}

export function parseIdempotencyKey(value: string): string {
  const [, bare, quoted] = KEY.exec(value) ?? [];
  const key = bare ?? quoted?.replaceAll(/\\(["\\])/g, '$1') ?? '';
  if (key === '' || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw invalidField(
      'Idempotency-Key',
      `The Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters. Put a key that contains a comma in double quotes.`,
    );
  }
  return key;
}
