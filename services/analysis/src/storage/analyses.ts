import { Binary } from 'mongodb';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { AnalysisStore } from '../application/analysis-store.js';
import type { DecidedAnalysis } from '../application/invoice-store.js';

/** One decision with the facts it rests on; never changed. */
export interface AnalysisDocument extends Omit<DecidedAnalysis, 'analysisId'> {
  /** UUIDv5 of the invoice and the number of the analysis. */
  readonly _id: string;
  readonly organizationId: string;
  readonly invoiceId: string;
  readonly facts: Binary;
}

export async function createAnalysisIndexes(collection: Collection<AnalysisDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1, invoiceId: 1, number: -1 }, name: 'of_invoice' }]);
}

export function analysisStore(collection: Collection<AnalysisDocument>): AnalysisStore {
  return {
    async insert({ organizationId, invoiceId }, { analysisId, ...analysis }, facts) {
      try {
        await collection.insertOne({
          _id: analysisId,
          organizationId,
          invoiceId,
          ...analysis,
          facts: new Binary(facts),
        });
      } catch (error) {
        // The id is derived: there already means done already.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async find(organizationId, analysisId) {
      const document = await collection.findOne({ _id: analysisId, organizationId });
      if (document === null) return undefined;
      const { _id, organizationId: _organization, invoiceId, facts, ...analysis } = document;
      return { invoiceId, analysis: { analysisId: _id, ...analysis }, facts: Buffer.from(facts.buffer) };
    },
  };
}
