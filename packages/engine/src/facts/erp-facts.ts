import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/**
 * The supplier's record in the vendor master of the invoice's company. Present only if a vendor master is synchronised.
 */
export interface VendorMasterFacts {
  /** Completion time of the last complete synchronisation of the vendor master (RFC 3339). */
  readonly syncedAt: string;
  /** Whole hours from the last import of the vendor master to the analysis of the invoice. */
  readonly ageHours: number;
  /** The vendor to which the invoice belongs, or null if no vendor has its tax id, account or name. */
  readonly vendor: MasterVendor | null;
}

export interface MasterVendor {
  readonly erpVendorId: string;
  readonly name: string;
  /**
   * True for a vendor record that the ERP uses for all one-time suppliers, and that gives no information about a single
   * supplier.
   */
  readonly isOneTime: boolean;
  /** Bank accounts of the vendor that can be compared. Accounts that the ERP masks are left out. */
  readonly accounts: readonly MasterAccount[];
}

export interface MasterAccount {
  /** Key of the bank account, in the format of `Candidate.bankKey`. */
  readonly key: string;
  readonly masked: string;
}

/** The purchase order named on the invoice, as stored in the ERP. */
export interface OrderMasterFacts {
  readonly currency: string;
  /**
   * Ordered amount of the purchase order without tax, and the amount that earlier invoices, minus credit notes, have
   * billed so far.
   */
  readonly net?: OrderTotals;
  /** Totals of the purchase order including tax. */
  readonly gross?: OrderTotals;
  /**
   * True if the purchase order is a blanket order, from which goods are requested as needed. It has no total that could
   * be exceeded.
   */
  readonly isBlanket: boolean;
  /** The supplier with which the purchase order was placed. */
  readonly owner?: { readonly supplierId: string; readonly name: string };
}

export interface OrderTotals {
  readonly ordered: DecimalAmount;
  readonly billed: DecimalAmount;
}

/** The organization's company that owns the bank account on the invoice. */
export interface OwnAccountFacts {
  readonly companyId: string;
  readonly name: string;
}
