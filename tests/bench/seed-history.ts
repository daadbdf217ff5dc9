import { setImmediate as turn } from 'node:timers/promises';
import { storedHistory } from '@invoicecontrol/analysis/stored-history';
import type { StoredInvoice } from '@invoicecontrol/analysis/stored-history';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { arrivalOf, invoiceAt } from './invoices.js';
import type { IssueDates } from './invoices.js';

export interface HistoryOptions {
  /**
   * The database of the analysis service, which the service must have opened before, because it creates the indexes.
   */
  readonly db: MongoConnection['db'];
  /** An organization without invoices, with one company and base currency EUR, as `createTenant` creates it. */
  readonly organizationId: string;
  readonly company: { readonly companyId: string; readonly name: string };
  readonly count: number;
  /**
   * First and last date of issue of the seeded invoices. By default, the invoices are issued in the two years up to
   * yesterday.
   */
  readonly issued?: IssueDates;
  readonly onProgress?: (stored: number) => void;
}

/** Number of generated invoices that one write to the database stores. */
const BATCH = 500;

/**
 * Fills an organization with the records that the product stores after this many invoices of `invoiceAt` were posted
 * one after another at their dates of issue. `stored-history.int.test.ts` proves that the records are the same. The
 * next invoices are `invoiceAt(count, count)` and so on.
 */
export async function seedHistory(options: HistoryOptions): Promise<void> {
  const { db, organizationId, company, count, issued, onProgress } = options;
  const history = storedHistory(organizationId, {
    baseCurrency: 'EUR',
    plan: 'SCALE',
    hasActiveSubscription: true,
    name: 'Workspace',
    erpConnectionsLimit: 10,
    referenceValidationMode: 'DECLARED_PROFILES',
    fourEyes: false,
    defaultCompanyId: company.companyId,
    companies: [company],
  });
  const insert = async (collection: string, documents: readonly object[]): Promise<void> => {
    for (let from = 0; from < documents.length; from += BATCH)
      await db.collection(collection).insertMany(documents.slice(from, from + BATCH), { ordered: false });
  };
  const store = async (stored: readonly StoredInvoice[]): Promise<void> => {
    await insert(
      'invoices',
      stored.map(({ invoice }) => invoice),
    );
    await insert(
      'findings',
      stored.flatMap(({ findings }) => findings),
    );
  };
  // The database stores a batch of invoices while the next batch is being created.
  let storing: Promise<void> = Promise.resolve();
  for (let from = 0; from < count; from += BATCH) {
    const batch: StoredInvoice[] = [];
    for (let index = from; index < Math.min(from + BATCH, count); index++) {
      batch.push(history.post(invoiceAt(index, count, issued), arrivalOf(index, count, issued)));
    }
    await storing;
    storing = store(batch);
    await turn();
    onProgress?.(from);
  }
  await storing;
  const { suppliers, links } = history.counts();
  await insert('suppliers', suppliers);
  await insert('links', links);
}
