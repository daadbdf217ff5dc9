import type { Random } from './random.js';

/** Function that returns the next invoice number of one supplier. It must be called in the order of the bills. */
export type Numbering = (date: string) => string;

interface Style {
  /**
   * The part of the date with which the counter of the invoice numbers restarts. Empty if the counter never restarts.
   */
  readonly period?: (date: string) => string;
  /** Range from which the first invoice number of the supplier is chosen. */
  readonly first: readonly [min: number, max: number];
  readonly write: (counter: number, date: string) => string;
}

const established: Style['first'] = [1_000, 60_000];
const small: Style['first'] = [100, 600];
const restarted: Style['first'] = [0, 30];
const branches = ['HH', 'B', 'WAW', 'LYO', 'N'];
const seriesLetters = ['AB', 'YU', 'KX', 'MTR'];

/** Returns one of many numbering schemes, which a supplier keeps for all its bills. */
export function numbering(random: Random): Numbering {
  const branch = random.pick(branches);
  const series = random.pick(seriesLetters);
  const styles: readonly Style[] = [
    { first: established, write: (counter) => `INV-${padded(counter, 6)}` },
    { first: established, write: (counter, date) => `RE${yearOf(date)}${padded(counter, 5)}` },
    { first: established, write: (counter) => String(counter) },
    { first: established, write: (counter) => `${series}-${counter}` },
    { first: established, write: (counter, date) => `${yearOf(date)}/${counter}` },
    { first: established, write: (counter, date) => `F${shortYearOf(date)}/${padded(counter, 5)}` },
    { first: established, write: (counter) => `${counter}-${String.fromCharCode(65 + (counter % 26))}` },
    { first: established, write: (counter, date) => `FV/${counter}/${monthOf(date)}/${yearOf(date)}` },
    { first: established, write: (counter) => padded(counter, 7) },
    { first: small, write: (counter) => `RE${padded(counter, 4)}` },
    { first: small, write: (counter) => String(counter) },
    { period: yearOf, first: restarted, write: (counter, date) => `RE-${yearOf(date)}-${padded(counter, 4)}` },
    { period: yearOf, first: restarted, write: (counter, date) => `${yearOf(date)}/${padded(counter, 5)}` },
    {
      period: yearOf,
      first: restarted,
      write: (counter, date) => `${padded(counter, 4)}/${branch}/${shortYearOf(date)}`,
    },
    {
      period: yearAndMonthOf,
      first: restarted,
      write: (counter, date) => `F/${date.slice(0, 7).replace('-', '/')}/${counter}`,
    },
  ];
  const { period, first, write } = random.pick(styles);
  const stepMax = random.pick([4, 11]);
  const counters = new Map<string, number>();
  return (date) => {
    const key = period?.(date) ?? '';
    const counter = (counters.get(key) ?? random.integer(...first)) + random.integer(1, stepMax);
    counters.set(key, counter);
    return write(counter, date);
  };
}

/**
 * Returns an invoice number that is at least `stepMin` greater than the previous one and differs from each earlier
 * number by more than one typing error.
 */
export function numberApart(before: readonly number[], random: Random, stepMin: number, stepMax: number): number {
  const last = before.at(-1) ?? 0;
  for (;;) {
    const next = last + random.integer(stepMin, stepMax);
    if (!before.some((number) => isOneSlipApart(String(number), String(next)))) return next;
  }
}

/**
 * Checks whether two invoice numbers differ by one typing error: one different digit, or two neighbouring digits
 * swapped.
 */
function isOneSlipApart(left: string, right: string): boolean {
  const differing = [...left].flatMap((digit, index) => (digit === right[index] ? [] : [index]));
  const [first = 0, second = 0] = differing;
  const isSwap = second === first + 1 && left[first] === right[second] && left[second] === right[first];
  return left.length === right.length && (differing.length < 2 || (differing.length === 2 && isSwap));
}

export function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

const yearOf = (date: string): string => date.slice(0, 4);
const shortYearOf = (date: string): string => date.slice(2, 4);
const monthOf = (date: string): string => date.slice(5, 7);
const yearAndMonthOf = (date: string): string => date.slice(0, 7);
