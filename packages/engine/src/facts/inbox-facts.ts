import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** KSeF inbox of the company that the invoice was routed to. Present only if the company has one. */
export interface InboxFacts {
  /** First day from which the inbox receives invoices. It is compared with the day on which KSeF stored an invoice. */
  readonly from: CalendarDate;
  /** Time before which all invoices that KSeF stored have been received and decided (RFC 3339). */
  readonly receivedThrough: string;
  /** The announced failure of KSeF that includes the issue date. Absent if there was none. */
  readonly failure?: FailurePeriod;
}

/** Days of an announced failure of KSeF. Both days are included. */
export interface FailurePeriod {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}
