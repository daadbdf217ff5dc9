import { shortDigest } from '../digest.js';
import { editDistance } from '../normalisation/similarity.js';

/** Words shorter than this never make a lookalike: brands of four letters are alike by chance. */
const WORD_LENGTH_MIN = 5;
/** Words from this length on may differ in two characters. */
const LONG_WORD_LENGTH_MIN = 10;
/** What lookalikes are told by; the stored keys rest on it. */
export const lookalikeWords = { lengthMin: WORD_LENGTH_MIN, longLengthMin: LONG_WORD_LENGTH_MIN } as const;
const KEYS_MAX = 128;
const KEY_BYTES = 8;

/** What makes two names look alike. */
export type Likeness =
  | { readonly kind: 'SPACING' }
  | { readonly kind: 'LOOKALIKE_LETTERS' }
  | { readonly kind: 'TYPING'; readonly edits: number };

interface ComparedName {
  readonly nameKey: string;
  readonly nameFold?: string;
}

/**
 * Keys that two names share when they look alike, so that one is found by equality from the other: the name without
 * spaces and look-alike letters, the name with one character left out of a word, and with a long word reduced to its
 * initial or, where it is the only one, to one half. Two characters that differ in the only word of a name, one in
 * each half, are not found. Keys of the whole name, and not of its words, keep what many names share (`SERVICES`) from
 * crowding out the rest.
 */
export function lookalikeKeysOf(name: ComparedName): string[] {
  const key = comparedKey(name);
  const words = key.split(' ');
  const forms = new Set([`=${unmistakable(key)}`]);
  for (const [index, word] of words.entries()) {
    if (word.length < WORD_LENGTH_MIN) continue;
    const withWord = (other: string): string => words.with(index, other).join(' ');
    forms.add(withWord(word));
    for (let left = 0; left < word.length; left += 1) forms.add(withWord(word.slice(0, left) + word.slice(left + 1)));
    if (word.length < LONG_WORD_LENGTH_MIN) continue;
    const half = Math.floor(word.length / 2);
    const remains = words.length > 1 ? [`${word.charAt(0)}*`] : [`${word.slice(0, half)}*`, `*${word.slice(-half)}`];
    for (const rest of remains) forms.add(withWord(rest));
  }
  return [...forms].slice(0, KEYS_MAX).map((form) => shortDigest(form, KEY_BYTES));
}

/**
 * How the names can be mistaken for one another; undefined when they cannot, and for equal ones. Sister companies,
 * which differ in a whole word, and numbered branches cannot.
 */
export function likenessOf(left: ComparedName, right: ComparedName): Likeness | undefined {
  const leftKey = comparedKey(left);
  const rightKey = comparedKey(right);
  if (leftKey === rightKey) return undefined;
  if (Math.min(letters(leftKey), letters(rightKey)) >= WORD_LENGTH_MIN) {
    if (leftKey.replaceAll(' ', '') === rightKey.replaceAll(' ', '')) return { kind: 'SPACING' };
    if (unmistakable(leftKey) === unmistakable(rightKey)) return { kind: 'LOOKALIKE_LETTERS' };
  }
  const edits = editsInOneWord(leftKey.split(' '), rightKey.split(' '));
  return edits === undefined ? undefined : { kind: 'TYPING', edits };
}

function editsInOneWord(left: readonly string[], right: readonly string[]): number | undefined {
  if (left.length !== right.length) return undefined;
  const differing = left.flatMap((word, index) => (word === right[index] ? [] : [[word, right[index] ?? ''] as const]));
  const [pair] = differing;
  if (pair === undefined || differing.length > 1) return undefined;
  const [one, other] = pair;
  const length = Math.min(one.length, other.length);
  // Branches and shops are told apart by number.
  if (length < WORD_LENGTH_MIN || one.replace(/[0-9]/g, '') === other.replace(/[0-9]/g, '')) return undefined;
  const edits = editDistance(one, other, 2);
  if (edits === 1) return 1;
  return edits === 2 && length >= LONG_WORD_LENGTH_MIN && one.charAt(0) === other.charAt(0) ? 2 : undefined;
}

function comparedKey({ nameKey, nameFold }: ComparedName): string {
  return nameFold ?? nameKey;
}

/** The name without spaces, letters that look like another one written as that one. */
function unmistakable(key: string): string {
  return key
    .replaceAll(' ', '')
    .replaceAll('RN', 'M')
    .replaceAll('VV', 'W')
    .replaceAll('CL', 'D')
    .replaceAll('0', 'O')
    .replaceAll('1', 'L')
    .replaceAll('I', 'L');
}

function letters(key: string): number {
  return key.replaceAll(/[^A-Z]/g, '').length;
}
