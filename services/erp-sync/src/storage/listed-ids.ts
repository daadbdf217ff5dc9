import { createHash } from 'node:crypto';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Filter } from 'mongodb';
import type { ListedIdStore, ListOwner } from '../application/sync-stores.js';
import type { StreamName } from '../domain/streams.js';

/** Maximum number of ERP record ids in one document, which then has a few hundred KiB. */
const IDS_PER_DOCUMENT_MAX = 5_000;

/**
 * A part of a list of ERP record ids that has not been compared yet. The id of the part contains a hash of its content,
 * so that a repeated part is stored only once.
 */
export interface ListedIdsDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly stream: StreamName;
  readonly begunAt: Date;
  readonly kind: 'LISTED' | 'IMPORTED';
  readonly ids: readonly string[];
}

export async function createListedIdIndexes(collection: Collection<ListedIdsDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'of_organization' },
    { key: { connectionId: 1, stream: 1 }, name: 'of_list' },
  ]);
}

export function listedIdStore(collection: Collection<ListedIdsDocument>): ListedIdStore {
  return {
    async add(owner, kind, ids) {
      for (let from = 0; from < ids.length; from += IDS_PER_DOCUMENT_MAX) {
        const part = ids.slice(from, from + IDS_PER_DOCUMENT_MAX);
        const { _id, ...document } = documentOf(owner, kind, part);
        await collection.updateOne({ _id }, { $setOnInsert: document }, { upsert: true });
      }
    },
    async read({ organizationId, connectionId, stream, begunAt }) {
      const [listed, imported] = [new Set<string>(), new Set<string>()];
      for await (const { kind, ids } of collection.find({ organizationId, connectionId, stream, begunAt })) {
        const set = kind === 'LISTED' ? listed : imported;
        for (const id of ids) set.add(id);
      }
      return { listed, imported };
    },
    async remove(connectionId, stream) {
      const filter: Filter<ListedIdsDocument> = { connectionId, ...(stream === undefined ? {} : { stream }) };
      await collection.deleteMany(filter);
    },
  };
}

function documentOf(
  { organizationId, connectionId, stream, begunAt }: ListOwner,
  kind: ListedIdsDocument['kind'],
  ids: readonly string[],
): ListedIdsDocument {
  const hash = createHash('sha256').update(JSON.stringify(ids)).digest('base64url');
  const _id = `${connectionId}:${stream}:${begunAt.getTime()}:${kind}:${hash}`;
  return { _id, organizationId, connectionId, stream, begunAt, kind, ids };
}
