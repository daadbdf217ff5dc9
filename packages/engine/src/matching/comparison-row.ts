import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { EvidenceValue } from '../explanation/evidence.js';
import { moneyText } from '../explanation/money.js';
import { pairKey } from '../explanation/subject.js';
import type { Candidate } from '../facts/invoice.js';
import type { Comparison, PairScore } from './pair.js';
import { noteOf } from './wording.js';

/**
 * Returns a compared field as shown in evidence (detection reference, section 8): both values, the relation, its points
 * and a sentence. Such rows are built only for the pairs of invoices that a finding shows.
 */
export function comparisonRow(invoice: Candidate, pair: PairScore, comparison: Comparison): EvidenceValue {
  const [left, right] = valuesOf(invoice, pair, comparison.field);
  return {
    with: pair.other.invoiceId,
    field: comparison.field,
    left,
    right,
    ...currenciesOf(invoice, pair.other, comparison.field),
    relation: comparison.relation,
    points: comparison.halfPoints / 2,
    note: noteOf(comparison.field, comparison.relation) + currencyNote(invoice, pair.other, comparison.field),
  };
}

/**
 * Returns the invoice that was compared with the checked invoice, as the evidence of a finding shows it (detection
 * reference, section 8).
 */
export function matchedRecord(invoice: Candidate, other: Candidate, points: number): EvidenceValue {
  return {
    invoiceId: other.invoiceId,
    invoiceNumber: other.invoiceNumber,
    supplierName: other.supplierName,
    issueDate: other.issueDate,
    grossAmount: amountOf(other),
    currency: other.currency,
    companyId: other.companyId,
    purchaseOrderRef: other.purchaseOrderRef ?? null,
    scanId: other.scanId ?? null,
    externalId: other.externalId ?? null,
    sourceRowNumber: other.rowNo ?? null,
    status: other.status,
    pairKey: pairKey(invoice.invoiceId, other.invoiceId),
    points,
  };
}

/** Returns the gross amount of an invoice with as many decimals as its currency has: `1200.00`. */
export function amountOf(record: AmountParts): DecimalAmount {
  return minorToDecimal(BigInt(record.amountMinor), minorUnitsOf(record.currency));
}

/** Returns the amount of an invoice with its currency, for sentences: `EUR 1,200.00`. */
export function amountText(record: AmountParts): string {
  return moneyText(amountOf(record), record.currency);
}

type AmountParts = Pick<Candidate, 'amountMinor' | 'currency'>;
type Shown = string | null;

/**
 * Returns the values of a compared field from the checked invoice and from the other record, or null if the field
 * compares no values.
 */
function valuesOf(invoice: Candidate, pair: PairScore, field: Comparison['field']): [left: Shown, right: Shown] {
  const { other } = pair;
  switch (field) {
    case 'number':
    case 'form':
      return [invoice.invoiceNumber, other.invoiceNumber];
    case 'amount':
      return [amountOf(invoice), amountOf(other)];
    case 'date':
    case 'rhythm':
      return [invoice.issueDate, other.issueDate];
    case 'supplier':
      if (pair.supplier === 'TAX') return [taxText(invoice), taxText(other)];
      if (pair.supplier === 'BANK') return [invoice.bankMasked ?? null, other.bankMasked ?? null];
      return [invoice.supplierName, other.supplierName];
    case 'taxId':
      return [taxText(invoice), taxText(other)];
    case 'order':
      return [invoice.purchaseOrderRef ?? null, other.purchaseOrderRef ?? null];
    case 'recurrence':
      return [String(pair.recurringOthers), null];
    case 'credit':
      return [null, amountOf(other)];
    case 'document':
      return [invoice.documentSha256 ?? null, other.documentSha256 ?? null];
    case 'channel':
      return [ksefNumberOf(invoice), ksefNumberOf(other)];
    case 'base':
    case 'rarity':
      return [null, null];
  }
}

/** Returns the currencies of the amounts that one row of an invoice comparison compares. */
function currenciesOf(
  invoice: Candidate,
  other: Candidate,
  field: Comparison['field'],
): { readonly leftCurrency?: string; readonly rightCurrency?: string } {
  if (field === 'amount') return { leftCurrency: invoice.currency, rightCurrency: other.currency };
  return field === 'credit' ? { rightCurrency: other.currency } : {};
}

function currencyNote(invoice: Candidate, other: Candidate, field: Comparison['field']): string {
  return field === 'amount' && invoice.currency !== other.currency
    ? ` (${invoice.currency} and ${other.currency})`
    : '';
}

function ksefNumberOf({ source, externalId, ksefReference }: Candidate): Shown {
  return (source === 'KSEF' ? externalId : ksefReference?.number) ?? null;
}

function taxText(record: Candidate): Shown {
  if (record.taxKey === undefined) return null;
  return `${record.taxCountryPresumed === true ? '' : (record.taxCountry ?? '')}${record.taxKey}`;
}
