/**
 * The URL that a text is; undefined for a text that is none. `URL.canParse` of Node 20 is not asked: once it has been called often
 * enough to be compiled, it refuses addresses with characters from U+0080 to U+00FF, such as "ü".
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
