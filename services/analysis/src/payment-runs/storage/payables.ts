import type { Collection, Filter } from 'mongodb';
import { HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import { paidInvoiceKey } from '../../books/application/import-payments.js';
import type { ErpPaymentDocument } from '../../books/storage/erp-payments.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import { CREDITS_INDEX, IS_CREDIT, MATCH_INDEX } from '../../records/storage/invoices.js';
import { inBatches } from '../../records/storage/in-batches.js';
import { readSharing } from '../../records/storage/records-by-keys.js';
import type { BookedPayment } from '../domain/booked.js';
import { RECEIVED_CREDITS_PER_SUPPLIER_MAX } from '../domain/payable.js';
import type { PayableRecord, PayableStore } from '../application/payable-store.js';

/**
 * Maximum number of keys with which one database query looks up the bills that payments may settle. The queries are
 * sent one after another. Larger or concurrent queries would keep other requests waiting while the database searches
 * and this process reads the results.
 */
const LOOKUP_KEYS_MAX = 50;
/**
 * Maximum number of credit notes that a check of a payment run reads for one supplier: received credit notes, and
 * credit notes in the ERP.
 */
const CREDITS_PER_SUPPLIER_MAX = 2 * RECEIVED_CREDITS_PER_SUPPLIER_MAX;
/** Maximum number of ERP payments that a check of a payment run reads for one bill. */
const PAYMENTS_PER_BILL_MAX = 64;

const PAYABLE = {
  companyId: 1,
  source: 1,
  match: 1,
  verdict: 1,
  'invoice.due_date': 1,
  'erp.state': 1,
  'erp.kind': 1,
  'erp.vendorId': 1,
  'erp.paidAmount': 1,
  'erp.connectionId': 1,
} as const;

type PayableDocument = Pick<InvoiceDocument, '_id' | 'companyId' | 'source' | 'match' | 'verdict' | 'invoice' | 'erp'>;

/** Reads the bills that payments may settle. Every lookup of bills is by equality keys of the organization. */
export function payableStore(
  invoices: Collection<InvoiceDocument>,
  payments: Collection<ErpPaymentDocument>,
): PayableStore {
  const inLookups = async <T>(items: readonly string[], work: (some: readonly string[]) => Promise<readonly T[]>) =>
    (await inBatches(items, LOOKUP_KEYS_MAX, work)).flat();
  const find = async (filter: object, options: object = {}): Promise<readonly PayableRecord[]> => {
    const documents = await invoices
      .find<PayableDocument>(filter as Filter<InvoiceDocument>, { projection: PAYABLE, ...options })
      .toArray();
    return documents.map(toRecord);
  };
  return {
    byKeys: (organizationId, keys) =>
      inLookups(keys, (batch) =>
        readSharing(
          batch,
          (count) => HITS_PER_KEY_MAX * count,
          (some, limit) => find({ organizationId, 'match.keys': { $in: [...some] } }, { limit, hint: MATCH_INDEX }),
        ),
      ),
    byIds: (organizationId, ids) => inLookups(ids, (some) => find({ _id: { $in: [...some] }, organizationId })),
    billsThatBook: (organizationId, invoiceIds) =>
      inLookups(invoiceIds, (some) => find({ 'match.bookedInvoiceId': { $in: [...some] }, organizationId })),
    openCreditsOf: (organizationId, vendorIds) =>
      inLookups(vendorIds, (some) =>
        find({
          organizationId,
          'erp.organizationId': organizationId,
          'erp.vendorId': { $in: [...some] },
          'erp.kind': 'CREDIT_NOTE',
          'erp.state': { $in: ['OPEN', 'PARTIALLY_PAID'] },
        }),
      ),
    creditsOf: (organizationId, supplierIds, fromDay) =>
      inLookups(supplierIds, (batch) =>
        readSharing(
          batch,
          (count) => CREDITS_PER_SUPPLIER_MAX * count,
          // The database index returns the credit notes supplier by supplier, each supplier's newest first, so one
          // limit for all suppliers could leave out the last ones.
          (some, limit) =>
            find(
              {
                organizationId,
                'match.supplierId': { $in: [...some] },
                'match.issueDay': { $gte: fromDay },
                ...IS_CREDIT,
                $or: [
                  { source: 'ERP' },
                  {
                    // Rows of a history scan are left out of a payment check, because such rows are bills that were
                    // paid long ago.
                    source: { $in: ['API', 'UPLOAD', 'KSEF'] },
                    'verdict.decision': { $in: ['PASS', 'REVIEW'] },
                    'match.confirmedAs': { $exists: false },
                  },
                ],
              },
              { limit, hint: CREDITS_INDEX },
            ),
        ),
      ),
    async paymentsOf(organizationId, billIds) {
      const found = await inLookups(billIds, async (some): Promise<readonly BookedPayment[]> => {
        const documents = await payments
          .find<ErpPaymentDocument>(
            {
              organizationId,
              keys: { $in: some.map(paidInvoiceKey) },
              deletedAt: { $exists: false },
              isReturned: false,
            } as Filter<ErpPaymentDocument>,
            {
              projection: { invoiceIds: 1, amountMinor: 1, currency: 1, date: 1 },
              limit: PAYMENTS_PER_BILL_MAX * some.length,
            },
          )
          .toArray();
        return documents.map(({ _id: paymentId, invoiceIds, amountMinor, currency, date }) => ({
          paymentId: String(paymentId),
          invoiceIds,
          amountMinor,
          currency,
          date,
        }));
      });
      // A payment of bills from several lookups is found by each of these lookups, but returned once.
      return [...new Map(found.map((payment) => [payment.paymentId, payment])).values()];
    },
  };
}

function toRecord({ _id: invoiceId, companyId, source, match, verdict, invoice, erp }: PayableDocument): PayableRecord {
  return {
    invoiceId,
    companyId,
    source,
    match,
    verdict,
    dueDate: invoice?.due_date,
    erp: erp && {
      state: erp.state,
      kind: erp.kind,
      vendorId: erp.vendorId,
      connectionId: erp.connectionId,
      paidAmount: erp.paidAmount,
    },
  };
}
