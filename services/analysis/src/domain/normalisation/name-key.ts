import { legalForms } from '../data/legal-forms.js';
import { plainText } from './text.js';

const forms: ReadonlySet<string> = new Set(legalForms);
const FORM_TOKENS_MAX = Math.max(...legalForms.map((form) => form.split(' ').length));
const NAME_LENGTH_MAX = 200;

/** The comparable forms of a supplier name; `fold` is present when it differs from `key`. */
export interface NameKeys {
  readonly key: string;
  readonly fold?: string;
}

/**
 * Reduces a name to what identifies it (detection reference, section 3): plain letters, no punctuation, no legal
 * form at either end. `S.A.R.L. Dupont` and `Dupont SARL` are `DUPONT`. `fold` undoes the German spelling of umlauts,
 * so that MUELLER and MULLER meet.
 */
export function readName(name: string): NameKeys {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  const key = (kept.length > 0 ? kept : tokens).join(' ');
  const fold = key.replace(/([AOU])E/g, '$1');
  return fold === key ? { key } : { key, fold };
}

/** The legal form that a name states, `GMBH` of `Dupont GmbH`; empty when it states none. */
export function legalFormOf(name: string): string {
  const tokens = tokensOf(name);
  const kept = withoutLegalForms(tokens);
  if (kept.length === 0) return '';
  const first = tokens.findIndex((_, index) => kept.every((token, offset) => tokens[index + offset] === token));
  return tokens.toSpliced(first, kept.length).join(' ');
}

function tokensOf(name: string): string[] {
  const text = plainText(name.slice(0, NAME_LENGTH_MAX)).replace(/['’`]/g, '');
  return joinDottedLetters(text)
    .split(/[^A-Z0-9]+/)
    .filter((token) => token !== '');
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
