import { locale } from '../messages/language.js';

const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a time of the API in the time zone of the person. */
export function formatMoment(instant: string): string {
  return moment.format(new Date(instant));
}

/** Formats a calendar day of the API, which has no time zone. */
export function formatDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`));
}
