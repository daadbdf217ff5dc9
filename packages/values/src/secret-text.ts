/**
 * Pattern for visible ASCII characters with spaces only between them, as in API keys, client secrets and tokens of ERPs
 * and KSeF.
 */
const SECRET = /^[!-~](?:[ -~]*[!-~])?$/;

/** Returns the rule of {@link faultOfSecret} as a JSON Schema pattern. */
export function secretPattern(lengthMin: number, lengthMax: number): string {
  const rest = `[ -~]{${Math.max(lengthMin - 2, 0)},${lengthMax - 2}}[!-~]`;
  return lengthMin > 1 ? `^[!-~]${rest}$` : `^[!-~](?:${rest})?$`;
}

/**
 * Returns the fault of a text that cannot be a secret of another system, or undefined if the text is valid. Additional
 * characters are not removed, because they may show that the wrong text was copied.
 */
export function faultOfSecret(text: string, lengthMin: number, lengthMax: number): string | undefined {
  if (text !== '' && !SECRET.test(text)) {
    return 'Must be letters, digits and ASCII signs, without surrounding spaces, line breaks or invisible characters. Copy it again.';
  }
  if (text.length < lengthMin) return `Must have at least ${lengthMin} character${lengthMin === 1 ? '' : 's'}.`;
  return text.length > lengthMax ? `Must have at most ${lengthMax} characters.` : undefined;
}
