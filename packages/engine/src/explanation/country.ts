/** Region names of Unicode CLDR, as Node.js ships them. */
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Names that English puts an article before: `the Netherlands`. */
const WITH_ARTICLE = /^(?:United|Netherlands|Philippines|Bahamas|Maldives|Gambia|Isle of|.* Islands|.* Republic)/;
/** A country code as tax ids and accounts state it. */
const CODE = /^[A-Z]{2}$/;

/** A country as sentences name it: `Germany`, `the Netherlands`; a text that is not a country code stays as it is. */
export function countryName(code: string): string {
  if (!CODE.test(code)) return code;
  const name = regions.of(code) ?? code;
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}
