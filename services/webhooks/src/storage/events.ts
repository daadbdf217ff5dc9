import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { PublicEventType } from '@invoicecontrol/public-events';
import type { Collection } from 'mongodb';
import type { Events, StoredEvent } from '../application/stores.js';
import { batchedRead } from './batched-read.js';
import { findIds } from './find-ids.js';

export interface EventDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly type: PublicEventType;
  /** As it is sent, byte for byte. */
  readonly body: string;
  readonly createdAt: Date;
}

export async function createEventIndexes(collection: Collection<EventDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { createdAt: 1 }, name: 'age' },
    { key: { organizationId: 1 }, name: 'of_organization' },
  ]);
}

/** Characters of the bodies that are kept in memory. */
const REMEMBERED_MAX = 4 * 1024 ** 2;

/** Events never change, so those of late are remembered: each is sent to many endpoints, right after it was stored. */
export function eventStore(collection: Collection<EventDocument>, rememberedMax = REMEMBERED_MAX): Events {
  const recent = new Map<string, StoredEvent>();
  let remembered = 0;
  const remember = (event: StoredEvent): void => {
    if (recent.has(event.id)) return;
    recent.set(event.id, event);
    remembered += event.body.length;
    for (const [id, { body }] of recent) {
      if (remembered <= rememberedMax) return;
      recent.delete(id);
      remembered -= body.length;
    }
  };
  const readStored = batchedRead(String, async (ids: readonly string[]) => {
    const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map(({ _id: id, ...event }): [string, StoredEvent] => [id, { id, ...event }]));
  });
  return {
    async insert(event) {
      const { id, ...stored } = event;
      const existing = await insertMissing(collection, [{ _id: id, ...stored }]);
      // One that was there may have been stored by another release, with another body.
      if (!existing.has(id)) remember(event);
    },
    async read(id) {
      const known = recent.get(id);
      if (known !== undefined) return known;
      const event = await readStored(id);
      if (event !== undefined) remember(event);
      return event;
    },
    async deleteBefore(before, limit) {
      const ids = await findIds(collection, { createdAt: { $lte: before } }, limit);
      await collection.deleteMany({ _id: { $in: ids } });
      return ids.length;
    },
  };
}
