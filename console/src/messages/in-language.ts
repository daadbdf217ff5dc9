import { language } from './language.js';
import type { Language } from './language.js';

/** The texts of a part of the app in each language, in the shape of the English texts. */
export type Catalogue<Texts> = { readonly en: Texts } & Readonly<Record<Exclude<Language, 'en'>, NoInfer<Texts>>>;

/**
 * Combines the texts of a part of the app in all languages. The compiler checks that each language has all texts of the
 * English one, with the same values.
 */
export function catalogueOf<Texts>(catalogue: Catalogue<Texts>): Catalogue<Texts> {
  return catalogue;
}

/** Returns the texts of a part of the app in the language of this page. */
export function inLanguage<Texts>(catalogue: Catalogue<Texts>): Texts {
  return catalogue[language];
}
