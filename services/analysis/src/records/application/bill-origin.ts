import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Additional fields of an invoice whose source is the ERP: the origin of the invoice, and facts from the ERP. */
export interface BillOrigin {
  readonly provider: string;
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly externalId: string;
  readonly erpNumber: string | undefined;
  readonly kind: BillKind;
  readonly state: BillState;
  readonly vendorId: string;
  /** Purchase orders that an ERP bill names. The canonical invoice contains only the first one. */
  readonly purchaseOrderRefs: readonly string[];
  readonly paidAmount: DecimalAmount | undefined;
  readonly paidAccountExternalId: string | undefined;
  readonly modifiedAt: Date | undefined;
  readonly url: string | undefined;
  readonly contentHash: string | undefined;
  readonly importedAt: Date;
  /**
   * Time from which comparisons with other invoices included the ERP bill, in milliseconds since 1970. It determines
   * the bill's position among invoices and never changes. Otherwise a bill that is voided and entered again would seem
   * newer than an invoice that is its copy.
   */
  readonly foundAtMs: number | undefined;
  readonly changedAt: Date;
  readonly deletedAt: Date | undefined;
}
