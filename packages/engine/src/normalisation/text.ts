import anyAscii from 'any-ascii';

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/**
 * Converts invoice text in any script to upper-case ASCII (detection reference, section 3). Unicode decomposition alone
 * would not replace letters such as Ł, ß and Ø.
 */
export function plainText(text: string): string {
  return (ASCII_ONLY.test(text) ? text : anyAscii(text)).toUpperCase();
}
