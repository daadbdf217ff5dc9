import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { call60 as call, newOrganization, piecesOf, startDocuments } from '../testing/running-documents.js';
import type { RunningDocuments } from '../testing/running-documents.js';

const SWEEP_SECONDS = 600;
const TTL_MS = 900_000;
const DAY_MS = 86_400_000;
/** Number of days after which an unused upload ends by default (UPLOAD_UNUSED_SECONDS). */
const UNUSED_DAYS = 7;
/** A number of days that is longer than usage is counted after the end of its month. */
const COUNTED_DAYS = 63;
/** A time in milliseconds that is longer than the lease of a PUT request. */
const SILENT_MS = 61_000;

let running: RunningDocuments;
beforeAll(async () => {
  const env = { UPLOAD_SWEEP_SECONDS: String(SWEEP_SECONDS) };
  running = await startDocuments(startService, testInfrastructure(), testDatabaseName(), env);
});
beforeEach(() => {
  running.clock.shiftMs = 0;
});
afterAll(() => running.stop());

const fileOf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes - 9)]);

async function read(
  organizationId: string,
  uploadId: string,
  range?: [number, number],
  { documents } = running,
): Promise<Buffer> {
  const request = { organizationId, uploadId, firstByte: range?.[0], lastByte: range?.[1], invoiceId: undefined };
  const pieces: Buffer[] = [];
  for await (const { content } of documents.readDocument(request, call)) pieces.push(content);
  return Buffer.concat(pieces);
}

describe('a received upload', () => {
  test('is stored to the byte, with its hash and type, and counted once', async () => {
    const organizationId = newOrganization();
    const file = fileOf(1_300_001);
    const { uploadId, token } = await running.reserve(organizationId, file.length);
    expect(await running.usedBytes(organizationId)).toBe(0);
    await running.send({ uploadId, token, bytes: file });
    const sha256 = createHash('sha256').update(file).digest('hex');
    const { upload } = await running.uploads.getUpload({ organizationId, uploadId }, call);
    expect(upload).toMatchObject({ state: UploadState.UPLOADED, mediaType: 'application/pdf', sha256 });
    const { document } = await running.documents.describeDocument({ organizationId, uploadId }, call);
    expect(document).toMatchObject({ documentId: uploadId, byteSize: file.length, sha256 });
    // The buffers are compared as a whole, because comparing their elements one by one would take seconds.
    expect((await read(organizationId, uploadId)).equals(file)).toBe(true);
    const part = await read(organizationId, uploadId, [600_000, 1_200_000]);
    expect(part.equals(file.subarray(600_000, 1_200_001))).toBe(true);
    expect(await running.usedBytes(organizationId)).toBe(file.length);
    expect(await running.stored(uploadId)).not.toHaveProperty('sweepAt');
  });

  test('takes no further PUT, whatever it carries', async () => {
    const organizationId = newOrganization();
    const file = fileOf(100);
    const { uploadId, token } = await running.reserve(organizationId, file.length);
    await running.send({ uploadId, token, bytes: file });
    for (const changes of [{}, { mediaType: 'image/png' }, { hasContentEncoding: true }, { declaredSize: 999 }]) {
      await expect(running.send({ uploadId, token, bytes: file, ...changes })).rejects.toMatchObject({
        kind: 'wrong_state',
      });
    }
    expect(await running.usedBytes(organizationId)).toBe(file.length);
  });

  test('is missing for another organization, and so is one without its bytes', async () => {
    const [organizationId, other] = [newOrganization(), newOrganization()];
    const file = fileOf(100);
    const { uploadId, token } = await running.reserve(organizationId, file.length);
    const missing = { kind: 'not_found' };
    await expect(read(organizationId, uploadId)).rejects.toMatchObject(missing);
    await running.send({ uploadId, token, bytes: file });
    await expect(read(other, uploadId)).rejects.toMatchObject(missing);
    await expect(running.uploads.getUpload({ organizationId: other, uploadId }, call)).rejects.toMatchObject(missing);
    const request = { organizationId: other, uploadId };
    await expect(running.documents.describeDocument(request, call)).rejects.toMatchObject(missing);
  });

  test('whose stored bytes have changed is not given out', async () => {
    const organizationId = newOrganization();
    const file = fileOf(1_000);
    const { uploadId, token } = await running.reserve(organizationId, file.length);
    await running.send({ uploadId, token, bytes: file });
    const fileId = (await running.stored(uploadId))?.content?.fileId;
    const pieces = running.mongo.db.collection('contents.chunks');
    await pieces.updateOne({ files_id: fileId as never }, { $set: { data: fileOf(1_000) } });
    await expect(read(organizationId, uploadId)).rejects.toMatchObject({ kind: 'internal' });
  });
});

describe('a PUT', () => {
  async function reserved(bytes = 200_000) {
    const organizationId = newOrganization();
    return { organizationId, file: fileOf(bytes), ...(await running.reserve(organizationId, bytes)) };
  }

  test('is authorized by its own token alone, which names its organization', async () => {
    const organizationId = newOrganization();
    const { uploadId, token } = await running.reserve(organizationId, 10);
    await expect(running.uploads.authorizeUpload({ uploadId, token }, call)).resolves.toEqual({ organizationId });
    const other = await running.reserve(newOrganization(), 10);
    for (const [request, kind] of [
      [{ uploadId, token: other.token }, 'unauthenticated'],
      [{ uploadId, token: '' }, 'unauthenticated'],
      [{ uploadId: newOrganization(), token }, 'not_found'],
    ] as const) {
      await expect(running.uploads.authorizeUpload(request, call)).rejects.toMatchObject({ kind });
    }
  });

  test.each([
    ['without a right', { token: undefined }, 'unauthenticated'],
    ['with a wrong token', { token: 'wrong' }, 'unauthenticated'],
    ['of another organization', { token: undefined, organizationId: 'another' }, 'not_found'],
    ['of an unknown upload', { uploadId: 'unknown' }, 'not_found'],
    ['of another type', { mediaType: 'image/png' }, 'unsupported_media_type'],
    ['with an encoding', { hasContentEncoding: true }, 'unsupported_media_type'],
    ['that declares too many bytes', { declaredSize: 200_001 }, 'too_large'],
    ['that declares too few bytes', { declaredSize: 199_999 }, 'invalid'],
  ])('%s is refused before its bytes are read, and changes nothing', async (_, changes, kind) => {
    const { uploadId, token, file } = await reserved();
    const before = await running.stored(uploadId);
    await expect(running.send({ uploadId, token, bytes: file, ...changes })).rejects.toMatchObject({ kind });
    expect(await running.stored(uploadId)).toEqual(before);
    await running.send({ uploadId, token, bytes: file });
  });

  test.each([
    ['that is longer than it may be', (file: Buffer) => Buffer.concat([file, Buffer.from('x')]), 'too_large'],
    ['that ends early', (file: Buffer) => file.subarray(0, 150_000), 'invalid'],
    ['whose bytes are of another type', (file: Buffer) => Buffer.alloc(file.length, 'x'), 'invalid'],
  ])('%s leaves the reservation as it was, and no bytes', async (_, change, kind) => {
    const { organizationId, uploadId, token, file } = await reserved();
    const before = await running.stored(uploadId);
    const pieces = await running.pieces();
    const chunked = (async function* () {
      yield* piecesOf(change(file));
    })();
    await expect(running.send({ uploadId, token, bytes: chunked })).rejects.toMatchObject({ kind });
    await eventually(async () => expect(await running.pieces()).toBe(pieces));
    expect(await running.stored(uploadId)).toEqual({ ...before, attempts: [] });
    expect(await running.usedBytes(organizationId)).toBe(0);
    await running.send({ uploadId, token, bytes: file });
  });

  test('whose client disappears halfway leaves nothing, and the next one succeeds', async () => {
    const { organizationId, uploadId, token, file } = await reserved(2_000_000);
    const pieces = await running.pieces();
    const broken = (async function* () {
      yield* piecesOf(file.subarray(0, 1_200_000));
      await eventually(async () => expect(await running.pieces()).toBeGreaterThan(pieces));
      throw new Error('gone');
    })();
    await expect(running.send({ uploadId, token, bytes: broken })).rejects.toThrow('gone');
    await eventually(async () => expect(await running.pieces()).toBe(pieces));
    await eventually(() => running.send({ uploadId, organizationId, bytes: file }));
    expect(await running.usedBytes(organizationId)).toBe(file.length);
  });

  test('is the only one of its upload: of ten at once one stores the bytes', async () => {
    const { organizationId, uploadId, token, file } = await reserved();
    const sent = await Promise.allSettled(
      Array.from({ length: 10 }, () => running.send({ uploadId, token, bytes: file })),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = sent.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { kind: string }).kind] : []));
    expect(refused.every((kind) => kind === 'in_progress' || kind === 'wrong_state')).toBe(true);
    expect(await running.usedBytes(organizationId)).toBe(file.length);
    expect(await read(organizationId, uploadId)).toEqual(file);
  });

  test('that stalls longer than its lease may be taken over, and then changes nothing', async () => {
    const { organizationId, uploadId, token, file } = await reserved();
    let goOn: () => void = () => {};
    let hasBegun = false;
    const stalling = (async function* () {
      yield* piecesOf(file.subarray(0, 100_000));
      hasBegun = true;
      await new Promise<void>((resolve) => (goOn = resolve));
      yield* piecesOf(file.subarray(100_000));
    })();
    const first = running.send({ uploadId, token, bytes: stalling }).catch((error: unknown) => error);
    await eventually(async () => {
      expect(hasBegun).toBe(true);
      expect((await running.stored(uploadId))?.claim).toBeDefined();
    });
    await expect(running.send({ uploadId, token, bytes: file })).rejects.toMatchObject({ kind: 'in_progress' });
    running.clock.shiftMs = SILENT_MS;
    await running.send({ uploadId, token, bytes: file });
    goOn();
    expect(await first).toMatchObject({ kind: 'in_progress' });
    expect(await running.usedBytes(organizationId)).toBe(file.length);
    expect(await read(organizationId, uploadId)).toEqual(file);
  });

  test('is refused after its reservation has expired', async () => {
    const { uploadId, token, file } = await reserved();
    running.clock.shiftMs = TTL_MS + 1_000;
    await expect(running.send({ uploadId, token, bytes: file })).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('expired'),
    });
  });
});

describe('the quota of stored bytes', () => {
  test('refuses what would not fit, when it is reserved and when it comes, and counts exactly', async () => {
    const organizationId = newOrganization();
    const file = fileOf(400);
    const exceeded = { kind: 'usage_exceeded' };
    const both = await Promise.all([1, 2, 3].map(() => running.reserve(organizationId, 400, { limit: 1_000 })));
    const sent = await Promise.allSettled(both.map((one) => running.send({ ...one, bytes: file })));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(sent.find(({ status }) => status === 'rejected')).toMatchObject({ reason: exceeded });
    expect(await running.usedBytes(organizationId)).toBe(800);
    await expect(running.reserve(organizationId, 201, { limit: 1_000 })).rejects.toMatchObject(exceeded);
    const last = await running.reserve(organizationId, 200, { limit: 1_000 });
    await running.send({ ...last, bytes: fileOf(200) });
    expect(await running.usedBytes(organizationId)).toBe(1_000);
  });
});

/** Reserves an upload with a separate service whose database connection can be held and cut. */
async function withProxiedDatabase(
  work: (proxied: {
    readonly behind: RunningDocuments;
    readonly proxy: MongoProxy;
    readonly organizationId: string;
    readonly file: Buffer;
    readonly uploadId: string;
    readonly token: string;
  }) => Promise<void>,
): Promise<void> {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  const proxy = await startMongoProxy(mongodbUrl);
  const behind = await startDocuments(startService, { mongodbUrl: proxy.url, natsUrl }, testDatabaseName(), {
    EXTRACTION_CHILDREN: '1',
  });
  try {
    const organizationId = newOrganization();
    const file = fileOf(1_300_001);
    const { uploadId, token } = await behind.reserve(organizationId, file.length);
    await work({ behind, proxy, organizationId, file, uploadId, token });
  } finally {
    await behind.stop();
    await proxy.close();
  }
}

test.each([
  ['before a write reaches it', 'before'],
  ['before the reply to a write comes', 'after'],
] as const)('a PUT whose connection to the database breaks once, %s, is stored once', async (_, side) => {
  await withProxiedDatabase(async ({ behind, proxy, organizationId, file, uploadId, token }) => {
    const held = proxy.hold({ command: 'insert contents.chunks', side });
    const sent = behind.send({ uploadId, token, bytes: file });
    await held.complete;
    held.drop();
    // The MongoDB driver repeats the write with the same transaction number, so the database recognizes it if it was
    // already performed.
    await sent;
    expect(await behind.usedBytes(organizationId)).toBe(file.length);
    // The content of an upload is stored in pieces of half a mebibyte.
    expect(await behind.pieces()).toBe(3);
    expect((await read(organizationId, uploadId, undefined, behind)).equals(file)).toBe(true);
  });
});

test('a PUT whose database cannot be reached is refused as unavailable, and the next one is stored', async () => {
  await withProxiedDatabase(async ({ behind, proxy, organizationId, file, uploadId, token }) => {
    const held = proxy.hold({ command: 'insert contents.chunks', side: 'before' });
    const sent = behind.send({ uploadId, token, bytes: file }).catch((error: unknown) => error);
    await held.complete;
    proxy.cut();
    held.drop();
    expect(await sent).toMatchObject({ kind: 'unavailable' });
    proxy.heal();
    // The claim of the interrupted PUT is released or expires.
    behind.clock.shiftMs = SILENT_MS;
    await eventually(() => behind.send({ uploadId, token, bytes: file }));
    expect(await behind.usedBytes(organizationId)).toBe(file.length);
    expect((await read(organizationId, uploadId, undefined, behind)).equals(file)).toBe(true);
  });
});

describe('the sweep', () => {
  test('removes a reservation some time after its end, and nothing that was received', async () => {
    const organizationId = newOrganization();
    const file = fileOf(100);
    const [kept, abandoned] = await Promise.all([1, 2].map(() => running.reserve(organizationId, file.length)));
    await running.send({ uploadId: kept?.uploadId ?? '', organizationId, bytes: file });
    running.clock.shiftMs = TTL_MS + 1_000;
    expect(await running.stored(abandoned?.uploadId ?? '')).not.toBeNull();
    running.clock.shiftMs = TTL_MS + SWEEP_SECONDS * 1_000 + 1_000;
    await eventually(async () => expect(await running.stored(abandoned?.uploadId ?? '')).toBeNull());
    expect(await read(organizationId, kept?.uploadId ?? '')).toEqual(file);
  });

  test('removes what a killed process left of a PUT, while the reservation can still be used', async () => {
    const organizationId = newOrganization();
    const file = fileOf(100);
    const { uploadId, token } = await running.reserve(organizationId, file.length);
    const { db } = running.mongo;
    const pieces = db.collection<{ _id: string; files_id: string; n: number; data: Buffer }>('contents.chunks');
    await pieces.insertOne({ _id: `left-${uploadId}`, files_id: `left-${uploadId}`, n: 0, data: file });
    const at = Date.now();
    // The database document is put into the state that the claim of a killed process leaves.
    await db.collection<{ _id: string }>('uploads').updateOne(
      { _id: uploadId },
      {
        $set: {
          claim: 'killed',
          leaseUntil: new Date(at + SILENT_MS),
          attempts: [`left-${uploadId}`],
          sweepAt: new Date(at + SILENT_MS),
        },
      },
    );
    running.clock.shiftMs = SILENT_MS + 1_000;
    await eventually(async () => expect(await pieces.findOne({ _id: `left-${uploadId}` })).toBeNull());
    await running.send({ uploadId, token, bytes: file });
    expect(await read(organizationId, uploadId)).toEqual(file);
  });
});

describe('a received upload whose analysis', () => {
  const missing = { kind: 'not_found' };
  const received = async (organizationId: string): Promise<string> => {
    const file = fileOf(100);
    const { uploadId } = await running.reserve(organizationId, file.length);
    await running.send({ uploadId, organizationId, bytes: file });
    return uploadId;
  };
  const stateOf = async (organizationId: string, uploadId: string) =>
    (await running.uploads.getUpload({ organizationId, uploadId }, call)).upload?.state;
  const piecesOfUpload = async (uploadId: string): Promise<number> => {
    const fileId = (await running.stored(uploadId))?.content?.fileId;
    return running.mongo.db.collection('contents.chunks').countDocuments({ files_id: fileId });
  };

  test('nobody requested is removed after a week, is missing from then on, and counts as before', async () => {
    const organizationId = newOrganization();
    const uploadId = await received(organizationId);
    running.clock.shiftMs = UNUSED_DAYS * DAY_MS - 60_000;
    // A second upload shows that the sweep has run.
    const { uploadId: abandoned } = await running.reserve(organizationId, 100);
    await running.mongo.db
      .collection<{ _id: string }>('uploads')
      .updateOne({ _id: abandoned }, { $set: { expiresAt: new Date(0), sweepAt: new Date(0) } });
    await eventually(async () => expect(await running.stored(abandoned)).toBeNull());
    expect(await stateOf(organizationId, uploadId)).toBe(UploadState.UPLOADED);
    running.clock.shiftMs = UNUSED_DAYS * DAY_MS + 60_000;
    await eventually(() => expect(stateOf(organizationId, uploadId)).rejects.toMatchObject(missing));
    await eventually(async () => expect(await piecesOfUpload(uploadId)).toBe(0));
    await expect(running.send({ uploadId, organizationId, bytes: fileOf(100) })).rejects.toMatchObject(missing);
    await expect(read(organizationId, uploadId)).rejects.toMatchObject(missing);
    await expect(running.keep(organizationId, uploadId)).rejects.toMatchObject(missing);
    const request = { organizationId, uploadId, mode: ValidationMode.OFF, companies: [] };
    await expect(running.documents.extractDocument(request, call)).rejects.toMatchObject(missing);
    running.clock.shiftMs = 0;
    expect(await running.usedBytes(organizationId)).toBe(100);
  });

  const refused = { kind: 'forbidden', message: expect.stringContaining('has not proved') as string };
  const extract = (organizationId: string, uploadId: string) =>
    running.documents.extractDocument({ organizationId, uploadId, mode: ValidationMode.OFF, companies: [] }, call);

  test('no caller of its organization has requested is not read, and changes nothing', async () => {
    const organizationId = newOrganization();
    const uploadId = await received(organizationId);
    const before = await running.stored(uploadId);
    await expect(running.uploads.keepUpload({ organizationId, uploadId }, call)).rejects.toMatchObject(refused);
    await expect(extract(organizationId, uploadId)).rejects.toMatchObject(refused);
    expect(await running.stored(uploadId)).toEqual(before);
    await running.keep(organizationId, uploadId);
    expect((await extract(organizationId, uploadId)).outcome?.$case).toBe('failure');
  });

  test('an earlier release has accepted is read without a further request', async () => {
    const organizationId = newOrganization();
    const uploadId = await received(organizationId);
    await running.mongo.db
      .collection<{ _id: string }>('uploads')
      .updateOne({ _id: uploadId }, { $unset: { isRequested: '' } });
    expect((await extract(organizationId, uploadId)).outcome?.$case).toBe('failure');
  });

  test('nobody requested leaves nothing when its month is no longer counted', async () => {
    const organizationId = newOrganization();
    const uploadId = await received(organizationId);
    running.clock.shiftMs = (UNUSED_DAYS + 1) * DAY_MS;
    await eventually(async () => expect((await running.stored(uploadId))?.state).toBe('REMOVED'));
    running.clock.shiftMs = COUNTED_DAYS * DAY_MS;
    await eventually(async () => expect(await running.stored(uploadId)).toBeNull());
  });

  test('is about to be requested stays as long as a new one, for its organization alone', async () => {
    const [organizationId, other] = [newOrganization(), newOrganization()];
    const uploadId = await received(organizationId);
    const unused = await received(organizationId);
    running.clock.shiftMs = (UNUSED_DAYS - 1) * DAY_MS;
    const { upload } = await running.keep(organizationId, uploadId);
    expect(upload).toMatchObject({ uploadId, state: UploadState.UPLOADED });
    for (const id of [uploadId, unused]) {
      await expect(running.keep(other, id)).rejects.toMatchObject(missing);
    }
    running.clock.shiftMs = UNUSED_DAYS * DAY_MS + 60_000;
    await eventually(() => expect(stateOf(organizationId, unused)).rejects.toMatchObject(missing));
    expect(await stateOf(organizationId, uploadId)).toBe(UploadState.UPLOADED);
    running.clock.shiftMs = (2 * UNUSED_DAYS - 1) * DAY_MS + 60_000;
    await eventually(() => expect(stateOf(organizationId, uploadId)).rejects.toMatchObject(missing));
  });

  test('has begun stays for good', async () => {
    const organizationId = newOrganization();
    const [uploadId, unused] = [await received(organizationId), await received(organizationId)];
    await running.keep(organizationId, uploadId);
    const request = { organizationId, uploadId, mode: ValidationMode.OFF, companies: [] };
    expect((await running.documents.extractDocument(request, call)).outcome?.$case).toBe('failure');
    running.clock.shiftMs = 365 * DAY_MS;
    await eventually(() => expect(stateOf(organizationId, unused)).rejects.toMatchObject(missing));
    expect(await stateOf(organizationId, uploadId)).toBe(UploadState.UPLOADED);
  });
});

test('a deleted organization loses its open reservations, and keeps its documents', async () => {
  const organizationId = newOrganization();
  const file = fileOf(100);
  const [open, received] = await Promise.all([1, 2].map(() => running.reserve(organizationId, file.length)));
  await running.send({ uploadId: received?.uploadId ?? '', organizationId, bytes: file });
  await running.deleteOrganization(organizationId);
  await eventually(async () => {
    const sending = running.send({ uploadId: open?.uploadId ?? '', token: open?.token, bytes: file.subarray(1) });
    await expect(sending).rejects.toMatchObject({ publicMessage: expect.stringContaining('expired') });
  });
  expect(await read(organizationId, received?.uploadId ?? '')).toEqual(file);
});
