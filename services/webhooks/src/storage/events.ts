import { batched } from '@invoicecontrol/runtime/batched';
import type { PublicEventType } from '@invoicecontrol/public-events';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { Events, StoredEvent } from '../application/stores.js';
import { batchedInsert } from './batched-insert.js';
import { findIds } from './find-ids.js';

export interface EventDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly type: PublicEventType;
  /** Body of a webhook event, byte for byte as it is sent. */
  readonly body: string;
  readonly createdAt: Date;
}

export async function createEventIndexes(collection: Collection<EventDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { createdAt: 1 }, name: 'age' },
    { key: { organizationId: 1 }, name: 'of_organization' },
  ]);
}

/** Maximum total number of characters of the cached webhook event bodies. */
const CACHED_CHARACTERS_MAX = 4 * 1024 ** 2;

/**
 * The latest webhook events are cached, because each event is sent to many webhooks directly after it was stored.
 * Events never change, so a cached event is never stale.
 */
export function eventStore(collection: Collection<EventDocument>, cachedCharactersMax = CACHED_CHARACTERS_MAX): Events {
  const recent = new Map<string, StoredEvent>();
  let cachedCharacters = 0;
  const cache = (event: StoredEvent): void => {
    if (recent.has(event.id)) return;
    recent.set(event.id, event);
    cachedCharacters += event.body.length;
    for (const [id, { body }] of recent) {
      if (cachedCharacters <= cachedCharactersMax) return;
      recent.delete(id);
      cachedCharacters -= body.length;
    }
  };
  const insert = batchedInsert(collection);
  const readStored = batched(String, async (ids: readonly string[]) => {
    const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map(({ _id: id, ...event }): [string, StoredEvent] => [id, { id, ...event }]));
  });
  return {
    async insert(event) {
      const { id, ...stored } = event;
      const existing = await insert([{ _id: id, ...stored }]);
      // A webhook event that already existed is not cached, because another release may have stored it with another
      // body.
      if (!existing.has(id)) cache(event);
    },
    async read(id) {
      const known = recent.get(id);
      if (known !== undefined) return known;
      const event = await readStored(id);
      if (event !== undefined) cache(event);
      return event;
    },
    async deleteBefore(before, limit) {
      const ids = await findIds(collection, { createdAt: { $lte: before } }, limit);
      await collection.deleteMany({ _id: { $in: ids } });
      return ids.length;
    },
  };
}
