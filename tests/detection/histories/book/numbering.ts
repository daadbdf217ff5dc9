import type { Random } from '../../random.js';
import { filled } from './pattern.js';

/** Gives the next number of a series, for a bill of this day. Days come in order. */
export type Numbering = (date: string) => string;

/**
 * Form of a number. YYYY, YY, MM and DD are the date's, N... the serial with at least as many digits, W the week; `#` is a digit and `@` a
 * letter that the trader keeps (a customer number, a branch).
 */
export type NumberForm = string;

export interface SeriesOptions {
  readonly from?: number;
  /** Maximum step between two of our numbers, since others get bills as well; 1 if we are the only customer. */
  readonly stepMax?: number;
  readonly restart?: 'never' | 'year' | 'month' | 'day';
}

export function series(form: NumberForm, options: SeriesOptions, random: Random): Numbering {
  const kept = filled(form, random);
  const { from = random.integer(1, 4_000), stepMax = random.pick([4, 9, 30, 80]), restart = 'never' } = options;
  let serial = from;
  let period = '';
  return (date) => {
    const current = restart === 'never' ? '' : date.slice(0, { year: 4, month: 7, day: 10 }[restart]);
    if (current !== period && period !== '') serial = 0;
    serial += random.integer(1, period !== '' && current !== period ? Math.max(1, Math.ceil(stepMax / 2)) : stepMax);
    period = current;
    return written(kept, date, serial);
  };
}

function written(form: string, date: string, serial: number): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return form
    .replace('YYYY', year)
    .replace('YY', year.slice(2))
    .replace('MM', month)
    .replace('DD', day)
    .replace(/N+/, (run) => String(serial).padStart(run.length, '0'));
}

/** The same number on every bill: the contract's, or the customer's. */
export function always(form: NumberForm, random: Random): Numbering {
  const number = filled(form, random);
  return () => number;
}
