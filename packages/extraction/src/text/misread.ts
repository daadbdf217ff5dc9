import { getCountrySpecifications } from 'ibantools';

/** Digits and the letters that OCR takes for them (documents reference, 10.2). */
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

/** Letters where a number has digits alone become the digits they look like. */
export function withDigits(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => DIGIT_BY_LETTER[letter] ?? letter);
}

/**
 * An IBAN as OCR read it, without blanks, with the letters and digits that its country has at each place. The caller
 * accepts it only when its check digits fit.
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

/** `^[A-Z]{4}[0-9]{14}$`: the class of each character. */
function classesOf(pattern: string): string[] {
  return [...pattern.matchAll(/\[([^[\]]+)\]\{(\d+)\}/g)].flatMap(([, characters = '', count]) =>
    Array.from({ length: Number(count) }, () => characters),
  );
}
