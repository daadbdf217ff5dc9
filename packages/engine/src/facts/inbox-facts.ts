import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** The KSeF inbox of the company to which the invoice was routed. Present only where the company has one. */
export interface InboxFacts {
  /** First day whose invoices the inbox receives, by the day on which KSeF stored them. */
  readonly from: CalendarDate;
  /** All invoices that KSeF stored before this time have been received and decided; RFC 3339. */
  readonly receivedThrough: string;
  /** The announced failure of KSeF that the issue date lies in. */
  readonly failure?: FailurePeriod;
}

/** Days of an announced failure of KSeF, both included. */
export interface FailurePeriod {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}
