/** Visible ASCII, with blanks inside at most: what keys, client secrets and tokens of ERPs and of KSeF are made of. */
const SECRET = /^[!-~](?:[ -~]*[!-~])?$/;

/** {@link faultOfSecret} as a pattern of JSON Schema. */
export function secretPattern(lengthMin: number, lengthMax: number): string {
  const rest = `[ -~]{${Math.max(lengthMin - 2, 0)},${lengthMax - 2}}[!-~]`;
  return lengthMin > 1 ? `^[!-~]${rest}$` : `^[!-~](?:${rest})?$`;
}

/**
 * Returns the fault of a text that is not a secret of another system; undefined if nothing is wrong. Nothing is removed from it: what
 * was copied along may as well be a part of something else.
 */
export function faultOfSecret(text: string, lengthMin: number, lengthMax: number): string | undefined {
  if (text !== '' && !SECRET.test(text)) {
    return 'Must be letters, digits and ASCII signs, without surrounding spaces, line breaks or invisible characters. Copy it again.';
  }
  if (text.length < lengthMin) return `Must have at least ${lengthMin} character${lengthMin === 1 ? '' : 's'}.`;
  return text.length > lengthMax ? `Must have at most ${lengthMax} characters.` : undefined;
}
