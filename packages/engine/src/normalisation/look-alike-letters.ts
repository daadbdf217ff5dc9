import { lookAlikeLetters } from '../data/look-alike-letters.js';

const LATIN = /\p{Script=Latin}/u;
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
const WORDS = /[\p{L}\p{M}]+/gu;

/**
 * The text with Cyrillic and Greek letters as what they look like: in words that mix them with Latin ones, and in words
 * all of whose letters could be Latin. Other words stay as they are. Where a word mixes scripts, a small letter without a
 * Latin look is taken as its capital: Greek beta is a B.
 */
export function asShown(text: string): string {
  if (!OTHER_SCRIPT.test(text)) return text;
  return text.replace(WORDS, (word) => {
    const letters = [...word];
    if (LATIN.test(word)) return letters.map(shownLetter).join('');
    return letters.every((letter) => lookAlikeLetters.has(letter)) ? letters.map(shownLetter).join('') : word;
  });
}

function shownLetter(letter: string): string {
  return lookAlikeLetters.get(letter) ?? lookAlikeLetters.get(letter.toUpperCase()) ?? letter;
}
