/** Region names from Unicode CLDR, as included in Node.js. */
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Names of countries that need an article in English sentences, such as `the Netherlands`. */
const WITH_ARTICLE = /^(?:United|Netherlands|Philippines|Bahamas|Maldives|Gambia|Isle of|.* Islands|.* Republic)/;
/** Pattern for a country code as stated in tax ids and accounts. */
const CODE = /^[A-Z]{2}$/;

/**
 * Returns a country name as used in sentences: `Germany`, `the Netherlands`. A string that is not a country code is
 * returned unchanged.
 */
export function countryName(code: string): string {
  if (!CODE.test(code)) return code;
  const name = regions.of(code) ?? code;
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}
