import type { Collection, Document, Filter } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { CANDIDATES_PER_KEY_MAX, HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { MongoBulkWriteError } from 'mongodb';
import type {
  BillLink,
  BookBill,
  BookPayment,
  BooksStore,
  ChangedPage,
  ChangeWindow,
  FoundPayments,
  SharingRecord,
} from '../application/books-store.js';
import { paidInvoiceKey, paymentAmountKey, paymentKeysOf } from '../../books/application/import-payments.js';
import type { StoredPayment } from '../../books/application/import-payments.js';
import type { ImportSource } from '../../books/application/import-source.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';
import type { ErpPaymentDocument } from '../../books/storage/erp-payments.js';
import { inBatches } from '../../records/storage/in-batches.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import { readSharing } from '../../records/storage/records-by-keys.js';
import type { VendorDocument } from '../../books/storage/vendors.js';

/** Number of ERP vendors that are examined together, because all compared records are in memory at the same time. */
const PAGE_VENDORS = 250;
const PAGE_BILLS = 100;
const PAGE_PAYMENTS = 100;
/** Number of changed ERP records that one database command reads. */
const READ_AT_ONCE = 1_000;
/** Maximum number of lookup keys and ids in one database command that reads ERP records. */
const LOOKUP_KEYS_MAX = 250;
/**
 * Maximum number of ERP records that are read for one lookup key: vendors with the same tax id or account, payments of
 * the same amount to one vendor, and payments for one bill.
 */
const SHARING_PER_KEY_MAX = 64;
/**
 * Maximum number of ERP payments to one vendor (the newest ones) that are compared again after its credit notes or
 * accounts have changed.
 */
export const PAYMENTS_OF_VENDOR_MAX = 500;
/**
 * Maximum number of ERP bills of one vendor (the newest) that are compared again after its credit notes have changed.
 */
export const BILLS_OF_VENDOR_MAX = 500;
/** Maximum number of ERP credit notes with the same amount, from one supplier and one quarter, that are compared. */
const CREDITS_PER_KEY_MAX = 64;
const LINKS_OF_WRITE_MAX = 100;

interface Collections {
  readonly invoices: Collection<InvoiceDocument>;
  readonly vendors: Collection<VendorDocument>;
  readonly payments: Collection<ErpPaymentDocument>;
}

/** Reads the imported ERP records in pages of limited size through their indexes. */
export function booksStore({ invoices, vendors, payments }: Collections): BooksStore {
  const billsIn = (filter: object): Filter<InvoiceDocument> => filter as Filter<InvoiceDocument>;

  return {
    changedVendors: (of, window) =>
      changesOf(vendors as unknown as Collection<Document & { _id: string }>, {
        filter: { organizationId: of.organizationId, connectionId: of.connectionId },
        changedAt: 'changedAt',
        window,
        size: PAGE_VENDORS,
        read: toVendor,
      }),
    changedVendorAccounts: (of, window) =>
      changesOf(vendors as unknown as Collection<Document & { _id: string }>, {
        filter: {
          organizationId: of.organizationId,
          connectionId: of.connectionId,
          accountChange: { $exists: true },
        },
        changedAt: 'changedAt',
        window,
        size: PAGE_VENDORS,
        read: toVendor,
      }),
    changedBills: (of, window) =>
      changesOf(invoices as unknown as Collection<Document & { _id: string }>, {
        filter: {
          organizationId: of.organizationId,
          'erp.organizationId': of.organizationId,
          'erp.connectionId': of.connectionId,
        },
        changedAt: 'erp.changedAt',
        projection: { match: 1, erp: 1 },
        window,
        size: PAGE_BILLS,
        read: toBill,
      }),
    changedPayments: (of, window) =>
      changesOf(payments as unknown as Collection<Document & { _id: string }>, {
        filter: { organizationId: of.organizationId, connectionId: of.connectionId },
        changedAt: 'changedAt',
        window,
        size: PAGE_PAYMENTS,
        read: toPayment,
      }),
    countVendors: ({ organizationId, connectionId }) =>
      vendors.countDocuments({ organizationId, connectionId, deletedAt: { $exists: false } } as Filter<VendorDocument>),
    async vendorsByKeys({ organizationId, connectionId }, keys) {
      const found = await inBatches(keys, LOOKUP_KEYS_MAX, (batch) =>
        readSharing(
          batch,
          (keysCount) => SHARING_PER_KEY_MAX * keysCount,
          (some, limit) =>
            vendors
              .find({
                organizationId,
                keys: { $in: [...some] },
                connectionId,
                deletedAt: { $exists: false },
              } as Filter<VendorDocument>)
              .limit(limit)
              .toArray(),
        ),
      );
      return distinct(found.flat().map(toVendor));
    },
    async vendorsByIds({ organizationId }, ids) {
      const found = await inBatches(ids, LOOKUP_KEYS_MAX, (some) =>
        vendors.find({ _id: { $in: [...some] }, organizationId } as Filter<VendorDocument>).toArray(),
      );
      return found.flat().map(toVendor);
    },
    async billedVendors({ organizationId }, vendorIds, sinceDay) {
      const found = await inBatches(vendorIds, LOOKUP_KEYS_MAX, (some) =>
        invoices
          .aggregate<{ _id: string }>([
            {
              $match: {
                organizationId,
                'erp.organizationId': organizationId,
                'erp.vendorId': { $in: [...some] },
                'erp.state': { $nin: ['DRAFT', 'VOID'] },
                'match.issueDay': { $gte: sinceDay },
              },
            },
            { $group: { _id: '$erp.vendorId' } },
          ])
          .toArray(),
      );
      return new Set(found.flat().map(({ _id }) => _id));
    },
    async openBills({ organizationId }, vendorIds) {
      const found = await inBatches(vendorIds, LOOKUP_KEYS_MAX, (some) =>
        invoices
          .aggregate<{ _id: string; bills: number }>([
            {
              $match: {
                organizationId,
                'erp.organizationId': organizationId,
                'erp.vendorId': { $in: [...some] },
                'erp.kind': 'BILL',
                'erp.state': { $in: ['IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID'] },
              },
            },
            { $group: { _id: '$erp.vendorId', bills: { $sum: 1 } } },
          ])
          .toArray(),
      );
      return new Map(found.flat().map(({ _id, bills }) => [_id, bills]));
    },
    async sharing(organizationId, keys, exceptIds) {
      const read = (some: readonly string[], limit: number) =>
        invoices
          .find<Pick<InvoiceDocument, 'match' | 'status' | 'erp'>>(
            { organizationId, 'match.keys': { $in: [...some] }, _id: { $nin: [...exceptIds] } },
            { projection: { match: 1, status: 1, 'erp.state': 1, 'erp.vendorId': 1 } },
          )
          .limit(limit);
      const found = await inBatches(keys, LOOKUP_KEYS_MAX, async (some) => {
        const limit = CANDIDATES_PER_KEY_MAX * some.length;
        const records = await read(some, limit).toArray();
        if (records.length < limit) return records;
        // Some lookup keys have very many invoices and ERP bills, so the newest are read for each key separately.
        const hits = await inBatches(some, 1, (one) =>
          read(one, HITS_PER_KEY_MAX).sort({ 'match.issueDay': -1 }).toArray(),
        );
        return hits.flat();
      });
      const records = found.flat().map(({ match, status, erp }): SharingRecord => ({
        part: { ...match, status },
        booked: erp === undefined ? undefined : { state: erp.state, vendorId: erp.vendorId },
      }));
      return [...new Map(records.map((record) => [record.part.invoiceId, record])).values()];
    },
    async bills({ organizationId }, invoiceIds) {
      const found = await inBatches(invoiceIds, LOOKUP_KEYS_MAX, (some) =>
        invoices
          .find(billsIn({ _id: { $in: [...some] }, organizationId, source: 'ERP' }), {
            projection: { match: 1, erp: 1 },
          })
          .toArray(),
      );
      return found.flat().map(toBill);
    },
    async billsOf({ organizationId }, vendorId) {
      const found = await invoices
        .find(
          billsIn({
            organizationId,
            'erp.organizationId': organizationId,
            'erp.vendorId': vendorId,
            'erp.kind': 'BILL',
            'erp.state': { $nin: ['DRAFT', 'VOID'] },
          }),
          { projection: { match: 1, erp: 1 }, sort: { 'erp.order': -1 }, limit: BILLS_OF_VENDOR_MAX },
        )
        .toArray();
      return found.map(toBill);
    },
    async parts(organizationId, invoiceIds) {
      const found = await inBatches(invoiceIds, LOOKUP_KEYS_MAX, (some) =>
        invoices.find({ _id: { $in: [...some] }, organizationId }, { projection: { match: 1, status: 1 } }).toArray(),
      );
      return found.flat().map(({ match, status }) => ({ ...match, status }));
    },
    async link(organizationId, links) {
      await inBatches(links, LINKS_OF_WRITE_MAX, async (some) => {
        const operations = some.map((link) => ({
          updateOne: {
            filter: billsIn({ ...asExamined(organizationId, link), 'match.bookedInvoiceId': { $exists: false } }),
            update: { $set: { 'match.bookedInvoiceId': link.invoiceId }, $inc: { version: 1 } } as never,
          },
        }));
        try {
          await invoices.bulkWrite(operations, { ordered: false });
        } catch (error) {
          // A duplicate key means that another ERP bill is already linked to the invoice.
          if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
        }
      });
    },
    async unlink(organizationId, links) {
      await inBatches(links, LINKS_OF_WRITE_MAX, async (some) => {
        const operations = some.map((link) => ({
          updateOne: {
            filter: billsIn({ ...asExamined(organizationId, link), 'match.bookedInvoiceId': link.invoiceId }),
            update: { $unset: { 'match.bookedInvoiceId': '' }, $inc: { version: 1 } } as never,
          },
        }));
        await invoices.bulkWrite(operations, { ordered: false });
      });
    },
    async hasPayments({ organizationId, connectionId }) {
      const filter = { organizationId, connectionId } as Filter<ErpPaymentDocument>;
      return (await payments.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async paymentsOf(of, billIds) {
      const { payments: found, cutKeys } = await paymentsByKeys(of, billIds.map(paidInvoiceKey));
      return { payments: found, cutKeys: new Set(billIds.filter((id) => cutKeys.has(paidInvoiceKey(id)))) };
    },
    paymentsLike: (of, made) =>
      paymentsByKeys(
        of,
        made.map(({ vendorId, currency, amountMinor }) => paymentAmountKey(vendorId, currency, amountMinor)),
      ),
    async paymentsTo({ organizationId }, vendorIds) {
      const cutKeys = new Set<string>();
      const found = await inBatches(vendorIds, 1, async ([vendorId = '']) => {
        const documents = await payments
          .find({
            organizationId,
            keys: { $elemMatch: paymentKeysOf(vendorId) },
            ...LIVE,
          } as unknown as Filter<ErpPaymentDocument>)
          .sort({ day: -1, _id: 1 })
          .limit(PAYMENTS_OF_VENDOR_MAX + 1)
          .toArray();
        if (documents.length > PAYMENTS_OF_VENDOR_MAX) cutKeys.add(vendorId);
        return documents.slice(0, PAYMENTS_OF_VENDOR_MAX);
      });
      return { payments: distinct(found.flat().map(toPayment)), cutKeys };
    },
    async credits({ organizationId }, vendorIds, keys) {
      const found = await inBatches(keys, LOOKUP_KEYS_MAX, (batch) =>
        readSharing(
          batch,
          (keysCount) => CREDITS_PER_KEY_MAX * keysCount,
          (some, limit) =>
            invoices
              .find(
                billsIn({
                  organizationId,
                  'match.keys': { $in: [...some] },
                  'erp.organizationId': organizationId,
                  'erp.kind': 'CREDIT_NOTE',
                  'erp.vendorId': { $in: [...vendorIds] },
                  'erp.state': { $nin: ['DRAFT', 'VOID'] },
                }),
                { projection: { match: 1, 'erp.vendorId': 1 } },
              )
              .limit(limit)
              .toArray(),
        ),
      );
      const credits = found
        .flat()
        .flatMap(({ match, erp }) => (erp === undefined ? [] : { part: match, vendorId: erp.vendorId }));
      return [...new Map(credits.map((credit) => [credit.part.invoiceId, credit])).values()];
    },
  };

  async function paymentsByKeys({ organizationId }: ImportSource, keys: readonly string[]): Promise<FoundPayments> {
    const cutKeys = new Set<string>();
    const read = (some: readonly string[], limit: number) =>
      payments.find({ organizationId, keys: { $in: [...some] }, ...LIVE } as Filter<ErpPaymentDocument>).limit(limit);
    const found = await inBatches([...new Set(keys)], LOOKUP_KEYS_MAX, async (some) => {
      const limit = SHARING_PER_KEY_MAX * some.length;
      const documents = await read(some, limit + 1).toArray();
      if (documents.length <= limit) return documents;
      // Some lookup keys are shared by very many ERP payments, so the newest payments are read for each key separately.
      const ofKeys = await inBatches(some, 1, async ([key = '']) => {
        const newest = await read([key], SHARING_PER_KEY_MAX + 1)
          .sort({ day: -1, _id: 1 })
          .toArray();
        if (newest.length > SHARING_PER_KEY_MAX) cutKeys.add(key);
        return newest.slice(0, SHARING_PER_KEY_MAX);
      });
      return ofKeys.flat();
    });
    return { payments: distinct(found.flat().map(toPayment)), cutKeys };
  }
}

/** Filter for payments that still exist in the ERP. */
const LIVE = { deletedAt: { $exists: false }, isReturned: false };

/**
 * Filter that finds the ERP bill to link to an invoice, unless the bill has changed since it was read. The next
 * examination handles a changed bill.
 */
function asExamined(organizationId: string, { billId, changedAt }: BillLink): object {
  return { _id: billId, organizationId, 'erp.changedAt': changedAt };
}

interface Changes<T> {
  readonly filter: object;
  /**
   * Path of the field that stores the time of the last change of an ERP record. The projection of a query must include
   * this field.
   */
  readonly changedAt: string;
  readonly projection?: Document;
  readonly window: ChangeWindow;
  readonly size: number;
  readonly read: (document: never) => T;
}

/**
 * Reads changed ERP records page by page, sorted by the time of their change, like the database index. Many records may
 * have the same time. Records that are written by the examination itself keep their time of change.
 */
async function* changesOf<T>(
  collection: Collection<Document & { _id: string }>,
  changes: Changes<T>,
): AsyncGenerator<ChangedPage<T>> {
  let records: T[] = [];
  let lastMs: number | undefined;
  for await (const document of changedDocuments(collection, changes)) {
    const at = valueAt(document, changes.changedAt);
    if (records.length === changes.size) {
      yield { records, continueFrom: at.getTime() === lastMs ? undefined : at };
      records = [];
    }
    records.push(changes.read(document as never));
    lastMs = at.getTime();
  }
  if (records.length > 0) yield { records, continueFrom: undefined };
}

/** Reads changed ERP records with commands of limited size, so that no cursor must stay open during the examination. */
async function* changedDocuments<T>(
  collection: Collection<Document & { _id: string }>,
  { filter, changedAt, projection, window }: Changes<T>,
): AsyncGenerator<Document & { _id: string }> {
  let { from } = window;
  /** Ids of the ERP records with the change time `from` that an earlier command has read. */
  let readIds: readonly string[] = [];
  for (;;) {
    const after = window.after === undefined ? {} : { $gt: window.after };
    const time = { $lte: window.until, ...(from === undefined ? after : { $gte: from }) };
    const unread = readIds.length === 0 ? {} : { _id: { $nin: readIds } };
    const found = await collection
      .find({ ...filter, [changedAt]: time, ...unread } as never, {
        ...(projection === undefined ? {} : { projection }),
        sort: { [changedAt]: 1 },
        limit: READ_AT_ONCE,
        batchSize: READ_AT_ONCE + 1,
      })
      .toArray();
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < READ_AT_ONCE) return;
    const lastMs = valueAt(last, changedAt).getTime();
    const ofLast = found.filter((document) => valueAt(document, changedAt).getTime() === lastMs);
    const isSame = from?.getTime() === lastMs;
    readIds = [...(isSame ? readIds : []), ...ofLast.map(({ _id }) => _id)];
    from = new Date(lastMs);
  }
}

function valueAt(document: Document, path: string): Date {
  return path.split('.').reduce<unknown>((value, key) => (value as Document)[key], document) as Date;
}

function toVendor(document: VendorDocument): StoredVendor {
  const { _id: id, organizationId, writeId, ...vendor } = document;
  return { id, ...vendor } as unknown as StoredVendor;
}

function toBill({ _id, match, erp }: Pick<InvoiceDocument, '_id' | 'match' | 'erp'>): BookBill {
  if (erp === undefined) throw new Error(`invoice ${_id} is not a bill of an ERP`);
  const { externalId, kind, state, vendorId, paidAmount, paidAccountExternalId, importedAt, changedAt } = erp;
  return {
    part: match,
    externalId,
    kind,
    state,
    vendorId,
    paidMinor: paidAmount === undefined ? undefined : String(toMinorUnits(paidAmount, minorUnitsOf(match.currency))),
    paidAccountExternalId,
    importedAt,
    changedAt,
  };
}

function toPayment(document: ErpPaymentDocument): BookPayment {
  const {
    _id: id,
    vendorId,
    day,
    currency,
    amountMinor,
    reference,
    invoiceIds,
    account,
    isReturned,
  } = document as unknown as StoredPayment & { readonly _id: string };
  const { key, masked } = account ?? {};
  return {
    id,
    vendorId,
    day,
    currency,
    amountMinor,
    reference,
    billIds: invoiceIds,
    account: key === undefined || masked === undefined ? undefined : { key, masked },
    isReturned,
  };
}

function distinct<T extends { readonly id: string }>(records: readonly T[]): T[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
