import type { Random } from '../../random.js';

/**
 * Numbering of a supplier's bills. In a template `{n}` is the serial number, `{n:5}` the serial number with leading
 * zeros, `{s}` the customer number, `{L}` letters of the supplier, and `{yyyy}`, `{yy}`, `{mm}`, `{dd}`, `{ww}` parts
 * of the date.
 */
export interface Numbering {
  readonly templates: readonly string[];
  readonly reset?: 'year' | 'month' | 'day';
  readonly start?: number;
  /** The minimum and maximum step of the serial number between two bills of the supplier. */
  readonly step?: readonly [number, number];
  /** True if the bills of one period have the suffixes `-1`, `-2`, even if the period has only one bill. */
  readonly hasParts?: boolean;
  /** True if the bills carry the number of a contract, so that several bills have the same number. */
  readonly isContract?: boolean;
}

export interface Series {
  next(date: string): string;
  /** Returns the invoice number that the next bill on this day would get, without using the number. */
  unused(date: string): string | undefined;
  readonly customer: string;
  readonly letters: string;
  /** True when each number contains a serial number, so that two bills of one day have different numbers. */
  readonly hasSerial: boolean;
}

function weekOf(date: string): number {
  const day = Date.parse(date) / 86_400_000;
  const start = Date.parse(`${date.slice(0, 4)}-01-01`) / 86_400_000;
  return Math.floor((day - start) / 7) + 1;
}

export function seriesOf(numbering: Numbering, random: Random): Series {
  const { templates, reset, step = [1, 4], hasParts = false, isContract = false } = numbering;
  const customer = String(random.integer(10_300, 984_000));
  const letters = Array.from({ length: random.integer(2, 3) }, () => random.pick([...'ABDEFHKLMNPRTVW'])).join('');
  const width = random.pick([1, 4, 9, 30]);
  const first = numbering.start ?? random.integer(8, 95) * width;
  const serials = new Map<string, { readonly period: string; readonly serial: number }>();
  const used = new Map<string, number>();
  const log: { readonly date: string; readonly template: string; readonly serial: number }[] = [];

  const periodOf = (date: string): string => {
    if (reset === 'year') return date.slice(0, 4);
    if (reset === 'month') return date.slice(0, 7);
    return reset === 'day' ? date : '';
  };
  const printed = (template: string, date: string, serial: number): string =>
    template
      .replace(/\{n(?::(\d))?\}/g, (_all, digits?: string) => String(serial).padStart(Number(digits ?? 1), '0'))
      .replace('{s}', customer)
      .replace('{L}', letters)
      .replace('{yyyy}', date.slice(0, 4))
      .replace('{yy}', date.slice(2, 4))
      .replace('{mm}', date.slice(5, 7))
      .replace('{dd}', date.slice(8, 10))
      .replace('{ww}', String(weekOf(date)).padStart(2, '0'));

  return {
    customer,
    letters,
    hasSerial: templates.every((template) => template.includes('{n')),
    next(date) {
      const template = random.pick(templates);
      const period = periodOf(date);
      const before = serials.get(template);
      const rise = random.integer(step[0], step[1]);
      const restart = reset === undefined ? first : 0;
      let serial = before?.period === period ? before.serial + rise : restart + rise;
      while (template.includes('{n') && used.has(printed(template, date, serial))) serial++;
      serials.set(template, { period, serial });
      log.push({ date, template, serial });
      const number = printed(template, date, serial);
      const times = (used.get(number) ?? 0) + 1;
      used.set(number, times);
      if (isContract) return number;
      if (hasParts) return `${number}-${times}`;
      return times === 1 ? number : `${number}-${times}`;
    },
    unused(date) {
      const template = templates[0] ?? '';
      if (isContract || !template.includes('{n')) return undefined;
      const before = log.filter((each) => each.template === template && each.date <= date).at(-1);
      const isSamePeriod = before !== undefined && periodOf(before.date) === periodOf(date);
      const last = isSamePeriod ? before.serial : 0;
      if (before === undefined) return undefined;
      for (let serial = last + 1; serial <= last + 12; serial++) {
        const number = printed(template, date, serial);
        if (!used.has(number)) return hasParts ? `${number}-1` : number;
      }
      return undefined;
    },
  };
}
