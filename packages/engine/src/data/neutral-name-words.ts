// Words in a company name that do not identify its owner, after transliteration. Reviewed 2026-11.

/** Words in company names that join other words, and parts of web addresses. */
// prettier-ignore
export const joiningWords: ReadonlySet<string> = new Set([
  'AND', 'UND', 'U', 'ET', 'E', 'Y', 'I', 'EN', 'OG', 'OCH', 'THE', 'OF', 'FOR', 'VON', 'DER', 'DIE', 'DAS', 'DE', 'DES', 'DU',
  'LA', 'LE', 'LES', 'EL', 'LOS', 'LAS', 'DI', 'DEL', 'VAN', 'HET', 'ZUM', 'ZUR', 'FUR', 'FUER', 'WWW', 'HTTP', 'HTTPS', 'COM',
  'NET', 'ORG',
]);

/**
 * Words in company names that name a country or region, in the language of the country, in English and in German. The
 * list also contains country codes, except those that are words.
 */
// prettier-ignore
export const countryWords: ReadonlySet<string> = new Set([
  'DEUTSCHLAND', 'GERMANY', 'ALLEMAGNE', 'OSTERREICH', 'OESTERREICH', 'AUSTRIA', 'SCHWEIZ', 'SUISSE', 'SVIZZERA', 'SWITZERLAND',
  'POLSKA', 'POLAND', 'POLEN', 'FRANCE', 'FRANKREICH', 'ITALIA', 'ITALY', 'ITALIEN', 'ESPANA', 'SPAIN', 'SPANIEN', 'PORTUGAL',
  'NEDERLAND', 'NETHERLANDS', 'NIEDERLANDE', 'HOLLAND', 'BELGIUM', 'BELGIE', 'BELGIQUE', 'BELGIEN', 'BELUX', 'BENELUX',
  'LUXEMBOURG', 'LUXEMBURG', 'IRELAND', 'IRLAND', 'UK', 'GB', 'BRITAIN', 'ENGLAND', 'SCOTLAND', 'WALES', 'DANMARK', 'DENMARK',
  'DANEMARK', 'SVERIGE', 'SWEDEN', 'SCHWEDEN', 'NORGE', 'NORWAY', 'NORWEGEN', 'SUOMI', 'FINLAND', 'FINNLAND', 'NORDIC',
  'BALTIC', 'EESTI', 'ESTONIA', 'LATVIJA', 'LATVIA', 'LIETUVA', 'LITHUANIA', 'CESKO', 'CZECH', 'CZECHIA', 'TSCHECHIEN',
  'SLOVENSKO', 'SLOVAKIA', 'SLOVENIJA', 'SLOVENIA', 'HUNGARY', 'MAGYARORSZAG', 'UNGARN', 'ROMANIA', 'BULGARIA', 'HRVATSKA',
  'CROATIA', 'GREECE', 'HELLAS', 'CYPRUS', 'MALTA', 'TURKEY', 'TURKIYE', 'USA', 'AMERICA', 'CANADA', 'INDIA', 'CHINA', 'DACH',
  'IBERIA', 'IBERICA', 'EMEA', 'CH', 'PL', 'FR', 'NL',
]);

/** Words between a firm's name and the name under which it trades. */
export const tradingAs: readonly string[] = [
  'T A',
  'TRADING AS',
  'D B A',
  'DBA',
  'DOING BUSINESS AS',
  'HANDELND ALS',
  'AUFTRETEND ALS',
  'NOM COMMERCIAL',
  'NOMBRE COMERCIAL',
  'HANDELEND ONDER DE NAAM',
  'H O D N',
];

/**
 * Words such as "c/o" that stand between the name of a firm and the name of the recipient of its mail or its payments.
 */
export const careOf: readonly string[] = ['C O', 'CARE OF'];
