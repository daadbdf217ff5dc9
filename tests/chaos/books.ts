// Reads the stored records and published events of the services from the databases and streams.
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { isNotFound } from '@invoicecontrol/runtime/nats/stream';
import { unfinishedWork } from '../e2e/crash/audit.js';
import type { Scan } from '../e2e/shapes.js';

type Db = MongoConnection['db'];

/** Fields of database documents that show unfinished work. */
export interface Marks {
  readonly pending?: unknown;
  readonly outboxPending?: unknown;
  readonly auditPending?: unknown;
  readonly leaseUntil?: unknown;
}

export interface InvoiceRecord extends Marks {
  readonly _id: string;
  readonly organizationId: string;
  readonly source: string;
  readonly status: string;
  readonly invoice: { readonly invoice_number: string; readonly buyer?: { readonly name?: string } };
  readonly match: { readonly scanId?: string; readonly position?: number };
  readonly usageMonth?: string;
  readonly analysis?: {
    readonly analysisId: string;
    readonly decision: string;
    readonly riskScore: number;
    readonly findings: readonly { readonly findingId: string; readonly type: string; readonly disposition: string }[];
  };
}

export interface FindingRecord extends Marks {
  readonly _id: string;
  readonly organizationId: string;
  readonly type: string;
  readonly disposition: string;
  readonly invoiceId?: string;
  readonly scanId?: string;
  readonly assigneeUserId?: string;
  readonly history: readonly { readonly action: string; readonly from?: string; readonly to?: string }[];
}

/** An analysis of an invoice: the current one, or one that a later analysis has replaced. */
export interface AnalysisRecord {
  readonly _id: string;
  readonly invoiceId: string;
  readonly decision: string;
  readonly riskScore: number;
  readonly facts?: { readonly bundleId?: string };
}

export interface ScanRecord extends Marks {
  readonly _id: string;
  readonly organizationId: string;
  readonly status: string;
  readonly usage: { readonly month: string; readonly rows: number };
  readonly result?: Omit<Scan, 'id' | 'status' | 'skippedRows'>;
  readonly skippedRows?: Scan['skippedRows'];
}

/** A request for the analysis of an uploaded document. Each request counts as an analysis towards the quota. */
export interface UploadAnalysisRecord extends Marks {
  readonly _id: string;
  readonly organizationId: string;
  readonly uploadId: string;
  readonly state: string;
  readonly usageMonth?: string;
}

export interface UploadRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly state: string;
  readonly byteSize: number;
  readonly content?: { readonly fileId: string };
  readonly usage?: { readonly month: string; readonly bytes: number };
}

/** Event as it is stored in a stream of the broker. */
export interface PublishedEvent {
  readonly id: string;
  /** Name of the event, such as `finding_created`. */
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Books {
  readonly invoices: readonly InvoiceRecord[];
  readonly findings: readonly FindingRecord[];
  readonly analyses: readonly AnalysisRecord[];
  readonly factBundleIds: readonly string[];
  readonly scans: readonly ScanRecord[];
  readonly importedRows: readonly { readonly scanId: string; readonly position: number }[];
  readonly scanRuns: readonly { readonly _id: string; readonly outcome?: unknown }[];
  readonly uploadAnalyses: readonly UploadAnalysisRecord[];
  readonly uploads: readonly UploadRecord[];
  /** Number of stored bytes by the id of the uploaded file. */
  readonly storedBytes: Readonly<Record<string, number>>;
  /** Usage counters of all services, with ids of the form `<organization>:<month>:<meter>`. */
  readonly usage: readonly { readonly _id: string; readonly used: number }[];
  readonly auditLines: readonly { readonly action: string; readonly target: string; readonly outcome: string }[];
  readonly notifications: readonly { readonly userId: string; readonly occasion: { readonly findingId?: string } }[];
  readonly events: readonly PublishedEvent[];
  /** Unfinished work that is not visible in the stored documents of the services. */
  readonly leftovers: readonly string[];
}

/** Records with which the usage counters are compared. */
export type Counted = Pick<Books, 'invoices' | 'scans' | 'uploadAnalyses' | 'uploads' | 'usage'>;

export interface BookReader {
  /** Returns the unfinished work of the services, without reading all records. */
  unfinished(): Promise<string[]>;
  /** Reads the usage counters, and the records whose sums the counters must equal. */
  counters(): Promise<Counted>;
  read(): Promise<Books>;
  close(): Promise<void>;
}

const STREAMS = ['ANALYSIS', 'DOCUMENTS', 'SCAN', 'ORGANIZATION', 'WEBHOOKS'].map((name) => `INVOICECONTROL_${name}`);
/** Collections of the organization service whose documents have the fields of an outbox. */
const ORGANIZATION_AGGREGATES = ['organizations', 'api_keys', 'members'];

export async function openBooks({ mongodbUrl, natsUrl }: { mongodbUrl: string; natsUrl: string }): Promise<BookReader> {
  const connect = (databaseName: string): Promise<MongoConnection> =>
    connectMongo({ url: mongodbUrl, databaseName, appName: 'audit' });
  const connections = await Promise.all(['analysis', 'documents', 'scan', 'organization', 'webhooks'].map(connect));
  const [analysis, documents, scan, organization, webhooks] = connections.map(({ db }) => db) as [Db, Db, Db, Db, Db];
  const bus = await connectTestNats({
    url: natsUrl,
    name: 'audit',
    logger: createLogger({ service: 'audit', level: 'silent' }),
  });
  const all = <T>(db: Db, name: string, projection: object = {}): Promise<T[]> =>
    db.collection(name).find({}, { projection }).toArray() as Promise<unknown> as Promise<T[]>;

  const invoices = (): Promise<InvoiceRecord[]> =>
    all(analysis, 'invoices', {
      organizationId: 1,
      source: 1,
      status: 1,
      'invoice.invoice_number': 1,
      'invoice.buyer': 1,
      'match.scanId': 1,
      'match.position': 1,
      usageMonth: 1,
      'analysis.analysisId': 1,
      'analysis.decision': 1,
      'analysis.riskScore': 1,
      'analysis.findings.findingId': 1,
      'analysis.findings.type': 1,
      'analysis.findings.disposition': 1,
      pending: 1,
      outboxPending: 1,
      leaseUntil: 1,
    });
  /**
   * Reads the current analyses, which are stored with their invoices, and the analyses that later ones have replaced.
   */
  const analyses = async (): Promise<AnalysisRecord[]> => [
    ...(await analysis
      .collection('invoices')
      .aggregate<AnalysisRecord>([
        { $match: { facts: { $exists: true } } },
        {
          $project: {
            _id: '$analysis.analysisId',
            invoiceId: '$_id',
            decision: '$analysis.decision',
            riskScore: '$analysis.riskScore',
            facts: 1,
          },
        },
      ])
      .toArray()),
    ...(await all<AnalysisRecord>(analysis, 'analyses', { findings: 0 })),
  ];
  const scans = (): Promise<ScanRecord[]> => all(scan, 'scans', { recentEvents: 0, packedRows: 0 });
  const usage = async (): Promise<Books['usage'][number][]> => [
    ...(await all<Books['usage'][number]>(analysis, 'usage')),
    ...(await all<Books['usage'][number]>(scan, 'usage')),
    ...(await all<Books['usage'][number]>(documents, 'usage')),
  ];
  const uploadAnalyses = (): Promise<UploadAnalysisRecord[]> =>
    all(analysis, 'upload_analyses', { extracted: 0, recentEvents: 0 });
  const uploads = (): Promise<UploadRecord[]> => all(documents, 'uploads');
  const databases = [analysis, documents, scan, organization, webhooks];
  const known = await durablesOf(bus);
  const leftovers = async (): Promise<string[]> => {
    const marked = await Promise.all([
      ...ORGANIZATION_AGGREGATES.map((name) => marksOf(organization, name)),
      marksOf(analysis, 'audit_lines'),
      marksOf(documents, 'audit_lines'),
      brokenUploads(documents),
      deadLettersOf(organization),
      deadLettersOf(analysis),
      deadLettersOf(documents),
      deadLettersOf(scan),
      deadLettersOf(webhooks),
      marksOf(webhooks, 'endpoints'),
      marksOf(webhooks, 'deliveries'),
      unheard(bus, known),
      ...STREAMS.map((stream) => unfilled(bus, stream, databases)),
    ]);
    return marked.flat();
  };
  return {
    async unfinished() {
      const found = await Promise.all([unfinishedWork({ analysis, scan }), leftovers()]);
      return found.flat();
    },
    counters: async () => ({
      invoices: await invoices(),
      scans: await scans(),
      uploadAnalyses: await uploadAnalyses(),
      uploads: await uploads(),
      usage: await usage(),
    }),
    async read() {
      const events: PublishedEvent[] = [];
      for (const stream of STREAMS) events.push(...(await published(bus, stream)));
      return {
        invoices: await invoices(),
        findings: await all(analysis, 'findings', { evidence: 0, recentEvents: 0 }),
        analyses: await analyses(),
        factBundleIds: (await all<{ _id: string }>(analysis, 'fact_bundles', { _id: 1 })).map(({ _id }) => _id),
        scans: await scans(),
        importedRows: await all(scan, 'imported_rows', { scanId: 1, position: 1 }),
        uploadAnalyses: await uploadAnalyses(),
        uploads: await uploads(),
        storedBytes: await storedBytes(documents),
        scanRuns: await all(analysis, 'scan_runs', { outcome: 1 }),
        usage: await usage(),
        auditLines: await all(organization, 'audit_events'),
        notifications: await all(organization, 'notifications'),
        events,
        leftovers: await leftovers(),
      };
    },
    async close() {
      await bus.close();
      for (const connection of connections) await connection.close();
    },
  };
}

async function marksOf(db: Db, name: string): Promise<string[]> {
  const marks = ['outboxPending', 'auditPending'] as const;
  const found = await Promise.all(
    marks.map(async (mark) => {
      const documents = await db
        .collection(name)
        .find({ [mark]: true }, { projection: { _id: 1 } })
        .limit(100)
        .toArray();
      return documents.map(({ _id }) => `${name} ${String(_id)} has ${mark}`);
    }),
  );
  return found.flat();
}

/** Returns the uploads with an incomplete PUT, whose data the sweep has not removed yet. */
async function brokenUploads(documents: Db): Promise<string[]> {
  const uploads = await documents
    .collection<UploadRecord & { readonly attempts: readonly string[] }>('uploads')
    .find({ 'attempts.0': { $exists: true } })
    .toArray();
  return uploads
    .filter(({ attempts, content }) => attempts.some((fileId) => fileId !== content?.fileId))
    .map(({ _id }) => `upload ${_id} keeps what a broken PUT left`);
}

async function storedBytes(documents: Db): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {};
  const pieces = documents.collection<{ files_id: string; data: { length(): number } }>('contents.chunks').find();
  for await (const { files_id: id, data } of pieces) bytes[id] = (bytes[id] ?? 0) + data.length();
  for (const { _id } of await documents.collection<{ _id: string }>('contents.files').find().toArray())
    bytes[_id] ??= 0;
  return bytes;
}

async function deadLettersOf(db: Db): Promise<string[]> {
  const letters = await db.collection('dead_letters').find().limit(100).toArray();
  return letters.map(({ _id, error }) => `dead letter ${String(_id)}: ${String(error)}`);
}

interface Durable {
  /** Name of a durable consumer, together with the name of its event stream. */
  readonly name: string;
  readonly pending: number;
  readonly unacknowledged: number;
}

/**
 * Returns the state of an event stream. Undefined if the broker lost the stream and no service has created it again.
 */
async function infoOf({ manager }: Bus, stream: string) {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function durablesOf(bus: Bus): Promise<Durable[]> {
  const { manager } = bus;
  const found: Durable[] = [];
  for (const stream of STREAMS) {
    if ((await infoOf(bus, stream)) === undefined) continue;
    for await (const { config, num_pending: pending, num_ack_pending: unacknowledged } of manager.consumers.list(
      stream,
    )) {
      const { durable_name: durable } = config;
      if (durable !== undefined) found.push({ name: `${durable} of ${stream}`, pending, unacknowledged });
    }
  }
  return found;
}

/**
 * Returns the durable consumers that have not acknowledged all messages yet, and those that the broker lost and no
 * service has created again.
 */
async function unheard(bus: Bus, known: readonly Durable[]): Promise<string[]> {
  const durables = await durablesOf(bus);
  const names = new Set(durables.map(({ name }) => name));
  return [
    ...known.filter(({ name }) => !names.has(name)).map(({ name }) => `${name} is gone`),
    ...durables
      .filter(({ pending, unacknowledged }) => pending + unacknowledged > 0)
      .map(({ name, ...left }) => `${name} has ${left.pending} events to come and ${left.unacknowledged} under way`),
  ];
}

/**
 * Returns a sentence if the broker lost an event stream or its last events and they have not been published again yet.
 * The record of the relay shows which events were published.
 */
async function unfilled(bus: Bus, stream: string, databases: readonly Db[]): Promise<string[]> {
  const relays = await Promise.all(
    databases.map((db) =>
      db
        .collection<{ _id: string; created: string; lastSeq: number; refillSince?: Date }>('relay')
        .findOne({ _id: stream }),
    ),
  );
  const relay = relays.find((found) => found !== null);
  if (relay === undefined || relay === null) return [];
  const info = await infoOf(bus, stream);
  if (info === undefined) return [`${stream} is gone`];
  const { created, state } = info;
  const isWhole = relay.refillSince === undefined && relay.created === created && relay.lastSeq <= state.last_seq;
  return isWhole ? [] : [`${stream} is not filled again`];
}

/** Returns every event in an event stream of the broker, from the first one on. */
async function published({ jetstream, manager }: Bus, stream: string): Promise<PublishedEvent[]> {
  const { state } = await manager.streams.info(stream);
  if (state.messages === 0) return [];
  const events: PublishedEvent[] = [];
  const consumer = await jetstream.consumers.get(stream);
  const messages = await consumer.consume();
  for await (const message of messages) {
    const name = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    events.push({ id: message.headers?.get('Nats-Msg-Id') ?? '', name, payload: message.json() });
    if (message.seq >= state.last_seq) break;
  }
  await messages.close();
  return events;
}
