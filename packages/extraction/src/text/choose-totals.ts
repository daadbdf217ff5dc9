import type { AmountMatch } from './amounts.js';
import type { Candidate } from './candidates.js';
import { foldKey } from './normalise.js';
import { placesOf } from './regions.js';
import type { LabelKind } from './labels.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** An amount of the document with the kinds, such as net or tax, that labels near it announce. */
export interface Placed {
  readonly amount: AmountMatch;
  readonly cell: ReadCell;
  readonly scores: Partial<Record<AmountKind, number>>;
  readonly isSpecific: boolean;
  readonly labelCells: ReadCell[];
  /** Text of the whole document line that contains the amount. */
  readonly lineText: string;
}
type AmountKind = 'gross' | 'payable' | 'net' | 'tax' | 'otherAmount';

/** An amount that may be the total of the invoice. */
interface Scored {
  readonly one: Placed;
  readonly sum: Sum | undefined;
  readonly score: number;
}

/**
 * The amounts of the invoice as they were found in the document. The net amount and the tax are present only if they
 * add up to the total.
 */
export interface Totals {
  readonly gross: { readonly best: Candidate; readonly isContested: boolean } | undefined;
  readonly net: Candidate | undefined;
  readonly tax: Candidate | undefined;
  /** Amount to be paid, if it differs from the gross amount of the invoice. */
  readonly payable: string | null;
  /** True if the amounts are the difference between the corrected invoice and its original. */
  readonly isCorrection?: true;
}

const NET_WORDS =
  /ohne|netto|hors|exkl|excl|exclu|subtotal|zwischensumme|positionssumme|rabatt|discount|zuschl|abschl|steuerbetrag|imponibile|baseimponible|siniva|esclus|beforetax|beforevat|zzgl|extax|exvat|remise|descuento|sconto|korting|soustotal|ht$/;
const GROSS_WORDS = /brutto|inkl|incl|ttc|gross|iva?inclu|coniva|ivato|tvac|compris|inclusive/;
/** Labels of a total in another currency, which is printed for information only. */
const OTHER_CURRENCY =
  /equivalent|gegenwert|contrevaleur|rownowartosc|contravalor|controvalore|tegenwaarde|exchangerate|wechselkurs|tauxdechange|kurswaluty|tipodecambio|tassodicambio|wisselkoers/;
/** Increase of the score of a total that is printed several times, as in the table and on the payment slip. */
const REPEATED_BONUS = 0.1;
/**
 * Maximum difference between a printed tax and the tax that results from the net amount and the tax rate, because
 * amounts are rounded: in the smallest unit of the amounts, and as an additional share of the net amount.
 */
const RATE_TOLERANCE_DIGITS = 5;
const RATE_TOLERANCE_SHARE = 0.0002;
/** Highest tax of an invoice as a share of its net amount. */
const TAX_SHARE_MAX = 0.3;
/** Percentages that a country levies as value added tax or sales tax. */
const RATES_OF_COUNTRIES: ReadonlySet<number> = new Set([
  2.1, 2.5, 2.6, 3, 3.7, 3.8, 4, 4.8, 5, 5.5, 6, 7, 7.5, 7.7, 8, 8.1, 8.5, 9, 9.5, 10, 11, 12, 13, 13.5, 14, 14.5,
  14.975, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 25.5, 27, 28,
]);
/** Lowest percentage beside the word "tax" that counts as a tax rate. */
const RATE_MIN = 2;
/** Matches the words beside percentages of discounts, interest and retentions, which are not tax rates. */
const OTHER_PERCENTAGE =
  /interest|discount|late|zinsen|verzug|skonto|rabatt|nachlass|interets|penalite|escompte|remise|odset|rabat|interes|recargo|descuento|irpf|retenci|retention|interess|sconto|ritenuta|rente|korting|bonus|penalty|commission/;
/** Tolerance, in thousandths of the currency unit, for rounding of the amount to be paid. */
const ROUNDING_MAX = 1_000;
const AMOUNTS_MAX = 3000;
const TAX_LINES_MAX = 4;
/** Maximum number of lines that a table of tax rates has above its sum. */
const RATE_LINES_MAX = 6;
/** Maximum number of tax rate lines that are examined, because every combination of them is tried. */
const PARTS_MAX = 8;
const PART_PENALTY = 0.4;
/** Words beside an amount that mean that no tax is levied on it. */
const WITHOUT_TAX =
  /esclus|esent|exempt|exonér|exento|no sujeto|steuerfrei|nicht steuerbar|vrijgesteld|zwolnion|osvobozen|undanta|fritatt|isento/i;
const RATE_OF_ZERO = /(?:^|[^\d.,])0(?:[.,]00?)? ?%/;
/** Words in the label of a total that includes tax. */
const INCLUDED = /inclu|incl\.|enthalt|enthält|darin|dont|compris|w tym|di cui|waarvan|heraf|varav|herav|sis[äa]lt/i;

/** Chooses the total, its net amount and its tax among the amounts of a document (documents reference, 10.3). */
export function chooseTotals(document: TextDocument, placed: readonly Placed[], isCreditNote: boolean): Totals {
  const money = placed.filter(isMoney(placed)).filter(({ cell }) => !OTHER_CURRENCY.test(foldKey(cell.text)));
  const values = new Map<number, Placed[]>();
  for (const one of money) {
    const list = values.get(one.amount.thousandths) ?? [];
    list.push(one);
    values.set(one.amount.thousandths, list);
  }
  const unit = unitOf(money);
  const rates = ratesOf(document);
  const roundings = roundingsOf(money);
  const ofRates = partsOfRates(money, unit);
  const largest = Math.max(...money.map(({ amount }) => Math.abs(amount.thousandths)), 0);
  const pages = Math.max(1, document.pages.length);
  const scored = money
    .filter(({ scores, amount }) => amount.thousandths !== 0 && (scores.gross ?? scores.payable ?? 0) > 0)
    .map((one) => {
      const sum =
        bestSum(one.amount.thousandths, values, rates, unit, roundings) ??
        sumOfRates(one.amount.thousandths, ofRates, unit);
      const isPayable = (one.scores.payable ?? 0) > (one.scores.gross ?? 0);
      const words = one.labelCells.map(({ text }) => foldKey(text)).join(' ');
      let score = Math.max(one.scores.gross ?? 0, one.scores.payable ?? 0);
      if (Math.max(one.scores.net ?? 0, one.scores.tax ?? 0, one.scores.otherAmount ?? 0) > score) score -= 0.45;
      if (sum !== undefined) score += 0.25 + (sum.isLabelled ? 0.1 : 0);
      // The total of one tax rate is only a part of the invoice total, so it gets a lower score.
      if (isPartOfRate(one, ofRates)) score -= PART_PENALTY;
      if (Math.abs(one.amount.thousandths) === largest) score += 0.15;
      if (GROSS_WORDS.test(words)) score += 0.2;
      if (NET_WORDS.test(words) && !GROSS_WORDS.test(words)) score -= 0.45;
      if (isPayable) score -= 0.05;
      if ((values.get(one.amount.thousandths) ?? []).length > 1) score += REPEATED_BONUS;
      if (one.amount.thousandths < 0 && !isCreditNote) score -= 0.3;
      const page = document.pages[one.cell.page];
      score += (0.1 * (one.cell.page + one.cell.top / Math.max(1, page?.height ?? 1))) / pages;
      return { one, sum, score };
    })
    .sort((left, right) => right.score - left.score);
  const first = scored[0];
  const chosen =
    (first && (withoutBalance(first, scored, money) ?? first)) ?? largestWithSum(money, values, rates, unit);
  const best = chosen && (totalOfRates(chosen, money) ?? chosen);
  if (best === undefined) return { gross: undefined, net: undefined, tax: undefined, payable: null };
  const second = scored.find(({ one }) => one.amount.thousandths !== best.one.amount.thousandths);
  const isProven = best.sum !== undefined && best.sum.isRate && best.score > 0.6;
  const payable = scored.find(
    ({ one }) =>
      (one.scores.payable ?? 0) > (one.scores.gross ?? 0) &&
      one.amount.thousandths > 0 &&
      // An amount above the total is not the amount to be paid for the invoice. It may be the cash that was given, or
      // the amount due for several invoices.
      one.amount.thousandths <= best.one.amount.thousandths + ROUNDING_MAX &&
      one.amount.thousandths !== best.one.amount.thousandths,
  );
  return {
    gross: {
      best: toCandidate(
        best.one,
        best.sum === undefined ? best.score * 0.8 : best.score,
        isProven,
        best.one.isSpecific,
        'LABEL',
      ),
      isContested: second !== undefined && best.score - second.score < 0.1,
    },
    net:
      best.sum === undefined
        ? untaxedNet(best, money)
        : {
            ...toCandidate(best.sum.net, best.score, isProven, best.sum.isLabelled, 'ARITHMETIC'),
            ...(best.sum.netThousandths === undefined
              ? {}
              : { value: toDecimal(best.sum.netThousandths, best.sum.net.amount) }),
          },
    tax:
      best.sum === undefined
        ? includedTax(best, money, rates, unit)
        : {
            ...toCandidate(best.sum.tax, best.score, isProven, best.sum.isLabelled, 'ARITHMETIC'),
            value: toDecimal(best.sum.taxThousandths, best.sum.tax.amount),
          },
    payable: payable?.one.amount.value ?? null,
  };
}

/** Net amount and tax of one rate on one line, or an amount without tax. */
interface PartOfRate {
  readonly net: Placed;
  readonly tax: Placed | undefined;
}

/**
 * Finds lines that state a tax rate, a net amount and the tax on it, and lines with an amount without tax. Empty if no
 * line states a tax.
 */
function partsOfRates(money: readonly Placed[], unit: number): PartOfRate[] {
  const lines = new Map<string, Placed[]>();
  for (const one of money) {
    const key = `${one.cell.page}/${one.cell.line}`;
    lines.set(key, [...(lines.get(key) ?? []), one]);
  }
  const parts: PartOfRate[] = [];
  for (const line of lines.values()) {
    if (parts.length >= PARTS_MAX) break;
    const part = partOfLine(line, unit);
    if (part !== undefined) parts.push(part);
  }
  return parts.some(({ tax }) => tax !== undefined) ? parts : [];
}

function partOfLine(line: readonly Placed[], unit: number): PartOfRate | undefined {
  for (const net of line) {
    for (const tax of line) {
      const share = tax.amount.thousandths / net.amount.thousandths;
      if (tax === net || net.amount.thousandths === 0 || share <= 0 || share > TAX_SHARE_MAX) continue;
      const isRate = ratesOfLine(net).some(
        (rate) => Math.abs(tax.amount.thousandths - net.amount.thousandths * rate) <= unit,
      );
      if (isRate) return { net, tax };
    }
  }
  const [only] = line;
  if (only === undefined || line.length !== 1 || !isWithoutTax(only.lineText)) return undefined;
  return { net: only, tax: undefined };
}

function isWithoutTax(text: string): boolean {
  return WITHOUT_TAX.test(text) || RATE_OF_ZERO.test(text);
}

/** Checks whether an amount is the sum of the net amount and the tax of one of several tax rates. */
function isPartOfRate({ amount }: Placed, parts: readonly PartOfRate[]): boolean {
  if (parts.length < 2) return false;
  return parts.some(
    ({ net, tax }) => tax !== undefined && net.amount.thousandths + tax.amount.thousandths === amount.thousandths,
  );
}

/** Returns the net and tax sums over several tax rates, if they add up to the gross amount. */
function sumOfRates(gross: number, parts: readonly PartOfRate[], unit: number): Sum | undefined {
  for (let set = 1; set < 2 ** parts.length; set += 1) {
    const taken = parts.filter((_, index) => (set & (2 ** index)) !== 0);
    const taxed = taken.flatMap(({ net, tax }) => (tax === undefined ? [] : [{ net, tax }]));
    const [first] = taxed;
    if (first === undefined || taken.length < 2) continue;
    const netThousandths = taken.reduce((sum, { net }) => sum + net.amount.thousandths, 0);
    const taxThousandths = taxed.reduce((sum, { tax }) => sum + tax.amount.thousandths, 0);
    if (Math.abs(netThousandths + taxThousandths - gross) >= unit) continue;
    return { ...first, netThousandths, taxThousandths, isLabelled: true, isRate: true, weight: 1 };
  }
  return undefined;
}

/** Returns the net amount of an invoice without tax, which equals its total. */
function untaxedNet({ one: { amount: gross }, score }: Scored, money: readonly Placed[]): Candidate | undefined {
  const isTaxed = money.some(({ amount, scores }) => (scores.tax ?? 0) > 0.5 && amount.thousandths !== 0);
  const net = money.find(({ amount, scores }) => amount.thousandths === gross.thousandths && (scores.net ?? 0) > 0.5);
  return isTaxed || net === undefined ? undefined : toCandidate(net, score, false, true, 'LABEL');
}

/** Returns the tax that a total includes, as in `Total includes GST of $302.00`, where no net amount is stated. */
function includedTax(
  { one: { amount: gross }, score }: Scored,
  money: readonly Placed[],
  rates: readonly number[],
  unit: number,
): Candidate | undefined {
  const found = money.find(({ amount, scores, lineText }) => {
    if ((scores.tax ?? 0) < 0.5 || amount.thousandths <= 0) return false;
    const possible = INCLUDED.test(lineText) ? [...RATES_OF_COUNTRIES].map((rate) => rate / 100) : rates;
    return possible.some(
      (rate) => rate > 0 && Math.abs(amount.thousandths - (gross.thousandths * rate) / (1 + rate)) <= unit,
    );
  });
  return found && toCandidate(found, score, false, true, 'ARITHMETIC');
}

/** Returns the small amounts that the document states as the rounding of its total. */
function roundingsOf(money: readonly Placed[]): number[] {
  const stated = money
    .filter(({ scores }) => (scores.otherAmount ?? 0) > 0)
    .map(({ amount }) => Math.abs(amount.thousandths));
  return [...new Set(stated)].filter((thousandths) => thousandths > 0 && thousandths < ROUNDING_MAX);
}

/**
 * Returns another total that equals the sum of net amount and tax and that differs from the chosen amount by exactly
 * one stated amount, such as the balance of earlier invoices or an amount that was paid. Undefined if there is no such
 * total.
 */
function withoutBalance(chosen: Scored, scored: readonly Scored[], money: readonly Placed[]): Scored | undefined {
  if (chosen.sum !== undefined) return undefined;
  const others = new Set(
    money.filter(({ scores }) => (scores.otherAmount ?? 0) > 0).map(({ amount }) => amount.thousandths),
  );
  return scored.find(
    ({ one, sum }) =>
      sum?.isLabelled === true &&
      sum.isRate &&
      others.has(Math.abs(chosen.one.amount.thousandths - one.amount.thousandths)),
  );
}

/**
 * Finds a table with one line for each tax rate and a last line with the sums of these lines. If the chosen total is
 * one of the lines for a rate, returns the last line. Undefined if there is no such table.
 */
function totalOfRates(chosen: Scored, money: readonly Placed[]): Scored | undefined {
  const sums = sumsOfLines(money.filter(({ cell }) => cell.page === chosen.one.cell.page));
  const index = sums.findIndex(({ gross }) => gross.cell === chosen.one.cell);
  if (index < 0) return undefined;
  for (const [at, { net, tax, gross }] of sums.entries()) {
    if (at <= index) continue;
    for (let from = Math.max(0, at - RATE_LINES_MAX); from <= index && from < at - 1; from += 1) {
      const lines = sums.slice(from, at);
      const isSum = (whole: Placed, part: (line: SumOfLine) => Placed): boolean =>
        lines.reduce((sum, line) => sum + part(line).amount.thousandths, 0) === whole.amount.thousandths;
      if (!isSum(net, (line) => line.net) || !isSum(tax, (line) => line.tax) || !isSum(gross, (line) => line.gross))
        continue;
      const sum = {
        net,
        tax,
        netThousandths: net.amount.thousandths,
        taxThousandths: tax.amount.thousandths,
        isLabelled: true,
        isRate: true,
        weight: 0,
      };
      return { one: { ...gross, isSpecific: chosen.one.isSpecific }, sum, score: chosen.score };
    }
  }
  return undefined;
}

interface SumOfLine {
  readonly net: Placed;
  readonly tax: Placed;
  readonly gross: Placed;
}

/** Returns the lines that contain a net amount followed by a tax, and whose last amount is the sum of both. */
function sumsOfLines(money: readonly Placed[]): SumOfLine[] {
  const lines = new Map<number, Placed[]>();
  for (const one of money) lines.set(one.cell.line, [...(lines.get(one.cell.line) ?? []), one]);
  return [...lines.values()].flatMap((line): SumOfLine[] => {
    const gross = line.at(-1);
    if (gross === undefined) return [];
    for (const [index, net] of line.slice(0, -1).entries()) {
      const rest = gross.amount.thousandths - net.amount.thousandths;
      const tax = line.slice(index + 1, -1).find(({ amount }) => amount.thousandths === rest);
      if (tax !== undefined && rest !== 0 && Math.abs(rest) < Math.abs(net.amount.thousandths))
        return [{ net, tax, gross }];
    }
    return [];
  });
}

/** Returns every amount of a document with the kinds, such as net or tax, that labels near it announce. */
export function placeAmounts(document: TextDocument): Placed[] {
  const byPlace = new Map<string, { -readonly [Key in keyof Placed]: Placed[Key] }>();
  for (const line of document.lines.flat()) {
    const lineText = line.cells.map(({ text }) => text).join(' ');
    for (const cell of line.cells) {
      for (const amount of cell.amounts) {
        if (byPlace.size >= AMOUNTS_MAX) break;
        byPlace.set(keyOf(cell, amount), { amount, cell, scores: {}, isSpecific: false, labelCells: [], lineText });
      }
    }
  }
  for (const kind of ['gross', 'payable', 'net', 'tax', 'otherAmount'] as const) {
    for (const place of placesOf(document, kind satisfies LabelKind)) {
      for (const region of place.regions) {
        const amounts = region.cell.amounts.filter(
          // In `TOTAL EUR 5,400.00`, the currency may belong to the label or to the amount.
          ({ start, end, currency }) =>
            start >= region.start - 1 - (currency?.length ?? 0) && end > region.start && end <= region.end + 1,
        );
        amounts.forEach((amount, index) => {
          const one = byPlace.get(keyOf(region.cell, amount));
          if (one === undefined) return;
          const score = region.base * place.weight - 0.05 * index;
          if (score <= (one.scores[kind] ?? 0)) return;
          one.scores = { ...one.scores, [kind]: score };
          if (kind !== 'gross' && kind !== 'payable') return;
          one.isSpecific = place.isSpecific;
          one.labelCells = [place.cell];
        });
      }
    }
  }
  return [...byPlace.values()];
}

function keyOf(cell: ReadCell, amount: AmountMatch): string {
  return `${cell.page}/${cell.line}/${cell.index}/${amount.start}`;
}

/**
 * Returns a function that checks whether a number is an amount of money. The other amounts of the document decide
 * whether money has three decimals, two decimals or none.
 */
function isMoney(placed: readonly Placed[]): (one: Placed) => boolean {
  const withTwo = placed.filter(({ amount }) => amount.decimals === 2).length;
  const withThree = placed.filter(({ amount }) => amount.decimals === 3 && amount.currency !== null).length;
  if (withThree > withTwo) return ({ amount }) => amount.decimals === 3;
  if (withTwo > 0) {
    // A whole amount with a currency sign and a label, as in `Total € 4.904`, also counts as an amount of money.
    return ({ amount, scores }) =>
      amount.decimals === 2 ||
      (amount.decimals < 2 &&
        amount.currency !== null &&
        Math.max(scores.gross ?? 0, scores.net ?? 0, scores.tax ?? 0) > 0.5);
  }
  return ({ amount }) => amount.decimals <= 1 && (amount.currency !== null || Math.abs(amount.thousandths) >= 100_000);
}

/** Returns the smallest unit of the amounts in the document, in thousandths: one cent, or one whole unit. */
function unitOf(money: readonly Placed[]): number {
  const decimals = Math.max(0, ...money.map(({ amount }) => amount.decimals));
  return decimals >= 3 ? 1 : decimals === 0 ? 1_000 : 10;
}

/** Returns the percentages on the document line of an amount as fractions. */
function ratesOfLine({ lineText }: Placed): number[] {
  return [...lineText.matchAll(/(?<![\d.,])(\d{1,2})(?:[.,](\d{1,3}))? ?%/g)]
    .map(([, whole, fraction]) => Number(`${whole ?? '0'}.${fraction ?? '0'}`))
    .filter((rate) => RATES_OF_COUNTRIES.has(rate))
    .map((rate) => rate / 100);
}

/** Returns the tax rates in the document as fractions. */
function ratesOf(document: TextDocument): number[] {
  const rates = new Set<number>([0]);
  for (const cell of document.cells) {
    const { text } = cell;
    const isOther = OTHER_PERCENTAGE.test(foldKey(text));
    const isTax = cell.labels.some(({ entries }) => entries.some(({ kind }) => kind === 'tax'));
    for (const [, whole, fraction] of text.matchAll(/(?<![\d.,])(\d{1,2})(?:[.,](\d{1,3}))? ?%/g)) {
      const rate = Number(`${whole ?? '0'}.${fraction ?? '0'}`);
      if (rate >= RATE_MIN && (isTax || (!isOther && RATES_OF_COUNTRIES.has(rate)))) rates.add(rate / 100);
    }
    // A column of the invoice with the heading `%` or `VAT rate` contains numbers without a percent sign.
    for (const [, whole] of text.matchAll(/^(\d{1,2})(?:[.,]00?)?$/g)) {
      if (Number(whole) >= 5 && RATES_OF_COUNTRIES.has(Number(whole))) rates.add(Number(whole) / 100);
    }
  }
  return [...rates];
}

interface Sum {
  readonly net: Placed;
  readonly tax: Placed;
  /** Sum of the net amounts of several tax rates. Absent if the member `net` is the whole net amount. */
  readonly netThousandths?: number;
  readonly taxThousandths: number;
  readonly isLabelled: boolean;
  /** True if the tax is a printed percentage of the net amount, or labels confirm it. */
  readonly isRate: boolean;
  readonly weight: number;
}

/** Returns the best pair of net and tax on the document page that adds up to the gross amount. */
function bestSum(
  gross: number,
  values: ReadonlyMap<number, readonly Placed[]>,
  rates: readonly number[],
  unit: number,
  roundings: readonly number[] = [],
): Sum | undefined {
  let best: Sum | undefined;
  const consider = (sum: Sum): void => {
    if (best === undefined || sum.weight > best.weight) best = sum;
  };
  for (const [net, nets] of values) {
    if (net === 0 || Math.sign(net) !== Math.sign(gross) || Math.abs(net) > Math.abs(gross)) continue;
    const rest = gross - net;
    const netPlace = strongest(nets, 'net');
    const netScore = netPlace.scores.net ?? 0;
    const rounded = roundings.flatMap((rounding) => [rest - rounding, rest + rounding]);
    for (const tax of [rest, rest - unit, rest + unit, ...rounded]) {
      if (Math.abs(tax) > TAX_SHARE_MAX * Math.abs(net)) continue;
      const taxes = values.get(tax);
      if (taxes === undefined) continue;
      const taxPlace = strongest(taxes, 'tax');
      const taxScore = taxPlace.scores.tax ?? 0;
      const isRate =
        rates.some(
          (rate) => Math.abs(tax - net * rate) <= RATE_TOLERANCE_DIGITS * unit + RATE_TOLERANCE_SHARE * Math.abs(net),
        ) &&
        (tax !== 0 || netScore > 0 || taxScore > 0);
      const isLabelled = netScore > 0 && taxScore > 0;
      if (!isLabelled && (!isRate || (Math.abs(tax - rest) > unit && taxScore === 0))) continue;
      const weight =
        netScore +
        taxScore +
        (isRate ? 0.3 : 0) +
        (isLabelled ? 0.3 : 0) +
        (tax === rest ? 0.2 : 0) +
        (tax !== 0 ? 0.2 : 0);
      consider({ net: netPlace, tax: taxPlace, taxThousandths: tax, isLabelled, isRate, weight });
    }
    if (netScore > 0 && rest !== 0) {
      const parts = taxLines(rest, values, rates, net, unit);
      const first = parts?.[0];
      if (first !== undefined) {
        consider({
          net: netPlace,
          tax: first,
          taxThousandths: rest,
          isLabelled: true,
          isRate: true,
          weight: netScore + 0.5,
        });
      }
    }
  }
  return best;
}

/** Tax lines, one for each tax rate, that together add up to the tax amount. */
function taxLines(
  total: number,
  values: ReadonlyMap<number, readonly Placed[]>,
  rates: readonly number[],
  net: number,
  unit: number,
): readonly Placed[] | undefined {
  // The Indian taxes CGST and SGST are equal amounts in two lines of an invoice.
  const lines = [...values.values()]
    .flatMap((list) => list.slice(0, TAX_LINES_MAX))
    .filter(
      ({ scores, amount }) =>
        (scores.tax ?? 0) > 0 && Math.abs(amount.thousandths) < Math.abs(total) && amount.thousandths !== 0,
    )
    .slice(0, 12);
  const highest = Math.max(...rates, 0);
  // Taxes of several levels (CGST and SGST, GST and QST) are each charged on the whole net amount.
  const isOfAll = ({ amount }: Placed): boolean =>
    rates.some((rate) => Math.abs(amount.thousandths - net * rate) <= RATE_TOLERANCE_DIGITS * unit);
  const isMore = Math.abs(total) > Math.abs(net) * (highest + 0.01);
  if (Math.abs(total) > TAX_SHARE_MAX * Math.abs(net)) return undefined;
  const search = (from: number, rest: number, taken: readonly Placed[]): readonly Placed[] | undefined => {
    if (taken.length > 1 && Math.abs(rest) <= unit && (!isMore || taken.every(isOfAll))) return taken;
    if (taken.length === TAX_LINES_MAX) return undefined;
    for (let index = from; index < lines.length; index += 1) {
      const line = lines[index];
      if (line === undefined) continue;
      const found = search(index + 1, rest - line.amount.thousandths, [...taken, line]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(0, total, []);
}

function strongest(list: readonly Placed[], kind: 'net' | 'tax'): Placed {
  return list.reduce((best, one) => ((one.scores[kind] ?? 0) > (best.scores[kind] ?? 0) ? one : best));
}

/**
 * If no total has a label, the gross amount is the largest amount that is the sum of two other amounts whose ratio is a
 * printed tax rate.
 */
function largestWithSum(
  money: readonly Placed[],
  values: ReadonlyMap<number, readonly Placed[]>,
  rates: readonly number[],
  unit: number,
): Scored | undefined {
  const sorted = [...money].sort((left, right) => right.amount.thousandths - left.amount.thousandths).slice(0, 20);
  for (const one of sorted) {
    const sum = bestSum(
      one.amount.thousandths,
      values,
      rates.filter((rate) => rate > 0),
      unit,
    );
    if (sum?.isRate === true && sum.taxThousandths !== 0) return { one, sum, score: 0.55 };
  }
  return undefined;
}

export function toCandidate(
  one: Placed,
  score: number,
  isProven: boolean,
  isSpecific: boolean,
  method: Candidate['method'],
): Candidate {
  const { amount, cell } = one;
  return {
    value: amount.value,
    cell,
    start: amount.start,
    end: amount.end,
    score,
    evidence: isSpecific ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL',
    isProven,
    method,
  };
}

function toDecimal(thousandths: number, like: AmountMatch): string {
  if (thousandths === like.thousandths) return like.value;
  return (thousandths / 1000).toFixed(like.decimals);
}
