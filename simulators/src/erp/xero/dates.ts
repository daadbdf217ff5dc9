/** Formats times and days as Xero does: `/Date(1539993600000+0000)/`. */
export function dateOf(time: number): string {
  return `/Date(${time}+0000)/`;
}

/** Returns the Xero time of `/Date(...)/`, of a date, or of a date with a time (in UTC), and NaN for anything else. */
export function timeOfDate(text: string): number {
  const ms = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
  if (ms !== undefined) return Number(ms);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2}|^.{10})$/.test(text) ? text : `${text}Z`);
}
