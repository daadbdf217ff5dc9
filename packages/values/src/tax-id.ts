import jsvat from 'jsvat-next';
import type { Country } from 'jsvat-next';
import { isCountryCode } from './country.js';
import { countryOfForm, nationalValidity } from './national-tax-id.js';

/**
 * A tax id reduced to its identifying parts. `body` is the number without the country prefix and without the words that
 * follow it in Switzerland (MWST, TVA, IVA) and Norway (MVA). `country` is present if the prefix or the form of the tax
 * id states it.
 */
export interface TaxId {
  readonly body: string;
  readonly country?: string;
}

/**
 * Result of checking a tax id. `FORMAT_ONLY` means that the format is right and there is no check digit. `UNCHECKED`
 * means that no rule is known for the country.
 */
export type TaxIdValidity = 'VALID' | 'FORMAT_ONLY' | 'WRONG_FORMAT' | 'WRONG_CHECK_DIGIT' | 'UNCHECKED';

const BODY_LENGTH_MAX = 40;
/** Minimum number of digits in a tax id. UK government departments have the shortest tax ids, such as GD001. */
const DIGITS_MIN = 3;

/** Country prefixes of tax ids that differ from the ISO code: Greece writes EL, and Northern Ireland writes XI. */
const PREFIX_ALIASES: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' };

/**
 * Countries in which the tax id after the country prefix begins with a letter. In all other countries, if a tax id
 * begins with three letters, the first two are not a country prefix but a part of the number (as in an Italian personal
 * code or an Indian PAN).
 */
const LETTER_BODY_COUNTRIES: ReadonlySet<string> = new Set(['AD', 'AR', 'AT', 'CH', 'ES', 'FR', 'GB', 'LI', 'MC']);

const checkersByCountry: ReadonlyMap<string, Country> = new Map(
  jsvat.countries.filter((checker) => checker.name !== 'Europe').map((checker) => [checker.codes[0] ?? '', checker]),
);

/** Parses a tax id as printed. Returns undefined for a text with fewer than three digits, such as `N/A` or `none`. */
export function parseTaxId(raw: string): TaxId | undefined {
  const text = raw
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, BODY_LENGTH_MAX);
  if (text.replace(/[^0-9]/g, '').length < DIGITS_MIN) return undefined;
  const prefixed = readCountryPrefix(text);
  const body = removeSuffix(prefixed === undefined ? text : text.slice(2), prefixed);
  const country = prefixed ?? countryOfForm(raw, text);
  return country === undefined ? { body } : { body: completeTaxId(body, country), country };
}

/**
 * Returns the full form of a tax id. Belgian tax ids have had ten digits since 2005, and many systems still print nine,
 * without the leading zero.
 */
export function completeTaxId(body: string, country: string | undefined): string {
  return country === 'BE' && /^[0-9]{9}$/.test(body) ? `0${body}` : body;
}

/**
 * Checks whether a tax id identifies a party. Placeholders such as `0000000000` and `000000000B00` do not identify a
 * party.
 */
export function identifiesParty({ body }: TaxId): boolean {
  return !/^(.)\1*$/.test(body) && !isAllZero(body);
}

/**
 * Checks whether two tax ids have equal bodies and, if both countries are known, equal countries (detection reference,
 * section 3).
 */
export function sameTaxId(left: TaxId, right: TaxId): boolean {
  const country = left.country ?? right.country;
  if (completeTaxId(left.body, country) !== completeTaxId(right.body, country)) return false;
  return left.country === undefined || right.country === undefined || left.country === right.country;
}

/** Checks whether two texts are tax ids that {@link sameTaxId} regards as the same. */
export function areSameTaxId(left: string, right: string): boolean {
  const [one, other] = [parseTaxId(left), parseTaxId(right)];
  return one !== undefined && other !== undefined && sameTaxId(one, other);
}

/**
 * Checks a tax id against the rules of one country. If no country were given, the validation library would accept a
 * number without a prefix that is valid in any country. `country` is the ISO code that the tax id states or the caller
 * presumes. The check digits of UK tax ids are from 00 to 96 (modulus 97). If the weighted sum is a multiple of 97,
 * they are 00. The digits 97 would also fit such a sum, but they are never issued.
 */
export function taxIdValidity(body: string, country: string): TaxIdValidity {
  const national = nationalValidity(body, country);
  if (national !== undefined) return national;
  const checker = checkersByCountry.get(country);
  if (checker === undefined) return 'UNCHECKED';
  if (isAllZero(body)) return 'WRONG_CHECK_DIGIT';
  const { isValid, isValidFormat } = jsvat.checkVAT(toLibraryForm(body, country), [checker]);
  if (!isValidFormat) return 'WRONG_FORMAT';
  if (!isValid) return 'WRONG_CHECK_DIGIT';
  return hasCheckDigit(body, country) ? 'VALID' : 'FORMAT_ONLY';
}

/**
 * A tax id of zeros is refused, because it has correct check digits in many countries, even in formats with letters.
 */
function isAllZero(body: string): boolean {
  return !/[1-9]/.test(body);
}

function readCountryPrefix(text: string): string | undefined {
  const prefix = text.slice(0, 2);
  const country = PREFIX_ALIASES[prefix] ?? prefix;
  if (text.length < 4 || !isCountryCode(country)) return undefined;
  return /[0-9]/.test(text.charAt(2)) || LETTER_BODY_COUNTRIES.has(country) ? country : undefined;
}

function removeSuffix(body: string, country: string | undefined): string {
  if (country === 'CH' || (country === undefined && /^[0-9]{9}(MWST|TVA|IVA)$/.test(body))) {
    return body.replace(/(MWST|TVA|IVA)$/, '').replace(/^E(?=[0-9]{9}$)/, '');
  }
  if (country === 'NO' || (country === undefined && /^[0-9]{9}MVA$/.test(body))) return body.replace(/MVA$/, '');
  return body;
}

/** Converts a tax id to the format that the validation library expects. */
function toLibraryForm(body: string, country: string): string {
  if (country === 'GR') return `EL${body}`;
  if (country === 'CH') return `CHE${body}`;
  if (country === 'NO') return `${body}MVA`;
  return `${country}${body}`;
}

/**
 * Tax ids of UK government departments and health authorities, tax ids of Andorra, and French ids with letters have no
 * check digit.
 */
function hasCheckDigit(body: string, country: string): boolean {
  if (country === 'GB') return !/^(GD|HA)/.test(body);
  if (country === 'FR' || country === 'MC') return /^[0-9]{11}$/.test(body);
  return country !== 'AD';
}
