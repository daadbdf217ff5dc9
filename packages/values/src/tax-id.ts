import jsvat from 'jsvat-next';
import type { Country } from 'jsvat-next';
import { isCountryCode } from './country.js';

/**
 * A tax id reduced to what identifies it. `body` is the number without country prefix and without the words that
 * follow it in Switzerland (MWST, TVA, IVA) and Norway (MVA); `country` is present when the id states one.
 */
export interface TaxId {
  readonly body: string;
  readonly country?: string;
}

/** `FORMAT_ONLY`: the shape fits and the country defines no check digit for it. `UNCHECKED`: no rule is known. */
export type TaxIdValidity = 'VALID' | 'FORMAT_ONLY' | 'WRONG_FORMAT' | 'WRONG_CHECK_DIGIT' | 'UNCHECKED';

const BODY_LENGTH_MAX = 40;
/** The shortest numbers are those of UK government departments, such as GD001. */
const DIGITS_MIN = 3;

/** Greece writes EL, Northern Ireland XI; both are kept under their ISO code. */
const PREFIX_ALIASES: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' };

/**
 * Only in these countries does the number behind the prefix begin with a letter. Elsewhere two leading letters
 * followed by a third belong to the number itself (an Italian personal code, an Indian PAN), not to a country.
 */
const LETTER_BODY_COUNTRIES: ReadonlySet<string> = new Set(['AD', 'AR', 'AT', 'CH', 'ES', 'FR', 'GB', 'LI', 'MC']);

const checkersByCountry: ReadonlyMap<string, Country> = new Map(
  jsvat.countries.filter((checker) => checker.name !== 'Europe').map((checker) => [checker.codes[0] ?? '', checker]),
);

/** Reads a tax id as printed; undefined for a text with hardly a digit: `N/A` and `none` state no tax id. */
export function parseTaxId(raw: string): TaxId | undefined {
  const text = raw
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, BODY_LENGTH_MAX);
  if (text.replace(/[^0-9]/g, '').length < DIGITS_MIN) return undefined;
  const country = statedCountry(text);
  const body = withoutSuffix(country === undefined ? text : text.slice(2), country);
  return country === undefined ? { body } : { body, country };
}

/** False for `0000000000`, `000000000B00` and their like, which stand where a number was required and tell nobody apart. */
export function identifiesParty({ body }: TaxId): boolean {
  return !/^(.)\1*$/.test(body) && !isAllZero(body);
}

/** Equal bodies, and equal countries when both are known (detection reference, section 3). */
export function sameTaxId(left: TaxId, right: TaxId): boolean {
  if (left.body !== right.body) return false;
  return left.country === undefined || right.country === undefined || left.country === right.country;
}

/**
 * Checks the number against the rules of exactly one country: asked for all, the library would match an unprefixed
 * number with any of them. `country` is the ISO code, stated by the id or presumed by the caller.
 *
 * British check digits lie between 00 and 96 (modulus 97): where the weighted sum is a multiple of 97 they are 00, and a
 * number that ends in 97 is never issued, although it adds up.
 */
export function taxIdValidity(body: string, country: string): TaxIdValidity {
  const checker = checkersByCountry.get(country);
  if (checker === undefined) return 'UNCHECKED';
  if (isAllZero(body)) return 'WRONG_CHECK_DIGIT';
  const { isValid, isValidFormat } = jsvat.checkVAT(printedForm(body, country), [checker]);
  if (!isValidFormat) return 'WRONG_FORMAT';
  if (!isValid) return 'WRONG_CHECK_DIGIT';
  return hasCheckDigit(body, country) ? 'VALID' : 'FORMAT_ONLY';
}

/** Zeros satisfy many a check digit, also beside the letters that some countries put into the number. */
function isAllZero(body: string): boolean {
  return !/[1-9]/.test(body);
}

function statedCountry(text: string): string | undefined {
  const prefix = text.slice(0, 2);
  const country = PREFIX_ALIASES[prefix] ?? prefix;
  if (text.length < 4 || !isCountryCode(country)) return undefined;
  return /[0-9]/.test(text.charAt(2)) || LETTER_BODY_COUNTRIES.has(country) ? country : undefined;
}

function withoutSuffix(body: string, country: string | undefined): string {
  if (country === 'CH' || (country === undefined && /^[0-9]{9}(MWST|TVA|IVA)$/.test(body))) {
    return body.replace(/(MWST|TVA|IVA)$/, '').replace(/^E(?=[0-9]{9}$)/, '');
  }
  if (country === 'NO' || (country === undefined && /^[0-9]{9}MVA$/.test(body))) return body.replace(/MVA$/, '');
  return body;
}

/** The spelling the library expects: each country has its own habit. */
function printedForm(body: string, country: string): string {
  if (country === 'GR') return `EL${body}`;
  if (country === 'CH') return `CHE${body}`;
  if (country === 'NO') return `${body}MVA`;
  return `${country}${body}`;
}

/** UK government departments and health authorities, Andorra, and French ids with letters carry no check digit. */
function hasCheckDigit(body: string, country: string): boolean {
  if (country === 'GB') return !/^(GD|HA)/.test(body);
  if (country === 'FR' || country === 'MC') return /^[0-9]{11}$/.test(body);
  return country !== 'AD';
}
