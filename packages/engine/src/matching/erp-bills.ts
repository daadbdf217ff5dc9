import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareByArrival } from '../facts/record-order.js';
import { numberRelation } from './number-relation.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * The invoice from the API, an upload or KSeF that an ERP bill books (detection reference, section 5): earlier than the bill, the same
 * number, amount and supplier, dates within five days, and not yet booked by another bill. Such a bill is the same
 * document, not a duplicate; it is stored with `bookedInvoiceId`. `candidates` are what the bill's lookup keys find.
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

/** Sources of the invoices that are booked in an ERP. */
const BOOKED_SOURCES: readonly Candidate['source'][] = ['API', 'UPLOAD', 'KSEF'];

/** Tells whether a bill can be the booking of an invoice, as far as the two of them say. */
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

/** Tells whether a bill and an invoice agree in number, amount and days. Their suppliers are not compared. */
export function isSameBill(bill: Candidate, candidate: Candidate, parameters: DuplicateParameters): boolean {
  const number = numberRelation(bill, candidate, { amountAndDate: false, amountAndDays: false }, parameters);
  return (
    (number === 'IDENT' || number === 'FORMAT') &&
    bill.currency === candidate.currency &&
    bill.amountMinor === candidate.amountMinor &&
    Math.abs(bill.issueDay - candidate.issueDay) <= parameters.erpBookingDaysMax
  );
}
