import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { NewRendering } from '../application/renderings.js';
import { contentStore } from '../storage/contents.js';
import { createRenderingIndexes, renderingStore } from '../storage/renderings.js';
import type { RenderingDocument } from '../storage/renderings.js';

const BYTES_MAX = 1_000;
const bounds = { renderingsMax: 5, bytesMax: BYTES_MAX };
const HOUR_MS = 3_600_000;
const start = new Date('2026-03-05T10:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

let mongo: MongoConnection;
let store: ReturnType<typeof renderingStore>;
beforeAll(async () => {
  const { mongodbUrl: url } = testInfrastructure();
  mongo = await connectMongo({ url, databaseName: testDatabaseName(), appName: 'test' });
  await createRenderingIndexes(records());
  store = renderingStore(records(), contentStore(mongo.db, 'renderings'), bounds);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const records = () => mongo.db.collection<RenderingDocument>('renderings');
const pieces = (of: { files_id?: string } = {}) =>
  mongo.db.collection<{ files_id: string }>('renderings.chunks').countDocuments(of);

const made = (organizationId: string, key: string, createdAt = start): NewRendering => ({
  organizationId,
  key,
  createdAt,
  uploadId: 'upload',
});

const picture = (bytes: number) => ({ mediaType: 'image/png', sha256: 'ab', content: Buffer.alloc(bytes, 7) });

/** Stores several pictures of document pages, one second apart. */
async function storeAll(organizationId: string, sizes: readonly number[]): Promise<void> {
  for (const [index, bytes] of sizes.entries()) {
    await store.store(made(organizationId, `${index}`, after(index * 1_000)), picture(bytes));
  }
}

/** Returns the numbers of the pictures that are still stored. */
async function found(organizationId: string, count: number): Promise<readonly number[]> {
  const all = [...Array(count).keys()];
  const hits = await Promise.all(all.map((key) => store.find(organizationId, `${key}`, after(60_000))));
  return all.filter((index) => hits[index] !== undefined);
}

describe('the cache of renderings', () => {
  test('gives back what was stored, to its organization alone', async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    const stored = await store.store(made(own, 'a'), picture(9));
    expect(await store.find(own, 'a', start)).toEqual({ rendering: stored });
    const content: Uint8Array[] = [];
    for await (const piece of store.read(stored)) content.push(piece);
    expect(Buffer.concat(content)).toEqual(Buffer.alloc(9, 7));
    expect(await store.find(other, 'a', start)).toBeUndefined();
    expect(await store.find(own, 'b', start)).toBeUndefined();
  });

  test('keeps 24 hours what was drawn and an hour that something cannot be; the sweep removes both with their bytes', async () => {
    await store.removeExpired(after(1_000 * HOUR_MS));
    const own = randomUUID();
    await store.store(made(own, 'drawn'), picture(9));
    await store.storeFailure(made(own, 'failed'), { reason: 'DAMAGED', message: 'It is damaged.' });
    expect(await store.find(own, 'failed', after(HOUR_MS - 1))).toEqual({
      failure: { reason: 'DAMAGED', message: 'It is damaged.' },
    });
    expect(await store.find(own, 'failed', after(HOUR_MS))).toBeUndefined();
    expect(await store.find(own, 'drawn', after(24 * HOUR_MS - 1))).toBeDefined();
    expect(await store.find(own, 'drawn', after(24 * HOUR_MS))).toBeUndefined();
    expect(await store.removeExpired(after(24 * HOUR_MS - 1))).toBe(1);
    expect(await store.removeExpired(after(24 * HOUR_MS))).toBe(1);
    expect([await records().countDocuments(), await pieces()]).toEqual([0, 0]);
  });

  test('gives what was drawn where another request failed with the same page, whichever ended first', async () => {
    const [failedFirst, drawnFirst] = [randomUUID(), randomUUID()];
    const failure = { reason: 'TIMED_OUT', message: 'It takes too long.' } as const;
    await store.storeFailure(made(failedFirst, 'a'), failure);
    const later = await store.store(made(failedFirst, 'a'), picture(9));
    const earlier = await store.store(made(drawnFirst, 'a'), picture(9));
    await store.storeFailure(made(drawnFirst, 'a'), failure);
    expect(await store.find(failedFirst, 'a', start)).toEqual({ rendering: later });
    expect(await store.find(drawnFirst, 'a', start)).toEqual({ rendering: earlier });
  });

  test(`keeps ${bounds.renderingsMax} of an organization; one more takes the place of the oldest, and none of another's`, async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    await storeAll(other, [1]);
    await storeAll(own, [1, 1, 1, 1, 1]);
    expect(await found(own, 5)).toEqual([0, 1, 2, 3, 4]);
    await store.store(made(own, '5', after(5_000)), picture(1));
    expect(await found(own, 6)).toEqual([1, 2, 3, 4, 5]);
    expect(await records().countDocuments({ organizationId: own })).toBe(5);
    expect(await found(other, 1)).toEqual([0]);
  });

  test(`keeps ${BYTES_MAX} bytes of an organization; one more takes the place of the oldest`, async () => {
    const own = randomUUID();
    await storeAll(own, [400, 300, 300]);
    expect(await found(own, 3)).toEqual([0, 1, 2]);
    await store.store(made(own, '3', after(3_000)), picture(1));
    expect(await found(own, 4)).toEqual([1, 2, 3]);
    await store.store(made(own, '4', after(4_000)), picture(BYTES_MAX));
    expect(await found(own, 5)).toEqual([4]);
  });

  test('does not give out what a crash left half stored, and removes it', async () => {
    const own = randomUUID();
    const { fileId } = await store.store(made(own, 'a'), picture(9));
    await records().updateOne({ _id: fileId }, { $set: { isComplete: false, expiresAt: after(600_000) } });
    expect(await store.find(own, 'a', start)).toBeUndefined();
    await store.removeExpired(after(600_000));
    expect(await records().findOne({ _id: fileId })).toBeNull();
    expect(await pieces({ files_id: fileId })).toBe(0);
  });

  test('never takes the bytes of one that is being stored, whichever organization makes room or is deleted', async () => {
    const own = randomUUID();
    const { fileId } = await store.store(made(own, '0'), picture(9));
    await records().updateOne({ _id: fileId }, { $set: { isComplete: false } });
    await storeAll(own, [BYTES_MAX, BYTES_MAX]);
    await store.removeOf(own);
    expect(await records().distinct('_id', { organizationId: own })).toEqual([fileId]);
    expect(await pieces({ files_id: fileId })).toBe(1);
  });

  test('keeps no bytes of one whose record was removed while they were stored', async () => {
    const own = randomUUID();
    const files = contentStore(mongo.db, 'renderings');
    let written = '';
    const slow = renderingStore(records(), {
      ...files,
      async write(fileId, chunks) {
        written = fileId;
        await files.write(fileId, chunks);
        await records().deleteOne({ _id: fileId });
      },
    });
    await expect(slow.store(made(own, 'a'), picture(9))).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await pieces({ files_id: written })).toBe(0);
  });

  test('loses all of an organization that is deleted, and nothing of another', async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    await storeAll(own, [1, 2, 3]);
    await storeAll(other, [1]);
    await store.removeOf(own);
    expect([await found(own, 3), await found(other, 1)]).toEqual([[], [0]]);
  });
});
