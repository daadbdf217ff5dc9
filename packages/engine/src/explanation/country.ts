/** Region names of Unicode CLDR, as Node.js ships them. */
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Names that need an article in English: `the Netherlands`. */
const WITH_ARTICLE = /^(?:United|Netherlands|Philippines|Bahamas|Maldives|Gambia|Isle of|.* Islands|.* Republic)/;
/** A country code as tax ids and accounts state it. */
const CODE = /^[A-Z]{2}$/;

/**
 * Returns the name of a country as sentences use it: `Germany`, `the Netherlands`. A text that is no country code is
 * returned unchanged.
 */
export function countryName(code: string): string {
  if (!CODE.test(code)) return code;
  const name = regions.of(code) ?? code;
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}
