import type { MasterAccount } from './erp-facts.js';

/** What a synchronisation of an ERP has seen of a company: its vendors, what changed about them, and its payments. */
export interface Books {
  readonly companyId: string;
  readonly vendors: readonly BookedVendor[];
  readonly accountChanges: readonly VendorAccountChange[];
  readonly payments: readonly BookedPayment[];
  readonly credits: readonly VendorCredit[];
  /** Pairs of invoices that are duplicates of each other (explanation/subject.ts, `pairKey`). */
  readonly duplicatePairs: readonly string[];
}

export interface BookedVendor {
  readonly vendorId: string;
  readonly name: string;
  readonly nameKey: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly isActive: boolean;
  readonly accounts: readonly MasterAccount[];
  /** Within the last twelve months. */
  readonly isBilled: boolean;
}

export interface VendorAccountChange {
  readonly vendorId: string;
  readonly vendorName: string;
  readonly before: readonly MasterAccount[];
  readonly after: readonly MasterAccount[];
  readonly openBills: number;
  /** RFC 3339: the synchronisations between which it changed. */
  readonly seenBefore: string;
  readonly seenAfter: string;
  /** A person has approved it. */
  readonly isReviewed: boolean;
}

export interface BookedPayment {
  readonly paymentId: string;
  readonly vendorId: string;
  readonly vendorName: string;
  readonly day: number;
  /** Paid, positive minor units of the currency. */
  readonly amountMinor: string;
  readonly currency: string;
  /** The open amount of all invoices that the payment covers. */
  readonly dueMinor?: string;
  readonly reference?: string;
  /** The known invoices that it covers. */
  readonly invoiceIds: readonly string[];
  readonly account?: MasterAccount;
  /** Keys of the accounts that the vendor had on that day; absent when the ERP does not tell. */
  readonly vendorAccountsThen?: readonly string[];
  /** The bank sent it back. */
  readonly isReturned: boolean;
}

export interface VendorCredit {
  readonly vendorId: string;
  readonly day: number;
  readonly amountMinor: string;
  readonly currency: string;
}
