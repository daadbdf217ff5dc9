import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** KSeF inbox of the company to which the invoice was routed. Present only if the company has an inbox. */
export interface InboxFacts {
  /**
   * First day from which the inbox receives invoices. This day is compared with the day on which KSeF stored an
   * invoice.
   */
  readonly from: CalendarDate;
  /** Time before which all invoices stored by KSeF have been received and decided (RFC 3339). */
  readonly receivedThrough: string;
  /** The announced KSeF outage that includes the issue date. Absent if there was no such outage. */
  readonly failure?: FailurePeriod;
}

/** First and last day of an announced KSeF outage. */
export interface FailurePeriod {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}
