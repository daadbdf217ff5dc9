/** A date that was found in the text of a document. */
export interface DateMatch {
  /** Date that was read from a document, as `YYYY-MM-DD`. */
  readonly value: string;
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  /** True if day and month of a document date could be swapped and nothing in the document shows their order. */
  readonly isAmbiguous: boolean;
  /** True for eight digits in a row, which are read as a date only after a label. */
  readonly isCompact: boolean;
}

export type DateOrder = 'DAY_FIRST' | 'MONTH_FIRST';

const MONTHS: readonly string[] = [
  'january januar jaenner janner jan janvier janv enero ene gennaio gen januari styczen stycznia sty',
  'february februar feb februar feber fevrier fevr fev febrero febbraio februari luty lutego lut',
  'march marz maerz mrz mar mars marzo maart mrt marzec marca',
  'april apr avril avr abril abr aprile kwiecien kwietnia kwi',
  'may mai mayo maggio mag mei maj maja',
  'june juni jun juin junio giugno giu czerwiec czerwca cze',
  'july juli jul juillet juil julio luglio lug lipiec lipca lip',
  'august aug aout aou agosto ago augustus sierpien sierpnia sie',
  'september sept sep septembre septiembre setiembre settembre set wrzesien wrzesnia wrz',
  'october oktober okt oct octobre octubre ottobre ott pazdziernik pazdziernika paz',
  'november nov novembre noviembre listopad listopada lis',
  'december dezember dez dec decembre diciembre dic dicembre grudzien grudnia gru',
];
const monthByName = new Map(
  MONTHS.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);

const SEPARATED = /(?<![\d./-])(\d{1,4})( ?[./-] ?)(\d{1,2})\2(\d{2,4})(?![\d/-]|\.\d)/g;
const DAY_MONTH_YEAR =
  /(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|°|o|\.)?,?[ -]?(?:of |de |d')?[ -]?(\p{L}{3,12})\.?,?[ -]?(?:de |del |of )?'?(\d{4}|\d{2})(?!\d)/giu;
const MONTH_DAY_YEAR = /(?<!\p{L})(\p{L}{3,12})\.?[ -]?(\d{1,2})(?:st|nd|rd|th)? ?,? ?[ -]?(\d{4})(?!\d)/giu;
const COMPACT = /(?<![\d./-])(20\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?![\d./-])/g;

/** Returns the order of day and month in the other dates of the document, or undefined if no date shows the order. */
export function dateOrderOf(texts: Iterable<string>): DateOrder | undefined {
  for (const text of texts) {
    for (const [, first, , second, year] of text.matchAll(SEPARATED)) {
      if (first === undefined || second === undefined || year === undefined || first.length > 2) continue;
      if (Number(first) > 12 && Number(first) <= 31 && Number(second) <= 12) return 'DAY_FIRST';
      if (Number(second) > 12 && Number(second) <= 31 && Number(first) <= 12) return 'MONTH_FIRST';
    }
  }
  return undefined;
}

/**
 * Finds all dates in the text of a document, in the seven supported languages (documents reference, 10.2). `order`
 * decides whether 3/4 is a day in March or April.
 */
export function findDates(text: string, order: DateOrder | undefined): DateMatch[] {
  const found: DateMatch[] = [];
  const add = (match: RegExpExecArray, date: string | undefined, isAmbiguous = false, isCompact = false): void => {
    if (date === undefined) return;
    const start = match.index;
    const end = start + match[0].length;
    if (found.some((other) => other.start < end && start < other.end)) return;
    found.push({ value: date, raw: match[0], start, end, isAmbiguous, isCompact });
  };
  for (const match of text.matchAll(SEPARATED)) {
    const [, first = '', separator = '', second = '', third = ''] = match;
    if (first.length === 4) {
      if (third.length <= 2) add(match, toDate(first, second, third));
      continue;
    }
    if (first.length > 2 || third.length === 3) continue;
    const isDotted = separator.trim() === '.';
    const isMonthFirst = !isDotted && order === 'MONTH_FIRST' && Number(first) <= 12;
    const [day, month] = isMonthFirst ? [second, first] : [first, second];
    const date = toDate(third, month, day) ?? (isDotted ? undefined : toDate(third, day, month));
    const isUnclear =
      !isDotted && order === undefined && Number(first) <= 12 && Number(second) <= 12 && first !== second;
    add(match, date, isUnclear);
  }
  for (const match of text.matchAll(DAY_MONTH_YEAR)) add(match, namedDate(match[3], match[2], match[1]));
  for (const match of text.matchAll(MONTH_DAY_YEAR)) add(match, namedDate(match[3], match[1], match[2]));
  for (const match of text.matchAll(COMPACT)) {
    add(match, toDate(match[1] ?? '', match[2] ?? '', match[3] ?? ''), false, true);
  }
  return found.sort((one, other) => one.start - other.start);
}

function namedDate(year: string | undefined, name: string | undefined, day: string | undefined): string | undefined {
  const key = (name ?? '').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l');
  const month = monthByName.get(key);
  return month === undefined ? undefined : toDate(year ?? '', String(month), day ?? '');
}

/**
 * Returns a date as `YYYY-MM-DD`, or undefined for a date that does not exist or whose year is outside 1990 to 2089.
 */
function toDate(year: string, month: string, day: string): string | undefined {
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  if (fullYear < 1990 || fullYear > 2089) return undefined;
  const date = new Date(Date.UTC(fullYear, Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  return date.toISOString().slice(0, 10);
}
