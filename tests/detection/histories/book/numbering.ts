import type { Random } from '../../random.js';
import { filled } from './pattern.js';

/**
 * Function that returns the next number of a series for a bill of a given day. It must be called in the order of the
 * days.
 */
export type Numbering = (date: string) => string;

/**
 * Form of invoice numbers. YYYY, YY, MM and DD stand for the date, N... for the serial number with at least as many
 * digits, W for the week, `#` for a digit and `@` for a letter. Digits and letters stay the same for a supplier, such
 * as a customer number or a branch.
 */
export type NumberForm = string;

export interface SeriesOptions {
  readonly from?: number;
  /**
   * Maximum difference between two consecutive invoice numbers that the customer receives, because the supplier has
   * other customers too; 1 if it has no other customer.
   */
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

/** Returns the same number for every bill: the number of the contract or of the customer. */
export function always(form: NumberForm, random: Random): Numbering {
  const number = filled(form, random);
  return () => number;
}
