import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import { notFound } from '@invoicecontrol/errors';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { RowsOutcome, ScanRun, ScanRunStore } from '../../records/application/scan-run-store.js';

export interface ScanRunDocument {
  /** Id of the history scan, which is also the id of its stored run. */
  readonly _id: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly receivedAtMs: number;
  readonly isFirstScan: boolean;
  /** Time when the last call for the history scan began. Absent in old records. */
  readonly begunAt?: Date;
  readonly outcome?: RowsOutcome;
}

export async function createScanRunIndexes(collection: Collection<ScanRunDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1, receivedAtMs: 1 }, name: 'of_organization' }]);
}

export function scanRunStore(collection: Collection<ScanRunDocument>): ScanRunStore {
  return {
    async begin({ organizationId, scanId, companyId }, receivedAt, begunAt) {
      const known = await collection.findOne({ _id: scanId, organizationId });
      if (known !== null) {
        if (known.outcome === undefined)
          await collection.updateOne({ _id: scanId, organizationId }, { $set: { begunAt } });
        return { run: toRun(known), isRepeat: true };
      }
      const earlier = await collection.findOne({ organizationId }, { projection: { _id: 1 } });
      const run = { receivedAtMs: receivedAt.getTime(), isFirstScan: earlier === null };
      try {
        await collection.insertOne({ _id: scanId, organizationId, companyId, ...run, begunAt });
        return { run, isRepeat: false };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const begun = await collection.findOne({ _id: scanId, organizationId });
        if (begun === null) throw notFound('scan');
        return { run: toRun(begun), isRepeat: true };
      }
    },
    async receiveLater({ organizationId, scanId }, receivedAtMs) {
      await collection.updateOne({ _id: scanId, organizationId }, { $set: { receivedAtMs } });
    },
    async finish({ organizationId, scanId }, outcome) {
      await collection.updateOne({ _id: scanId, organizationId }, { $set: { outcome } });
    },
    async unfinalized(organizationId, scanIds) {
      const documents = await collection
        .find({ _id: { $in: [...scanIds] }, organizationId, outcome: { $exists: false } }, { projection: { _id: 1 } })
        .toArray();
      return new Set(documents.map(({ _id }) => _id));
    },
    async begunWithoutResult(organizationId, scanIds) {
      const documents = await collection
        .find(
          { _id: { $in: [...scanIds] }, organizationId, outcome: { $exists: false } },
          { projection: { begunAt: 1, receivedAtMs: 1 } },
        )
        .toArray();
      return new Map(documents.map(({ _id, begunAt, receivedAtMs }) => [_id, begunAt ?? new Date(receivedAtMs)]));
    },
  };
}

function toRun({ receivedAtMs, isFirstScan, outcome }: ScanRunDocument): ScanRun {
  return { receivedAtMs, isFirstScan, ...(outcome === undefined ? {} : { outcome }) };
}
