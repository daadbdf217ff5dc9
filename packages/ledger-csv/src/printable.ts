/** Makes text from outside safe for a terminal: one line, without control characters, shortened. */
export function printable(text: string, lengthMax = 60): string {
  const characters = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()];
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join('')}…` : characters.join('');
}
