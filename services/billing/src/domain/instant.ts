const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,30}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Converts an RFC 3339 time to UTC in a form that sorts as a string in the order of time. All digits are kept, except
 * zeros at the end of the fraction (`.150000` becomes `.15`). Returns undefined for a string in any other form or with
 * more than 30 digits.
 */
export function normaliseInstant(text: string): string | undefined {
  const [, day, time, fraction = '', offset] = RFC_3339.exec(text) ?? [];
  if (day === undefined || time === undefined || offset === undefined) return undefined;
  // The check of a time from the payment provider is needed because the constructor of Date turns 31 February into a
  // day in March.
  const asUtc = new Date(`${day}T${time}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  const instant = new Date(`${day}T${time}${offset.toUpperCase()}`);
  if (!/^\d{4}-/.test(instant.toISOString())) return undefined;
  return `${instant.toISOString().slice(0, 19)}.${fraction.replace(/(?<!0)0+$/, '')}`;
}

/** Returns a normalised time as a Date with millisecond precision. */
export function toDate(normalised: string): Date {
  const [seconds, fraction = ''] = normalised.split('.');
  return new Date(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
}
