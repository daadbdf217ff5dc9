import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** The additional fields of an invoice with source ERP: its origin, and the facts of the books about it. */
export interface BillOrigin {
  readonly provider: string;
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly externalId: string;
  readonly erpNumber: string | undefined;
  readonly kind: BillKind;
  readonly state: BillState;
  readonly vendorId: string;
  /** All orders that it names; the canonical invoice has the first. */
  readonly purchaseOrderRefs: readonly string[];
  readonly paidAmount: DecimalAmount | undefined;
  readonly paidAccountExternalId: string | undefined;
  readonly modifiedAt: Date | undefined;
  readonly url: string | undefined;
  readonly contentHash: string | undefined;
  readonly importedAt: Date;
  /**
   * Time when others first found it by its keys, in milliseconds since 1970: its place among invoices. It never moves, or voiding and
   * entering a bill again would make it later than the invoice that repeats it.
   */
  readonly foundAtMs: number | undefined;
  readonly changedAt: Date;
  readonly deletedAt: Date | undefined;
}
