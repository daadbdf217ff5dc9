import { billsNamedBy } from '@invoicecontrol/engine/booked-bills';
import type { CreditNotes, DuplicatePair } from '@invoicecontrol/engine/booked-bills';
import type { CreditedBill } from '@invoicecontrol/engine/facts/books';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import { creditedBillKeys, creditKeys, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Examination } from './examination.js';

const NO_CREDITS: CreditNotes = { notes: [], creditedIds: new Map() };

/**
 * Finds credit notes that may explain two equal bills: they have the amount of the bills and were issued between them.
 * The bills that the credit notes name are returned as well.
 */
export async function creditsBetweenBills(
  examination: Pick<Examination, 'source' | 'books'>,
  pairs: readonly DuplicatePair[],
): Promise<CreditNotes> {
  const keys = new Set(pairs.flatMap(({ bills }) => keysBetween(bills)));
  if (keys.size === 0) return NO_CREDITS;
  const { source, books } = examination;
  const sharing = await books.sharing(source.organizationId, [...keys], []);
  const notes = sharing.flatMap(({ part, booked }) =>
    booked !== undefined && part.amountMinor.startsWith('-') ? part : [],
  );
  const named = await billsNamedByCredits(examination, notes);
  const idsOf = (bills: readonly CreditedBill[]): readonly string[] => bills.map(({ invoiceId }) => invoiceId);
  return { notes, creditedIds: new Map([...named].map(([creditId, bills]) => [creditId, idsOf(bills)])) };
}

/** Returns the known ERP bills that credit notes name by number, keyed by the credit note id. */
export async function billsNamedByCredits(
  { source, books }: Pick<Examination, 'source' | 'books'>,
  notes: readonly Candidate[],
): Promise<ReadonlyMap<string, readonly CreditedBill[]>> {
  if (notes.length === 0) return new Map();
  const named = await books.sharing(
    source.organizationId,
    [...new Set(notes.flatMap(creditedBillKeys))],
    notes.map(({ invoiceId }) => invoiceId),
  );
  const bills = named.flatMap(({ part, booked }) => (booked === undefined ? [] : part));
  return new Map(notes.map((note) => [note.invoiceId, billsNamedBy(note, bills)]));
}

function keysBetween(bills: DuplicatePair['bills']): string[] {
  const days = bills.map(({ issueDay }) => issueDay);
  const range = { from: Math.min(...days), to: Math.max(...days) };
  const supplierKeys = [...new Set(bills.flatMap(supplierKeysOf))];
  return bills.flatMap((bill) => creditKeys(supplierKeys, bill, range));
}
