import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { StoredPayment } from '../application/import-payments.js';
import { importedIndexes } from './imported-records.js';
import type { ImportedDocument } from './imported-records.js';

/** A stored payment from an ERP. Payments are looked up by vendor and amount, and by the bills that they pay. */
export type ErpPaymentDocument = ImportedDocument<StoredPayment>;

export async function createErpPaymentIndexes(collection: Collection<ErpPaymentDocument>): Promise<void> {
  await ensureIndexes(collection, [...importedIndexes]);
}
