import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Binary, Collection } from 'mongodb';
import { unpackBundle, unpackFacts } from '../application/packed-facts.js';
import type { AnalysisFacts } from '../domain/analysis.js';

/** The stored facts of an invoice analysis: compressed, or for a history scan row, their position in a bundle. */
export type StoredFacts = Binary | BundledFacts;

/** Position of the facts of a scan row in a bundle. */
export interface BundledFacts {
  readonly bundleId: string;
  readonly index: number;
}

/** Stored facts of many rows of one history scan. The facts are so similar that a bundle takes a tenth of the space. */
export interface FactBundleDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly facts: Binary;
}

/**
 * Creates the indexes of fact bundles, each of which holds the facts of many scan rows. A bundle is read only by its
 * id, and all bundles of an organization are counted and removed together.
 */
export async function createFactBundleIndexes(collection: Collection<FactBundleDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1 }, name: 'of_organization' }]);
}

export function isBundled(facts: StoredFacts): facts is BundledFacts {
  return 'bundleId' in facts;
}

/** Reads and decompresses the facts of invoice analyses. Each bundle of scan row facts is read once. */
export async function readFacts(
  bundles: Collection<FactBundleDocument>,
  organizationId: string,
  stored: readonly StoredFacts[],
): Promise<readonly AnalysisFacts[]> {
  const bundleIds = new Set(stored.flatMap((facts) => (isBundled(facts) ? facts.bundleId : [])));
  const read = new Map<string, readonly AnalysisFacts[]>();
  if (bundleIds.size > 0) {
    const found = bundles.find({ _id: { $in: [...bundleIds] }, organizationId });
    for await (const { _id, facts } of found) read.set(_id, unpackBundle(Buffer.from(facts.buffer)));
  }
  return stored.map((facts) => {
    if (!isBundled(facts)) return unpackFacts(Buffer.from(facts.buffer));
    const bundled = read.get(facts.bundleId)?.[facts.index];
    if (bundled === undefined) throw new Error(`facts ${facts.index} of bundle ${facts.bundleId} are missing`);
    return bundled;
  });
}
