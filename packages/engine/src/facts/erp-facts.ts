import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/**
 * Record of the supplier in the vendor master of the invoice's company. Present only if a vendor master is
 * synchronised.
 */
export interface VendorMasterFacts {
  /** Time at which the last complete synchronisation ended (RFC 3339). */
  readonly syncedAt: string;
  /** Whole hours from `syncedAt` to the analysis. */
  readonly ageHours: number;
  /** The vendor that the invoice belongs to. Null when no vendor has its tax id, account or name. */
  readonly vendor: MasterVendor | null;
}

export interface MasterVendor {
  readonly erpVendorId: string;
  readonly name: string;
  /** True for a collective record of one-time suppliers, which says nothing about a single supplier. */
  readonly isOneTime: boolean;
  /** Accounts that can be compared. Accounts that the ERP masks are left out. */
  readonly accounts: readonly MasterAccount[];
}

export interface MasterAccount {
  /** Key of the account, as in `Candidate.bankKey`. */
  readonly key: string;
  readonly masked: string;
}

/** The order that the invoice names, as it is stored in the ERP. */
export interface OrderMasterFacts {
  readonly currency: string;
  /** Ordered amount without tax, and the amount billed so far: earlier invoices minus credit notes. */
  readonly net?: OrderTotals;
  /** The same totals with tax. */
  readonly gross?: OrderTotals;
  /** True for a blanket order, from which goods are requested as needed. It has no total that could be exceeded. */
  readonly isBlanket: boolean;
  /** The supplier that the order was placed with. */
  readonly owner?: { readonly supplierId: string; readonly name: string };
}

export interface OrderTotals {
  readonly ordered: DecimalAmount;
  readonly billed: DecimalAmount;
}

/** The company of the organization that owns the account on the invoice. */
export interface OwnAccountFacts {
  readonly companyId: string;
  readonly name: string;
}
