import { splitUnquoted } from '../response/split-unquoted.js';

/** The parsed Content-Type header of a request in lower case (RFC 9110, section 8.3). */
export interface MediaType {
  /** Media type such as `application/json`. Undefined if the header is missing or empty. */
  readonly type: string | undefined;
  /** Values of the charset parameters of a Content-Type. A header with several different values contradicts itself. */
  readonly charsets: readonly string[];
}

/** Parses the Content-Type header of a request in linear time, whatever it contains. */
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
