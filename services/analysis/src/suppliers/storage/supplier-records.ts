import type { BankLink } from '@invoicecontrol/engine/facts/links';
import type { SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { BankLinkStore } from '../../records/application/counted-records.js';
import type { FindingDocument } from '../../records/storage/findings.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import { beginsWith } from '../../records/storage/search-filter.js';
import { toRecord } from '../../records/storage/suppliers.js';
import type { SupplierDocument } from '../../records/storage/suppliers.js';
import type { SupplierRecords } from '../application/supplier-records.js';

/** Maximum number of findings that are counted for one page of suppliers, and that are shown for one supplier. */
const FINDINGS_COUNTED_MAX = 10_000;
const OPEN_FINDINGS_MAX = 100;
const SEARCH_MS_MAX = 20_000;

/** Creates the index for the list of suppliers by name. All other queries for suppliers use existing indexes. */
export async function createSupplierNameIndex(suppliers: Collection<SupplierDocument>): Promise<void> {
  await ensureIndexes(suppliers, [{ key: { organizationId: 1, nameKey: 1, _id: 1 }, name: 'by_name' }]);
}

export function supplierRecords({
  suppliers,
  findings,
  invoices,
  bankLinks,
}: {
  readonly suppliers: Collection<SupplierDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly invoices: Collection<InvoiceDocument>;
  readonly bankLinks: Pick<BankLinkStore, 'findMany'>;
}): SupplierRecords {
  return {
    async list(organizationId, { nameKeyPrefix, after, size }) {
      const documents = await suppliers
        .find({
          organizationId,
          nameKey: { ...beginsWith(nameKeyPrefix), ...(after && { $gte: after.nameKey }) },
          ...(after && { $or: [{ nameKey: { $gt: after.nameKey } }, { _id: { $gt: after.id } }] }),
        })
        .sort({ nameKey: 1, _id: 1 })
        .limit(size)
        .toArray();
      return documents.map(toRecord);
    },
    async openFindings(organizationId, supplierIds) {
      if (supplierIds.length === 0) return new Map();
      const counts = await findings
        .aggregate<{ _id: string; count: number }>([
          {
            $match: {
              organizationId,
              supplierId: { $in: [...supplierIds] },
              disposition: { $in: ['OPEN', 'UNDER_REVIEW'] },
            },
          },
          { $limit: FINDINGS_COUNTED_MAX },
          { $group: { _id: '$supplierId', count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(counts.map(({ _id, count }) => [_id, Math.min(count, OPEN_FINDINGS_MAX)]));
    },
    async withNewAccounts(organizationId, { from, to }, afterId, limit) {
      const within = { $gte: from, $lte: to };
      // A supplier profile stores several days for each bank account. Only code that reads the profile selects the day
      // on which the account was first seen. The query therefore compares all of these days.
      const documents = await suppliers
        .find(
          {
            organizationId,
            _id: { $gt: afterId },
            $or: ['firstDay', 'earning.firstDay', 'asked.firstDay', 'history.firstDay'].map((day) => ({
              [`profile.accounts.${day}`]: within,
            })),
          },
          { projection: { _id: 1 }, maxTimeMS: SEARCH_MS_MAX },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return documents.map(({ _id }) => _id);
    },
    async withAccounts(organizationId, supplierIds) {
      const documents = await suppliers
        .find<{ _id: string; name: string; profile: Pick<SupplierProfile, 'accounts'> }>(
          { _id: { $in: [...supplierIds] }, organizationId },
          { projection: { name: 1, 'profile.accounts': 1 } },
        )
        .sort({ _id: 1 })
        .toArray();
      return documents.map(({ _id: supplierId, name, profile }) => ({ supplierId, name, profile }));
    },
    async firstInvoices(organizationId, invoiceIds) {
      const documents = await invoices
        .find(
          { _id: { $in: [...invoiceIds] }, organizationId },
          { projection: { companyId: 1, source: 1, createdAt: 1, 'erp.importedAt': 1 } },
        )
        .toArray();
      return new Map(
        documents.map(({ _id, companyId, source, createdAt, erp }) => [
          _id,
          { companyId, source, receivedAt: erp?.importedAt ?? createdAt },
        ]),
      );
    },
    async invoiceTexts(organizationId, invoiceIds) {
      const documents = await invoices
        .find({ _id: { $in: [...invoiceIds] }, organizationId }, { projection: { invoice: 1, documentId: 1 } })
        .toArray();
      return documents.map(({ invoice, documentId }) => ({ invoice, documentId }));
    },
    async bankLinks(organizationId, accountKeys) {
      const links = await bankLinks.findMany(organizationId, accountKeys);
      return new Map([...links].map(([key, { link }]): [string, BankLink] => [key, link]));
    },
  };
}
