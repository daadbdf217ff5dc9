import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Filter } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { groupedReads } from '../../records/storage/records-by-keys.js';
import { REVIEWS_MAX } from '../application/review-store.js';
import type { ReviewStore } from '../application/review-store.js';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import type { CurrentReview } from '../domain/review.js';

/** The current review of a finding, with the keys by which it is looked up. */
export interface FindingReviewDocument extends Omit<CurrentReview, 'findingId'> {
  /** Finding id, which is also the id of the stored review. */
  readonly _id: string;
  readonly organizationId: string;
  /** The evidence key of the finding and all its pair keys. */
  readonly keys: readonly string[];
}

/** Dispositions of a finding that determine if a bank account is trusted. */
const ACCOUNT_DISPOSITIONS = ['CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK'] as const;
/**
 * Dispositions of a finding that describe the progress of a fraud case. They do not change whether the bank account is
 * blocked.
 */
const CASE_DISPOSITIONS: Disposition[] = ['OPEN', 'UNDER_REVIEW', 'RESOLVED'];

export async function createFindingReviewIndexes(collection: Collection<FindingReviewDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, keys: 1 }, name: 'keys' },
    { key: { organizationId: 1, bankKey: 1, disposition: 1, reviewedAt: -1 }, name: 'account_newest' },
    { key: { organizationId: 1, supplierId: 1, type: 1, signature: 1, reviewedAt: -1 }, name: 'subject' },
  ]);
}

export function reviewStore(collection: Collection<FindingReviewDocument>): ReviewStore {
  const readFalsePositives = async (
    organizationId: string,
    keys: readonly string[],
    limit: number,
  ): Promise<CurrentReview[]> => {
    const documents = await collection
      .find({ organizationId, keys: { $in: [...keys] }, disposition: 'FALSE_POSITIVE' })
      .limit(limit)
      .toArray();
    return documents.map(toReview);
  };
  const falsePositives = groupedReads<CurrentReview>({
    read: (organizationId, keys) => readFalsePositives(organizationId, keys, REVIEWS_MAX),
    readTogether: readFalsePositives,
    keysOf,
    limitOf: () => REVIEWS_MAX,
  });
  return {
    async upsert(organizationId, { findingId, ...review }) {
      const keys = keysOf(review);
      try {
        await collection.replaceOne(
          { _id: findingId, organizationId, sourceVersion: { $lte: review.sourceVersion } },
          { organizationId, ...review, keys },
          { upsert: true },
        );
      } catch (error) {
        // The stored review of the finding has a newer version, so the upsert matched nothing and its insert failed.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    falsePositives,
    async ofAccount(organizationId, bankKey) {
      // Returns the newest reviews that meet a condition. Each disposition is read separately, so that many reviews
      // with other dispositions cannot hide the last confirmation of fraud.
      const newest = (having: Filter<FindingReviewDocument>): Promise<FindingReviewDocument[]> =>
        collection
          .find({ ...having, organizationId, bankKey })
          .sort({ reviewedAt: -1 })
          .limit(REVIEWS_MAX)
          .toArray();
      const documents = await Promise.all([
        ...ACCOUNT_DISPOSITIONS.map((disposition) => newest({ disposition })),
        newest({ disposition: { $in: CASE_DISPOSITIONS }, blockedSince: { $exists: true } }),
      ]);
      return documents.flat().map(toReview);
    },
    async ofSubject(organizationId, { supplierId, type, signature }) {
      const documents = await collection
        .find({ organizationId, supplierId, type: type as CurrentReview['type'], signature })
        .sort({ reviewedAt: -1 })
        .limit(REVIEWS_MAX)
        .toArray();
      return documents.map(toReview);
    },
  };
}

/** Returns the keys by which the review of a finding is looked up. */
function keysOf({ evidenceKey, pairKeys }: Pick<CurrentReview, 'evidenceKey' | 'pairKeys'>): readonly string[] {
  return [evidenceKey, ...pairKeys];
}

function toReview(document: FindingReviewDocument): CurrentReview {
  const { _id: findingId, organizationId, keys, ...review } = document;
  return { findingId, ...review };
}
