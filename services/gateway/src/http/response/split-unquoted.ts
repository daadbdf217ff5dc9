/**
 * Splits a request header at each separator outside quoted text (RFC 9110, section 5.6.4), in one pass. A regular
 * expression would search to the end of the header again for each unclosed quote.
 */
export function splitUnquoted(header: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < header.length; at += 1) {
    const character = header.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') at += 1;
    else if (!isQuoted && character === separator) {
      parts.push(header.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(header.slice(start));
  return parts;
}
