import { lookAlikeDigits, lookAlikeLetters } from '../data/look-alike-letters.js';

const LATIN = /\p{Script=Latin}/u;
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}]/u;
const WORDS = /[\p{L}\p{M}]+/gu;

/**
 * Replaces letters from other scripts with the Latin letters that they look like, in words that mix Latin and other
 * letters and in words whose letters could all be Latin. Other words remain unchanged. In a mixed word, a small letter
 * that does not look Latin is replaced by its capital, so that Greek beta becomes B.
 */
export function asShown(text: string): string {
  if (!OTHER_SCRIPT.test(text)) return text;
  return text.replace(WORDS, (word) => {
    const letters = [...word];
    if (LATIN.test(word)) return letters.map(shownLetter).join('');
    return letters.every((letter) => lookAlikeLetters.has(letter)) ? letters.map(shownLetter).join('') : word;
  });
}

const ASCII_ONLY = /^[\x00-\x7f]*$/;
const INVISIBLE = /[\p{Cf}\p{Mn}\p{Me}]/gu;
const LETTERS_BY_DIGITS = new RegExp(
  `(?<=[0-9])[${[...lookAlikeDigits.keys()].join('')}]|[${[...lookAlikeDigits.keys()].join('')}](?=[0-9])`,
  'gu',
);

/**
 * Returns an invoice number in capitals as people see it: without invisible characters. Letters that look like digits
 * become these digits if they are next to digits.
 */
export function numberAsShown(printed: string): string {
  if (ASCII_ONLY.test(printed)) return printed.toUpperCase();
  const visible = printed.normalize('NFKC').replace(INVISIBLE, '');
  const digits = visible.replace(LETTERS_BY_DIGITS, (letter) => lookAlikeDigits.get(letter) ?? letter);
  return asShown(digits.toUpperCase());
}

function shownLetter(letter: string): string {
  return lookAlikeLetters.get(letter) ?? lookAlikeLetters.get(letter.toUpperCase()) ?? letter;
}
