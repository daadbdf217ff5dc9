import { locale } from '../messages/language.js';

const percent = new Intl.NumberFormat(locale, { style: 'percent' });

/** Formats a confidence of the API, which is from 0 to 1, in percent. */
export function formatPercent(share: number): string {
  return percent.format(share);
}
