import { randomUUID } from 'node:crypto';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { CeilingRequest } from './ceiling-method.js';

interface Stored {
  readonly _id: string;
  readonly key?: string;
  readonly count?: number;
  readonly invoice?: unknown;
}

const KNOWN = 400;

/**
 * Runs only the database commands that storing and deciding one invoice takes, in four sequential steps, to measure
 * what the database and its driver cost. The commands must match those that `npm run bench` prints as "before the
 * answer".
 */
export async function storeWithNothingAround(
  url: string,
  databaseName: string,
): Promise<(request: CeilingRequest) => Promise<void>> {
  const { db } = await connectMongo({ url, databaseName, appName: 'ceiling' });
  const collection = (name: string) => db.collection<Stored>(name);
  const names = ['invoices', 'suppliers', 'links'];
  const [invoices, suppliers, links] = names.map(collection);
  if (!invoices || !suppliers || !links) throw new Error('unreachable');
  await Promise.all([invoices, suppliers].map((indexed) => indexed.createIndexes([{ key: { key: 1 }, name: 'key' }])));
  let posted = 0;
  return async ({ invoice }) => {
    const known = `known-${(posted += 1) % KNOWN}`;
    const _id = randomUUID();
    await Promise.all([
      invoices.insertOne({ _id, key: _id, invoice }),
      suppliers.find({ key: known }).limit(64).toArray(),
    ]);
    await Promise.all([
      invoices.find({ key: { $in: [`${_id}-1`, `${_id}-2`] } }).toArray(),
      links.find({ _id: { $in: [known, _id] } }).toArray(),
    ]);
    await invoices.findOneAndUpdate({ _id }, { $set: { count: 1 } }, { projection: { _id: 1 } });
    await Promise.all([
      suppliers.updateOne({ _id: known }, { $inc: { count: 1 }, $set: { key: known } }, { upsert: true }),
      links.bulkWrite(
        [known, _id].map((id) => ({
          updateOne: { filter: { _id: id }, update: { $inc: { count: 1 } }, upsert: true },
        })),
        { ordered: false },
      ),
    ]);
  };
}
