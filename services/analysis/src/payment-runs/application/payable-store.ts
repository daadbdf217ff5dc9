import type { BillKind, BillState } from '@invoicecontrol/books/records';
import type { InvoiceSource, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { BookedPayment } from '../domain/booked.js';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** An invoice, or a bill of an ERP, as it is stored. */
export interface PayableRecord {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly source: InvoiceSource;
  readonly match: MatchPart;
  readonly verdict: RiskDecision | undefined;
  readonly dueDate: CalendarDate | undefined;
  readonly erp:
    | {
        readonly state: BillState;
        readonly kind: BillKind;
        readonly vendorId: string;
        readonly connectionId: string;
        readonly paidAmount: DecimalAmount | undefined;
      }
    | undefined;
}

/** Reads the bills that lines of payment runs may settle, and the payments of these bills. */
export interface PayableStore {
  /**
   * Returns the invoices and ERP bills that have one of the keys. A bill that has several of the keys may occur several
   * times.
   */
  byKeys(organizationId: string, keys: readonly string[]): Promise<readonly PayableRecord[]>;
  byIds(organizationId: string, ids: readonly string[]): Promise<readonly PayableRecord[]>;
  /** Returns the ERP bills in which the given invoices are entered. */
  billsThatBook(organizationId: string, invoiceIds: readonly string[]): Promise<readonly PayableRecord[]>;
  /** Returns the credit notes of ERP vendors that no payment has used up. */
  openCreditsOf(organizationId: string, vendorIds: readonly string[]): Promise<readonly PayableRecord[]>;
  /**
   * Returns the newest credit notes of suppliers: credit notes in ERPs, and received credit notes that were decided and
   * are not blocked. The number of credit notes of one supplier is limited.
   * @param fromDay first day of issue, as the number of days since 1970-01-01
   */
  creditsOf(organizationId: string, supplierIds: readonly string[], fromDay: number): Promise<readonly PayableRecord[]>;
  /** Returns the payments of ERPs for the given bills, without returned and deleted payments. */
  paymentsOf(organizationId: string, billIds: readonly string[]): Promise<readonly BookedPayment[]>;
}
