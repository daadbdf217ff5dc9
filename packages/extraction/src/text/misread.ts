import { getCountrySpecifications } from 'ibantools';

/** Digits, with the letters that OCR confuses with them (documents reference, 10.2). */
const DIGIT_BY_LETTER: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  B: '8',
  S: '5',
  Z: '2',
  G: '6',
};
const LETTER_BY_DIGIT: Readonly<Record<string, string>> = {
  '0': 'O',
  '1': 'I',
  '8': 'B',
  '5': 'S',
  '2': 'Z',
  '6': 'G',
};

const specifications = getCountrySpecifications();

/** Replaces misread letters by the digits that they resemble, in numbers that contain only digits. */
export function withDigits(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => DIGIT_BY_LETTER[letter] ?? letter);
}

/**
 * Corrects an IBAN that OCR read, without spaces: in each position, the letters and digits that its country does not
 * allow there are replaced by those with a similar shape. The caller accepts the result only if the check digits match.
 */
export function repairIban(compact: string): string {
  const country = compact.slice(0, 2);
  const classes = classesOf(specifications[country]?.bban_regexp ?? '');
  const account = Array.from(compact.slice(4), (character, index) => {
    if (classes[index] === '0-9') return withDigits(character);
    return classes[index] === 'A-Z' ? (LETTER_BY_DIGIT[character] ?? character) : character;
  });
  return `${country}${withDigits(compact.slice(2, 4))}${account.join('')}`;
}

/** Returns the class (letter or digit) of each character of a pattern such as `^[A-Z]{4}[0-9]{14}$`. */
function classesOf(pattern: string): string[] {
  return [...pattern.matchAll(/\[([^[\]]+)\]\{(\d+)\}/g)].flatMap(([, characters = '', count]) =>
    Array.from({ length: Number(count) }, () => characters),
  );
}
