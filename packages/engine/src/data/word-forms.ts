/**
 * Abbreviations in company names and the words that they stand for, in the singular and after transliteration. `Harrow
 * Bros` is read as `Harrow Brothers`. Other spellings of a word are included too. Reviewed 2026-11.
 */
// prettier-ignore
const abbreviations: Readonly<Record<string, string>> = {
  // Abbreviations of English words in company names.
  ASSN: 'ASSOCIATION', ASSOC: 'ASSOCIATE', BROS: 'BROTHER', CENTRE: 'CENTER', CHEM: 'CHEMICAL', CONSTR: 'CONSTRUCTION',
  CTR: 'CENTER', DEPT: 'DEPARTMENT', DISTR: 'DISTRIBUTION', ELEC: 'ELECTRIC', ELECTRICAL: 'ELECTRIC', ENGRG: 'ENGINEERING',
  ENGR: 'ENGINEERING', EQUIP: 'EQUIPMENT', HOSP: 'HOSPITAL', INDS: 'INDUSTRY', INTL: 'INTERNATIONAL', LAB: 'LABORATORY',
  MFG: 'MANUFACTURING', MGMT: 'MANAGEMENT', MGT: 'MANAGEMENT', PKG: 'PACKAGING', PROD: 'PRODUCT', PROP: 'PROPERTY',
  SOLN: 'SOLUTION', SVC: 'SERVICE', SYS: 'SYSTEM', TECH: 'TECHNOLOGY', TRANSP: 'TRANSPORT', UNIV: 'UNIVERSITY',
  WHSE: 'WAREHOUSE',
  // Abbreviations of words in other languages in company names.
  BRDR: 'BRODRENE', FRES: 'FRERE', GEBR: 'GEBRUDER', GEBRUEDER: 'GEBRUDER', HNOS: 'HERMANO', SOEHNE: 'SOHN', SOHNE: 'SOHN',
};

/**
 * Minimum length of a word in a supplier name whose plural ending is removed. `SONS` becomes `SON`, and `GAS` stays.
 */
const PLURAL_LENGTH_MIN = 4;

/**
 * Returns a word of a company name without its plural ending and without abbreviation, so that other forms of the word
 * are equal.
 */
export function baseFormOf(word: string): string {
  const full = abbreviations[word];
  if (full !== undefined) return full;
  const singular = singularOf(word);
  return abbreviations[singular] ?? singular;
}

function singularOf(word: string): string {
  if (word.length < PLURAL_LENGTH_MIN || !word.endsWith('S')) return word;
  if (word.endsWith('IES') && word.length > PLURAL_LENGTH_MIN) return `${word.slice(0, -3)}Y`;
  if (/(?:S|X|Z|CH|SH)ES$/.test(word)) return word.slice(0, -2);
  return /(?:S|U|I)S$/.test(word) ? word : word.slice(0, -1);
}
