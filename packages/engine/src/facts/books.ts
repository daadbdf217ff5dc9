import type { MasterAccount } from './erp-facts.js';
import type { Candidate } from './invoice.js';

/**
 * Records of a company that were read from its ERP: vendors and changes to them, bills and payments. They are examined
 * in several groups. Each group also contains all records with which its records are compared.
 */
export interface Books {
  readonly companyId: string;
  readonly vendors: readonly BookedVendor[];
  /** Total number of vendors that the company has in its ERP. */
  readonly vendorCount: number;
  readonly accountChanges: readonly VendorAccountChange[];
  readonly bills: readonly BookedBill[];
  readonly payments: readonly BookedPayment[];
  readonly credits: readonly VendorCredit[];
  /** Pairs of invoices that are duplicates of each other (explanation/subject.ts, `pairKey`). */
  readonly duplicatePairs: ReadonlySet<string>;
  /**
   * Pairs of invoices that are not duplicates, because a credit note explains them. Maps the key of each pair to the id
   * of its credit note.
   */
  readonly creditedPairs: ReadonlyMap<string, string>;
}

export interface BookedVendor {
  readonly vendorId: string;
  /** Vendor number that people use in the ERP. */
  readonly number?: string;
  readonly name: string;
  readonly nameKey: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly isActive: boolean;
  readonly accounts: readonly MasterAccount[];
  /** True if the vendor also has bank accounts that no other vendor has. */
  readonly hasOtherAccounts?: boolean;
  /** True if the vendor was billed within the last twelve months. */
  readonly isBilled: boolean;
}

export interface VendorAccountChange {
  readonly vendorId: string;
  readonly vendorName: string;
  readonly before: readonly MasterAccount[];
  readonly after: readonly MasterAccount[];
  readonly openBills: number;
  /** True if a person has accepted every new bank account of the vendor. */
  readonly isReviewed?: boolean;
  /** True if an earlier change to the same bank accounts was confirmed and the vendor has had other accounts since. */
  readonly isAgain?: boolean;
  /** Completion times of the two synchronisations between which the bank accounts changed (RFC 3339). */
  readonly seenBefore: string;
  readonly seenAfter: string;
}

/** A bill from the ERP, with earlier and later bills that share a lookup key with it (match-keys.ts). */
export interface BookedBill {
  readonly bill: Candidate;
  readonly others: readonly Candidate[];
  /** Ids of the bills among `bill` and `others` that are fully paid. */
  readonly paidIds: readonly string[];
  /** Ids of the bills among `bill` and `others` whose payments the ERP reports (`Books.payments`). */
  readonly settledIds: readonly string[];
  /** Maps the id of a credit note to the bills that its number names and that are not among `bill` and `others`. */
  readonly creditedIds?: ReadonlyMap<string, readonly string[]>;
}

export interface BookedPayment {
  readonly paymentId: string;
  readonly vendorId: string;
  readonly vendorName: string;
  readonly day: number;
  /** Amount of the payment as a positive number of minor units of its currency. */
  readonly amountMinor: string;
  readonly currency: string;
  /** Total amount that was open, before the payment, on all invoices that the payment covers. */
  readonly dueMinor?: string;
  readonly reference?: string;
  /** Ids of the known invoices that the ERP payment covers. */
  readonly invoiceIds: readonly string[];
  readonly account?: MasterAccount;
  /**
   * Keys of the bank accounts that the vendor had on the payment day. Absent if the ERP does not report the accounts.
   */
  readonly vendorAccountsThen?: readonly string[];
  /** True if a person has accepted the bank account for the vendor. */
  readonly isAccountReviewed?: boolean;
  /** Period in which the vendor master contained the paid account, if it ever contained the account. */
  readonly accountInMaster?: { readonly from: string | undefined; readonly to: string | undefined };
  /**
   * Day on which the vendor was first read. Earlier payments are compared with the bank accounts that the vendor had on
   * that day.
   */
  readonly vendorKnownSince?: string;
  /**
   * True if the payment is known only because a bill states that it was paid, without a date. `paymentId` is then the
   * bill id, and `day` is the day on which the payment was noticed.
   */
  readonly isDayUnknown?: true;
  /** True if the bank returned the payment that the ERP records. */
  readonly isReturned: boolean;
}

/** A vendor's credit note that is booked in the ERP. */
export interface VendorCredit {
  readonly creditId: string;
  /** Number that the vendor gave its credit note. */
  readonly number: string;
  readonly vendorId: string;
  readonly day: number;
  /** Amount of the credit note as a negative number of minor units of its currency. */
  readonly amountMinor: string;
  readonly currency: string;
  /**
   * The vendor's known bills that are named by the credit note number. If the number names no bill, it is unknown which
   * bill the credit note cancels.
   */
  readonly bills: readonly CreditedBill[];
}

export interface CreditedBill {
  readonly invoiceId: string;
  readonly amountMinor: string;
}
