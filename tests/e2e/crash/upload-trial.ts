// Simulates clients that upload documents and repeat requests until they get a response, and audits what the killed
// services have stored for them.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openBooks } from '../../chaos/books.js';
import type { Books } from '../../chaos/books.js';
import { ubl } from '../uploading.js';
import { startKillableSystem } from './killable-system.js';
import type { KillableSystem } from './killable-system.js';

/**
 * Settings of the documents service. `UPLOAD_SWEEP_SECONDS` is the time between the end of the lease of a broken upload
 * (PUT) and the removal of its data. Two processes read documents, so that one can read while the other waits for the
 * bytes of its document.
 */
const DOCUMENTS_ENV = { UPLOAD_SWEEP_SECONDS: '1', EXTRACTION_CHILDREN: '2' };
/**
 * Time until the work of a killed process is taken over: the lease of a PUT or of a worker expires within a minute, and
 * the sweeps run every few seconds.
 */
const ANSWERED_MS_MAX = 180_000;
/**
 * Time limit in milliseconds for a response. If no response arrives by then, the service that should send it was
 * killed.
 */
const ANSWER_MS_MAX = 40_000;
/** Time limit in milliseconds of a sweep of uploads, which waits until a lease of a minute has expired. */
const SWEPT_MS_MAX = 180_000;
/** Time in milliseconds after a crash within which the usage counters become exact. */
const USAGE_EXACT_MS_MAX = 300_000;
/** Size of the padding that makes an uploaded document larger than one stored chunk. */
const FILLING_BYTES = 600_000;

type Db = MongoConnection['db'];

/** Returns a document that a new client uploads. */
export interface Sender {
  readonly tenant: Tenant;
  /** Text that every piece of the uploaded file contains. */
  readonly marker: string;
  readonly file: Buffer;
  readonly isReadable: boolean;
  /** Id of the upload. Set when the reservation of the upload got a response. */
  uploadId: string | undefined;
  /** True if the PUT request of the upload got a response. */
  isStored: boolean;
}

export interface UploadTrial {
  readonly system: KillableSystem;
  /** Databases of the services, reached without the proxies. */
  readonly documents: Db;
  readonly analysis: Db;
  newSender(name: string, isReadable?: boolean): Promise<Sender>;
  /**
   * Sends the requests of an upload once, one after another.
   * @throws Error when a step gets no response or is refused
   */
  reserve(sender: Sender): Promise<void>;
  put(sender: Sender): Promise<void>;
  analyze(sender: Sender): Promise<void>;
  /**
   * Repeats the requests of an upload that got no response, as a client does, until the document has a final decision
   * or refusal.
   */
  finish(sender: Sender): Promise<void>;
  /** Returns the stored file of an upload. */
  fileIdOf(sender: Sender): Promise<string>;
  /** Lists the broken guarantees about uploads after a crash, once no work is left. */
  breaches(senders: readonly Sender[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface UploadRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly state: string;
  readonly byteSize: number;
  readonly content?: { readonly fileId: string; readonly sha256: string };
}

export async function startUploadTrial(): Promise<UploadTrial> {
  const system = await startKillableSystem({ documentsEnv: DOCUMENTS_ENV });
  const connect = (databaseName: string) => connectMongo({ url: system.mongodbUrl, databaseName, appName: 'audit' });
  const [documents, analysis] = [await connect('documents'), await connect('analysis')];
  const books = await openBooks(system);
  let senders = 0;

  const call = async (sender: Sender, route: string, sent: RequestInit = {}): Promise<Response> => {
    const [method = 'GET', path] = route.split(' ');
    return fetch(`${system.baseUrl}${path}`, {
      ...sent,
      method,
      headers: { authorization: `Bearer ${sender.tenant.keys.owner}`, ...sent.headers },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
  };
  const json = (body: object): RequestInit => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const trial: UploadTrial = {
    system,
    documents: documents.db,
    analysis: analysis.db,
    async newSender(name, isReadable = true) {
      const marker = `marker-of-sender-${(senders += 1)}`;
      const filling = `<!-- ${`${marker} `.repeat(FILLING_BYTES / (marker.length + 1))}-->`;
      const text = isReadable ? `${ubl(`UP-${senders}`)}${filling}` : `<Invoice>${filling}`;
      const tenant = await system.newTenant(name);
      return { tenant, marker, file: Buffer.from(text), isReadable, uploadId: undefined, isStored: false };
    },
    async reserve(sender) {
      const order = { mediaType: 'application/xml', byteSize: sender.file.length };
      const response = await call(sender, 'POST /uploads', json(order));
      expect(response.status).toBe(201);
      const { upload_id } = (await response.json()) as { upload_id: string };
      sender.uploadId = upload_id;
    },
    async put(sender) {
      const route = `PUT /uploads/${sender.uploadId}/content`;
      const response = await call(sender, route, {
        headers: { 'content-type': 'application/xml' },
        body: new Uint8Array(sender.file),
      });
      // The response to an earlier analysis request may have been lost. While an upload is being processed, the
      // response says when to retry.
      const wasStored = response.status === 409 && !response.headers.has('retry-after');
      if (!wasStored) expect(response.status).toBe(204);
      sender.isStored = true;
    },
    async analyze(sender) {
      const response = await call(sender, 'POST /invoices/from-upload', json({ upload_id: sender.uploadId }));
      expect(response.status).toBe(sender.isReadable ? 200 : 422);
    },
    async finish(sender) {
      await eventually(
        async () => {
          expect(system.unexpected).toEqual([]);
          if (sender.uploadId === undefined) await trial.reserve(sender);
          if (!sender.isStored) await trial.put(sender);
          await trial.analyze(sender);
        },
        { timeoutMs: ANSWERED_MS_MAX },
      );
    },
    async fileIdOf({ uploadId = '' }) {
      const upload = await documents.db.collection<UploadRecord>('uploads').findOne({ _id: uploadId });
      return upload?.content?.fileId ?? '';
    },
    async breaches(audited) {
      await eventually(async () => expect(await books.unfinished()).toEqual([]), { timeoutMs: SWEPT_MS_MAX });
      await endReservations(documents.db);
      await eventually(async () => expect(await remains(documents.db)).toEqual([]), { timeoutMs: SWEPT_MS_MAX });
      const wrong = async () => wrongUsage(documents.db, analysis.db, audited);
      if ((await wrong()).length > 0) system.letTimePass();
      await eventually(async () => expect(await wrong()).toEqual([]), { timeoutMs: USAGE_EXACT_MS_MAX });
      const read = await books.read();
      const found = await Promise.all(audited.map((sender) => breachesOf(sender, read, documents.db)));
      const originals = await Promise.all(audited.map((sender) => originalOf(sender, read, call)));
      return [...found.flat(), ...originals.flat(), ...system.unexpected];
    },
    async stop() {
      await books.close();
      await documents.close();
      await analysis.close();
      await system.stop();
    },
  };
  return trial;
}

/** Makes the reservations of uploads expire, because a reservation whose response was lost is never used. */
async function endReservations(db: Db): Promise<void> {
  const past = new Date(Date.now() - 10_000);
  await db
    .collection('uploads')
    .updateMany({ state: 'RESERVED' }, { $min: { expiresAt: past, sweepAt: past, leaseUntil: past } });
}

/** Lists stored bytes that no upload names, and uploads without their bytes. */
async function remains(db: Db): Promise<string[]> {
  const uploads = await db.collection<UploadRecord>('uploads').find().toArray();
  const named = new Map(uploads.flatMap(({ content, byteSize }) => (content ? [[content.fileId, byteSize]] : [])));
  const files = await db
    .collection<{ _id: string }>('contents.files')
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const pieces = await db
    .collection<{ files_id: string; data: { length(): number } }>('contents.chunks')
    .find()
    .toArray();
  const bytes = new Map<string, number>();
  for (const { files_id: id, data } of pieces) bytes.set(id, (bytes.get(id) ?? 0) + data.length());
  return [
    ...uploads.filter(({ state }) => state !== 'UPLOADED').map(({ _id, state }) => `upload ${_id} is ${state}`),
    ...files.filter(({ _id }) => !named.has(_id)).map(({ _id }) => `file ${_id} belongs to no upload`),
    ...[...bytes.keys()].filter((id) => !named.has(id)).map((id) => `pieces of ${id} belong to no upload`),
    ...[...named]
      .filter(([id, size]) => bytes.get(id) !== size)
      .map(([id, size]) => `file ${id} has ${bytes.get(id)} of ${size} bytes`),
  ];
}

async function wrongUsage(documents: Db, analysis: Db, senders: readonly Sender[]): Promise<string[]> {
  const used = async (db: Db, meter: string) => {
    const counters = await db.collection<{ _id: string; used: number }>('usage').find().toArray();
    return new Map(
      counters.flatMap(({ _id, used: amount }) => {
        const [organizationId, , ofMeter] = _id.split(':');
        return ofMeter === meter && organizationId !== undefined ? [[organizationId, amount] as const] : [];
      }),
    );
  };
  const [bytes, analyses] = [await used(documents, 'upload_bytes'), await used(analysis, 'analyses')];
  return senders.flatMap(({ tenant: { organizationId }, file, isReadable }) => {
    const is = `${bytes.get(organizationId) ?? 0} bytes, ${analyses.get(organizationId) ?? 0} analyses`;
    const should = `${file.length} bytes, ${isReadable ? 1 : 0} analyses`;
    return is === should ? [] : [`organization ${organizationId} used ${is} instead of ${should}`];
  });
}

/**
 * Lists differences from the expected records of an uploaded document. A readable document must have one upload, one
 * invoice, one analysis and one event about it. An unreadable document must have one upload and one event about the
 * failure.
 */
async function breachesOf(
  { tenant: { organizationId }, uploadId, file, isReadable, marker }: Sender,
  { invoices, analyses, events }: Books,
  documents: Db,
): Promise<string[]> {
  const own = invoices.filter((invoice) => invoice.organizationId === organizationId);
  const ids = new Set(own.map(({ _id }) => _id));
  const told = (name: string) =>
    new Set(
      events
        .filter((event) => event.name === name && event.payload['organizationId'] === organizationId)
        .map(({ id }) => id),
    ).size;
  const uploads = await documents.collection<UploadRecord>('uploads').find({ organizationId }).toArray();
  const expected = isReadable ? 1 : 0;
  const is = {
    uploads: uploads.map(({ _id, content }) => `${_id} ${content?.sha256}`),
    invoices: own.length,
    analyses: analyses.filter(({ invoiceId }) => ids.has(invoiceId)).length,
    analyzed: told('invoice_analyzed'),
    failed: told('analysis_failed'),
  };
  const should = {
    uploads: [`${uploadId} ${createHash('sha256').update(file).digest('hex')}`],
    invoices: expected,
    analyses: expected,
    analyzed: expected,
    failed: 1 - expected,
  };
  const [is_, should_] = [JSON.stringify(is), JSON.stringify(should)];
  return is_ === should_ ? [] : [`${marker} has ${is_} instead of ${should_}`];
}

/** Compares the stored original of an uploaded document byte by byte. @returns a sentence when it differs */
async function originalOf(
  sender: Sender,
  { invoices }: Books,
  call: (sender: Sender, route: string) => Promise<Response>,
): Promise<string[]> {
  if (!sender.isReadable) return [];
  const invoice = invoices.find(({ organizationId }) => organizationId === sender.tenant.organizationId);
  // All original documents are read at the same time right after the last kill, so a request may get 503, and is then
  // repeated.
  const response = await eventually(async () => {
    const read = await call(sender, `GET /invoices/${invoice?._id}/document`);
    expect(read.status).not.toBe(503);
    return read;
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return bytes.equals(sender.file) ? [] : [`the original of ${sender.marker} is another one (${response.status})`];
}
