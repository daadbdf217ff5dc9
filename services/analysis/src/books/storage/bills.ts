import type { BillKind } from '@invoicecontrol/books/records';
import type { Collection, Document, Filter } from 'mongodb';
import { pageOf } from '@invoicecontrol/runtime/page';
import type { DeletableStore } from '../application/delete-records.js';
import type { BillStore, KnownBill, StoredBill, WithdrawnBill } from '../application/bill-store.js';
import type { ImportSource } from '../application/import-source.js';
import type { BillPart } from '../../records/storage/bill-part.js';
import { writePage } from './imported-records.js';
import { issuedBetween, SEARCHED, toRecord } from '../../records/storage/invoices.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import { searchFilter } from '../../records/storage/search-filter.js';

/**
 * Number of digits to which the time of an ERP bill, in milliseconds since 1970, is padded with zeros, so that the
 * strings sort like the numbers.
 */
const ORDER_DIGITS = 15;

/** Projection with the fields of stored ERP bills that are compared with an imported page. */
const KNOWN = {
  version: 1,
  companyId: 1,
  'erp.contentHash': 1,
  'erp.connectionId': 1,
  'erp.importedAt': 1,
  'erp.foundAtMs': 1,
  'erp.state': 1,
  'erp.deletedAt': 1,
  'match.supplierId': 1,
  'match.taxKey': 1,
  'match.nameKey': 1,
  'match.bookedInvoiceId': 1,
  'match.confirmedAs': 1,
  'match.suspectedAs': 1,
} as const;

/** Stores ERP bills in bulk as invoices without a decision. */
export function billStore(collection: Collection<InvoiceDocument>): BillStore {
  return {
    async find(organizationId, ids) {
      const documents = await collection
        .find(
          { _id: { $in: [...ids] }, organizationId, source: 'ERP' },
          { projection: KNOWN, batchSize: ids.length + 1 },
        )
        .toArray();
      return new Map(
        documents.flatMap((document) => (document.erp ? [[document._id, toKnown(document, document.erp)]] : [])),
      );
    },
    write(organizationId, bills) {
      const documents = bills.map((bill) => ({ _id: bill.id, organizationId, version: bill.version, bill }));
      return writeBills(collection, organizationId, documents);
    },
    async list(organizationId, query) {
      const { companyId, supplierId, issuedFrom, issuedTo, search, size, after, createdFrom, createdTo } = query;
      const searched = search === undefined ? [] : searchFilter(search, SEARCHED);
      if (searched === undefined) return { items: [], nextPageToken: '' };
      const upTo = [
        ...(createdTo === undefined ? [] : [orderOf(createdTo.getTime(), '')]),
        ...(after === undefined ? [] : [orderOf(after.order, after.id)]),
      ].sort()[0];
      const order = {
        ...(createdFrom === undefined ? {} : { $gte: orderOf(createdFrom.getTime(), '') }),
        ...(upTo === undefined ? {} : { $lt: upTo }),
      };
      const filter: Document = {
        ...(searched.length > 0 && { $and: searched }),
        organizationId,
        'erp.organizationId': organizationId,
        ...(companyId === undefined ? {} : { 'erp.companyId': companyId }),
        ...(supplierId === undefined ? {} : { [SEARCHED.supplier]: supplierId }),
        ...issuedBetween(issuedFrom, issuedTo),
        ...(Object.keys(order).length === 0 ? {} : { 'erp.order': order }),
      };
      const found = await collection
        .find(filter as Filter<InvoiceDocument>, { sort: { 'erp.order': -1 }, limit: size + 1 })
        .toArray();
      return pageOf(found.map(toRecord), size, ({ createdAt, invoiceId }) => ({
        order: createdAt.getTime(),
        id: invoiceId,
      }));
    },
    async newestOfVendor(organizationId, vendorId, limit) {
      const filter = { organizationId, 'erp.organizationId': organizationId, 'erp.vendorId': vendorId };
      const documents = await collection
        .find<{ _id: string; erp: { importedAt: Date } }>(filter as Filter<InvoiceDocument>, {
          projection: { 'erp.importedAt': 1 },
          sort: { 'erp.order': -1 },
          limit,
        })
        .toArray();
      return documents.map(({ _id: invoiceId, erp }) => ({ invoiceId, createdAt: erp.importedAt }));
    },
  };
}

/** Provides the stored ERP bills of one kind for a comparison with a complete list of ids. */
export function deletableBills(collection: Collection<InvoiceDocument>, kind: BillKind): DeletableStore {
  const live = ({ organizationId, remoteCompanyId }: ImportSource) => ({
    organizationId,
    'erp.organizationId': organizationId,
    'erp.remoteCompanyId': remoteCompanyId,
    'erp.kind': kind,
    'erp.deletedAt': { $exists: false },
  });
  return {
    async hasLive(of) {
      return (await collection.findOne(live(of) as Filter<InvoiceDocument>, { projection: { _id: 1 } })) !== null;
    },
    async live(of, { after, last }, limit) {
      const externalId = { $gt: after, ...(last === undefined ? {} : { $lte: last }) };
      const documents = await collection
        .find<{ _id: string; erp: { externalId: string } }>(
          { ...live(of), 'erp.externalId': externalId } as Filter<InvoiceDocument>,
          {
            projection: { 'erp.externalId': 1 },
            sort: { 'erp.externalId': 1 },
            limit,
            batchSize: limit + 1,
          },
        )
        .toArray();
      return documents.map(({ _id: id, erp }) => ({ id, externalId: erp.externalId }));
    },
    async markDeleted({ organizationId, connectionId }, ids, now) {
      const filter = { _id: { $in: [...ids] }, organizationId, 'erp.kind': kind, 'erp.deletedAt': { $exists: false } };
      const { modifiedCount } = await collection.updateMany(
        filter as Filter<InvoiceDocument>,
        {
          $set: { ...withdrawnTo({ withdrawnAs: 'VOID', connectionId, changedAt: now }), 'erp.deletedAt': now },
          $unset: { 'erp.contentHash': '' },
          $inc: { version: 1 },
        } as never,
      );
      return modifiedCount;
    },
  };
}

interface Versioned {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly bill: StoredBill | WithdrawnBill;
}

function writeBills(
  collection: Collection<InvoiceDocument>,
  organizationId: string,
  documents: readonly Versioned[],
): Promise<ReadonlySet<string>> {
  const whole = documents.map(({ bill, ...identity }) => ({
    ...identity,
    ...('erp' in bill ? partsOf(organizationId, bill) : { withdrawn: bill }),
  }));
  return writePage(collection as never, organizationId, whole, ({ _id, version, writeId, ...document }) => ({
    updateOne: {
      filter: { _id, organizationId, version: version - 1 },
      update:
        'withdrawn' in document
          ? {
              $set: { ...withdrawnTo(document.withdrawn), version, writeId },
              $unset: { 'erp.contentHash': '' },
            }
          : { $set: { ...document, version, writeId } },
    },
  }));
}

/**
 * Builds the database document for an ERP bill. It has no `createdAt`, so that lists of other invoices skip it without
 * reading it.
 */
function partsOf(
  organizationId: string,
  { id, companyId, invoice, match, erp }: StoredBill,
): Pick<InvoiceDocument, 'companyId' | 'source' | 'status' | 'invoice' | 'match'> & { readonly erp: BillPart } {
  return {
    companyId,
    source: 'ERP',
    status: 'RECEIVED',
    invoice,
    match,
    erp: {
      ...erp,
      organizationId,
      companyId,
      order: orderOf(erp.importedAt.getTime(), id),
      ...(match.poKey === undefined || erp.purchaseOrderRefs.length !== 1 ? {} : { orderKey: match.poKey }),
    },
  };
}

/** Returns the update for an ERP bill that is no longer compared with invoices. */
function withdrawnTo({
  withdrawnAs: state,
  connectionId,
  changedAt,
}: Pick<WithdrawnBill, 'withdrawnAs' | 'connectionId' | 'changedAt'>): object {
  return {
    'erp.state': state,
    'erp.connectionId': connectionId,
    'erp.changedAt': changedAt,
    'match.keys': [],
    'match.status': state === 'VOID' ? 'VOID' : 'RECEIVED',
  };
}

function orderOf(ms: number, id: string): string {
  return `${String(Math.max(ms, 0)).padStart(ORDER_DIGITS, '0')}|${id}`;
}

function toKnown({ version, companyId, match }: InvoiceDocument, erp: BillPart): KnownBill {
  const { contentHash, connectionId, importedAt, foundAtMs, state, deletedAt } = erp;
  return { version, companyId, contentHash, connectionId, importedAt, foundAtMs, state, deletedAt, match };
}
