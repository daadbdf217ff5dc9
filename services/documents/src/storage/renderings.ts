import { randomUUID } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Filter } from 'mongodb';
import type { NewRendering, RenderingFailure, RenderingStore } from '../application/renderings.js';
import type { ContentStore } from '../application/uploads.js';

/**
 * Limits on the document renderings that are kept for one organization. The oldest renderings are removed to make room
 * for new renderings.
 */
export interface RenderingBounds {
  readonly renderingsMax: number;
  readonly bytesMax: number;
}

const BOUNDS: RenderingBounds = { renderingsMax: 1_000, bytesMax: 128 * 1024 * 1024 };
/** Period in milliseconds for which a rendered document page is kept. */
const KEPT_MS = 24 * 3_600_000;
/**
 * Period in milliseconds after which a failed document rendering is attempted again. The cause may have been a busy
 * machine.
 */
const FAILURE_KEPT_MS = 3_600_000;
/** Time in milliseconds after which an unfinished rendering of a document page can no longer be stored. */
const STORING_MS_MAX = 600_000;
/** Maximum number of document renderings handled in one run of the sweep, or in one query of a removal. */
const BATCH_MAX = 200;

/**
 * Record of a document rendering. It has the same id as the file with the rendered bytes, or states why the document
 * cannot be rendered.
 */
export interface RenderingDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly uploadId: string;
  readonly key: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** False while the bytes of the rendered document page are being written or removed. */
  readonly isComplete: boolean;
  readonly byteSize: number;
  readonly mediaType?: string;
  readonly sha256?: string;
  readonly failure?: RenderingFailure;
}

export async function createRenderingIndexes(collection: Collection<RenderingDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, key: 1 }, name: 'key' },
    { key: { organizationId: 1, createdAt: 1 }, name: 'oldest' },
    { key: { expiresAt: 1 }, name: 'sweep' },
  ]);
}

/**
 * Creates the store of rendered pages and views.
 * @param files store for the bytes of renderings
 */
export function renderingStore(
  collection: Collection<RenderingDocument>,
  files: ContentStore,
  { renderingsMax, bytesMax }: RenderingBounds = BOUNDS,
): RenderingStore {
  /**
   * Makes a rendered document page unavailable, then removes its bytes and its record. After a crash in between, the
   * sweep removes the rest. Must not be called while the bytes are being stored, because some of them would remain.
   */
  const remove = async (id: string): Promise<void> => {
    await collection.updateOne({ _id: id }, { $set: { isComplete: false } });
    await files.delete(id);
    await collection.deleteOne({ _id: id });
  };
  const makeRoom = async (organizationId: string, newBytes: number): Promise<void> => {
    const others = await collection
      .find({ organizationId }, { projection: { byteSize: 1, isComplete: 1 } })
      .sort({ createdAt: -1 })
      .limit(2 * renderingsMax)
      .toArray();
    let bytes = newBytes;
    for (const [index, { _id, byteSize, isComplete }] of others.entries()) {
      bytes += byteSize;
      if (isComplete && (index + 1 >= renderingsMax || bytes > bytesMax)) await remove(_id);
    }
  };
  const insert = async (
    made: NewRendering,
    rest: Pick<RenderingDocument, 'isComplete' | 'byteSize' | 'mediaType' | 'sha256' | 'failure'>,
    keptMs: number,
  ): Promise<string> => {
    await makeRoom(made.organizationId, rest.byteSize);
    const _id = randomUUID();
    await collection.insertOne({ _id, ...made, ...rest, expiresAt: after(made.createdAt, keptMs) });
    return _id;
  };
  return {
    async find(organizationId, key, now) {
      // Two requests may have rendered the same document page at the same time. If one stored a picture and the other a
      // failure, the picture is returned, because pictures expire later than failures.
      const document = await collection.findOne(
        { organizationId, key, isComplete: true, expiresAt: { $gt: now } },
        { sort: { expiresAt: -1, _id: 1 } },
      );
      if (document === null) return undefined;
      const { _id: fileId, byteSize, mediaType, sha256, failure } = document;
      if (failure !== undefined) return { failure };
      if (mediaType === undefined || sha256 === undefined)
        throw new TypeError(`The stored picture or HTML view ${fileId} of a document is incomplete.`);
      return { rendering: { fileId, byteSize, mediaType, sha256 } };
    },
    async store(made, { mediaType, sha256, content }) {
      const byteSize = content.length;
      const fileId = await insert(made, { isComplete: false, byteSize, mediaType, sha256 }, STORING_MS_MAX);
      await files.write(fileId, once(content));
      const stored = { isComplete: true, expiresAt: after(made.createdAt, KEPT_MS) };
      const { matchedCount } = await collection.updateOne({ _id: fileId }, { $set: stored });
      if (matchedCount === 0) {
        await files.delete(fileId);
        throw new DomainError(
          'unavailable',
          'Storing the picture of the document page took too long. Retry the request.',
        );
      }
      return { fileId, mediaType, byteSize, sha256 };
    },
    async storeFailure(made, { reason, message }) {
      await insert(made, { isComplete: true, byteSize: 0, failure: { reason, message } }, FAILURE_KEPT_MS);
    },
    read: ({ fileId }) => files.read(fileId),
    async removeExpired(now) {
      const expired = await collection
        .find({ expiresAt: { $lte: now } }, { projection: { _id: 1 } })
        .sort({ expiresAt: 1 })
        .limit(BATCH_MAX)
        .toArray();
      for (const { _id } of expired) await remove(_id);
      return expired.length;
    },
    async removeOf(organizationId) {
      for (;;) {
        const some = await collection
          .find({ organizationId, isComplete: true }, { projection: { _id: 1 } })
          .limit(BATCH_MAX)
          .toArray();
        if (some.length === 0) return;
        for (const { _id } of some) await remove(_id);
      }
    },
  };
}

/**
 * Lists document renderings with their files for the purge of an organization. If the bytes of a rendering are just
 * being stored, the rendering is removed afterwards, or when its bytes can no longer be stored.
 */
export function renderingsWithFiles(
  collection: Collection<RenderingDocument>,
  files: Pick<ContentStore, 'delete'>,
  clock: Clock,
): TenantData {
  return {
    name: collection.collectionName,
    async remove(organizationId, documentsMax) {
      const atRest: Filter<RenderingDocument> = {
        organizationId,
        $or: [{ isComplete: true }, { expiresAt: { $lte: clock.now() } }],
      };
      const found = await collection.find(atRest, { projection: { _id: 1 }, limit: documentsMax }).toArray();
      for (const { _id } of found) await files.delete(_id);
      if (found.length === 0) return 0;
      const ids = found.map(({ _id }) => _id);
      return (await collection.deleteMany({ organizationId, _id: { $in: ids } })).deletedCount;
    },
    count: (organizationId) => collection.countDocuments({ organizationId }),
  };
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
