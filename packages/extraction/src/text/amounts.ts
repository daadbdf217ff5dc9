/** An amount that was found in the text of a document. */
export interface AmountMatch {
  /** The amount in a document as a plain decimal with the printed decimals, such as `1234.50` or `-12.00`. */
  readonly value: string;
  /** The amount that was read from a document in thousandths, for exact arithmetic. */
  readonly thousandths: number;
  readonly decimals: number;
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  /** Currency sign, word or code next to the amount, as printed. */
  readonly currency: string | null;
}

export type DecimalMark = '.' | ',';

/** Currency signs, words and codes next to amounts, longer ones first. */
const CURRENCY =
  '(?:US\\$|CA\\$|C\\$|AU\\$|A\\$|NZ\\$|HK\\$|S\\$|R\\$|[€$£¥₹₺₪₩฿₽]|(?:EUR|USD|GBP|PLN|CHF|CZK|SEK|NOK|DKK|HUF|RON|BGN|TRY|ILS|INR|JPY|CNY|KRW|THB|BRL|CAD|AUD|NZD|HKD|SGD|MYR|MXN|ZAR|AED|SAR|QAR|BHD|KWD|OMR|JOD|TND|ISK|PHP|IDR|UAH|RSD|CLP|COP|ARS|EGP|PKR|LKR|NGN|KES|MAD|VND|TWD)(?![A-Za-z])|(?:zł|zl|Kč|Kc|Ft|lei|лв|TL|RM|Fr\\.|Rs\\.?|kr\\.?|euro|Euro|EURO|R)(?![A-Za-z]))';
const BODY =
  "(?:\\d{1,2}(?:,\\d{2}){1,5},\\d{3}(?:\\.\\d{1,2})?|\\d{1,3}(?:([ .,'])\\d{3})(?:\\1\\d{3}){0,5}(?:[.,]\\d{1,3})?|\\d+(?:[.,]\\d{1,6})?|[.,]\\d{2})(?:,-{1,2})?";
const AMOUNT = new RegExp(
  `(?<before>${CURRENCY})? ?(?<sign>[-+(] ?)?(?<inner>${CURRENCY})? ?(?<body>${BODY})(?<trailing> ?-(?![\\d\\p{L}]))?\\)?(?: ?(?<after>${CURRENCY}))?`,
  'gu',
);

/** Returns the decimal mark that most amounts of the document use, or undefined if no amount shows it. */
export function decimalMarkOf(texts: Iterable<string>): DecimalMark | undefined {
  let commas = 0;
  let dots = 0;
  for (const text of texts) {
    for (const [, mark] of text.matchAll(/\d([.,])\d{2}(?![\d.,])/g)) {
      if (mark === ',') commas += 1;
      else dots += 1;
    }
  }
  if (commas === dots) return undefined;
  return commas > dots ? ',' : '.';
}

/** Finds all amounts in a text, in any notation (documents reference, 10.2). */
export function findAmounts(text: string, mark: DecimalMark | undefined): AmountMatch[] {
  const found: AmountMatch[] = [];
  for (const match of text.matchAll(AMOUNT)) {
    const { before, sign, inner, body, trailing, after } = match.groups ?? {};
    if (body === undefined) continue;
    const start = match.index + (match[0].length - match[0].trimStart().length);
    const end = match.index + match[0].trimEnd().length;
    const bodyStart = match.index + match[0].indexOf(body, (before ?? '').length);
    if (!isAlone(text, bodyStart, bodyStart + body.length, before ?? inner, after)) continue;
    const plain = toPlain(body, mark);
    if (plain === undefined) continue;
    const opened = sign?.startsWith('(') === true && text.charAt(end - 1) === ')';
    const isNegative = sign?.startsWith('-') === true || trailing !== undefined || opened;
    const thousandths = Math.round(Number(plain) * 1000);
    if (!Number.isSafeInteger(thousandths)) continue;
    found.push({
      value: isNegative && thousandths !== 0 ? `-${plain}` : plain,
      thousandths: isNegative ? -thousandths : thousandths,
      decimals: plain.split('.')[1]?.length ?? 0,
      raw: text.slice(start, end),
      start,
      end,
      currency: before ?? inner ?? after ?? null,
    });
  }
  return found;
}

/**
 * Checks whether a number in a document may be an amount, because it is not part of a word, a date, an id or a
 * percentage.
 */
function isAlone(
  text: string,
  start: number,
  end: number,
  before: string | undefined,
  after: string | undefined,
): boolean {
  const previous = text.slice(Math.max(0, start - 2), start);
  const next = text.slice(end, end + 3);
  if (before === undefined && /[\p{L}\d_/#*]$|[\d\p{L}][.,:'-]$/u.test(previous)) return false;
  if (/^ ?%/.test(next)) return false;
  if (/^[\d_/*°]|^[.,:'-][\d\p{L}]/u.test(next)) return false;
  return after !== undefined || !/^\p{L}/u.test(next);
}

/** Converts a printed amount of a document to a plain decimal. Returns undefined for a number that fits no notation. */
function toPlain(body: string, mark: DecimalMark | undefined): string | undefined {
  const text = body.replace(/,-{1,2}$/, '').replace(/[ ']/g, '');
  if (body.endsWith('-')) return `${text.replace(/[.,]/g, '')}.00`;
  const separators = text.match(/[.,]/g) ?? [];
  const last = separators.at(-1);
  if (last === undefined) return trimZeros(text);
  const fraction = text.slice(text.lastIndexOf(last) + 1);
  const isMixed = new Set(separators).size > 1;
  if (!isMixed && separators.length > 1) return trimZeros(text.replace(/[.,]/g, ''));
  // A single separator before three digits of an amount separates thousands. If the document uses this mark for
  // decimals, the three digits are thousandths.
  if (!isMixed && fraction.length === 3 && !text.startsWith('0') && (mark === undefined || mark !== last)) {
    return trimZeros(text.replace(/[.,]/g, ''));
  }
  if (!isMixed && fraction.length === 3 && mark === last && !/^[0-9]{1,3}[.,]/.test(text)) return undefined;
  const whole = text.slice(0, text.lastIndexOf(last)).replace(/[.,]/g, '');
  return `${trimZeros(whole === '' ? '0' : whole)}.${fraction}`;
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
