import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim as claimOne, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset, stored } from '@invoicecontrol/runtime/mongo/stored';
import { Binary } from 'mongodb';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type {
  ConfirmationStore,
  ConnectionWait,
  KeptSeal,
  SubmissionClaim,
  SubmissionQueue,
  SubmissionStore,
} from '../application/submissions/stores.js';
import type { Attempt } from '../domain/attempts.js';
import type { Environment } from '../domain/connection.js';
import { isFinal, isShownAlike, UNDECIDED, wasSent } from '../domain/submission.js';
import type { Progress, Submission, SubmissionWarning, SubmittedDocument } from '../domain/submission.js';

/**
 * A stored KSeF submission. Its id is derived from the connection and the invoice, so that an invoice has only one
 * submission through a connection.
 */
export interface SubmissionDocument extends Aggregate {
  readonly companyId: string;
  readonly connectionId: string;
  readonly invoiceId: string;
  readonly environment: Environment;
  readonly document: SubmittedDocument;
  readonly warnings?: readonly SubmissionWarning[];
  /** Grant of the caller who last queued the submission. */
  readonly grant?: Binary;
  readonly status: Progress['status'];
  readonly progress: Omit<Progress, 'status' | 'dueAt'>;
  readonly attempts: readonly Attempt[];
  /** Time of the next KSeF submission step, with a sparse index. Absent if no work remains. */
  readonly dueAt?: Date;
  readonly leaseUntil?: Date;
  readonly claim?: string;
  /** Marker with a sparse index, present while the KSeF submission is not final or has an open session. */
  readonly isOpen?: true;
  /** Present if the document of the submission may have reached KSeF. */
  readonly wasSent?: true;
  /**
   * True if the submission cannot continue before its KSeF connection changes. A change of the connection makes the
   * submission due.
   */
  readonly waitsForConnection?: true;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** KSeF submissions of one status with remaining work, as metrics count them. */
interface UnfinishedGroup {
  readonly _id: Progress['status'];
  readonly count: number;
  readonly unknown: number;
  readonly since: Date | null;
  readonly open: number;
}

/** Highest number of KSeF submissions that one summary for metrics reads, so that the summary is quick to compute. */
const UNFINISHED_MAX = 10_000;
const UNFINISHED = ['QUEUED', 'SENDING', 'PROCESSING'] as const;

/** The confirmation for a KSeF submission, stored under the submission id. */
export interface ConfirmationDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly ksefNumber: string;
  readonly xml: Binary;
  readonly seal?: KeptSeal;
  readonly createdAt: Date;
}

export async function createSubmissionIndexes(
  submissions: Collection<SubmissionDocument>,
  confirmations: Collection<ConfirmationDocument>,
): Promise<void> {
  await Promise.all([
    ensureIndexes(submissions, [
      { key: { organizationId: 1, connectionId: 1, ...NEWEST_FIRST }, name: 'newest' },
      { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest_of_organization' },
      { key: { organizationId: 1, companyId: 1, ...NEWEST_FIRST }, name: 'newest_of_company' },
      { key: { organizationId: 1, invoiceId: 1, ...NEWEST_FIRST }, name: 'newest_of_invoice' },
      { key: { organizationId: 1, status: 1, ...NEWEST_FIRST }, name: 'newest_of_status' },
      { key: { dueAt: 1 }, sparse: true, name: 'due' },
      { key: { connectionId: 1, isOpen: 1 }, name: 'open' },
      { key: { connectionId: 1, waitsForConnection: 1 }, name: 'waiting' },
      // At most one session of a KSeF submission has a stored key, so the index has at most one entry for each
      // submission.
      { key: { 'progress.sessions.key.keyId': 1 }, sparse: true, name: 'session_key' },
    ]),
    ensureIndexes(confirmations, [{ key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' }]),
  ]);
}

interface Deps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Called with the time at which a KSeF submission that this process has stored becomes due. */
  readonly onDue: (dueAt: Date) => void;
}

export function submissionStore(
  collection: Collection<SubmissionDocument>,
  { outbox, clock, leaseMs, onDue }: Deps,
): SubmissionStore & SubmissionQueue {
  const aggregates = aggregateStore(collection, outbox, clock);

  const claimOf = (document: WithId<SubmissionDocument>, lease: Lease): SubmissionClaim => ({
    submission: toSubmission(document),
    attempts: document.attempts,
    keepAlive: (onLost) => lease.keepAlive(onLost),
    async save(progress, attempts, events, { isForConnection } = { isForConnection: false }) {
      const ours: Filter<SubmissionDocument> = { claim: lease.claimId };
      const change = toUpdate(toSubmission(document), progress, clock.now(), { attempts, isForConnection });
      const { _id: id, organizationId, version } = document;
      return claimOf(await aggregates.save({ id, organizationId, version }, change, { events, onlyIf: ours }), lease);
    },
    async release() {
      await collection.updateOne({ _id: document._id, claim: lease.claimId }, {
        $set: { leaseUntil: FREE },
        $unset: { claim: '' },
      } as UpdateFilter<SubmissionDocument>);
      if (document.dueAt !== undefined) onDue(document.dueAt);
    },
    async wait(dueAt, { isForConnection }) {
      await collection.updateOne({ _id: document._id, claim: lease.claimId }, {
        $set: { dueAt, leaseUntil: FREE, ...(isForConnection ? { waitsForConnection: true } : {}) },
        $unset: { claim: '', ...(isForConnection ? {} : { waitsForConnection: '' }) },
      } as UpdateFilter<SubmissionDocument>);
      onDue(dueAt);
    },
  });

  return {
    async insert(submission, events) {
      const { id, organizationId, companyId, connectionId, invoiceId, environment, document, createdAt, updatedAt } =
        submission;
      const { status, dueAt, ...progress } = progressOf(submission);
      try {
        await aggregates.insert(
          {
            _id: id,
            organizationId,
            companyId,
            connectionId,
            invoiceId,
            environment,
            document,
            warnings: submission.warnings,
            ...grantOf(submission),
            status,
            progress,
            attempts: [],
            dueAt,
            leaseUntil: FREE,
            isOpen: true,
            createdAt,
            updatedAt,
          },
          { events },
        );
        if (dueAt !== undefined) onDue(dueAt);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, connectionId, submissionId) {
      const found = await collection.findOne({ _id: submissionId, organizationId, connectionId });
      return found === null ? undefined : toSubmission(found);
    },
    async list(organizationId, { connectionId, companyId, status, invoiceId }, page) {
      const filter = {
        organizationId,
        ...(connectionId === undefined ? {} : { connectionId }),
        ...(companyId === undefined ? {} : { companyId }),
        ...(status === undefined ? {} : { status }),
        ...(invoiceId === undefined ? {} : { invoiceId }),
      };
      const { items, nextPageToken } = await findPage(collection, filter, page, { attempts: 0 });
      return { items: items.map(toSubmission), nextPageToken };
    },
    async attempts(organizationId, connectionId, submissionId) {
      const found = await collection.findOne(
        { _id: submissionId, organizationId, connectionId },
        { projection: { attempts: 1 } },
      );
      return found?.attempts;
    },
    async save(submission, progress, events, queued) {
      // The change ends the claim of a worker on the KSeF submission: the version has changed, so the worker can store
      // nothing more.
      const { $set, $unset } = toUpdate(submission, progress, clock.now(), { leaseUntil: FREE });
      const change = {
        $set: { ...$set, ...(queued === undefined ? {} : { warnings: queued.warnings, ...grantOf(queued) }) },
        $unset: { ...$unset, claim: '' },
      } as UpdateFilter<SubmissionDocument>;
      const saved = await aggregates.save(submission, change, { events });
      if (progress.dueAt !== undefined) onDue(progress.dueAt);
      return toSubmission(saved);
    },
    async hasOpenSubmissions(organizationId, connectionId) {
      const filter = { organizationId, connectionId, isOpen: true, status: { $in: [...UNFINISHED] } } as const;
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async hasUnfinishedWork(organizationId, connectionId) {
      const filter = { organizationId, connectionId, dueAt: { $exists: true } };
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async wakeUnsent(organizationId, connectionId) {
      const now = clock.now();
      const filter = {
        organizationId,
        connectionId,
        status: { $in: ['QUEUED', 'SENDING'] },
        dueAt: { $gt: now },
        wasSent: { $exists: false },
      } as Filter<SubmissionDocument>;
      await collection.updateMany(filter, { $set: { dueAt: now } });
      onDue(now);
    },
    async wake(organizationId, connectionId) {
      const waiting = { organizationId, connectionId, waitsForConnection: true } as const;
      const now = clock.now();
      await collection.updateMany(waiting, {
        $set: { dueAt: now },
        $unset: { waitsForConnection: '' },
      } as UpdateFilter<SubmissionDocument>);
      onDue(now);
    },
    async due(limit, busyConnectionIds) {
      const now = clock.now();
      const filter = {
        dueAt: { $lte: now },
        leaseUntil: { $lte: now },
        connectionId: { $nin: [...busyConnectionIds] },
      };
      const projection = { organizationId: 1, connectionId: 1 };
      const found = await collection.find(filter, { projection, sort: { dueAt: 1 }, limit }).toArray();
      return found.map(({ _id: id, organizationId, connectionId }) => ({ id, organizationId, connectionId }));
    },
    async claim({ id, organizationId }) {
      const wanted = { _id: id, organizationId, dueAt: { $lte: clock.now() } };
      const claimed = await claimOne(collection, wanted, { clock, leaseMs });
      return claimed === undefined ? undefined : claimOf(claimed.document, claimed);
    },
    async summarizeUnfinished() {
      const groups = await collection
        .aggregate<UnfinishedGroup>([
          { $match: { dueAt: { $exists: true } } },
          { $limit: UNFINISHED_MAX },
          { $set: { last: { $last: '$progress.sessions' } } },
          {
            $set: {
              // Once KSeF has named its reference for the document, the submission is no longer SENDING.
              sentAt: {
                $cond: [
                  { $and: [{ $eq: ['$status', 'SENDING'] }, { $ne: ['$last.isAbandoned', true] }] },
                  '$last.sentAt',
                  null,
                ],
              },
              open: {
                $size: { $filter: { input: '$progress.sessions', cond: { $ne: ['$$this.isClosed', true] } } },
              },
            },
          },
          {
            $group: {
              _id: '$status',
              count: { $sum: 1 },
              unknown: { $sum: { $cond: [{ $gt: ['$sentAt', null] }, 1, 0] } },
              since: { $min: '$sentAt' },
              open: { $sum: '$open' },
            },
          },
        ])
        .toArray();
      const sending = groups.find(({ _id: status }) => status === 'SENDING');
      return {
        byStatus: Object.fromEntries(groups.map(({ _id: status, count }) => [status, count])),
        unknown: { count: sending?.unknown ?? 0, since: sending?.since ?? undefined },
        openSessions: groups.reduce((sum, { open }) => sum + open, 0),
      };
    },
    async lagSeconds() {
      const now = clock.now();
      const filter = { dueAt: { $lte: now }, leaseUntil: { $lte: now } };
      const oldest = await collection.findOne(filter, { projection: { dueAt: 1 }, sort: { dueAt: 1 } });
      return (now.getTime() - (oldest?.dueAt ?? now).getTime()) / 1_000;
    },
    async dueBefore(before, limit) {
      const filter = { dueAt: { $lt: before }, leaseUntil: { $lte: clock.now() } };
      const projection = { organizationId: 1, connectionId: 1, status: 1, dueAt: 1 };
      const found = await collection.find(filter, { projection, sort: { dueAt: 1 }, limit }).toArray();
      return found.map(({ _id: id, organizationId, connectionId, status, dueAt: dueSince = before }) => ({
        id,
        organizationId,
        connectionId,
        status,
        dueSince,
      }));
    },
  };
}

export function confirmationStore(collection: Collection<ConfirmationDocument>): ConfirmationStore {
  return {
    async keep({ submissionId, organizationId, ksefNumber, xml, seal, storedAt }) {
      try {
        const confirmation = { organizationId, ksefNumber, xml: new Binary(xml), seal, createdAt: storedAt };
        await collection.insertOne(stored<ConfirmationDocument>({ _id: submissionId, ...confirmation }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async find(organizationId, submissionId) {
      const found = await collection.findOne({ _id: submissionId, organizationId });
      if (found === null) return undefined;
      const { ksefNumber, xml, seal, createdAt: storedAt } = found;
      return { submissionId, organizationId, ksefNumber, xml: Buffer.from(xml.buffer), seal, storedAt };
    },
  };
}

function toUpdate(
  before: Progress,
  progress: Progress,
  now: Date,
  { isForConnection = false, ...more }: Partial<Pick<SubmissionDocument, 'attempts' | 'leaseUntil'> & ConnectionWait>,
): UpdateFilter<SubmissionDocument> {
  const { status, dueAt, ...rest } = progressOf(progress);
  const isOpen = !isFinal(status) || rest.sessions.some(({ isClosed }) => !isClosed);
  return setOrUnset<SubmissionDocument>({
    status,
    progress: rest,
    ...(isShownAlike(before, progress) ? {} : { updatedAt: now }),
    ...more,
    dueAt,
    isOpen: isOpen ? true : undefined,
    waitsForConnection: isForConnection ? true : undefined,
    wasSent: wasSent(progress) ? true : undefined,
  });
}

/** Returns only the progress of a KSeF submission, without its other fields. */
function progressOf(progress: Progress): SubmissionDocument['progress'] & Pick<Progress, 'status' | 'dueAt'> {
  const { status, sessions, failures, polls, listFailures, restarts, ksefNumber, errorCode, errorMessage } = progress;
  const { upoReferenceNumber, submittedAt, completedAt, dueAt } = progress;
  return {
    status,
    sessions,
    failures,
    polls,
    listFailures,
    restarts,
    ksefNumber,
    errorCode,
    errorMessage,
    upoReferenceNumber,
    submittedAt,
    completedAt,
    dueAt,
  };
}

function toSubmission(found: WithId<SubmissionDocument>): Submission {
  const { _id: id, organizationId, version, companyId, connectionId, invoiceId, environment, document } = found;
  const { warnings = [], grant, createdAt, updatedAt } = found;
  return {
    ...toProgress(found),
    id,
    organizationId,
    version,
    companyId,
    connectionId,
    invoiceId,
    environment,
    document,
    warnings,
    grant: grant === undefined ? undefined : Buffer.from(grant.buffer),
    createdAt,
    updatedAt,
  };
}

function grantOf({ grant }: Pick<Submission, 'grant'>): Pick<SubmissionDocument, 'grant'> {
  return grant === undefined ? {} : { grant: new Binary(grant) };
}

/**
 * Converts a stored document to the progress of a KSeF submission.
 * @throws TypeError if fields are missing that the status requires. No version of the service has written such a
 *   document
 */
function toProgress({ _id: id, status, progress, dueAt }: WithId<SubmissionDocument>): Progress {
  const { ksefNumber, errorCode, errorMessage, upoReferenceNumber, completedAt, ...course } = progress;
  const required = <T>(name: string, value: T | undefined): T => {
    if (value === undefined) throw new TypeError(`The KSeF submission ${id} has the status ${status} but no ${name}.`);
    return value;
  };
  switch (status) {
    case 'QUEUED':
    case 'SENDING':
    case 'PROCESSING':
      return { ...course, ...UNDECIDED, status, dueAt };
    case 'ACCEPTED':
      return {
        ...course,
        ...UNDECIDED,
        status,
        dueAt,
        ksefNumber: required('ksefNumber', ksefNumber),
        upoReferenceNumber,
        completedAt: required('completedAt', completedAt),
      };
    case 'REJECTED':
    case 'FAILED':
      return {
        ...course,
        ...UNDECIDED,
        status,
        dueAt,
        errorCode: required('errorCode', errorCode),
        errorMessage: required('errorMessage', errorMessage),
        completedAt: required('completedAt', completedAt),
      };
  }
}
