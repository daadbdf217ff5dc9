import anyAscii from 'any-ascii';

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/**
 * Upper-case ASCII of any script (detection reference, section 3). Unicode decomposition alone would leave letters
 * such as Ł, ß and Ø standing.
 */
export function plainText(text: string): string {
  return (ASCII_ONLY.test(text) ? text : anyAscii(text)).toUpperCase();
}
