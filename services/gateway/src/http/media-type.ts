import { parse } from 'content-type';

/** What a Content-Type header says, in lower case (RFC 9110, section 8.3). */
export interface MediaType {
  /** `application/json`; undefined where the header is missing or empty. */
  readonly type: string | undefined;
  readonly charset: string | undefined;
}

/** Reads a Content-Type header in one pass, whatever is in it. */
export function readMediaType(header: string | undefined): MediaType {
  const { type, parameters } = parse(header ?? '');
  return { type: type === '' ? undefined : type, charset: parameters['charset']?.toLowerCase() };
}
