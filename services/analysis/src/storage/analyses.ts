import { Binary } from 'mongodb';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { AnalysisRecord, AnalysisStore } from '../application/analysis-store.js';
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
  await collection.createIndexes([
    { key: { organizationId: 1, invoiceId: 1, number: -1 }, name: 'of_invoice' },
    { key: { organizationId: 1, createdAt: -1, _id: -1 }, name: 'newest' },
  ]);
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
      return document === null ? undefined : toAnalysisRecord(document);
    },
    async ofInvoice(organizationId, invoiceId, { below, limit }) {
      const documents = await collection
        .find(
          { organizationId, invoiceId, ...(below === undefined ? {} : { number: { $lt: below } }) },
          { projection: { facts: 0, findings: 0 } },
        )
        .sort({ number: -1 })
        .limit(limit)
        .toArray();
      return documents.map(({ _id: analysisId, ...summary }) => ({ analysisId, ...summary }));
    },
    async newest(organizationId, { after, limit }) {
      const documents = await collection
        .find({
          organizationId,
          ...(after === undefined
            ? {}
            : {
                createdAt: { $lte: after.createdAt },
                $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after.id } }],
              }),
        })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return documents.map(toAnalysisRecord);
    },
  };
}

export function toAnalysisRecord(document: AnalysisDocument): AnalysisRecord {
  const { _id: analysisId, organizationId, invoiceId, facts, ...analysis } = document;
  return { invoiceId, analysis: { analysisId, ...analysis }, facts: Buffer.from(facts.buffer) };
}
