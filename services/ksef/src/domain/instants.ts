/** Digits of a second that are compared; KSeF writes up to seven. */
const DIGITS = 9;

/**
 * Compares two times as KSeF writes them, in full: it gives up to seven digits of a second, and a `Date` keeps three. A time that went
 * through a `Date` would be earlier than the record that it names.
 * @returns less than 0 when the first is earlier, 0 when they are equal
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
