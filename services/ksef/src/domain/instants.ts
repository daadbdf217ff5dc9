/** Number of fraction digits of a KSeF time that are compared. KSeF writes up to seven digits. */
const DIGITS = 9;

/**
 * Compares two KSeF times including all their fraction digits. KSeF writes up to seven fraction digits of a second, but
 * a `Date` keeps only three and would therefore be earlier than the KSeF time.
 * @returns a negative number if the first time is earlier, 0 if both are equal
 */
export function compareInstants(one: string, other: string): number {
  const differenceMs = Date.parse(one) - Date.parse(other);
  return differenceMs === 0 ? digitsOf(one) - digitsOf(other) : differenceMs;
}

export function earlierOf(one: string, other: string): string {
  return compareInstants(one, other) <= 0 ? one : other;
}

export function laterOf(one: string, other: string): string {
  return compareInstants(one, other) >= 0 ? one : other;
}

function digitsOf(instant: string): number {
  const digits = /\.(\d+)/.exec(instant)?.[1] ?? '';
  return Number(digits.padEnd(DIGITS, '0').slice(0, DIGITS));
}
