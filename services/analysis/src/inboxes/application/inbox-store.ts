import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** The state of a company's KSeF inbox, according to the newest event about the inbox. */
export interface Inbox {
  /** KSeF connection to which an inbox belongs. A company may have one for each environment. */
  readonly connectionId: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly enabled: boolean;
  /** First day whose invoices the KSeF inbox receives. */
  readonly from: CalendarDate;
  /** Time up to which the analysis service has received every invoice that KSeF stored. */
  readonly receivedThrough: Date;
  /** Time of the newest event about the KSeF inbox that was applied. */
  readonly changedAt: Date;
}

/** Reference to the company to which a KSeF inbox belongs. */
export type CompanyReference = Pick<Inbox, 'organizationId' | 'companyId'>;

export interface InboxStore {
  /** Stores the state of a KSeF inbox unless a newer event is already stored. */
  save(inbox: Inbox): Promise<void>;
  /** Returns the KSeF inboxes of a company, of which it has one for each KSeF environment. */
  of(organizationId: string, companyId: string): Promise<readonly Inbox[]>;
  /** Returns companies of any tenant that have a KSeF inbox, at most a given number of companies. */
  companies(countMax: number): Promise<readonly CompanyReference[]>;
}
