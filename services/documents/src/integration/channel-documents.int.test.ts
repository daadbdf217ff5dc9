import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type { StoreChannelDocumentRequest } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { uploadBytesMax } from '@invoicecontrol/values/upload-type';
import { startService } from '../compose.js';
import { call60 as call, newOrganization, startDocuments } from '../testing/running-documents.js';
import type { RunningDocuments } from '../testing/running-documents.js';

const SWEEP_SECONDS = 600;
const TTL_MS = 900_000;
const DAY_MS = 86_400_000;
/** A time in milliseconds that is longer than the lease of a call. */
const SILENT_MS = 61_000;
const XML_BYTES_MAX = uploadBytesMax['application/xml'] ?? 0;

let running: RunningDocuments;
beforeAll(async () => {
  const env = { UPLOAD_SWEEP_SECONDS: String(SWEEP_SECONDS) };
  running = await startDocuments(startService, testInfrastructure(), testDatabaseName(), env);
});
beforeEach(() => {
  running.clock.shiftMs = 0;
});
afterAll(() => running.stop());

const invoiceOf = (bytes: number) => Buffer.from(`<Faktura>${'x'.repeat(bytes - 19)}</Faktura>`);
const xml = invoiceOf(2_000);
const missing = { kind: 'not_found' };

const newDocument = (changes: Partial<StoreChannelDocumentRequest> = {}): StoreChannelDocumentRequest => ({
  organizationId: newOrganization(),
  uploadId: randomUUID(),
  origin: { channel: 'KSEF', externalId: `5265877635-20260412-${randomUUID().slice(0, 12).toUpperCase()}-E4` },
  mediaType: 'application/xml',
  content: xml,
  uploadBytesPerMonthLimit: undefined,
  ...changes,
});
const store = (document: StoreChannelDocumentRequest, { uploads } = running) =>
  uploads.storeChannelDocument(document, call);
const getUpload = async ({ organizationId, uploadId }: StoreChannelDocumentRequest) =>
  (await running.uploads.getUpload({ organizationId, uploadId }, call)).upload;

async function read(
  { organizationId, uploadId }: StoreChannelDocumentRequest,
  { documents } = running,
): Promise<Buffer> {
  const request = { organizationId, uploadId, firstByte: undefined, lastByte: undefined, invoiceId: undefined };
  const pieces: Buffer[] = [];
  for await (const { content } of documents.readDocument(request, call)) pieces.push(content);
  return Buffer.concat(pieces);
}

describe('a document of a channel', () => {
  test('is stored to the byte with its hash, type and origin, and counted once', async () => {
    const document = newDocument();
    const { upload, created } = await store(document);
    const { uploadId, origin, organizationId } = document;
    const sha256 = createHash('sha256').update(xml).digest('hex');
    expect(created).toBe(true);
    expect(upload).toMatchObject({
      uploadId,
      state: UploadState.UPLOADED,
      mediaType: 'application/xml',
      byteSize: xml.length,
      sha256,
      origin,
    });
    expect(await getUpload(document)).toEqual(upload);
    expect((await read(document)).equals(xml)).toBe(true);
    expect(await running.usedBytes(organizationId)).toBe(xml.length);
    const { document: described } = await running.documents.describeDocument({ organizationId, uploadId }, call);
    expect(described).toMatchObject({ documentId: uploadId, sha256 });
    expect(await running.stored(uploadId)).not.toHaveProperty('sweepAt');
  });

  test('is not stored or counted by a repeat, which gets the same response even when the quota is used up', async () => {
    const document = newDocument();
    const { upload } = await store(document);
    const pieces = await running.pieces();
    const again = await store({ ...document, uploadBytesPerMonthLimit: xml.length });
    expect(again).toEqual({ upload, created: false });
    expect(await running.pieces()).toBe(pieces);
    expect(await running.usedBytes(document.organizationId)).toBe(xml.length);
  });

  test('does not change: other bytes or another origin under its id are a conflict', async () => {
    const document = newDocument();
    await store(document);
    const conflict = { kind: 'already_exists' };
    await expect(store({ ...document, content: invoiceOf(2_001) })).rejects.toMatchObject(conflict);
    const { origin: other } = newDocument();
    await expect(store({ ...document, origin: other })).rejects.toMatchObject(conflict);
    expect((await read(document)).equals(xml)).toBe(true);
    expect(await running.usedBytes(document.organizationId)).toBe(xml.length);
  });

  test('does not take the id of an upload by a caller', async () => {
    const { organizationId, ...document } = newDocument();
    const { uploadId, token } = await running.reserve(organizationId, 100);
    await expect(store({ ...document, organizationId, uploadId })).rejects.toMatchObject({ kind: 'already_exists' });
    await running.send({ uploadId, token, bytes: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(91)]) });
    await expect(store({ ...document, organizationId, uploadId })).rejects.toMatchObject({ kind: 'already_exists' });
  });

  test('of another organization is missing to everybody else, and its id cannot be taken over', async () => {
    const document = newDocument();
    await store(document);
    const foreign = { ...document, organizationId: newOrganization() };
    await expect(store(foreign)).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such upload.' });
    await expect(getUpload(foreign)).rejects.toMatchObject(missing);
    await expect(read(foreign)).rejects.toMatchObject(missing);
    expect(await running.usedBytes(foreign.organizationId)).toBe(0);
    expect((await read(document)).equals(xml)).toBe(true);
  });

  test('of many calls at once is stored and counted once', async () => {
    const document = newDocument();
    const settled = await Promise.allSettled(Array.from({ length: 10 }, () => store(document)));
    const stored = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(stored.filter(({ created }) => created)).toHaveLength(1);
    const refused = settled.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { kind: string }).kind] : [],
    );
    expect(refused.every((kind) => kind === 'in_progress')).toBe(true);
    expect((await store(document)).created).toBe(false);
    expect(await running.usedBytes(document.organizationId)).toBe(xml.length);
    expect((await read(document)).equals(xml)).toBe(true);
  });

  test('takes no PUT and has no token', async () => {
    const document = newDocument();
    await store(document);
    const { uploadId, organizationId } = document;
    const byKey = running.send({ uploadId, organizationId, mediaType: 'application/xml', bytes: xml });
    await expect(byKey).rejects.toMatchObject({ kind: 'wrong_state' });
    for (const token of ['', 'undefined', 'a'.repeat(43)]) {
      const byToken = running.send({ uploadId, token, mediaType: 'application/xml', bytes: xml });
      await expect(byToken).rejects.toMatchObject({ kind: 'unauthenticated' });
      const authorized = running.uploads.authorizeUpload({ uploadId, token }, call);
      await expect(authorized).rejects.toMatchObject({ kind: 'unauthenticated' });
    }
  });

  test('of the maximum size is stored, and one byte more is refused', async () => {
    const document = newDocument({ content: invoiceOf(XML_BYTES_MAX) });
    expect((await store(document)).created).toBe(true);
    const longer = newDocument({ content: invoiceOf(XML_BYTES_MAX + 1) });
    await expect(store(longer)).rejects.toMatchObject({
      kind: 'invalid',
      publicMessage: expect.stringContaining(String(XML_BYTES_MAX)),
    });
    await expect(getUpload(longer)).rejects.toMatchObject(missing);
  });

  test.each([
    ['nothing', { content: Buffer.alloc(0) }],
    ['bytes of another type', { content: Buffer.from('%PDF-1.7\n') }],
    ['bytes of no type', { content: Buffer.from('hello') }],
    ['another declared type', { mediaType: 'application/pdf' }],
    ['an unknown type', { mediaType: 'text/plain' }],
    ['no origin', { origin: undefined }],
    ['an unknown channel', { origin: { channel: 'PEPPOL', externalId: '1' } }],
    ['no id in its channel', { origin: { channel: 'KSEF', externalId: '' } }],
    ['an id that is no UUID', { uploadId: 'x' }],
    ['an id in upper case', { uploadId: randomUUID().toUpperCase() }],
  ] as const)('is refused with %s, and leaves nothing', async (_, changes) => {
    const document = newDocument(changes);
    const pieces = await running.pieces();
    await expect(store(document)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await running.stored(document.uploadId)).toBeNull();
    expect(await running.pieces()).toBe(pieces);
  });

  test('beyond the quota of the month is refused, leaves nothing, and is stored in full when there is room', async () => {
    const first = newDocument({ uploadBytesPerMonthLimit: 3_999 });
    await store(first);
    const second = newDocument({ organizationId: first.organizationId, uploadBytesPerMonthLimit: 3_999 });
    const pieces = await running.pieces();
    await expect(store(second)).rejects.toMatchObject({ kind: 'usage_exceeded' });
    expect(await running.stored(second.uploadId)).toBeNull();
    expect(await running.pieces()).toBe(pieces);
    expect((await store({ ...second, uploadBytesPerMonthLimit: 4_000 })).created).toBe(true);
    expect(await running.usedBytes(first.organizationId)).toBe(4_000);
  });

  test('of several at once that fit alone never exceeds the quota', async () => {
    const organizationId = newOrganization();
    const several = [1, 2, 3].map(() => newDocument({ organizationId, uploadBytesPerMonthLimit: 5_000 }));
    const settled = await Promise.allSettled(several.map((document) => store(document)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'usage_exceeded' } });
    expect(await running.usedBytes(organizationId)).toBe(4_000);
    expect(await running.pieces()).toBeGreaterThan(0);
  });
});

describe('a call that crashed before its document was stored', () => {
  /**
   * Creates the state that a killed process leaves in the database: a claim, and pieces of a file that the claim names.
   */
  async function crashed() {
    const document = newDocument();
    const { organizationId, uploadId, origin } = document;
    const fileId = `left-${uploadId}`;
    const { db } = running.mongo;
    await db
      .collection<{ _id: string }>('contents.chunks')
      .insertOne({ _id: fileId, files_id: fileId, n: 0, data: xml } as never);
    const at = Date.now();
    await db.collection<{ _id: string }>('uploads').insertOne({
      _id: uploadId,
      organizationId,
      state: 'RESERVED',
      origin,
      mediaType: 'application/xml',
      byteSize: 10,
      createdAt: new Date(at),
      expiresAt: new Date(at + TTL_MS),
      claim: 'killed',
      leaseUntil: new Date(at + SILENT_MS),
      attempts: [fileId],
      sweepAt: new Date(at + SILENT_MS + SWEEP_SECONDS * 1_000),
    } as never);
    return { document, left: () => db.collection('contents.chunks').countDocuments({ files_id: fileId }) };
  }

  test('leaves nothing that anybody sees, and its repeat stores the document and has the remains removed', async () => {
    const { document, left } = await crashed();
    const { organizationId, uploadId } = document;
    await expect(getUpload(document)).rejects.toMatchObject(missing);
    await expect(running.uploads.keepUpload({ organizationId, uploadId }, call)).rejects.toMatchObject(missing);
    const byKey = running.send({ uploadId, organizationId, mediaType: 'application/xml', bytes: xml });
    await expect(byKey).rejects.toMatchObject(missing);
    await expect(store(document)).rejects.toMatchObject({ kind: 'in_progress' });
    running.clock.shiftMs = SILENT_MS + 1_000;
    expect((await store(document)).created).toBe(true);
    running.clock.shiftMs += SILENT_MS + SWEEP_SECONDS * 1_000;
    await eventually(async () => expect(await left()).toBe(0));
    await eventually(async () => expect(await running.stored(uploadId)).not.toHaveProperty('sweepAt'));
    expect((await read(document)).equals(xml)).toBe(true);
    expect(await running.usedBytes(organizationId)).toBe(xml.length);
  });

  test('is repeated after the time of its reservation as well', async () => {
    const { document, left } = await crashed();
    running.clock.shiftMs = TTL_MS + 1_000;
    const begunAt = running.clock.now().getTime();
    const { upload, created } = await store(document);
    expect(created).toBe(true);
    expect(upload?.createdTime?.getTime()).toBeGreaterThanOrEqual(begunAt);
    expect((await read(document)).equals(xml)).toBe(true);
    running.clock.shiftMs += SILENT_MS + SWEEP_SECONDS * 1_000;
    await eventually(async () => expect(await left()).toBe(0));
  });

  test('and is not repeated leaves nothing after the sweep', async () => {
    const { document, left } = await crashed();
    running.clock.shiftMs = TTL_MS + SWEEP_SECONDS * 1_000 + 1_000;
    await eventually(async () => expect(await running.stored(document.uploadId)).toBeNull());
    expect(await left()).toBe(0);
    expect(await running.usedBytes(document.organizationId)).toBe(0);
  });
});

test.each(['insert contents.chunks', 'update uploads'])(
  'a call whose connection to the database breaks at "%s" leaves nothing half done, and its repeat stores the document once',
  async (command) => {
    const { mongodbUrl, natsUrl } = testInfrastructure();
    const proxy = await startMongoProxy(mongodbUrl);
    const behind = await startDocuments(startService, { mongodbUrl: proxy.url, natsUrl }, testDatabaseName(), {
      EXTRACTION_CHILDREN: '1',
    });
    try {
      const document = newDocument();
      const held = proxy.hold({ command, side: 'before' });
      const broken = store(document, behind).catch((error: unknown) => error);
      await held.complete;
      proxy.cut();
      held.drop();
      expect(await broken).toMatchObject({ kind: 'unavailable' });
      proxy.heal();
      // The claim of the interrupted call is released or expires.
      behind.clock.shiftMs = SILENT_MS;
      await eventually(() => store(document, behind));
      expect((await store(document, behind)).created).toBe(false);
      expect((await read(document, behind)).equals(xml)).toBe(true);
      // The upload that the interrupted call reserved is removed after a minute.
      behind.clock.shiftMs += 600_000;
      await eventually(async () => expect(await behind.usedBytes(document.organizationId)).toBe(xml.length));
    } finally {
      await behind.stop();
      await proxy.close();
    }
  },
);

describe('a stored document of a channel', () => {
  test('stays for good, also when its analysis is not requested for a long time', async () => {
    const document = newDocument();
    await store(document);
    const { organizationId } = document;
    const unused = await running.reserve(organizationId, 100);
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(91)]);
    await running.send({ ...unused, bytes });
    running.clock.shiftMs = 365 * DAY_MS;
    await eventually(async () => expect(await running.stored(unused.uploadId)).toBeNull());
    expect((await read(document)).equals(xml)).toBe(true);
    expect((await store(document)).created).toBe(false);
    const request = { organizationId, uploadId: document.uploadId };
    expect((await running.uploads.keepUpload(request, call)).upload).toMatchObject({ origin: document.origin });
    const extracted = await running.documents.extractDocument(
      { ...request, mode: ValidationMode.OFF, companies: [] },
      call,
    );
    expect(extracted.outcome?.$case).toBe('failure');
  });

  test('is archived with its origin, and nothing of one that is not stored yet', async () => {
    const document = newDocument();
    await store(document);
    const { organizationId, uploadId, origin } = document;
    const stored = await running.stored(uploadId);
    const { content: _content, ...unfinished } = { ...stored, _id: randomUUID(), state: 'RESERVED' as const };
    await running.mongo.db.collection<{ _id: string }>('uploads').insertOne(unfinished);
    const plain = await running.reserve(organizationId, 100);
    const request = { organizationId, kind: 'uploads', pageToken: '', createdBeforeTime: new Date(Date.now() + 1_000) };
    const { recordsJson } = await running.archive.listRecords(request, call);
    const records = recordsJson.map((json) => JSON.parse(json) as { id: string; origin: object | null });
    expect(new Map(records.map((record) => [record.id, record.origin]))).toEqual(
      new Map<string, object | null>([
        [uploadId, origin ?? {}],
        [plain.uploadId, null],
      ]),
    );
  });
});
