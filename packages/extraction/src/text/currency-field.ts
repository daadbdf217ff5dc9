import { invoiceCurrency } from '@invoicecontrol/values/currency';
import type { AmountMatch } from './amounts.js';
import type { Candidate } from './candidates.js';
import { placesOf } from './regions.js';
import type { ReadCell, TextDocument } from './text-document.js';

export interface CurrencyReading {
  readonly best: Candidate | undefined;
  /** Possible currencies of an ambiguous sign. Empty if the currency was read or nothing was printed. */
  readonly candidates: readonly string[];
  /** True if only the country of the supplier shows which currency an ambiguous currency sign means. */
  readonly isByCountry: boolean;
}

const UNAMBIGUOUS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  złotych: 'PLN',
  zł: 'PLN',
  zl: 'PLN',
  kč: 'CZK',
  ft: 'HUF',
  lei: 'RON',
  '₺': 'TRY',
  tl: 'TRY',
  '₪': 'ILS',
  '₹': 'INR',
  '₩': 'KRW',
  '฿': 'THB',
  r$: 'BRL',
  us$: 'USD',
  ca$: 'CAD',
  c$: 'CAD',
  a$: 'AUD',
  au$: 'AUD',
  nz$: 'NZD',
  hk$: 'HKD',
  s$: 'SGD',
  rm: 'MYR',
};
/**
 * Possible currencies of an ambiguous currency sign, each with the country that uses it (documents reference, 10.6).
 */
const AMBIGUOUS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: { US: 'USD', CA: 'CAD', AU: 'AUD', NZ: 'NZD', HK: 'HKD', SG: 'SGD', MX: 'MXN' },
  kr: { SE: 'SEK', NO: 'NOK', DK: 'DKK', IS: 'ISK' },
  '£': { GB: 'GBP', EG: 'EGP', LB: 'LBP', SY: 'SYP', FK: 'FKP' },
  '¥': { JP: 'JPY', CN: 'CNY' },
  rs: { IN: 'INR', PK: 'PKR', LK: 'LKR', NP: 'NPR', MU: 'MUR' },
  r: { ZA: 'ZAR' },
  fr: { CH: 'CHF', LI: 'CHF' },
  лв: { BG: 'BGN' },
};
/** Score of a currency that follows only from the country of the supplier. */
const SCORE_BY_COUNTRY = 0.8;
/**
 * Highest confidence in a currency that is inferred only from the country of the supplier (documents reference, 10.6).
 */
export const CONFIDENCE_BY_COUNTRY_MAX = 0.8;
const SCORE_BESIDE_GROSS = 1.15;
const SCORE_BY_LABEL = 1.1;
const SCORE_BESIDE_AMOUNT = 0.9;
const SCORE_OF_SIGN = 1;
const SCORE_OF_CODE_ALONE = 0.55;

/**
 * Returns the currency, or the possible currencies of an ambiguous sign. `countries` are the countries of the ids, the
 * bank account and the domain of the supplier.
 */
export function findCurrency(
  document: TextDocument,
  gross: Candidate | undefined,
  countries: readonly string[],
  issueDate: string | undefined,
): CurrencyReading {
  const isCurrency = (code: string): boolean => 'code' in invoiceCurrency(code, issueDate);
  const found: Candidate[] = [];
  const add = (value: string, cell: ReadCell, start: number, end: number, score: number): void => {
    if (!isCurrency(value)) return;
    found.push({ value, cell, start, end, score, evidence: 'SPECIFIC_LABEL', isProven: false, method: 'PATTERN' });
  };
  for (const place of placesOf(document, 'currency')) {
    for (const { cell, start, end } of place.regions.slice(0, 3)) {
      const code = /(?<!\p{L})([A-Z]{3})(?!\p{L})/u.exec(cell.text.slice(start, end));
      if (code?.[1] !== undefined) add(code[1], cell, start + code.index, start + code.index + 3, SCORE_BY_LABEL);
    }
  }
  const signs = new Map<string, { cell: ReadCell; amount: AmountMatch; count: number }>();
  for (const cell of document.cells) {
    for (const amount of cell.amounts) {
      const isGross = gross !== undefined && gross.cell === cell && gross.start === amount.start;
      const printed = amount.currency ?? (isGross ? besideGross(document, cell) : null);
      if (printed === null) continue;
      const key = printed.toLowerCase().replace(/\.$/, '');
      const isCode = /^[A-Z]{3}$/.test(printed);
      const value = isCode ? printed : UNAMBIGUOUS[key];
      if (value !== undefined) {
        const base = isCode ? SCORE_BESIDE_AMOUNT : SCORE_OF_SIGN;
        add(value, cell, amount.start, amount.end, isGross ? SCORE_BESIDE_GROSS : base);
      } else {
        const known = signs.get(key);
        signs.set(key, { cell, amount, count: (known?.count ?? 0) + 1 });
      }
    }
    for (const match of cell.text.matchAll(
      /(?<![\p{L}\d])([A-Z]{3}|€|EURO|Euro|euro|euros|EUROS|zł|złotych|Kč|(?<=\()RM(?=\)))(?![\p{L}\d])/gu,
    )) {
      const value = UNAMBIGUOUS[(match[1] ?? '').toLowerCase()] ?? match[1] ?? '';
      if (!COMMON_CODES.has(value)) continue;
      const isByTotal = cell.labels.some(({ entries }) =>
        entries.some(({ kind }) => ['gross', 'payable', 'net', 'tax'].includes(kind)),
      );
      const isAlone = cell.text.replace(/[^\p{L}€]/gu, '').length <= (match[1]?.length ?? 3);
      const score = isByTotal ? SCORE_BESIDE_AMOUNT : SCORE_OF_CODE_ALONE + (isAlone ? 0.15 : 0);
      add(value, cell, match.index, match.index + (match[1]?.length ?? 0), score);
    }
  }
  const best = mostSupported(found);
  const [sign] = [...signs].sort(([, one], [, other]) => other.count - one.count);
  if (
    best !== undefined &&
    (sign === undefined || best.score > SCORE_OF_CODE_ALONE + 0.2 || fits(sign[0], best.value))
  ) {
    return { best, candidates: [], isByCountry: false };
  }
  if (sign === undefined) return { best, candidates: [], isByCountry: false };
  return resolveSign(sign[0], sign[1], countries);
}

/** Currency codes that are rarely a word or an abbreviation. */
const COMMON_CODES: ReadonlySet<string> = new Set(
  (
    'EUR USD GBP PLN CHF CZK SEK NOK DKK HUF RON BGN ILS INR JPY CNY KRW THB BRL CAD AUD NZD HKD SGD MYR MXN ZAR AED SAR ' +
    'QAR BHD KWD OMR ISK PHP IDR UAH RSD'
  ).split(' '),
);

function fits(sign: string, code: string): boolean {
  return Object.values(AMBIGUOUS[sign] ?? {}).includes(code);
}

/** Finds the currency code in a cell of the same line, as in `Total: EUR | 123.00` or `Total (EUR) | 123.00`. */
function besideGross(document: TextDocument, cell: ReadCell): string | null {
  const line = document.lines[cell.page]?.[cell.line];
  for (const other of line?.cells ?? []) {
    const match = /(?<![\p{L}\d])(?:([A-Z]{3})(?![\p{L}\d])|(€|zł|Kč|US\$|\$|£))/u.exec(other.text);
    const code = match?.[1] ?? match?.[2];
    if (code !== undefined && (COMMON_CODES.has(code) || code.length < 3 || code === 'US$')) return code;
  }
  return null;
}

/**
 * Returns the currency in the most significant position of the document. If positions are equally significant, the more
 * frequent currency is returned.
 */
function mostSupported(found: readonly Candidate[]): Candidate | undefined {
  const byValue = new Map<string, { best: Candidate; count: number }>();
  for (const candidate of found) {
    const known = byValue.get(candidate.value);
    if (known === undefined) byValue.set(candidate.value, { best: candidate, count: 1 });
    else {
      known.count += 1;
      if (candidate.score > known.best.score) known.best = candidate;
    }
  }
  const [first] = [...byValue.values()].sort(
    (one, other) => other.best.score + Math.min(other.count, 10) / 100 - one.best.score - Math.min(one.count, 10) / 100,
  );
  return first?.best;
}

function resolveSign(
  sign: string,
  place: { readonly cell: ReadCell; readonly amount: AmountMatch },
  countries: readonly string[],
): CurrencyReading {
  const meanings = AMBIGUOUS[sign];
  if (meanings === undefined) return { best: undefined, candidates: [], isByCountry: false };
  const all = Object.values(meanings);
  const chosen = new Set(countries.map((country) => meanings[country]).filter((code) => code !== undefined));
  const [only] = chosen;
  // A pound sign on an invoice means British pounds, unless another country with pounds is named.
  const value = chosen.size === 1 ? only : sign === '£' && chosen.size === 0 ? 'GBP' : undefined;
  if (value === undefined) return { best: undefined, candidates: [...new Set(all)], isByCountry: false };
  return {
    best: {
      value,
      cell: place.cell,
      start: place.amount.start,
      end: place.amount.end,
      score: SCORE_BY_COUNTRY,
      certainty: 1,
      evidence: 'SPECIFIC_LABEL',
      isProven: false,
      method: 'PATTERN',
    },
    candidates: [],
    isByCountry: true,
  };
}
