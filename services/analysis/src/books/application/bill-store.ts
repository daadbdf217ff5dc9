import type { BillState } from '@invoicecontrol/books/records';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { BillOrigin } from '../../records/application/bill-origin.js';
import type { ImportedRecord } from './imported-record.js';
import type { InvoiceRecord, TimedInvoice } from '../../records/application/invoice-store.js';

/** A bill with its next version. */
export interface StoredBill {
  readonly id: string;
  readonly version: number;
  readonly companyId: string;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
  readonly erp: BillOrigin;
}

/** A bill that takes another state while its content stays: it lost what every invoice has. */
export interface WithdrawnBill {
  readonly id: string;
  readonly version: number;
  readonly withdrawnAs: 'DRAFT' | 'VOID';
  /** The connection that withdraws it, and whose examination covers the withdrawn bill. */
  readonly connectionId: string;
  readonly changedAt: Date;
}

/** A stored bill that a page is compared with. */
export interface KnownBill extends Pick<
  ImportedRecord,
  'version' | 'contentHash' | 'connectionId' | 'companyId' | 'deletedAt'
> {
  readonly importedAt: Date;
  readonly state: BillState;
  readonly foundAtMs: number | undefined;
  /** The notes of others on the bill. */
  readonly match: Pick<
    MatchPart,
    'supplierId' | 'taxKey' | 'nameKey' | 'bookedInvoiceId' | 'confirmedAs' | 'suspectedAs'
  >;
}

export interface BillQuery extends PageRequest {
  readonly companyId?: string | undefined;
}

export interface BillStore {
  find(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, KnownBill>>;
  /** @returns ids of those that another writer changed in the meantime */
  write(organizationId: string, bills: readonly (StoredBill | WithdrawnBill)[]): Promise<ReadonlySet<string>>;
  /** Newest first. */
  list(organizationId: string, query: BillQuery): Promise<Page<InvoiceRecord>>;
  /** Ids of the bills of a vendor, newest first. */
  newestOfVendor(organizationId: string, vendorId: string, limit: number): Promise<readonly TimedInvoice[]>;
}
