import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Facts } from '../facts.js';
import type { Candidate } from '../invoice.js';
import type { DuplicateParameters } from '../policy.js';
import { compareByArrival } from '../record-order.js';
import { haveConflictingTaxIds } from '../supplier/identity.js';
import { amountRelation } from './amount-relation.js';
import { hasOpenCredit } from './credit.js';
import { dateRelation } from './date-relation.js';
import { isContractSeries } from './contract.js';
import { numberRelation } from './number-relation.js';
import type { Comparison, PairScore } from './pair.js';
import { recurringOthers } from './recurrence.js';
import { isSameSupplier, supplierRelation } from './supplier-relation.js';
import { noteOf } from './wording.js';

/** Records of the facts that can be the original of the judged invoice: earlier, live and not settled as duplicates. */
export function originalsOf(facts: Facts): Candidate[] {
  return facts.candidates.filter(
    (candidate) =>
      isEarlier(facts, candidate) &&
      (candidate.status === 'RECEIVED' || candidate.status === 'ANALYZED') &&
      candidate.confirmedAs === undefined &&
      candidate.bookedInvoiceId !== facts.invoice.invoiceId,
  );
}

/** Of two equal records the later one gets the finding; the judged invoice ignores what came after it. */
export function isEarlier(facts: Facts, candidate: Candidate): boolean {
  return candidate.invoiceId !== facts.invoice.invoiceId && compareByArrival(candidate, facts.invoice) < 0;
}

/** Scores the judged invoice against each original; pairs of opposite sign are left out. */
export function scorePairs(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): PairScore[] {
  const { invoice } = facts;
  const compared = originals.map((other) => compare(facts, other, parameters));
  const series = compared.filter(
    (pair) => pair.sameSupplier && pair.amount === 'EQ' && (pair.number === 'IDENT' || pair.number === 'FORMAT'),
  );
  const isContract = isContractSeries(
    series.map((pair) => pair.other.issueDay),
    parameters,
  );
  return compared
    .filter((pair) => pair.amount !== 'OPPOSITE')
    .map((pair) => {
      const isNeighbour =
        isContract &&
        series.includes(pair) &&
        Math.abs(pair.other.issueDay - invoice.issueDay) > parameters.contractSameBillDays;
      return summed(facts, originals, isNeighbour ? { ...pair, number: 'CONTRACT' } : pair, parameters);
    });
}

/** Scores one pair outside of any series; the table of section 5. */
export function scorePair(facts: Facts, other: Candidate, parameters: DuplicateParameters): PairScore | undefined {
  return scorePairs(facts, [other], parameters)[0];
}

type Compared = Pick<PairScore, 'other' | 'number' | 'amount' | 'date' | 'supplier' | 'sameSupplier'>;

function compare(facts: Facts, other: Candidate, parameters: DuplicateParameters): Compared {
  const { invoice } = facts;
  const amount = amountRelation(invoice, other, facts.ratesPerEuro, parameters);
  const date = dateRelation(invoice, other, parameters);
  return {
    other,
    number: numberRelation(invoice, other, amount === 'EQ' && date === 'SAME', parameters),
    amount,
    date,
    supplier: supplierRelation(invoice, other, parameters),
    sameSupplier: isSameSupplier(facts.supplier.supplierId, invoice, other),
  };
}

function summed(
  facts: Facts,
  originals: readonly Candidate[],
  pair: Compared,
  parameters: DuplicateParameters,
): PairScore {
  const others = pair.amount === 'EQ' ? recurringOthers(facts, originals, pair.other, parameters) : 0;
  const rows = [
    baseRow(parameters),
    numberRow(facts.invoice, pair, parameters),
    amountRow(facts.invoice, pair, parameters),
    dateRow(facts.invoice, pair, parameters),
    supplierRow(facts.invoice, pair, parameters),
    ...taxConflictRow(facts.invoice, pair, parameters),
    ...orderRow(facts.invoice, pair, parameters),
    ...recurrenceRow(pair, others, parameters),
    ...creditRow(facts, originals, pair, parameters),
  ];
  const comparisons = [...rows, ...sameFileRow(facts.invoice, pair, rows, parameters)];
  return { ...pair, comparisons, halfPoints: total(comparisons), recurringOthers: others };
}

function baseRow({ halfPoints }: DuplicateParameters): Comparison {
  return row('base', null, null, 'BASE', halfPoints.base);
}

function numberRow(invoice: Candidate, pair: Compared, { halfPoints, ...parameters }: DuplicateParameters): Comparison {
  const full = halfPoints.number[pair.number];
  const isShort = Math.min(invoice.number.f1.length, pair.other.number.f1.length) < parameters.shortNumberLength;
  const saysLittle = isShort && (pair.number === 'IDENT' || pair.number === 'FORMAT' || pair.number === 'OCR');
  const points = saysLittle ? Math.min(full, halfPoints.shortNumber) : full;
  return row('number', invoice.invoiceNumber, pair.other.invoiceNumber, pair.number, points);
}

function amountRow(invoice: Candidate, pair: Compared, { halfPoints }: DuplicateParameters): Comparison {
  const points = pair.amount === 'OPPOSITE' ? 0 : halfPoints.amount[pair.amount];
  const compared = row('amount', amountOf(invoice), amountOf(pair.other), pair.amount, points);
  if (invoice.currency === pair.other.currency) return compared;
  return { ...compared, note: `${compared.note} (${invoice.currency} and ${pair.other.currency})` };
}

function dateRow(invoice: Candidate, pair: Compared, { halfPoints }: DuplicateParameters): Comparison {
  return row('date', invoice.issueDate, pair.other.issueDate, pair.date, halfPoints.date[pair.date]);
}

function supplierRow(invoice: Candidate, pair: Compared, { halfPoints }: DuplicateParameters): Comparison {
  const shown = pair.supplier === 'TAX' ? taxText : pair.supplier === 'BANK' ? bankText : nameText;
  return row('supplier', shown(invoice), shown(pair.other), pair.supplier, halfPoints.supplier[pair.supplier]);
}

function taxConflictRow(invoice: Candidate, pair: Compared, { halfPoints }: DuplicateParameters): Comparison[] {
  if (!haveConflictingTaxIds(invoice, pair.other)) return [];
  const sameBank = invoice.bankKey !== undefined && invoice.bankKey === pair.other.bankKey;
  const points = sameBank ? halfPoints.taxConflictSameBank : halfPoints.taxConflict;
  return [row('taxId', taxText(invoice), taxText(pair.other), 'CONFLICT', points)];
}

function orderRow(invoice: Candidate, pair: Compared, { halfPoints }: DuplicateParameters): Comparison[] {
  if (invoice.poKey === undefined || pair.other.poKey === undefined) return [];
  const relation = invoice.poKey === pair.other.poKey ? 'EQUAL' : 'DIFFERENT';
  const [left, right] = [invoice.purchaseOrderRef ?? null, pair.other.purchaseOrderRef ?? null];
  return [row('order', left, right, relation, halfPoints.order[relation])];
}

/** An amount that the supplier bills again and again says little, unless the numbers agree as well. */
function recurrenceRow(pair: Compared, others: number, { halfPoints }: DuplicateParameters): Comparison[] {
  const numbersAgree = ['IDENT', 'FORMAT', 'OCR', 'SUFFIX'].includes(pair.number);
  if (pair.amount !== 'EQ' || numbersAgree || others === 0) return [];
  const step = halfPoints.recurrence.find(({ othersMax }) => others <= othersMax);
  return [row('recurrence', String(others), null, 'RECURRING', step?.halfPoints ?? 0)];
}

function creditRow(
  facts: Facts,
  originals: readonly Candidate[],
  pair: Compared,
  { halfPoints }: DuplicateParameters,
): Comparison[] {
  if (!hasOpenCredit(facts, originals, pair.other)) return [];
  const points = pair.number === 'IDENT' ? halfPoints.creditSameNumber : halfPoints.credit;
  return [row('credit', null, amountOf(pair.other), 'CREDITED', points)];
}

/** The same bytes are the same invoice whatever was read from them: the row lifts the sum to its fixed value. */
function sameFileRow(
  invoice: Candidate,
  pair: Compared,
  rows: readonly Comparison[],
  { halfPoints }: DuplicateParameters,
): Comparison[] {
  const sha256 = invoice.documentSha256;
  if (sha256 === undefined || sha256 !== pair.other.documentSha256) return [];
  return [row('document', sha256, sha256, 'SAME_FILE', halfPoints.sameFileSum - total(rows))];
}

function row(
  field: Comparison['field'],
  left: string | null,
  right: string | null,
  relation: string,
  halfPoints: number,
): Comparison {
  return { field, left, right, relation, halfPoints, note: noteOf(field, relation) };
}

function total(rows: readonly Comparison[]): number {
  return rows.reduce((sum, { halfPoints }) => sum + halfPoints, 0);
}

/** The gross amount in its currency's own decimals: `1200.00`. */
export function amountOf(record: AmountParts): DecimalAmount {
  return minorToDecimal(BigInt(record.amountMinor), minorUnitsOf(record.currency));
}

/** The amount with its currency, for sentences: `EUR 1200.00`. */
export function amountText(record: AmountParts): string {
  return `${record.currency} ${amountOf(record)}`;
}

type AmountParts = Pick<Candidate, 'amountMinor' | 'currency'>;

function taxText(record: Candidate): string | null {
  if (record.taxKey === undefined) return null;
  return `${record.taxCountryPresumed === true ? '' : (record.taxCountry ?? '')}${record.taxKey}`;
}

function bankText(record: Candidate): string | null {
  return record.bankMasked ?? null;
}

function nameText(record: Candidate): string {
  return record.supplierName;
}
