import { randomUUID } from 'node:crypto';
import { recordsById } from '@invoicecontrol/retention/archive-pages';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { claim, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claim, Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import { isSameOrigin } from '@invoicecontrol/values/channel-origin';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { Collection, Filter } from 'mongodb';
import type { ContentStore, Receiving, ReservedUpload, Upload, UploadStore } from '../application/uploads.js';

/**
 * Duration of the lease that a PUT request with an uploaded file has. The request renews the lease while bytes arrive,
 * and another PUT request may take over after the lease has expired.
 */
const LEASE_MS = 60_000;
/** Maximum number of uploads that one run of the sweep checks. */
const SWEEP_UPLOADS_MAX = 200;
/**
 * Period for which the record of an unused upload is kept. The bytes of the upload count in the month in which they
 * arrived, and the bytes of a month are recounted for some time after its end.
 */
const COUNTED_MS = 62 * 86_400_000;

/**
 * Stored record of an upload, from its reservation on. The field `content` is set by the write that makes the stored
 * bytes the content of the upload. Every PUT request is added to `attempts` before it stores a byte, so that data left
 * by a crash can be found without searching the bytes.
 */
export interface UploadDocument extends Claimable {
  readonly organizationId: string;
  /**
   * State of the upload. REMOVED means that the upload was never used. The record of a removed upload only keeps the
   * number of its bytes for the quota, and callers no longer find the upload.
   */
  readonly state: 'RESERVED' | 'UPLOADED' | 'REMOVED';
  /** Media type stated in the upload reservation. */
  readonly mediaType: string;
  readonly byteSize: number;
  /** Hash of the token that authorizes the upload. Absent for a channel document. */
  readonly tokenHash?: string;
  readonly monthlyLimit?: number;
  /** Channel, such as KSeF, that delivered the document. Absent for an upload by a caller. */
  readonly origin?: ChannelOrigin;
  /**
   * False until a caller of the organization has requested the analysis of the upload. Absent for a channel document,
   * and in a record of an earlier release: these are analyzed without such a request.
   */
  readonly isRequested?: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Ids of the files whose bytes PUT requests have begun to store. */
  readonly attempts?: readonly string[];
  /** Time when the sweep checks the upload next, with a sparse index. Absent if there is nothing to remove. */
  readonly sweepAt?: Date;
  /**
   * Time when the sweep removes the received content of an upload, with a sparse index. Absent once its analysis has
   * begun, and for a channel document.
   */
  readonly removeAt?: Date;
  readonly content?: {
    readonly fileId: string;
    readonly sha256: string;
    readonly mediaType: string;
    readonly receivedAt: Date;
  };
  /**
   * Number of bytes of the upload that count in the quota of a month. The usage counter is corrected to the sum for all
   * uploads.
   */
  readonly usage?: { readonly month: string; readonly bytes: number };
}

export async function createUploadIndexes(collection: Collection<UploadDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { sweepAt: 1 }, sparse: true, name: 'sweep' },
    { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
    { key: { removeAt: 1 }, sparse: true, name: 'unused' },
    { key: { organizationId: 1, state: 1, createdAt: 1 }, name: 'open' },
    { key: { organizationId: 1, 'usage.month': 1, 'content.receivedAt': 1 }, name: 'counted' },
  ]);
}

/** Times after which the sweep removes data of uploads. */
export interface SweepTimes {
  /**
   * Time after the expiry of an upload reservation, or after an interrupted PUT request, at which leftover data is
   * removed.
   */
  readonly sweepMs: number;
  /** Time after which an uploaded file is removed if its analysis is not requested. */
  readonly unusedMs: number;
}

export function uploadStore(
  collection: Collection<UploadDocument>,
  clock: Clock,
  { sweepMs, unusedMs }: SweepTimes,
): UploadStore {
  return {
    async insert({ uploadId, monthlyLimit, ...upload }) {
      const own = { state: 'RESERVED', leaseUntil: FREE, sweepAt: after(upload.expiresAt, sweepMs) } as const;
      await collection.insertOne(stored<UploadDocument>({ _id: uploadId, ...upload, monthlyLimit, ...own }));
    },
    async find(uploadId, organizationId) {
      const filter = organizationId === undefined ? { _id: uploadId } : { _id: uploadId, organizationId };
      const document = await collection.findOne(filter);
      if (document === null || document.state === 'REMOVED') return undefined;
      const upload = toUpload(document);
      return upload.origin !== undefined && upload.content === undefined ? undefined : upload;
    },
    async claim(uploadId) {
      const fileId = randomUUID();
      const wanted: Filter<UploadDocument> = {
        _id: uploadId,
        state: 'RESERVED',
        expiresAt: { $gt: clock.now() },
        origin: { $exists: false },
      };
      const claimed = await claim(collection, wanted, {
        clock,
        leaseMs: LEASE_MS,
        // The sweep checks the upload again after the lease of its PUT request has expired and the time for keeping
        // leftover data has passed.
        change: { $push: { attempts: fileId }, $set: { sweepAt: after(clock.now(), LEASE_MS + sweepMs) } },
      });
      return claimed && toReceiving(collection, claimed, { fileId, sweepMs, unusedMs });
    },
    async claimOfChannel({ uploadId, organizationId, origin, mediaType, byteSize, createdAt, expiresAt }) {
      const own = { _id: uploadId, organizationId, state: 'RESERVED' } as const;
      try {
        const sweepAt = after(expiresAt, sweepMs);
        await collection.insertOne({
          ...own,
          origin,
          mediaType,
          byteSize,
          createdAt,
          expiresAt,
          leaseUntil: FREE,
          sweepAt,
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const fileId = randomUUID();
      const wanted: Filter<UploadDocument> = {
        ...own,
        'origin.channel': origin.channel,
        'origin.externalId': origin.externalId,
      };
      const sweepAt = after(clock.now(), LEASE_MS + sweepMs);
      const claimed = await claim(collection, wanted, {
        clock,
        leaseMs: LEASE_MS,
        // Bytes that an earlier call stored for the upload do not count, so the size and the time of the upload are
        // replaced.
        change: { $push: { attempts: fileId }, $set: { mediaType, byteSize, createdAt, expiresAt, sweepAt } },
      });
      if (claimed !== undefined) return toReceiving(collection, claimed, { fileId, sweepMs, unusedMs });
      const other = await collection.findOne(own);
      return isSameOrigin(other?.origin, origin) ? 'IN_PROGRESS' : 'TAKEN';
    },
    async expireOf(organizationId, until) {
      const open: Filter<UploadDocument> = { organizationId, state: 'RESERVED', createdAt: { $lte: until } };
      await collection.updateMany(open, { $min: { expiresAt: until, sweepAt: after(until, sweepMs) } });
    },
    async request(organizationId, uploadId, until) {
      const own = { _id: uploadId, organizationId };
      await collection.updateOne({ ...own, isRequested: false }, { $set: { isRequested: true } });
      const unused: Filter<UploadDocument> = {
        ...own,
        state: 'UPLOADED',
        removeAt: { $lt: until },
      };
      await collection.updateOne(unused, { $set: { removeAt: until } });
    },
    async keep(organizationId, uploadId) {
      const received: Filter<UploadDocument> = { _id: uploadId, organizationId, state: 'UPLOADED' };
      const { matchedCount } = await collection.updateOne(received, { $unset: { removeAt: '' } });
      return matchedCount === 1;
    },
    async endUnused(now) {
      const unused = await collection
        .find({ removeAt: { $lte: now } }, { projection: { _id: 1 } })
        .sort({ removeAt: 1 })
        .limit(SWEEP_UPLOADS_MAX)
        .toArray();
      if (unused.length === 0) return;
      const ids = unused.map(({ _id }) => _id);
      // The update repeats the condition for removal, because the analysis of the upload may begin at this moment.
      const still: Filter<UploadDocument> = { _id: { $in: ids }, state: 'UPLOADED', removeAt: { $lte: now } };
      await collection.updateMany(still, { $set: { state: 'REMOVED', sweepAt: now }, $unset: { removeAt: '' } });
    },
    async due(now) {
      const documents = await collection
        .find({ sweepAt: { $lte: now } }, { projection: { _id: 1 } })
        .sort({ sweepAt: 1 })
        .limit(SWEEP_UPLOADS_MAX)
        .toArray();
      return documents.map(({ _id }) => _id);
    },
    async takeRemains(uploadId, now) {
      const silent: Filter<UploadDocument> = { _id: uploadId, state: 'RESERVED', leaseUntil: { $lte: now } };
      const stopped = await collection.findOneAndUpdate(silent, { $unset: { claim: '' } }, { returnDocument: 'after' });
      const document = stopped ?? (await collection.findOne({ _id: uploadId }));
      if (document === null) return undefined;
      const { state, attempts = [], content, leaseUntil = FREE, expiresAt } = document;
      if (state === 'RESERVED' && stopped === null) {
        await collection.updateOne(
          { _id: uploadId, state: 'RESERVED' },
          { $set: { sweepAt: after(leaseUntil, sweepMs) } },
        );
        return undefined;
      }
      if (state === 'REMOVED' && content !== undefined) {
        const ended = after(content.receivedAt, COUNTED_MS) > now ? ('UNUSED' as const) : undefined;
        return { uploadId, fileIds: [...attempts, content.fileId], ended };
      }
      return {
        uploadId,
        fileIds: attempts.filter((fileId) => fileId !== content?.fileId),
        ended: state === 'RESERVED' && after(expiresAt, sweepMs) <= now ? 'ABANDONED' : undefined,
      };
    },
    async removeRemains({ uploadId, fileIds, ended }, now) {
      if (ended === 'ABANDONED') {
        // The record of an expired upload can be deleted, because no PUT request can begin after the upload reservation
        // has expired.
        await collection.deleteOne({ _id: uploadId, state: 'RESERVED', leaseUntil: { $lte: now } });
        return;
      }
      const document = await collection.findOneAndUpdate(
        { _id: uploadId },
        { $pull: { attempts: { $in: [...fileIds] } } },
        { returnDocument: 'after' },
      );
      if (document === null) return;
      const { state, expiresAt, attempts = [], sweepAt, content } = document;
      if (state === 'REMOVED') {
        const countedUntil = after(content?.receivedAt ?? FREE, COUNTED_MS);
        if (countedUntil <= now) await collection.deleteOne({ _id: uploadId, state });
        else await collection.updateOne({ _id: uploadId, state }, { $set: { sweepAt: countedUntil } });
        return;
      }
      const change =
        state === 'UPLOADED' ? { $unset: { sweepAt: '' as const } } : { $set: { sweepAt: after(expiresAt, sweepMs) } };
      // If a PUT request that began in the meantime has changed the time of the next check, the condition on this time
      // prevents the update of the upload.
      if (sweepAt !== undefined && (state === 'UPLOADED' || attempts.length === 0)) {
        await collection.updateOne({ _id: uploadId, sweepAt, state }, change);
      }
    },
    async oldestDue(before) {
      const [document] = await collection
        .find({ sweepAt: { $lte: before } }, { projection: { sweepAt: 1 } })
        .sort({ sweepAt: 1 })
        .limit(1)
        .toArray();
      return document?.sweepAt === undefined ? undefined : { uploadId: document._id, since: document.sweepAt };
    },
    async countedBytes(organizationId, month, { from, to }) {
      const [sum] = await collection
        .aggregate<{ bytes: number }>([
          {
            $match: {
              organizationId,
              'usage.month': month,
              'content.receivedAt': { ...(from === undefined ? {} : { $gte: from }), $lt: to },
            },
          },
          { $group: { _id: null, bytes: { $sum: '$usage.bytes' } } },
        ])
        .toArray();
      return sum?.bytes ?? 0;
    },
  };
}

/**
 * Lists uploads with their files for the purge of an organization. The files of an upload are removed before its
 * record, so that no file remains without a record. If a PUT request is in progress, the upload first loses its claim.
 * The request notices this and removes its bytes, and the upload is removed when the lease has expired.
 */
export function uploadsWithContents(
  collection: Collection<UploadDocument>,
  contents: Pick<ContentStore, 'delete'>,
  clock: Clock,
): TenantData {
  return {
    name: collection.collectionName,
    async remove(organizationId, documentsMax) {
      const now = clock.now();
      await collection.updateMany(
        { organizationId, state: 'RESERVED', leaseUntil: { $gt: now } },
        { $unset: { claim: '' }, $min: { expiresAt: now } },
      );
      const atRest: Filter<UploadDocument> = {
        organizationId,
        // An upload with complete content has no lease.
        $or: [{ state: { $in: ['UPLOADED', 'REMOVED'] } }, { state: 'RESERVED', leaseUntil: { $lte: now } }],
      };
      // Upload reservations are closed first, so that no PUT request can add a file after the files were listed.
      await collection.updateMany({ ...atRest, state: 'RESERVED' }, { $min: { expiresAt: now } });
      const found = await collection.find(atRest, { limit: documentsMax }).toArray();
      for (const { attempts = [], content } of found) {
        for (const fileId of new Set([...attempts, ...(content === undefined ? [] : [content.fileId])])) {
          await contents.delete(fileId);
        }
      }
      if (found.length === 0) return 0;
      const ids = found.map(({ _id }) => _id);
      const { deletedCount } = await collection.deleteMany({ $and: [atRest, { _id: { $in: ids } }] });
      return deletedCount;
    },
    count: (organizationId) => collection.countDocuments({ organizationId }),
  };
}

/**
 * Returns a function that reads the uploads of an organization for its data export. The tokens of upload reservations
 * are not exported.
 */
export function archivedUploads(collection: Collection<UploadDocument>): ReadArchivePage {
  return recordsById(
    collection,
    ({ _id: id, state, mediaType, byteSize, createdAt, expiresAt, content, origin }) => ({
      id,
      status: state,
      mediaType: content?.mediaType ?? mediaType,
      byteSize,
      sha256: content?.sha256 ?? null,
      createdAt,
      expiresAt,
      receivedAt: content?.receivedAt ?? null,
      origin: origin ?? null,
    }),
    (begunAt): Filter<UploadDocument> => ({
      createdAt: { $lt: begunAt },
      $or: [{ state: 'UPLOADED' }, { state: 'RESERVED', origin: { $exists: false } }],
    }),
  );
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

function toUpload(document: UploadDocument): Upload {
  const { content, removeAt } = document;
  return content === undefined ? toReserved(document) : { ...toReserved(document), content, removeAt };
}

function toReserved({ _id: uploadId, monthlyLimit, ...document }: UploadDocument): ReservedUpload {
  const { organizationId, mediaType, byteSize, tokenHash, createdAt, expiresAt, origin, isRequested } = document;
  return {
    uploadId,
    organizationId,
    mediaType,
    byteSize,
    tokenHash,
    monthlyLimit,
    isRequested: isRequested ?? true,
    createdAt,
    expiresAt,
    origin,
  };
}

function toReceiving(
  collection: Collection<UploadDocument>,
  { document, ...lease }: Claim<UploadDocument>,
  { fileId, sweepMs, unusedMs }: SweepTimes & { readonly fileId: string },
): Receiving {
  const upload = toReserved(document);
  const ours: Filter<UploadDocument> = { _id: upload.uploadId, claim: lease.claimId, state: 'RESERVED' };
  return {
    upload,
    fileId,
    lease,
    async commit(content, month) {
      const others = document.attempts?.some((attempt) => attempt !== fileId) === true;
      const { matchedCount } = await collection.updateOne(ours, {
        $set: {
          state: 'UPLOADED',
          content: { fileId, ...content },
          usage: { month, bytes: upload.byteSize },
          // Documents from a channel such as KSeF are never removed as unused. If the monthly quota is used up, they
          // may wait for months until they can be analyzed.
          ...(upload.origin === undefined ? { removeAt: after(content.receivedAt, unusedMs) } : {}),
        },
        // If an earlier PUT request may have left bytes, the sweep checks the upload once more.
        $unset: { claim: '', leaseUntil: '', ...(others ? {} : { sweepAt: '', attempts: '' }) },
      });
      return matchedCount === 1;
    },
    async release() {
      await collection.updateOne(ours, {
        $set: { leaseUntil: FREE, sweepAt: after(upload.expiresAt, sweepMs) },
        $pull: { attempts: fileId },
        $unset: { claim: '' },
      });
    },
  };
}
