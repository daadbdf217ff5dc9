/**
 * Reads a text as a URL; undefined when it is none. It does without `URL.canParse`, which in Node 20 refuses addresses with characters
 * from U+0080 to U+00FF, such as "ü", once it has been called often enough to be compiled.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
