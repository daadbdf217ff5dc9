const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,30}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * An RFC 3339 instant in a form whose text order is the order in time, with all its digits: in UTC, the fraction without
 * zeros at its end (`.15` is `.150000`). Undefined for any other text, and for more than 30 digits.
 */
export function normaliseInstant(text: string): string | undefined {
  const [, day, time, fraction = '', offset] = RFC_3339.exec(text) ?? [];
  if (day === undefined || time === undefined || offset === undefined) return undefined;
  // Date accepts 31 February and turns it into March.
  const asUtc = new Date(`${day}T${time}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  const instant = new Date(`${day}T${time}${offset.toUpperCase()}`);
  if (!/^\d{4}-/.test(instant.toISOString())) return undefined;
  return `${instant.toISOString().slice(0, 19)}.${fraction.replace(/(?<!0)0+$/, '')}`;
}

/** The instant to the millisecond. */
export function toDate(normalised: string): Date {
  const [seconds, fraction = ''] = normalised.split('.');
  return new Date(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
}
