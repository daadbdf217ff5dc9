import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Record of the supplier in the vendor master of the invoice's company. Present only where a master is synchronised. */
export interface VendorMasterFacts {
  /** End of the last complete synchronisation, RFC 3339. */
  readonly syncedAt: string;
  /** Whole hours from then to the analysis. */
  readonly ageHours: number;
  /** The vendor of the invoice; null when no vendor has this tax id, account or name. */
  readonly vendor: MasterVendor | null;
}

export interface MasterVendor {
  readonly erpVendorId: string;
  readonly name: string;
  /** A collective record for suppliers that are paid once; it says nothing about any of them. */
  readonly isOneTime: boolean;
  /** Accounts that can be compared; those that the ERP masks are left out. */
  readonly accounts: readonly MasterAccount[];
}

export interface MasterAccount {
  /** Key of the account, as in `Candidate.bankKey`. */
  readonly key: string;
  readonly masked: string;
}

/** The order that the invoice names, as the ERP has it. */
export interface OrderMasterFacts {
  readonly currency: string;
  /** Ordered without tax, and billed so far: earlier invoices less credit notes. */
  readonly net?: OrderTotals;
  /** The same with tax. */
  readonly gross?: OrderTotals;
  /** Called off from as needed, without a total that could be exceeded. */
  readonly isBlanket: boolean;
  /** The supplier that was ordered from. */
  readonly owner?: { readonly supplierId: string; readonly name: string };
}

export interface OrderTotals {
  readonly ordered: DecimalAmount;
  readonly billed: DecimalAmount;
}

/** The company of the organization whose own account the invoice states. */
export interface OwnAccountFacts {
  readonly companyId: string;
  readonly name: string;
}
