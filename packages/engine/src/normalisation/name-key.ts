import { legalForms, trailingLegalForms } from '../data/legal-forms.js';
import { wordsLikeLegalForms } from '../data/words-like-legal-forms.js';
import { asShown } from './look-alike-letters.js';
import { editDistance } from './similarity.js';
import { plainText } from './text.js';

/** Maps every spelling of a company's legal form to its first spelling. */
const forms: ReadonlyMap<string, string> = new Map(
  legalForms.flatMap((spellings) => spellings.map((spelling) => [spelling, spellings[0] ?? spelling])),
);
const FORM_TOKENS_MAX = Math.max(...[...forms.keys()].map((form) => form.split(' ').length));
/**
 * Minimum length of a word in a company name, and of a legal form, for the word to count as a misspelling of the legal
 * form.
 */
const MISSPELT_FORM_LENGTH_MIN = 4;
const misspellableForms = [...forms.keys()].filter(
  (form) => form.length >= MISSPELT_FORM_LENGTH_MIN && !form.includes(' '),
);
const NAME_LENGTH_MAX = 200;

/** Forms of a supplier name that are compared. `fold` is present only if it differs from `key`. */
export interface NameKeys {
  readonly key: string;
  readonly fold?: string;
}

/**
 * Reduces a company name to the part that identifies it (detection reference, section 3): plain letters without
 * punctuation and without a legal form at either end. `S.A.R.L. Dupont` and `Dupont SARL` become `DUPONT`. In a name
 * that is written in Latin letters, letters of another script are replaced by the Latin letters that they look like.
 * The member `fold` of the result reverses the German spelling of umlauts, so that MUELLER and MULLER match.
 */
export function readName(name: string): NameKeys {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  const key = (kept.length > 0 ? kept : tokens).join(' ');
  const fold = key.replace(/([AOU])E/g, '$1');
  return fold === key ? { key } : { key, fold };
}

/**
 * Returns the legal form stated in a company name, in one spelling: `LTD` for `Dupont Limited`. Empty if the name
 * states none.
 */
export function legalFormOf(name: string): string {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  if (kept.length === 0) return '';
  const first = tokens.findIndex((_, index) => kept.every((token, offset) => tokens[index + offset] === token));
  const stated = tokens.toSpliced(first, kept.length).join(' ');
  return forms.get(stated) ?? stated;
}

/** Checks whether two company names both state a legal form and the two forms differ. */
export function haveOtherLegalForms(left: string, right: string): boolean {
  const [leftForm, rightForm] = [legalFormOf(left), legalFormOf(right)];
  return leftForm !== '' && rightForm !== '' && leftForm !== rightForm;
}

/**
 * Removes a misspelt legal form from the end of a company's name key: `FAIRFAX LOGISTICS LIMTED` becomes `FAIRFAX
 * LOGISTICS`, and `HINRICHS GMBH H` becomes `HINRICHS`. A key without such an ending is returned unchanged.
 */
export function withoutMisspeltForm(nameKey: string): string {
  let words = nameKey.split(' ');
  for (;;) {
    const length = [2, 1].find((count) => count < words.length && isNearlyForm(words.slice(-count).join('')));
    if (length === undefined) return words.join(' ');
    words = words.slice(0, -length);
  }
}

/**
 * Checks whether a word is a legal form, is a legal form with a doubled letter, or differs in one character from a
 * legal form with the same first letter.
 */
function isNearlyForm(word: string): boolean {
  if (word.length < MISSPELT_FORM_LENGTH_MIN || wordsLikeLegalForms.has(word)) return false;
  if (forms.has(word) || forms.has(word.replace(/(.)\1+/g, '$1'))) return true;
  return misspellableForms.some((form) => form.charAt(0) === word.charAt(0) && editDistance(form, word, 1) <= 1);
}

function tokensOf(name: string): string[] {
  const text = plainText(asPrinted(name.slice(0, NAME_LENGTH_MAX))).replace(/['’`]/g, '');
  return joinDottedLetters(text)
    .split(/[^A-Z0-9]+/)
    .filter((token) => token !== '');
}

const LATIN = /\p{Script=Latin}/u;

/**
 * Returns a company name as people read it. A name without Latin letters remains unchanged and is transliterated later.
 */
function asPrinted(name: string): string {
  return LATIN.test(name) ? asShown(name) : name;
}

/**
 * Joins dotted letters in a company name: `S.A.R.L.` becomes `SARL`, and `B. V.` becomes `BV`. A single dotted letter
 * stays separate.
 */
function joinDottedLetters(text: string): string {
  return text.replace(/(?<![A-Z0-9])(?:[A-Z]\.\s?){2,}/g, (letters) => `${letters.replace(/[.\s]/g, '')} `);
}

function withoutLegalForms(tokens: readonly string[]): readonly string[] {
  let rest = tokens;
  for (;;) {
    const shorter = withoutOneForm(rest);
    if (shorter === undefined) return rest;
    rest = shorter;
  }
}

function withoutOneForm(tokens: readonly string[]): readonly string[] | undefined {
  for (let length = Math.min(FORM_TOKENS_MAX, tokens.length); length > 0; length -= 1) {
    if (forms.has(tokens.slice(-length).join(' '))) return tokens.slice(0, -length);
    const first = tokens.slice(0, length).join(' ');
    if (forms.has(first) && !trailingLegalForms.has(first)) return tokens.slice(length);
  }
  return undefined;
}
