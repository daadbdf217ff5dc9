import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { ImportSource } from '../../books/application/import-source.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';

/** The records that were stored after one moment, up to another. */
export interface ChangeWindow {
  /** Undefined to read from the beginning. */
  readonly after: Date | undefined;
  /** The moment, included, from which an interrupted examination continues. */
  readonly from: Date | undefined;
  readonly until: Date;
}

export interface ChangedPage<T> {
  readonly records: readonly T[];
  /**
   * The moment of the change that follows the page, where it is a later one: an interrupted examination continues there.
   * Undefined at the end, and within records of one moment.
   */
  readonly continueFrom: Date | undefined;
}

/** A bill of the books. */
export interface BookBill {
  readonly part: MatchPart;
  readonly externalId: string;
  readonly kind: BillKind;
  readonly state: BillState;
  readonly vendorId: string;
  /** Positive minor units; undefined where the ERP does not tell. */
  readonly paidMinor: string | undefined;
  readonly paidAccountExternalId: string | undefined;
  readonly importedAt: Date;
  /** Time when an import last changed it; that of its first import until one has. */
  readonly changedAt: Date;
}

/** A bill with the invoice that it books. It was examined as of its last change: after another one it is left alone. */
export interface BillLink {
  readonly billId: string;
  readonly invoiceId: string;
  readonly changedAt: Date;
}

/** A payment of the books. */
export interface BookPayment {
  readonly id: string;
  readonly vendorId: string;
  readonly day: number;
  readonly currency: string;
  /** Positive. */
  readonly amountMinor: string;
  readonly reference: string | undefined;
  readonly billIds: readonly string[];
  readonly account: { readonly key: string; readonly masked: string } | undefined;
  readonly isReturned: boolean;
}

/** A credit note of the books. */
export interface BookCredit {
  readonly part: MatchPart;
  readonly vendorId: string;
}

/** Payments that have one of some keys; of a key that very many have, the newest. */
export interface FoundPayments {
  readonly payments: readonly BookPayment[];
  /** Keys of which some were left out. */
  readonly cutKeys: ReadonlySet<string>;
}

/** A record that shares a lookup key with a bill; what the ERP says of it where it is a bill itself. */
export interface SharingRecord {
  readonly part: MatchPart;
  readonly booked: Pick<BookBill, 'state' | 'vendorId'> | undefined;
}

/** The reads and writes of the examination of books. Reads of changes come in pages, in the order of their change. */
export interface BooksStore {
  changedVendors(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<StoredVendor>>;
  /** Only those whose accounts were ever changed. */
  changedVendorAccounts(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<StoredVendor>>;
  changedBills(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<BookBill>>;
  changedPayments(of: ImportSource, window: ChangeWindow): AsyncIterable<ChangedPage<BookPayment>>;
  countVendors(of: ImportSource): Promise<number>;
  /** Vendors of the connection, deleted ones left out, that have one of the keys. */
  vendorsByKeys(of: ImportSource, keys: readonly string[]): Promise<readonly StoredVendor[]>;
  vendorsByIds(of: ImportSource, ids: readonly string[]): Promise<readonly StoredVendor[]>;
  /** Those of the vendors that were billed since a day. */
  billedVendors(of: ImportSource, vendorIds: readonly string[], sinceDay: number): Promise<ReadonlySet<string>>;
  /** Counts the open bills of the vendors; vendors without any are left out. */
  openBills(of: ImportSource, vendorIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Records of the organization that share one of the keys, without those that the caller has already. */
  sharing(
    organizationId: string,
    keys: readonly string[],
    exceptIds: readonly string[],
  ): Promise<readonly SharingRecord[]>;
  bills(of: ImportSource, invoiceIds: readonly string[]): Promise<readonly BookBill[]>;
  /** The newest bills of a vendor that are entered. */
  billsOf(of: ImportSource, vendorId: string): Promise<readonly BookBill[]>;
  /** Reads the parts by which invoices are compared. */
  parts(organizationId: string, invoiceIds: readonly string[]): Promise<readonly MatchPart[]>;
  /** Notes which invoices bills book, each of which one bill books at most. */
  link(organizationId: string, links: readonly BillLink[]): Promise<void>;
  /** Removes links that no longer hold. */
  unlink(organizationId: string, links: readonly BillLink[]): Promise<void>;
  /** Tells whether the connection has ever brought a payment. */
  hasPayments(of: ImportSource): Promise<boolean>;
  /** Payments that settle one of the bills; cut keys are ids of bills. */
  paymentsOf(of: ImportSource, billIds: readonly string[]): Promise<FoundPayments>;
  /** Payments to the same vendors of the same amounts. */
  paymentsLike(
    of: ImportSource,
    payments: readonly Pick<BookPayment, 'vendorId' | 'currency' | 'amountMinor'>[],
  ): Promise<FoundPayments>;
  /** The newest payments to vendors; cut keys are ids of vendors. */
  paymentsTo(of: ImportSource, vendorIds: readonly string[]): Promise<FoundPayments>;
  /** Credit notes of the vendors that are entered and have one of the keys. */
  credits(of: ImportSource, vendorIds: readonly string[], keys: readonly string[]): Promise<readonly BookCredit[]>;
}
