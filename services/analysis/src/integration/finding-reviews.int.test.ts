import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { ReviewStore } from '../reviews/application/review-store.js';
import type { CurrentReview } from '../reviews/domain/review.js';
import { createFindingReviewIndexes, reviewStore } from '../reviews/storage/finding-reviews.js';
import type { FindingReviewDocument } from '../reviews/storage/finding-reviews.js';

let mongo: MongoConnection;
let reviews: ReviewStore;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  const collection = mongo.db.collection<FindingReviewDocument>('finding_reviews');
  await createFindingReviewIndexes(collection);
  reviews = reviewStore(collection);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const currentReview = (changes: Partial<CurrentReview> = {}): CurrentReview => ({
  findingId: randomUUID(),
  sourceVersion: 2,
  type: 'SUSPECTED_DUPLICATE',
  family: 'DUP',
  disposition: 'FALSE_POSITIVE',
  evidenceKey: 'evidence',
  pairKeys: ['pair 1', 'pair 2'],
  invoiceId: 'invoice',
  supplierId: 'supplier',
  signature: 'SEQ/EQ/SAME',
  reviewedAt: new Date('2026-03-01T10:00:00Z'),
  ...changes,
});

test('a review is found by its evidence key and by each of its pairs, in its own organization', async () => {
  const [organizationId, stranger] = [randomUUID(), randomUUID()];
  const review = currentReview();
  await reviews.upsert(organizationId, review);
  for (const key of ['evidence', 'pair 1', 'pair 2']) {
    expect(await reviews.falsePositives(organizationId, [key, 'other'])).toEqual([review]);
    expect(await reviews.falsePositives(stranger, [key])).toEqual([]);
  }
  expect(await reviews.falsePositives(organizationId, ['other'])).toEqual([]);
});

test('an older word never replaces a newer one, in whatever order they come and however often', async () => {
  const organizationId = randomUUID();
  const older = currentReview();
  const newer = { ...older, sourceVersion: 3, disposition: 'OPEN' } as const;
  await Promise.all([older, newer, older, newer, older].map((review) => reviews.upsert(organizationId, review)));
  await reviews.upsert(organizationId, older);
  expect(await reviews.falsePositives(organizationId, ['evidence'])).toEqual([]);
  expect(await reviews.ofSubject(organizationId, older)).toEqual([newer]);
});
