import { genericNameWords } from '../data/generic-name-words.js';
import { baseFormOf } from '../data/word-forms.js';
import type { RelatedSupplier } from '../facts/supplier.js';
import { careOf, countryWords, joiningWords, tradingAs } from '../data/neutral-name-words.js';
import { shortDigest } from '../facts/digest.js';
import { readName, withoutMisspeltForm } from '../normalisation/name-key.js';
import { editDistance } from '../normalisation/similarity.js';
import { lookalikeWords } from '../policy/suppliers.js';

const KEYS_MAX = 192;
/** Maximum number of words in a supplier name for which typing errors in two words are considered. */
const TWO_SLIPS_WORDS_MAX = 4;
/**
 * Maximum number of words that a supplier name may have to get keys for one typing error in each half of a word. A name
 * with more words would get too many keys.
 */
const SLIP_IN_EACH_HALF_WORDS_MAX = 2;
const SLIP_IN_EACH_HALF_LENGTH_MAX = 14;
const TRADING_AS = new RegExp(` (?:${tradingAs.join('|')}) `);
const CARE_OF = new RegExp(` (?:${careOf.join('|')}) `);

/**
 * Version of the rule in {@link lookalikeKeysOf}. With a new version, stored keys are rebuilt when the supplier's next
 * invoice arrives.
 */
export const LOOKALIKE_KEYS_VERSION = 5;
const KEY_BYTES = 8;

/** Reason why two supplier names can be mistaken for each other. */
export type Likeness =
  | { readonly kind: 'SPACING' }
  | { readonly kind: 'LOOKALIKE_LETTERS' }
  | { readonly kind: 'LEGAL_FORM' }
  | { readonly kind: 'WORD_FORM' }
  | { readonly kind: 'GENERIC_WORD' }
  | { readonly kind: 'SAME_WORDS' }
  | { readonly kind: 'TRADING_NAME' }
  | { readonly kind: 'TWO_SLIPS' }
  | { readonly kind: 'TYPING'; readonly edits: number };

interface ComparedName {
  readonly nameKey: string;
  readonly nameFold?: string;
}

/**
 * Returns keys of a supplier name, so that a lookalike name is found because it has one of the same keys. The keys are
 * built from these forms of the name: without spaces and with look-alike letters unified; the same, also without a
 * misspelt legal form and without generic words; the base forms of its words; the set of its distinguishing words, and
 * the set on each side of `trading as`; the name with one character of a word left out; the name with a long word
 * reduced to its initial or, if it is the only word, to one half. Each key covers the whole name, because a word that
 * many names share (`SERVICES`) would find too many names.
 */
export function lookalikeKeysOf(name: ComparedName): string[] {
  const forms = new Set(
    formsOf(name)
      .flatMap((key) => [key, withoutMisspeltForm(key), withoutGenericWords(key)])
      .map((key) => `=${unmistakable(key)}`),
  );
  for (const key of formsOf(name)) if (letters(key) >= lookalikeWords.lengthMin) forms.add(`+${baseForms(key)}`);
  for (const key of formsOf(name)) {
    for (const part of [key, ...tradingNames(key)]) {
      const set = wordSet(part);
      if (letters(set) < lookalikeWords.wordSetLengthMin) continue;
      forms.add(`~${set}`);
      forms.add(`~${wordsInOrder(part)}`);
    }
  }
  for (const key of formsOf(name)) for (const form of formsWithGaps(key)) forms.add(form);
  for (const key of formsOf(name)) for (const form of formsWithTwoSlips(key)) forms.add(form);
  return [...forms].slice(0, KEYS_MAX).map((form) => shortDigest(form, KEY_BYTES));
}

/**
 * Returns the forms of a supplier name with one character of one word left out, so that names that differ only in this
 * character share a form.
 */
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
 * Returns forms of a supplier name in which one half of a medium-long word is left out, or in which one word is reduced
 * to its initial and a later word lacks one character. Two names that differ by two typing errors have such a form in
 * common.
 */
function* formsWithTwoSlips(key: string): Generator<string> {
  const words = key.split(' ');
  if (words.length > TWO_SLIPS_WORDS_MAX) return;
  for (const [index, word] of words.entries()) {
    if (word.length < lookalikeWords.lengthMin) continue;
    if (word.length >= lookalikeWords.twoSlipsLengthMin && word.length < lookalikeWords.longLengthMin) {
      const half = Math.floor(word.length / 2);
      yield words.with(index, `${word.slice(0, half)}*`).join(' ');
      yield words.with(index, `*${word.slice(-half)}`).join(' ');
    }
    if (words.length <= SLIP_IN_EACH_HALF_WORDS_MAX) yield* formsWithSlipInEachHalf(words, index);
    const reduced = words.with(index, `${word.charAt(0)}*`);
    for (let later = index + 1; later < words.length; later += 1) {
      const other = words[later] ?? '';
      if (other.length < lookalikeWords.lengthMin) continue;
      yield `2 ${reduced.with(later, other).join(' ')}`;
      for (let left = 0; left < other.length; left += 1)
        yield `2 ${reduced.with(later, other.slice(0, left) + other.slice(left + 1)).join(' ')}`;
    }
  }
}

/**
 * Returns the forms of a supplier name with one character left out of each half of a word. The first letter of a word
 * is never left out.
 */
function* formsWithSlipInEachHalf(words: readonly string[], index: number): Generator<string> {
  const word = words[index] ?? '';
  if (word.length < lookalikeWords.twoSlipsLengthMin || word.length > SLIP_IN_EACH_HALF_LENGTH_MAX) return;
  const half = Math.floor(word.length / 2);
  for (let left = 1; left < half; left += 1) {
    for (let right = half; right < word.length; right += 1) {
      yield words.with(index, word.slice(0, left) + word.slice(left + 1, right) + word.slice(right + 1)).join(' ');
    }
  }
}

/**
 * Returns both supplier names in `ACME LTD T A ACME SUPPLIES` (trading as), and the first name in `ACME LTD C O SMITH`
 * (care of), without their legal forms. Returns nothing for a single name. The recipient after `C O` is left out,
 * because it may receive the post of many firms.
 */
function tradingNames(key: string): string[] {
  const careOfAt = CARE_OF.exec(key);
  if (careOfAt !== null) return [readName(key.slice(0, careOfAt.index)).key];
  const at = TRADING_AS.exec(key);
  if (at === null) return [];
  return [key.slice(0, at.index), key.slice(at.index + at[0].length)].map((part) => readName(part).key);
}

/**
 * Returns the distinguishing words of a supplier name in alphabetical order, without spaces and with look-alike letters
 * unified.
 */
function wordSet(key: string): string {
  return unmistakable([...new Set(tellingWords(key))].sort().join(''));
}

/**
 * Returns the distinguishing words of a supplier name in their own order, as a web address has them:
 * `acmesupplies.com`.
 */
function wordsInOrder(key: string): string {
  return unmistakable(tellingWords(key).join(''));
}

function tellingWords(key: string): string[] {
  return key.split(' ').filter((word) => !joiningWords.has(word) && !countryWords.has(word));
}

/**
 * Returns how two supplier names can be mistaken for each other, or undefined if they are equal or cannot be mistaken
 * for each other. Names that differ in a whole word, as those of sister companies, and names of numbered branches are
 * not mistaken for each other, unless the word is a generic one that any name may contain.
 */
export function likenessOf(left: ComparedName, right: ComparedName): Likeness | undefined {
  // Two supplier names are equal if they differ only in the spelling of umlauts, as in MUELLER and MULLER. Only the two
  // folded keys are compared here: INFORMATIQUEE folds to INFORMATIQUE, but the two words are not spellings of one
  // name.
  if (left.nameKey === right.nameKey || foldOf(left) === foldOf(right)) return undefined;
  const rights = formsOf(right);
  // A swap of two letters in a supplier name can look like the spelling of an umlaut, so all forms are compared with
  // each other.
  const pairs = formsOf(left)
    .flatMap((leftKey) => rights.map((rightKey) => [leftKey, rightKey] as const))
    .filter(([leftKey, rightKey]) => leftKey !== rightKey);
  for (const compare of [likenessOfKeys, likenessOfWords]) {
    for (const [leftKey, rightKey] of pairs) {
      const likeness = compare(leftKey, rightKey);
      if (likeness !== undefined) return likeness;
    }
  }
  return undefined;
}

function foldOf({ nameKey, nameFold = nameKey }: ComparedName): string {
  return nameFold;
}

/** Returns the way in which a supplier name can be mistaken for a name of a known supplier. */
export function likenessToSupplier(
  name: ComparedName,
  supplier: ComparedName & Pick<RelatedSupplier, 'otherNames'>,
): Likeness | undefined {
  const known = [supplier, ...(supplier.otherNames ?? []).map((nameKey) => ({ nameKey }))];
  // A supplier that is known under exactly the compared name is a namesake and not a lookalike.
  if (known.some(({ nameKey }) => nameKey === name.nameKey)) return undefined;
  for (const one of known) {
    const likeness = likenessOf(name, one);
    if (likeness !== undefined) return likeness;
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
  if (haveSameBaseForms(left, right)) return { kind: 'WORD_FORM' };
  if (isOneWithout(withoutMisspeltForm, left, right)) return { kind: 'LEGAL_FORM' };
  return isOneWithout(withoutGenericWords, left, right) ? { kind: 'GENERIC_WORD' } : undefined;
}

/**
 * Checks whether two supplier names differ only in the forms of their words: `Acme Supplies` and `Acme Supply`, `Harrow
 * Bros` and `Harrow Brothers`, `Harrow & Son` and `Harrow and Sons`. Names with different countries are different.
 */
function haveSameBaseForms(left: string, right: string): boolean {
  return (
    baseForms(left) === baseForms(right) &&
    Math.min(letters(left), letters(right)) >= lookalikeWords.lengthMin &&
    tellingWords(left).join(' ') !== tellingWords(right).join(' ') &&
    countriesIn(left) === countriesIn(right)
  );
}

/** Returns the distinguishing words of a supplier name in their own order, each in its base form. */
function baseForms(key: string): string {
  return tellingWords(key.replaceAll('F LLI', 'FRATELLI')).map(baseFormOf).join(' ');
}

/**
 * Checks whether two supplier names consist of the same words in another order, apart from joining words. Names with
 * different countries are different.
 */
export function haveSameWords(left: ComparedName, right: ComparedName): boolean {
  const pairs = formsOf(left).flatMap((one) => formsOf(right).map((other) => [one, other] as const));
  return pairs.some(([one, other]) => areSameWords(one, other));
}

function areSameWords(left: string, right: string): boolean {
  const set = wordSet(left);
  return (
    set === wordSet(right) &&
    letters(set) >= lookalikeWords.wordSetLengthMin &&
    countriesIn(left) === countriesIn(right)
  );
}

/**
 * Compares two supplier names by their words. The names are similar if the words are in another order or joined, a
 * country was added, a trading name is equal, or there are two typing errors.
 */
function likenessOfWords(left: string, right: string): Likeness | undefined {
  const set = wordSet(left);
  const isSame = set === wordSet(right) || wordsInOrder(left) === wordsInOrder(right);
  if (isSame && letters(set) >= lookalikeWords.wordSetLengthMin) {
    // If both names contain countries, different countries distinguish two companies in a group.
    const [leftCountries, rightCountries] = [countriesIn(left), countriesIn(right)];
    const isTold = leftCountries !== '' && rightCountries !== '' && leftCountries !== rightCountries;
    return isTold ? undefined : { kind: 'SAME_WORDS' };
  }
  if (sharesTradingName(left, right) || sharesTradingName(right, left)) return { kind: 'TRADING_NAME' };
  return hasTwoSlips(left.split(' '), right.split(' ')) ? { kind: 'TWO_SLIPS' } : undefined;
}

/** Checks whether a trading name in the left supplier name equals the right name or a trading name in it. */
function sharesTradingName(left: string, right: string): boolean {
  const rights = [right, ...tradingNames(right)].map(wordSet);
  return tradingNames(left)
    .map(wordSet)
    .some((set) => letters(set) >= lookalikeWords.wordSetLengthMin && rights.includes(set));
}

function countriesIn(key: string): string {
  return key
    .split(' ')
    .filter((word) => countryWords.has(word))
    .sort()
    .join(' ');
}

/**
 * Checks whether two supplier names differ in two words by one typing error each, or in one longer word by two typing
 * errors. The first letters of the words must be equal.
 */
function hasTwoSlips(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length || left.length > TWO_SLIPS_WORDS_MAX) return false;
  const differing = left.flatMap((word, index) => (word === right[index] ? [] : [[word, right[index] ?? ''] as const]));
  if (differing.length === 0 || differing.length > 2) return false;
  return differing.every(([one, other]) => {
    const length = Math.min(one.length, other.length);
    if (one.charAt(0) !== other.charAt(0) || one.replace(/[0-9]/g, '') === other.replace(/[0-9]/g, '')) return false;
    const slips = differing.length === 2 ? 1 : 2;
    return (
      length >= (slips === 1 ? lookalikeWords.lengthMin : lookalikeWords.twoSlipsLengthMin) &&
      editDistance(one, other, slips) <= slips
    );
  });
}

/**
 * Checks whether `reduced` turns the longer of two name keys into the shorter one by removing words. The shorter key
 * must be long enough to be a name.
 */
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
  // Words with digits in supplier names are not compared by edits, because numbers distinguish branches and shops.
  if (length < lookalikeWords.lengthMin || one.replace(/[0-9]/g, '') === other.replace(/[0-9]/g, '')) return undefined;
  const edits = editDistance(one, other, 2);
  if (edits === 1) return 1;
  return edits === 2 && length >= lookalikeWords.longLengthMin && one.charAt(0) === other.charAt(0) ? 2 : undefined;
}

/** Returns the name key of a supplier and, if present, the key of its other spelling. */
function formsOf({ nameKey, nameFold }: ComparedName): readonly string[] {
  return nameFold === undefined ? [nameKey] : [nameFold, nameKey];
}

/** Returns the name of a supplier without spaces and with look-alike letters unified. */
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
