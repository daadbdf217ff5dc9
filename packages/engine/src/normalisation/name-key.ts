import { legalForms } from '../data/legal-forms.js';
import { wordsLikeLegalForms } from '../data/words-like-legal-forms.js';
import { asShown } from './look-alike-letters.js';
import { editDistance } from './similarity.js';
import { plainText } from './text.js';

/** Every spelling with the first one of its form. */
const forms: ReadonlyMap<string, string> = new Map(
  legalForms.flatMap((spellings) => spellings.map((spelling) => [spelling, spellings[0] ?? spelling])),
);
const FORM_TOKENS_MAX = Math.max(...[...forms.keys()].map((form) => form.split(' ').length));
/** Shorter words and forms are not matched as misspelt legal forms. */
const MISSPELT_FORM_LENGTH_MIN = 4;
const misspellableForms = [...forms.keys()].filter(
  (form) => form.length >= MISSPELT_FORM_LENGTH_MIN && !form.includes(' '),
);
const NAME_LENGTH_MAX = 200;

/** The comparable forms of a supplier name; `fold` is present when it differs from `key`. */
export interface NameKeys {
  readonly key: string;
  readonly fold?: string;
}

/**
 * Reduces a name to what identifies it (detection reference, section 3): plain letters, no punctuation, no legal
 * form at either end. `S.A.R.L. Dupont` and `Dupont SARL` are `DUPONT`. Letters of another script that look like Latin
 * ones count as those in a name that is written in Latin letters. `fold` undoes the German spelling of umlauts,
 * so that MUELLER and MULLER meet.
 */
export function readName(name: string): NameKeys {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  const key = (kept.length > 0 ? kept : tokens).join(' ');
  const fold = key.replace(/([AOU])E/g, '$1');
  return fold === key ? { key } : { key, fold };
}

/** The legal form that a name states, in one spelling: `LTD` of `Dupont Limited`; empty when it states none. */
export function legalFormOf(name: string): string {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  if (kept.length === 0) return '';
  const first = tokens.findIndex((_, index) => kept.every((token, offset) => tokens[index + offset] === token));
  const stated = tokens.toSpliced(first, kept.length).join(' ');
  return forms.get(stated) ?? stated;
}

/** True when both names state a legal form and they are two different ones. */
export function haveOtherLegalForms(left: string, right: string): boolean {
  const [leftForm, rightForm] = [legalFormOf(left), legalFormOf(right)];
  return leftForm !== '' && rightForm !== '' && leftForm !== rightForm;
}

/**
 * A name key without a misspelt legal form at its end: `FAIRFAX LOGISTICS` of
 * `FAIRFAX LOGISTICS LIMTED`, `HINRICHS` of `HINRICHS GMBH H`. The key itself where nothing of that kind does.
 */
export function withoutMisspeltForm(nameKey: string): string {
  let words = nameKey.split(' ');
  for (;;) {
    const length = [2, 1].find((count) => count < words.length && isNearlyForm(words.slice(-count).join('')));
    if (length === undefined) return words.join(' ');
    words = words.slice(0, -length);
  }
}

/** A form, one with a letter doubled, or one with the same initial that a single edit is missing to. */
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

/** The name as it is read. A name in its own script stays as it is, and is transliterated. */
function asPrinted(name: string): string {
  return LATIN.test(name) ? asShown(name) : name;
}

/** `S.A.R.L.` is `SARL`, `B. V.` is `BV`; a single dotted letter stays alone. */
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
    if (forms.has(tokens.slice(0, length).join(' '))) return tokens.slice(length);
  }
  return undefined;
}
