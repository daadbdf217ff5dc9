import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { ImportSource } from '../../books/application/import-source.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';

/** Period in which an ERP record must have changed to be examined. */
export interface ChangeWindow {
  /** Only ERP records that changed after this time are read. If it is undefined, all records are read. */
  readonly after: Date | undefined;
  /** Change time of the first ERP record with which an interrupted examination continues. */
  readonly from: Date | undefined;
  readonly until: Date;
}

export interface ChangedPage<T> {
  readonly records: readonly T[];
  /**
   * Change time from which an interrupted examination continues after this page of ERP records. It is undefined after
   * the last page. It is also undefined if the next page begins with a record that has the same change time as the last
   * record of this page.
   */
  readonly continueFrom: Date | undefined;
}

/** A bill that was imported from an ERP. */
export interface BookBill {
  readonly part: MatchPart;
  readonly externalId: string;
  readonly kind: BillKind;
  readonly state: BillState;
  readonly vendorId: string;
  /** Paid amount of the ERP bill in minor units, always positive, or undefined if the ERP does not state it. */
  readonly paidMinor: string | undefined;
  readonly paidAccountExternalId: string | undefined;
  readonly importedAt: Date;
  /** Time when an import last changed an ERP bill, or the time of its first import. */
  readonly changedAt: Date;
}

/**
 * An ERP bill and the invoice that it books. A bill that has changed since its examination is not linked to the
 * invoice.
 */
export interface BillLink {
  readonly billId: string;
  readonly invoiceId: string;
  readonly changedAt: Date;
}

/** A payment that was imported from an ERP. */
export interface BookPayment {
  readonly id: string;
  readonly vendorId: string;
  readonly day: number;
  readonly currency: string;
  /** Amount of the payment in minor units, which is always positive. */
  readonly amountMinor: string;
  readonly reference: string | undefined;
  readonly billIds: readonly string[];
  readonly account: { readonly key: string; readonly masked: string } | undefined;
  readonly isReturned: boolean;
}

/** A credit note of a vendor that was imported from an ERP. */
export interface BookCredit {
  readonly part: MatchPart;
  readonly vendorId: string;
}

/**
 * ERP payments that have one of several lookup keys. If too many payments have the same key, only the newest of them
 * are included.
 */
export interface FoundPayments {
  readonly payments: readonly BookPayment[];
  /** Lookup keys for which some ERP payments were left out. */
  readonly cutKeys: ReadonlySet<string>;
}

/** An invoice that shares a lookup key with an ERP bill, with its ERP fields if it is a bill itself. */
export interface SharingRecord {
  readonly part: MatchPart;
  readonly booked: Pick<BookBill, 'state' | 'vendorId'> | undefined;
}

/**
 * Reads and writes records for the examination of imported records. Changed ERP records are read page by page, in the
 * order of their change.
 */
export interface BooksStore {
  changedVendors(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<StoredVendor>>;
  /** Reads only ERP vendors whose bank accounts have ever changed. */
  changedVendorAccounts(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<StoredVendor>>;
  changedBills(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<BookBill>>;
  changedPayments(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<BookPayment>>;
  countVendors(of: ImportSource): Promise<number>;
  /** Returns the vendors of an ERP connection that have one of the given lookup keys, except deleted vendors. */
  vendorsByKeys(of: ImportSource, keys: readonly string[]): Promise<readonly StoredVendor[]>;
  vendorsByIds(of: ImportSource, ids: readonly string[]): Promise<readonly StoredVendor[]>;
  /** Returns those of the given ERP vendors that have sent a bill since the given day. */
  billedVendors(of: ImportSource, vendorIds: readonly string[], sinceDay: number): Promise<ReadonlySet<string>>;
  /** Counts the open bills of each ERP vendor. Vendors without open bills are left out. */
  openBills(of: ImportSource, vendorIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the invoices and ERP bills of an organization that have one of the given lookup keys, except those that the
   * caller already has.
   */
  sharing(
    organizationId: string,
    keys: readonly string[],
    exceptIds: readonly string[],
  ): Promise<readonly SharingRecord[]>;
  bills(of: ImportSource, invoiceIds: readonly string[]): Promise<readonly BookBill[]>;
  /** Returns the newest bills of a vendor that are entered in the ERP. */
  billsOf(of: ImportSource, vendorId: string): Promise<readonly BookBill[]>;
  /** Reads the fields by which the given invoices are compared with ERP bills. */
  parts(organizationId: string, invoiceIds: readonly string[]): Promise<readonly MatchPart[]>;
  /** Stores the links between ERP bills and the invoices that they book. Each invoice is booked by at most one bill. */
  link(organizationId: string, links: readonly BillLink[]): Promise<void>;
  /** Removes links that no longer apply between ERP bills and invoices. */
  unlink(organizationId: string, links: readonly BillLink[]): Promise<void>;
  /** Checks whether an ERP connection has ever sent a payment. */
  hasPayments(of: ImportSource): Promise<boolean>;
  /**
   * Returns the ERP payments for the given bills. If a bill has too many payments, the result names the id of the bill.
   */
  paymentsOf(of: ImportSource, billIds: readonly string[]): Promise<FoundPayments>;
  /** Returns the ERP payments that have the same amounts as the given payments and went to the same vendors. */
  paymentsLike(
    of: ImportSource,
    payments: readonly Pick<BookPayment, 'vendorId' | 'currency' | 'amountMinor'>[],
  ): Promise<FoundPayments>;
  /**
   * Returns the newest ERP payments to the given vendors. If a vendor has too many payments, the result names the id of
   * the vendor.
   */
  paymentsTo(of: ImportSource, vendorIds: readonly string[]): Promise<FoundPayments>;
  /** Returns the credit notes of vendors that are entered in the ERP and have one of the given lookup keys. */
  credits(of: ImportSource, vendorIds: readonly string[], keys: readonly string[]): Promise<readonly BookCredit[]>;
}
