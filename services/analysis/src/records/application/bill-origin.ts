import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** What an invoice with source ERP has besides: where it comes from, and what the books say about it. */
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
   * When others first found it by its keys, milliseconds since 1970: its place among invoices. It never moves, or voiding and
   * entering a bill anew would make it later than the invoice that repeats it.
   */
  readonly foundAtMs: number | undefined;
  readonly changedAt: Date;
  readonly deletedAt: Date | undefined;
}
