import type { NamedIndex } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { BillOrigin } from '../application/bill-origin.js';

/**
 * Fields that only ERP bills have. Their indexes are sparse, so that they contain ERP bills only. The organization and
 * the company are repeated in these fields: an index that began with the organization field of all invoices would
 * contain all invoices.
 */
export interface BillPart extends BillOrigin {
  readonly organizationId: string;
  readonly companyId: string;
  /** Sort key of the list of ERP bills: the import time, then the bill id. */
  readonly order: string;
  /**
   * Key of the purchase order that an ERP bill names, in the format of `Candidate.poKey`. Absent if the bill names none
   * or several orders.
   */
  readonly orderKey?: string;
}

export const billIndexes: readonly NamedIndex[] = [
  { key: { 'erp.organizationId': 1, 'erp.order': -1 }, sparse: true, name: 'bills' },
  { key: { 'erp.organizationId': 1, 'erp.companyId': 1, 'erp.order': -1 }, sparse: true, name: 'bills_of_company' },
  { key: { 'erp.organizationId': 1, 'erp.vendorId': 1, 'erp.order': -1 }, sparse: true, name: 'bills_of_vendor' },
  {
    key: { 'erp.organizationId': 1, 'erp.remoteCompanyId': 1, 'erp.kind': 1, 'erp.externalId': 1 },
    sparse: true,
    name: 'bills_of_remote_company',
  },
  { key: { 'erp.organizationId': 1, 'erp.orderKey': 1 }, sparse: true, name: 'bills_by_order' },
  {
    key: { 'erp.organizationId': 1, 'erp.connectionId': 1, 'erp.changedAt': 1 },
    sparse: true,
    name: 'changes_of_bills',
  },
];
