import { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Channel, ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { Binary } from 'mongodb';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type {
  Correction,
  FailedUpload,
  ListedState,
  NewUpload,
  ReadUpload,
  UnreadUpload,
  UploadFailure,
  UploadRecord,
  UploadStore,
} from '../application/upload-store.js';

/** Maximum number of unfinished uploads that one sweep starts. */
export const SWEEP_UPLOADS_MAX = 100;
/**
 * Number of failed attempts, within about six minutes, after which an uploaded document no longer delays the later
 * documents in its sequence.
 */
export const SEQUENCE_ATTEMPTS_MAX = 10;
/**
 * Maximum time in milliseconds for counting the upload analyses of a month. The count is stopped before the connection
 * times out.
 */
const COUNT_MS_MAX = 25_000;

export const UPLOAD_ANALYSES = 'upload_analyses';

/** Stored upload whose analysis was requested. It has the same id as the invoice that is read from it. */
export interface UploadDocument extends Aggregate, Claimable, Omit<NewUpload, 'invoiceId' | 'usageMonth' | 'origin'> {
  readonly state: UploadRecord['state'];
  readonly usageMonth?: string;
  readonly origin?: ChannelOrigin;
  /** Key of the sequence of documents, in the form `<organization>|<channel>`, with a sparse index. */
  readonly sequence?: string;
  readonly attempts: number;
  readonly corrections: readonly Correction[];
  readonly knownSupplierName?: string;
  readonly failure?: UploadFailure;
  /**
   * Result of reading the upload, from the documents service. It is stored in binary form, because a document may have
   * many fields.
   */
  readonly extracted?: Binary;
}

export async function createUploadIndexes(collection: Collection<UploadDocument>): Promise<void> {
  await ensureIndexes(collection, [
    // With the index of due uploads, the sweep does not read the thousands of documents that may be waiting for their
    // sequence.
    { key: { leaseUntil: 1, sequence: 1 }, sparse: true, name: 'due_by_sequence' },
    { key: { sequence: 1, createdAt: 1 }, sparse: true, name: 'sequence' },
    { key: { organizationId: 1, usageMonth: 1, countedAt: 1 }, name: 'counted' },
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, state: 1, ...NEWEST_FIRST }, name: 'newest_of_state' },
    { key: { organizationId: 1, companyId: 1, ...NEWEST_FIRST }, name: 'newest_of_company' },
  ]);
}

/**
 * Returns the sequence of documents that an organization receives through a channel. The documents of a sequence are
 * decided one after another.
 */
function sequenceOf(organizationId: string, channel: Channel): string {
  return `${organizationId}|${channel}`;
}

export function uploadStore(collection: Collection<UploadDocument>, outbox: Outbox, clock: Clock): UploadStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  /**
   * Returns a time of receipt for a document that is later than that of the last document in its sequence. The order of
   * the documents is thereby kept even if the clocks of replicas differ.
   */
  const afterLastOf = async (
    sequence: string,
    { organizationId, createdAt }: Pick<NewUpload, 'organizationId' | 'createdAt'>,
  ) => {
    const last = await collection.findOne(
      { sequence, organizationId },
      { sort: { createdAt: -1 }, projection: { createdAt: 1 } },
    );
    return last === null || last.createdAt < createdAt ? createdAt : new Date(last.createdAt.getTime() + 1);
  };
  const guardOf = ({ invoiceId: id, organizationId, version }: UploadRecord) => ({ id, organizationId, version });
  return {
    async insert({ invoiceId, ...upload }) {
      const { organizationId, origin } = upload;
      const sequence = origin && sequenceOf(organizationId, origin.channel);
      const createdAt = sequence === undefined ? upload.createdAt : await afterLastOf(sequence, upload);
      const queued = { ...upload, sequence, createdAt, state: 'QUEUED', attempts: 0, corrections: [] } as const;
      try {
        await aggregates.insert({ _id: invoiceId, ...queued, leaseUntil: FREE });
        return { invoiceId, ...queued, version: 1, isDue: true };
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    async find(organizationId, invoiceId) {
      const document = await collection.findOne({ _id: invoiceId, organizationId });
      return document === null ? undefined : toRecord(document);
    },
    async list(organizationId, { state, companyId, ...page }) {
      const filter = {
        organizationId,
        ...(state === undefined ? {} : inState[state]),
        ...(companyId === undefined ? {} : { companyId }),
      } as Filter<UploadDocument> & { readonly organizationId: string };
      const { items, nextPageToken } = await findPage(collection, filter, page, {
        uploadId: 1,
        companyId: 1,
        origin: 1,
        createdAt: 1,
        state: 1,
        leaseUntil: 1,
        failure: 1,
      });
      return {
        items: items.map(({ _id: invoiceId, uploadId, createdAt, origin, failure, ...document }) => ({
          invoiceId,
          uploadId,
          companyId: document.companyId,
          origin,
          createdAt,
          state: listedState(document),
          failure,
        })),
        nextPageToken,
      };
    },
    async claim({ organizationId, invoiceId }, leaseMs) {
      const options = { clock, leaseMs, change: { $inc: { version: 1 } } as UpdateFilter<UploadDocument> };
      const own = { _id: invoiceId, organizationId };
      const claimed =
        (await claim(
          collection,
          { ...own, state: 'QUEUED' },
          { ...options, change: { ...options.change, $set: { state: 'PROCESSING' } } as UpdateFilter<UploadDocument> },
        )) ?? (await claim(collection, own, options));
      if (claimed === undefined) return undefined;
      const record = toRecord(claimed.document);
      if (record.state === 'FAILED') throw new Error(`upload ${record.uploadId} failed and has work to do`);
      return { record, keepAlive: (onLost) => claimed.keepAlive(onLost) };
    },
    async saveReading(at, { extracted, knownSupplierName }) {
      const change = { $set: { state: 'READ', knownSupplierName, extracted: packed(extracted) } };
      return toRead(await aggregates.save(guardOf(at), change as UpdateFilter<UploadDocument>));
    },
    async fail(at, { extracted, failure }, events) {
      await aggregates.commit(
        guardOf(at),
        {
          $set: { state: 'FAILED', failure, extracted: packed(extracted) },
          $unset: { usageMonth: '', leaseUntil: '', claim: '', sequence: '' },
        } as UpdateFilter<UploadDocument>,
        { events },
      );
    },
    async correct(at, { corrections, counted }, events) {
      const change = {
        $set: { state: 'READ', corrections, leaseUntil: FREE, ...counted },
        $unset: { failure: '', claim: '' },
      } as unknown as UpdateFilter<UploadDocument>;
      return toRead(await aggregates.save(guardOf(at), change, { events }));
    },
    async finish(at) {
      await aggregates.commit(guardOf(at), { $unset: { leaseUntil: '', claim: '', sequence: '' } });
    },
    async release(at, dueAt) {
      const state = at.state === 'PROCESSING' ? 'QUEUED' : at.state;
      const attempts = at.attempts + 1;
      await aggregates.commit(guardOf(at), {
        $set: { state, leaseUntil: dueAt, attempts },
        $unset: { claim: '', ...(attempts >= SEQUENCE_ATTEMPTS_MAX ? { sequence: '' } : {}) },
      } as UpdateFilter<UploadDocument>);
    },
    async firstDue(organizationId, sequence) {
      const first = await collection.findOne(
        { sequence, organizationId },
        { sort: { createdAt: 1 }, projection: { leaseUntil: 1 } },
      );
      const isDue = first?.leaseUntil !== undefined && first.leaseUntil <= clock.now();
      return isDue ? { organizationId, invoiceId: first._id } : undefined;
    },
    async hasUndecided(organizationId, channel) {
      const filter = { sequence: sequenceOf(organizationId, channel), organizationId };
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async due() {
      const any = await collection.findOne({ leaseUntil: { $lte: clock.now() } }, { projection: { _id: 1 } });
      if (any === null) return [];
      const [alone, firsts] = await Promise.all([
        collection
          .find(
            { leaseUntil: { $lte: clock.now() }, sequence: { $exists: false } },
            { projection: { organizationId: 1 } },
          )
          .sort({ leaseUntil: 1 })
          .limit(SWEEP_UPLOADS_MAX)
          .toArray(),
        collection
          .aggregate<Pick<UploadDocument, 'organizationId' | 'sequence'> & { readonly invoiceId: string }>([
            { $match: { sequence: { $exists: true } } },
            { $sort: { sequence: 1, createdAt: 1 } },
            {
              $group: {
                _id: '$sequence',
                invoiceId: { $first: '$_id' },
                organizationId: { $first: '$organizationId' },
                leaseUntil: { $first: '$leaseUntil' },
              },
            },
            { $match: { leaseUntil: { $lte: clock.now() } } },
            { $sort: { leaseUntil: 1 } },
            { $limit: SWEEP_UPLOADS_MAX },
            { $project: { _id: 0, sequence: '$_id', invoiceId: 1, organizationId: 1 } },
          ])
          .toArray(),
      ]);
      return [
        ...alone.map(({ _id: invoiceId, organizationId }) => ({ invoiceId, organizationId })),
        ...firsts.map(({ invoiceId, organizationId, sequence }) => ({ invoiceId, organizationId, sequence })),
      ];
    },
    async unfinishedSince(before) {
      const documents = await collection
        .find(
          {
            leaseUntil: { $gte: FREE },
            createdAt: { $lte: before },
            // A received document that is waiting for its sequence does not count as stuck. Only the first document of
            // a sequence can be stuck.
            $or: [
              { sequence: { $exists: false } },
              { attempts: { $gt: 0 } },
              { leaseUntil: { $gt: FREE, $lte: before } },
            ],
          },
          { projection: { organizationId: 1, createdAt: 1 }, limit: SWEEP_UPLOADS_MAX },
        )
        .toArray();
      return documents.map(({ _id: invoiceId, organizationId, createdAt: since }) => ({
        invoiceId,
        organizationId,
        since,
      }));
    },
    analysesOf(organizationId, month, { from, to }) {
      return collection.countDocuments(
        { organizationId, usageMonth: month, countedAt: { ...(from && { $gte: from }), $lt: to } },
        { maxTimeMS: COUNT_MS_MAX },
      );
    },
  };
}

/** Filters for the uploads in each state of a list. A document that was read has a lease until its invoice is decided. */
const inState: Readonly<Record<ListedState, Filter<UploadDocument>>> = {
  QUEUED: { state: 'QUEUED' },
  PROCESSING: { $or: [{ state: 'PROCESSING' }, { state: 'READ', leaseUntil: { $exists: true } }] },
  COMPLETED: { state: 'READ', leaseUntil: { $exists: false } },
  FAILED: { state: 'FAILED' },
};

function listedState({ state, leaseUntil }: Pick<UploadDocument, 'state' | 'leaseUntil'>): ListedState {
  if (state !== 'READ') return state;
  return leaseUntil === undefined ? 'COMPLETED' : 'PROCESSING';
}

function packed(extracted: ExtractDocumentResponse | undefined): Binary | undefined {
  return extracted && new Binary(ExtractDocumentResponse.encode(extracted).finish());
}

/**
 * Converts a database document to an analyzed upload.
 * @throws Error if fields are missing that the state requires
 */
export function toRecord(document: WithId<UploadDocument>): UploadRecord {
  switch (document.state) {
    case 'QUEUED':
    case 'PROCESSING':
      return toUnread(document, document.state);
    case 'READ':
      return toRead(document);
    case 'FAILED':
      return toFailed(document);
  }
}

function toUnread(document: WithId<UploadDocument>, state: UnreadUpload['state']): UnreadUpload {
  return { ...requestOf(document), state, usageMonth: present(document, 'usageMonth') };
}

function toRead(document: WithId<UploadDocument>): ReadUpload {
  const { knownSupplierName } = document;
  return {
    ...requestOf(document),
    state: 'READ',
    usageMonth: present(document, 'usageMonth'),
    extracted: ExtractDocumentResponse.decode(present(document, 'extracted').buffer),
    ...(knownSupplierName === undefined ? {} : { knownSupplierName }),
  };
}

function toFailed(document: WithId<UploadDocument>): FailedUpload {
  const { extracted, knownSupplierName } = document;
  return {
    ...requestOf(document),
    state: 'FAILED',
    failure: present(document, 'failure'),
    ...(extracted === undefined ? {} : { extracted: ExtractDocumentResponse.decode(extracted.buffer) }),
    ...(knownSupplierName === undefined ? {} : { knownSupplierName }),
  };
}

function requestOf(document: WithId<UploadDocument>) {
  const { _id: invoiceId, organizationId, version, uploadId, request, companyId, leaseUntil } = document;
  const { createdAt, countedAt, attempts, corrections, origin, sequence } = document;
  const isDue = leaseUntil !== undefined;
  return {
    invoiceId,
    organizationId,
    version,
    uploadId,
    request,
    origin,
    sequence,
    companyId,
    isDue,
    createdAt,
    countedAt,
    attempts,
    corrections,
  };
}

function present<K extends keyof UploadDocument>(
  document: WithId<UploadDocument>,
  member: K,
): NonNullable<UploadDocument[K]> {
  const value = document[member];
  if (value === undefined) throw new Error(`upload ${document.uploadId} is ${document.state} without ${member}`);
  return value as NonNullable<UploadDocument[K]>;
}
