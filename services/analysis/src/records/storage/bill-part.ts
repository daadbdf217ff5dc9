import type { IndexDescription } from 'mongodb';
import type { BillOrigin } from '../application/bill-origin.js';

/**
 * The part of an invoice that only bills of an ERP have. Its indexes are sparse: other invoices cost nothing in them. It
 * repeats organization and company, because an index that leads with a field of every invoice would have all of them.
 */
export interface BillPart extends BillOrigin {
  readonly organizationId: string;
  readonly companyId: string;
  /** Time of the import, then the id: what bills are listed by. */
  readonly order: string;
  /** The order that it bills, as `Candidate.poKey`; absent where it names none or several. */
  readonly orderKey?: string;
}

export const billIndexes: readonly IndexDescription[] = [
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
