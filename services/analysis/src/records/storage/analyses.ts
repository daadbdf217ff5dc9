import { Binary } from 'mongodb';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { groupedInsert } from '@invoicecontrol/runtime/mongo/group-commit';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { pageOf } from '@invoicecontrol/runtime/page';
import type { AnalysisRecord, AnalysisStore } from '../application/analysis-store.js';
import { unpackBundle, unpackFacts } from '../application/packed-facts.js';
import type { DecidedAnalysis } from '../application/invoice-store.js';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../domain/analysis.js';

/** Maximum number of analyses in one insert of concurrent decisions. */
const BATCH_ANALYSES_MAX = 100;

/** A stored decision with its facts. It is never changed. */
export interface AnalysisDocument extends Omit<DecidedAnalysis, 'analysisId'> {
  /** UUIDv5 derived from the invoice and the number of the analysis. */
  readonly _id: string;
  readonly organizationId: string;
  readonly invoiceId: string;
  /** Compressed facts. The facts of scan rows are stored in bundles with other rows. */
  readonly facts: Binary | BundledFacts;
  /** Gross amount of a scan row in the base currency, stored here until the invoice contains it. */
  readonly base?: ConvertedAmount | null;
}

/** Position of a row's facts in a bundle. */
export interface BundledFacts {
  readonly bundleId: string;
  readonly index: number;
}

/** The facts of many rows in one scan. They are so similar that a bundle takes a tenth of the space. */
export interface FactBundleDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly facts: Binary;
}

export async function createAnalysisIndexes(collection: Collection<AnalysisDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { organizationId: 1, invoiceId: 1, number: -1 }, name: 'of_invoice' },
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
  ]);
}

/**
 * Creates the indexes of fact bundles. Bundles are read only by id. All bundles of an organization are counted and
 * removed together.
 */
export async function createFactBundleIndexes(collection: Collection<FactBundleDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1 }, name: 'of_organization' }]);
}

export function analysisStore(
  collection: Collection<AnalysisDocument>,
  bundles: Collection<FactBundleDocument>,
): AnalysisStore {
  const withFacts = async (
    organizationId: string,
    documents: readonly AnalysisDocument[],
  ): Promise<AnalysisRecord[]> => {
    const bundleIds = new Set(documents.flatMap(({ facts }) => ('bundleId' in facts ? facts.bundleId : [])));
    const read = new Map<string, readonly AnalysisFacts[]>();
    if (bundleIds.size > 0) {
      const found = bundles.find({ _id: { $in: [...bundleIds] }, organizationId });
      for await (const { _id, facts } of found) read.set(_id, unpackBundle(Buffer.from(facts.buffer)));
    }
    return documents.map((document) => {
      const { facts } = document;
      if (!('bundleId' in facts)) return toRecord(document, unpackFacts(Buffer.from(facts.buffer)));
      const bundled = read.get(facts.bundleId)?.[facts.index];
      if (bundled === undefined) throw new Error(`the facts of analysis ${document._id} are missing`);
      return toRecord(document, bundled);
    });
  };
  const insert = groupedInsert(collection, BATCH_ANALYSES_MAX);
  return {
    async insert({ organizationId, invoiceId }, { analysisId, ...analysis }, facts) {
      try {
        await insert({
          _id: analysisId,
          organizationId,
          invoiceId,
          ...analysis,
          facts: new Binary(facts),
        });
      } catch (error) {
        // The id is derived, so an existing document means that the analysis is already stored.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async find(organizationId, analysisId) {
      const document = await collection.findOne({ _id: analysisId, organizationId });
      if (document === null) return undefined;
      const [record] = await withFacts(organizationId, [document]);
      return record;
    },
    async ofInvoice(organizationId, invoiceId, { size, after }) {
      const documents = await collection
        .find(
          { organizationId, invoiceId, ...(after && { number: { $lt: after.order } }) },
          { projection: { facts: 0, findings: 0 } },
        )
        .sort({ number: -1 })
        .limit(size + 1)
        .toArray();
      const summaries = documents.map(({ _id: analysisId, ...summary }) => ({ analysisId, ...summary }));
      return pageOf(summaries, size, ({ number, analysisId }) => ({ order: number, id: analysisId }));
    },
    async newest(organizationId, page) {
      const { items, nextPageToken } = await findPage(collection, { organizationId }, page);
      return { items: await withFacts(organizationId, items), nextPageToken };
    },
  };
}

function toRecord(
  { _id, organizationId, invoiceId, facts, base, ...analysis }: AnalysisDocument,
  read: AnalysisFacts,
): AnalysisRecord {
  return { invoiceId, analysis: { analysisId: _id, ...analysis }, facts: read };
}
