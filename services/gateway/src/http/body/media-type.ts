import { splitUnquoted } from '../response/split-unquoted.js';

/** A parsed Content-Type header in lower case (RFC 9110, section 8.3). */
export interface MediaType {
  /** `application/json`; undefined where the header is missing or empty. */
  readonly type: string | undefined;
  /** More than one contradict each other, if they are not equal. */
  readonly charsets: readonly string[];
}

/** Reads a Content-Type header in one pass, whatever is in it. */
export function readMediaType(header = ''): MediaType {
  const [type = '', ...parameters] = splitUnquoted(header.toLowerCase(), ';').map((part) => part.trim());
  const charsets = parameters.flatMap((parameter) => {
    const equals = parameter.indexOf('=');
    if (equals < 0 || parameter.slice(0, equals).trimEnd() !== 'charset') return [];
    return [
      parameter
        .slice(equals + 1)
        .trimStart()
        .replaceAll('"', ''),
    ];
  });
  return { type: type === '' ? undefined : type, charsets };
}
