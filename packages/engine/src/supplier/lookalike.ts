import { genericNameWords } from '../data/generic-name-words.js';
import { shortDigest } from '../facts/digest.js';
import { withoutMisspeltForm } from '../normalisation/name-key.js';
import { editDistance } from '../normalisation/similarity.js';
import { lookalikeWords } from '../policy/suppliers.js';

const KEYS_MAX = 128;
const KEY_BYTES = 8;

/** Why two names are lookalikes. */
export type Likeness =
  | { readonly kind: 'SPACING' }
  | { readonly kind: 'LOOKALIKE_LETTERS' }
  | { readonly kind: 'LEGAL_FORM' }
  | { readonly kind: 'GENERIC_WORD' }
  | { readonly kind: 'TYPING'; readonly edits: number };

interface ComparedName {
  readonly nameKey: string;
  readonly nameFold?: string;
}

/**
 * Keys that lookalike names share, so that one is found from the other by equality: the name without
 * spaces and look-alike letters, also without a misspelt legal form and without generic words, the name with one
 * character left out of a word, and with a long word reduced to its initial or, where it is the only one, to one half.
 * Two characters that differ in the only word of a name, one in each half, are not found. Keys of the whole name, and
 * not of its words, keep what many names share (`SERVICES`) from crowding out the rest.
 */
export function lookalikeKeysOf(name: ComparedName): string[] {
  const forms = new Set(
    formsOf(name)
      .flatMap((key) => [key, withoutMisspeltForm(key), withoutGenericWords(key)])
      .map((key) => `=${unmistakable(key)}`),
  );
  for (const key of formsOf(name)) for (const form of formsWithGaps(key)) forms.add(form);
  return [...forms].slice(0, KEYS_MAX).map((form) => shortDigest(form, KEY_BYTES));
}

/** The name with gaps in one word, so that names which differ only there meet. */
function* formsWithGaps(key: string): Generator<string> {
  const words = key.split(' ');
  for (const [index, word] of words.entries()) {
    if (word.length < lookalikeWords.lengthMin) continue;
    const withWord = (other: string): string => words.with(index, other).join(' ');
    yield withWord(word);
    for (let left = 0; left < word.length; left += 1) yield withWord(word.slice(0, left) + word.slice(left + 1));
    if (word.length < lookalikeWords.longLengthMin) continue;
    const half = Math.floor(word.length / 2);
    const remains = words.length > 1 ? [`${word.charAt(0)}*`] : [`${word.slice(0, half)}*`, `*${word.slice(-half)}`];
    for (const rest of remains) yield withWord(rest);
  }
}

/**
 * How the names can be mistaken for one another; undefined when they cannot, and for equal ones. Sister companies,
 * which differ in a whole word, and numbered branches cannot, unless the word is one that any name may have.
 */
export function likenessOf(left: ComparedName, right: ComparedName): Likeness | undefined {
  const rights = formsOf(right);
  if (formsOf(left).some((key) => rights.includes(key))) return undefined;
  // A swap of two letters can produce an umlaut spelling, so each form is compared with each.
  for (const leftKey of formsOf(left)) {
    for (const rightKey of rights) {
      const likeness = likenessOfKeys(leftKey, rightKey);
      if (likeness !== undefined) return likeness;
    }
  }
  return undefined;
}

function likenessOfKeys(left: string, right: string): Likeness | undefined {
  if (Math.min(letters(left), letters(right)) >= lookalikeWords.lengthMin) {
    if (left.replaceAll(' ', '') === right.replaceAll(' ', '')) return { kind: 'SPACING' };
    if (unmistakable(left) === unmistakable(right)) return { kind: 'LOOKALIKE_LETTERS' };
  }
  const edits = editsInOneWord(left.split(' '), right.split(' '));
  if (edits !== undefined) return { kind: 'TYPING', edits };
  if (isOneWithout(withoutMisspeltForm, left, right)) return { kind: 'LEGAL_FORM' };
  return isOneWithout(withoutGenericWords, left, right) ? { kind: 'GENERIC_WORD' } : undefined;
}

/** True when the reduced longer key equals the shorter one, which is long enough for a name. */
function isOneWithout(reduced: (key: string) => string, left: string, right: string): boolean {
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  return letters(shorter) >= lookalikeWords.lengthMin && unmistakable(reduced(longer)) === unmistakable(shorter);
}

function withoutGenericWords(key: string): string {
  const words = key.split(' ').filter((word) => !genericNameWords.has(word));
  return words.length === 0 ? key : words.join(' ');
}

function editsInOneWord(left: readonly string[], right: readonly string[]): number | undefined {
  if (left.length !== right.length) return undefined;
  const differing = left.flatMap((word, index) => (word === right[index] ? [] : [[word, right[index] ?? ''] as const]));
  const [pair] = differing;
  if (pair === undefined || differing.length > 1) return undefined;
  const [one, other] = pair;
  const length = Math.min(one.length, other.length);
  // Branches and shops are told apart by number.
  if (length < lookalikeWords.lengthMin || one.replace(/[0-9]/g, '') === other.replace(/[0-9]/g, '')) return undefined;
  const edits = editDistance(one, other, 2);
  if (edits === 1) return 1;
  return edits === 2 && length >= lookalikeWords.longLengthMin && one.charAt(0) === other.charAt(0) ? 2 : undefined;
}

/** The name key, then its other spelling. */
function formsOf({ nameKey, nameFold }: ComparedName): readonly string[] {
  return nameFold === undefined ? [nameKey] : [nameFold, nameKey];
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
