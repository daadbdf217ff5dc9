import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { StoredOrder } from '../application/import-orders.js';
import { importedIndexes } from './imported-records.js';
import type { ImportedDocument } from './imported-records.js';

/** A purchase order from an ERP, which is looked up by its order key. */
export type ErpOrderDocument = ImportedDocument<StoredOrder>;

export async function createErpOrderIndexes(collection: Collection<ErpOrderDocument>): Promise<void> {
  await ensureIndexes(collection, [...importedIndexes]);
}
