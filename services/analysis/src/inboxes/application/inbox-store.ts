import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** The KSeF inbox of a company, as its newest event states it. */
export interface Inbox {
  /** The connection whose inbox it is; a company may have one for each environment. */
  readonly connectionId: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly enabled: boolean;
  /** First day whose invoices are received. */
  readonly from: CalendarDate;
  /** Every invoice that KSeF stored before this time was handed to analysis. */
  readonly receivedThrough: Date;
  /** Time of the event. */
  readonly changedAt: Date;
}

/** A company, as an inbox names it. */
export type CompanyReference = Pick<Inbox, 'organizationId' | 'companyId'>;

export interface InboxStore {
  /** Stores an inbox unless a newer event of it is stored. */
  save(inbox: Inbox): Promise<void>;
  /** The inboxes of a company; one for each environment. */
  of(organizationId: string, companyId: string): Promise<readonly Inbox[]>;
  /** Companies of any tenant that have an inbox, at most so many. */
  companies(countMax: number): Promise<readonly CompanyReference[]>;
}
