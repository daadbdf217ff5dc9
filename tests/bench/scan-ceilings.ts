// Measures the minimum cost of a history scan: parsing its body and writing its rows once.
import { randomUUID } from 'node:crypto';
import { parseJson } from '@invoicecontrol/gateway/body';
import { checkScan } from '@invoicecontrol/gateway/scan-request';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';

/** Duration in milliseconds of each part of a history scan when a bare program does it without the services. */
export interface ScanCeilings {
  readonly parse: number;
  readonly validate: number;
  readonly insert: number;
}

/** Number of rows that the driver sends in one command, and that the analysis service writes at once. */
const BATCH_ROWS = 1_000;

/**
 * Measures both parts of a history scan, parsing its body and writing its rows, in this process without a service. The
 * rows are written to a separate collection, which is emptied afterwards.
 */
export async function measureScanCeilings(db: MongoConnection['db'], body: string): Promise<ScanCeilings> {
  const bytes = Buffer.from(body);
  const begunMs = performance.now();
  const parsed = await parseJson(bytes);
  const parsedMs = performance.now();
  const { rows } = await checkScan(parsed);
  const validatedMs = performance.now();

  const collection = db.collection<{ _id: string }>('rows');
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const batch = rows.slice(from, from + BATCH_ROWS).map((row) => ({ _id: randomUUID(), ...row }));
    await collection.insertMany(batch, { ordered: false });
  }
  const insertedMs = performance.now();
  await collection.deleteMany({});
  return { parse: parsedMs - begunMs, validate: validatedMs - parsedMs, insert: insertedMs - validatedMs };
}
