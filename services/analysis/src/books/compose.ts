import { createCache } from '@invoicecontrol/runtime/cache';
import { CACHED_BY_ORGANIZATION } from '../foundation.js';
import type { Foundation } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import type { Records } from '../records/compose.js';
import { completeImport, vendorListsOf } from './application/complete-import.js';
import { deleteRecords, reconcileIds } from './application/delete-records.js';
import { endMaster } from './application/end-master.js';
import { importBills } from './application/import-bills.js';
import { importOrders } from './application/import-orders.js';
import type { StoredOrder } from './application/import-orders.js';
import { importPayments } from './application/import-payments.js';
import type { StoredPayment } from './application/import-payments.js';
import { importVendorAccounts } from './application/import-vendor-accounts.js';
import { importVendors } from './application/import-vendors.js';
import { loadErpRecords } from './application/load-erp-records.js';
import { vendorReader } from './application/read-vendors.js';
import { billStore, deletableBills } from './storage/bills.js';
import { createErpOrderIndexes } from './storage/erp-orders.js';
import type { ErpOrderDocument } from './storage/erp-orders.js';
import { createErpPaymentIndexes } from './storage/erp-payments.js';
import type { ErpPaymentDocument } from './storage/erp-payments.js';
import { erpRecordStore } from './storage/erp-records.js';
import { createErpSourceIndexes, erpSourceStore } from './storage/erp-sources.js';
import type { ErpSourceDocument } from './storage/erp-sources.js';
import { importedStore } from './storage/imported-records.js';
import { createVendorIndexes, vendorStore } from './storage/vendors.js';
import type { VendorDocument } from './storage/vendors.js';
import { erpImportService } from './transport/grpc/erp-import.js';
import { vendorService } from './transport/grpc/vendors.js';

/** Use cases for the imported ERP records of organizations. */
export type ErpBooks = Awaited<ReturnType<typeof composeBooks>>;

export async function composeBooks(
  { db, clock, logger }: Foundation,
  { records, policies: { policy } }: { records: Records; policies: Policies },
) {
  const collections = {
    erpSources: db.collection<ErpSourceDocument>('erp_sources'),
    vendors: db.collection<VendorDocument>('vendors'),
    erpOrders: db.collection<ErpOrderDocument>('erp_orders'),
    erpPayments: db.collection<ErpPaymentDocument>('erp_payments'),
  };
  await Promise.all([
    createErpSourceIndexes(collections.erpSources),
    createVendorIndexes(collections.vendors),
    createErpOrderIndexes(collections.erpOrders),
    createErpPaymentIndexes(collections.erpPayments),
  ]);
  const { invoices, suppliers, findings } = records;
  const sources = erpSourceStore(collections.erpSources);
  const vendors = vendorStore(collections.vendors);
  const bills = billStore(records.collections.invoices);
  const vendorLists = createCache({ ...CACHED_BY_ORGANIZATION, load: vendorListsOf(sources) });
  return {
    collections,
    bills,
    erpRecords: loadErpRecords({
      vendorLists,
      records: erpRecordStore({
        ...collections,
        orders: collections.erpOrders,
        invoices: records.collections.invoices,
      }),
      logger,
    }),
    /** Builds the gRPC service to which erp-sync sends pages of records. */
    importService({ examineBooks }: Pick<Parameters<typeof completeImport>[0], 'examineBooks'>) {
      const orders = importedStore<StoredOrder>(collections.erpOrders);
      const payments = importedStore<StoredPayment>(collections.erpPayments);
      const stores = {
        VENDOR: vendors,
        BILL: deletableBills(records.collections.invoices, 'BILL'),
        CREDIT_NOTE: deletableBills(records.collections.invoices, 'CREDIT_NOTE'),
        ORDER: orders,
        PAYMENT: payments,
      };
      return erpImportService({
        importVendors: importVendors({ sources, vendors, clock }),
        importVendorAccounts: importVendorAccounts({ sources, vendors, clock }),
        importBills: importBills({ sources, vendors, suppliers, bills, policy, clock }),
        importOrders: importOrders({ sources, orders, clock }),
        importPayments: importPayments({ sources, payments, clock }),
        reconcileIds: reconcileIds({ sources, vendors, stores, clock }),
        deleteRecords: deleteRecords({ sources, vendors, stores, clock }),
        completeImport: completeImport({ sources, examineBooks, vendorLists, clock }),
        endMaster: endMaster({ sources, vendorLists, clock }),
      });
    },
    rpcGroups: [
      vendorService({ reader: vendorReader({ sources, vendors, bills, suppliers, invoices, findings, policy }) }),
    ],
  };
}
