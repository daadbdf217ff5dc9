import type { BillState } from '@invoicecontrol/books/records';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { BillOrigin } from '../../records/application/bill-origin.js';
import type { ImportedRecord } from './imported-record.js';
import type { InvoiceRecord, TimedInvoice } from '../../records/application/invoice-store.js';
import type { RecordSearch } from '../../records/application/record-search.js';

/** An ERP bill that is to be stored, with the version that it will have. */
export interface StoredBill {
  readonly id: string;
  readonly version: number;
  readonly companyId: string;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
  readonly erp: BillOrigin;
}

/** A change of the state of a stored ERP bill that no longer has all required fields. Its stored content is kept. */
export interface WithdrawnBill {
  readonly id: string;
  readonly version: number;
  readonly withdrawnAs: 'DRAFT' | 'VOID';
  /** The ERP connection that withdraws a bill. The next examination of its ERP records includes the withdrawn bill. */
  readonly connectionId: string;
  readonly changedAt: Date;
}

/** Fields of a stored bill that are compared with a page of records from the ERP. */
export interface KnownBill extends Pick<
  ImportedRecord,
  'version' | 'contentHash' | 'connectionId' | 'companyId' | 'deletedAt'
> {
  readonly importedAt: Date;
  readonly state: BillState;
  readonly foundAtMs: number | undefined;
  /**
   * Values that other use cases store with an ERP bill and that an import keeps: its supplier, the invoice that it
   * books, and reviews.
   */
  readonly match: Pick<
    MatchPart,
    'supplierId' | 'taxKey' | 'nameKey' | 'bookedInvoiceId' | 'confirmedAs' | 'suspectedAs'
  >;
}

export interface BillQuery extends PageRequest {
  readonly companyId?: string | undefined;
  readonly supplierId?: string | undefined;
  readonly issuedFrom?: CalendarDate | undefined;
  readonly issuedTo?: CalendarDate | undefined;
  readonly search?: RecordSearch | undefined;
}

export interface BillStore {
  find(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, KnownBill>>;
  /**
   * Writes many ERP bills in one database command.
   * @returns ids of the bills that another writer changed in the meantime
   */
  write(organizationId: string, bills: readonly (StoredBill | WithdrawnBill)[]): Promise<ReadonlySet<string>>;
  /** Lists the ERP bills of an organization, newest first. */
  list(organizationId: string, query: BillQuery): Promise<Page<InvoiceRecord>>;
  /** Returns the ids of the ERP bills of a vendor, newest first. */
  newestOfVendor(organizationId: string, vendorId: string, limit: number): Promise<readonly TimedInvoice[]>;
}
