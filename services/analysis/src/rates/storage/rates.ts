import type { Collection } from 'mongodb';
import type { PublishedDay, RateStore } from '../application/rate-book.js';

/** The euro reference rates of one day, which belong to no organization. */
export interface RateDocument {
  /** Day of the exchange rates, in the form `YYYY-MM-DD`. */
  readonly _id: string;
  readonly perEuro: Readonly<Record<string, string>>;
}

const BATCH_DAYS = 500;

export function rateStore(collection: Collection<RateDocument>): RateStore {
  return {
    async save(days) {
      const oldestFirst = days.toSorted((left, right) => (left.day < right.day ? -1 : 1));
      for (let start = 0; start < oldestFirst.length; start += BATCH_DAYS) {
        const operations = oldestFirst.slice(start, start + BATCH_DAYS).map(({ day, perEuro }) => ({
          replaceOne: { filter: { _id: day }, replacement: { perEuro }, upsert: true },
        }));
        await collection.bulkWrite(operations, { ordered: true });
      }
    },
    async *since(first): AsyncIterable<PublishedDay> {
      for await (const { _id, perEuro } of collection.find({ _id: { $gte: first } }).sort({ _id: 1 })) {
        yield { day: _id, perEuro };
      }
    },
    async newestDay() {
      const [newest] = await collection
        .find({}, { projection: { _id: 1 } })
        .sort({ _id: -1 })
        .limit(1)
        .toArray();
      return newest?._id;
    },
  };
}
