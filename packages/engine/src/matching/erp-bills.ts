import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareByArrival } from '../facts/record-order.js';
import { numberRelation } from './number-relation.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * Finds the invoice that an ERP bill books, and returns its id (detection reference, section 5). The invoice came
 * through the API, an upload or KSeF, and arrived before the bill. Its number, amount and supplier are equal to those
 * of the bill, its date differs by at most five days, and no other bill books it. The bill is then the same document
 * and not a duplicate, and is stored with `bookedInvoiceId`.
 * @param candidates the records found by the lookup keys of the bill
 */
export function bookedInvoiceOf(
  bill: Candidate,
  billSupplierId: string,
  candidates: readonly Candidate[],
  parameters: DuplicateParameters,
): string | undefined {
  const taken = new Set(
    candidates
      .filter((candidate) => candidate.invoiceId !== bill.invoiceId)
      .map((candidate) => candidate.bookedInvoiceId),
  );
  return candidates
    .filter((candidate) => !taken.has(candidate.invoiceId) && canBook(bill, billSupplierId, candidate, parameters))
    .sort(compareByArrival)[0]?.invoiceId;
}

/** Sources from which an ERP books invoices. */
const BOOKED_SOURCES: readonly Candidate['source'][] = ['API', 'UPLOAD', 'KSEF'];

/** Checks whether an ERP bill can be the entry of an invoice, by comparing only these two records. */
export function canBook(
  bill: Candidate,
  billSupplierId: string,
  candidate: Candidate,
  parameters: DuplicateParameters,
): boolean {
  return (
    BOOKED_SOURCES.includes(candidate.source) &&
    candidate.companyId === bill.companyId &&
    compareByArrival(candidate, bill) < 0 &&
    isSameBill(bill, candidate, parameters) &&
    isSameSupplier(billSupplierId, bill, candidate)
  );
}

/**
 * Checks whether a bill and an invoice have the same invoice number and amount, and dates that are close to each other.
 * The suppliers of the two are not compared.
 */
export function isSameBill(bill: Candidate, candidate: Candidate, parameters: DuplicateParameters): boolean {
  const number = numberRelation(bill, candidate, { amountAndDate: false, amountAndDays: false }, parameters);
  return (
    (number === 'IDENT' || number === 'FORMAT') &&
    bill.currency === candidate.currency &&
    bill.amountMinor === candidate.amountMinor &&
    Math.abs(bill.issueDay - candidate.issueDay) <= parameters.erpBookingDaysMax
  );
}
