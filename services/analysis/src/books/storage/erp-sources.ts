import type { Collection } from 'mongodb';
import { notFound } from '@invoicecontrol/errors';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { ErpSource, ErpSourceStore, OpenExamination } from '../application/import-source.js';

/** Maximum number of ERP connections that are stored for one organization. */
const SOURCES_OF_ORGANIZATION_MAX = 1_000;

/** Stored import state of one ERP connection. */
export interface ErpSourceDocument {
  readonly _id: string;
  readonly organizationId: string;
  /**
   * Id of the company that an ERP connection belongs to. Absent if the connection was disconnected before it sent
   * records.
   */
  readonly companyId?: string;
  readonly remoteCompanyId?: string;
  readonly provider?: string;
  readonly createdAt: Date;
  readonly completedThrough?: Date;
  readonly syncedAt?: Date;
  readonly endedAt?: Date;
  readonly examination?: Omit<OpenExamination, 'from'> & { readonly from?: Date };
}

export async function createErpSourceIndexes(collection: Collection<ErpSourceDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1 }, name: 'of_organization' }]);
}

export function erpSourceStore(collection: Collection<ErpSourceDocument>): ErpSourceStore {
  return {
    async begin({ organizationId, connectionId, companyId, remoteCompanyId, provider }, now) {
      const known = await collection.findOne({ _id: connectionId, organizationId });
      if (known !== null) return toSource(known);
      // If the company was connected to its ERP before, its records are already stored, and differences from the stored
      // records count as changes.
      const [before] = await collection
        .find({ organizationId, remoteCompanyId, completedThrough: { $exists: true } })
        .sort({ completedThrough: -1 })
        .limit(1)
        .toArray();
      const document = stored<ErpSourceDocument>({
        _id: connectionId,
        organizationId,
        companyId,
        remoteCompanyId,
        provider,
        createdAt: now,
        completedThrough: before?.completedThrough,
      });
      try {
        await collection.insertOne(document);
        return toSource(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const begun = await collection.findOne({ _id: connectionId, organizationId });
        // No import state is returned if the id belongs to an ERP connection of another organization.
        if (begun === null) throw notFound('connection');
        return toSource(begun);
      }
    },
    async ofOrganization(organizationId) {
      const documents = await collection
        .find({ organizationId, endedAt: { $exists: false } })
        .limit(SOURCES_OF_ORGANIZATION_MAX)
        .toArray();
      return documents.map(toSource);
    },
    async beginExamination({ organizationId, connectionId }, examination) {
      const wanted = { _id: connectionId, organizationId, examination: { $exists: false } };
      await collection.updateOne(wanted, { $set: { examination: toDocument(examination) } });
      const source = await collection.findOne({ _id: connectionId, organizationId });
      return (source === null ? undefined : toSource(source).examination) ?? examination;
    },
    async saveExamination({ organizationId, connectionId }, examination) {
      // The progress of the examination of ERP records is stored only while the examination is open, because another
      // call may have completed it in the meantime.
      const open = { _id: connectionId, organizationId, 'examination.until': examination.until };
      await collection.updateOne(open, { $set: { examination: toDocument(examination) } });
    },
    async complete({ organizationId, connectionId }, { completedThrough, syncedAt }) {
      await collection.updateOne(
        { _id: connectionId, organizationId, 'examination.until': completedThrough },
        {
          $max: stored<Partial<ErpSourceDocument>>({ completedThrough, syncedAt }),
          $unset: { examination: '' },
        },
      );
    },
    async end(organizationId, connectionId, now) {
      const document = { _id: connectionId, organizationId, createdAt: now, endedAt: now };
      try {
        await collection.insertOne(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        await collection.updateOne(
          { _id: connectionId, organizationId, endedAt: { $exists: false } },
          { $set: { endedAt: now } },
        );
      }
    },
  };
}

function toDocument({ from, ...examination }: OpenExamination): NonNullable<ErpSourceDocument['examination']> {
  return stored<NonNullable<ErpSourceDocument['examination']>>({ ...examination, from });
}

function toSource(document: ErpSourceDocument): ErpSource {
  const { _id: connectionId, organizationId, companyId = '', remoteCompanyId = '', provider = '' } = document;
  const { completedThrough, syncedAt, endedAt, examination } = document;
  return {
    organizationId,
    connectionId,
    companyId,
    remoteCompanyId,
    provider,
    completedThrough,
    syncedAt,
    endedAt,
    examination: examination && { ...examination, from: examination.from },
  };
}
