import { UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type {
  KeepUploadResponse,
  ReceiveUploadRequest,
  UploadStart,
} from '@invoicecontrol/contracts/documents/v1/upload_service';
import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { v7 as uuidv7 } from 'uuid';
import { callWithGrant, openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import type { UploadDocument } from '../storage/uploads.js';

const JOB_PAUSE_MS_MAX = 250;
const PIECE_BYTES = 64 * 1024;
const call = { context: systemContext('test'), timeoutMs: 60_000 };

/** A clock for the documents service with the real time, which a test may shift. */
export interface ShiftedClock extends Clock {
  shiftMs: number;
}

/** The documents service, started once per test file. */
export interface RunningDocuments {
  readonly mongo: MongoConnection;
  readonly clock: ShiftedClock;
  readonly uploads: ReturnType<typeof connect>['uploads'];
  readonly documents: ReturnType<typeof connect>['documents'];
  readonly archive: ReturnType<typeof connect>['archive'];
  reserve(
    organizationId: string,
    byteSize: number,
    changes?: { mediaType?: string; limit?: number },
  ): Promise<{ uploadId: string; token: string }>;
  /** Sends a file with its upload token and declares its size. A test can override the token and the size. */
  send(file: Sent): Promise<object>;
  /** Requests the analysis of an upload, with the grant of a caller of the organization. */
  keep(organizationId: string, uploadId: string): Promise<KeepUploadResponse>;
  usedBytes(organizationId: string): Promise<number>;
  stored(uploadId: string): Promise<UploadDocument | null>;
  /** Counts the stored pieces of all uploaded files. */
  pieces(): Promise<number>;
  /** Publishes the event with which the organization service announces the deletion of a tenant. */
  deleteOrganization(organizationId: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Sent extends Partial<UploadStart> {
  readonly uploadId: string;
  readonly bytes: AsyncIterable<Uint8Array> | Uint8Array;
}

export const call60 = call;

export function newOrganization(): string {
  return uuidv7();
}

/**
 * Starts the documents service for a test file.
 * @param startService function of the service in compose.ts
 */
export async function startDocuments(
  startService: (config: Config, overrides: StartOverrides) => Promise<RunningService>,
  { mongodbUrl, natsUrl }: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningDocuments> {
  const config = configSchema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('documents'),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
    LOG_LEVEL: 'silent',
    EXTRACTION_CONFINEMENT: 'WHERE_POSSIBLE',
    ...env,
  });
  const clock: ShiftedClock = { shiftMs: 0, now: () => new Date(Date.now() + clock.shiftMs) };
  const service = await startService(config, { clock, jobPauseMsMax: JOB_PAUSE_MS_MAX });
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const { uploads, documents, archive, usage, close } = connect(service.address);
  const bus = await connectTestNats({
    url: natsUrl,
    name: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const publisher = await eventPublisher(bus, 'organization');
  return {
    mongo,
    clock,
    uploads,
    documents,
    archive,
    async reserve(organizationId, byteSize, { mediaType = 'application/pdf', limit } = {}) {
      const limits = limit === undefined ? {} : { uploadBytesPerMonth: limit };
      const { upload, token } = await uploads.reserveUpload(
        { organizationId, mediaType, byteSize },
        callWithGrant(call, organizationId, { limits }),
      );
      return { uploadId: upload?.uploadId ?? '', token };
    },
    send(file) {
      return uploads.receiveUpload(
        messagesOf(file),
        file.organizationId === undefined ? call : callWithGrant(call, file.organizationId, {}),
      );
    },
    keep: (organizationId, uploadId) =>
      uploads.keepUpload({ organizationId, uploadId }, callWithGrant(call, organizationId, {})),
    async usedBytes(organizationId) {
      const { meters } = await usage.getUsage({ organizationId }, call);
      return meters.find(({ meter }) => meter === 'upload_bytes')?.used ?? -1;
    },
    stored: (uploadId) => mongo.db.collection<UploadDocument>('uploads').findOne({ _id: uploadId }),
    pieces: () => mongo.db.collection('contents.chunks').countDocuments(),
    async deleteOrganization(organizationId) {
      const { subject, codec } = events.organizationDeleted;
      const event = { eventId: `evt_${uuidv7()}`, eventTime: new Date(Date.now() + 1_000), organizationId, version: 2 };
      await publisher.publish({ id: event.eventId, subject, payload: JSON.stringify(codec.toJSON(event)) });
    },
    async stop() {
      close();
      await bus.close();
      await service.stop();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}

function connect(address: string) {
  const channel = openTestChannel('documents', address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  return {
    uploads: client(UploadServiceDefinition, channel),
    documents: client(DocumentServiceDefinition, channel),
    archive: client(ArchiveServiceDefinition, channel),
    usage: client(UsageServiceDefinition, channel),
    close: () => channel.close(),
  };
}

async function* messagesOf({ bytes, ...start }: Sent): AsyncIterable<ReceiveUploadRequest> {
  const declaredSize = bytes instanceof Uint8Array ? bytes.length : undefined;
  const defaults = { organizationId: undefined, token: undefined, mediaType: 'application/pdf', declaredSize };
  yield { part: { $case: 'start', value: { ...defaults, hasContentEncoding: false, ...start } } };
  for await (const piece of bytes instanceof Uint8Array ? piecesOf(bytes) : bytes) {
    yield { part: { $case: 'content', value: Buffer.from(piece) } };
  }
}

/** Splits bytes into pieces of the size in which they arrive in a request body. */
export function* piecesOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
