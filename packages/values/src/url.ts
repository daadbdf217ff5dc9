/**
 * Parses a text as a URL. Returns undefined if it is not a URL. `URL.canParse` is not used, because in Node 20 it
 * refuses URLs with characters from U+0080 to U+00FF, such as "ü", once it has been compiled after many calls.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
