import type { MasterAccount } from './erp-facts.js';
import type { Candidate } from './invoice.js';

/**
 * Records of a company that a synchronisation of its ERP has read: vendors and changes to them, bills and payments. Books are
 * examined in parts, each with the records that it is compared with.
 */
export interface Books {
  readonly companyId: string;
  readonly vendors: readonly BookedVendor[];
  /** Vendors of the company in all. */
  readonly vendorCount: number;
  readonly accountChanges: readonly VendorAccountChange[];
  readonly bills: readonly BookedBill[];
  readonly payments: readonly BookedPayment[];
  readonly credits: readonly VendorCredit[];
  /** Pairs of invoices that are duplicates of each other (explanation/subject.ts, `pairKey`). */
  readonly duplicatePairs: ReadonlySet<string>;
  /** Pairs that would be, without a credit note between them: by the key of the pair the id of the credit note. */
  readonly creditedPairs: ReadonlyMap<string, string>;
}

export interface BookedVendor {
  readonly vendorId: string;
  /** Number of the vendor that people use in the ERP. */
  readonly number?: string;
  readonly name: string;
  readonly nameKey: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly isActive: boolean;
  readonly accounts: readonly MasterAccount[];
  /** True when the vendor has further accounts, which no other vendor has. */
  readonly hasOtherAccounts?: boolean;
  /** True when it was billed within the last twelve months. */
  readonly isBilled: boolean;
}

export interface VendorAccountChange {
  readonly vendorId: string;
  readonly vendorName: string;
  readonly before: readonly MasterAccount[];
  readonly after: readonly MasterAccount[];
  readonly openBills: number;
  /** A person has accepted every account that is new. */
  readonly isReviewed?: boolean;
  /** An earlier change to the same accounts was confirmed; since then the vendor has had others. */
  readonly isAgain?: boolean;
  /** RFC 3339: the synchronisations between which it changed. */
  readonly seenBefore: string;
  readonly seenAfter: string;
}

/** A bill of the books, and those that share a lookup key with it (match-keys.ts), earlier and later ones. */
export interface BookedBill {
  readonly bill: Candidate;
  readonly others: readonly Candidate[];
  /** Ids of those among them, itself included, on which nothing is open any more. */
  readonly paidIds: readonly string[];
  /** Ids of those of which the ERP tells the payments (`Books.payments`). */
  readonly settledIds: readonly string[];
  /** Ids of bills that are not among them and that the number of a credit note names, by the id of the credit note. */
  readonly creditedIds?: ReadonlyMap<string, readonly string[]>;
}

export interface BookedPayment {
  readonly paymentId: string;
  readonly vendorId: string;
  readonly vendorName: string;
  readonly day: number;
  /** Paid, positive minor units of the currency. */
  readonly amountMinor: string;
  readonly currency: string;
  /** The open amount of all invoices that the payment covers, before it. */
  readonly dueMinor?: string;
  readonly reference?: string;
  /** The known invoices that it covers. */
  readonly invoiceIds: readonly string[];
  readonly account?: MasterAccount;
  /** Keys of the accounts that the vendor had on that day; absent when the ERP does not tell. */
  readonly vendorAccountsThen?: readonly string[];
  /** A person has accepted the account for the vendor. */
  readonly isAccountReviewed?: boolean;
  /** Period in which the vendor master had the paid account, if it ever had. */
  readonly accountInMaster?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The day on which the vendor was first read; with payments before it the accounts of that day are compared. */
  readonly vendorKnownSince?: string;
  /** A bill says itself that it was paid, and not when: `paymentId` is that of the bill, and `day` is when it was seen. */
  readonly isDayUnknown?: true;
  /** The bank sent it back. */
  readonly isReturned: boolean;
}

/** A credit note of a vendor that is entered in the books. */
export interface VendorCredit {
  readonly creditId: string;
  /** The vendor's. */
  readonly number: string;
  readonly vendorId: string;
  readonly day: number;
  /** Negative minor units of the currency. */
  readonly amountMinor: string;
  readonly currency: string;
  /** Known bills of the vendor that its number names; without any it does not say what it takes back. */
  readonly bills: readonly CreditedBill[];
}

export interface CreditedBill {
  readonly invoiceId: string;
  readonly amountMinor: string;
}
