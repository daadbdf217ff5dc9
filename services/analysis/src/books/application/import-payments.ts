import { recordFault } from '@invoicecontrol/books/check-record';
import { payment } from '@invoicecontrol/books/records';
import type { PaymentRecord } from '@invoicecontrol/books/records';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { readAccount } from '../domain/vendor-accounts.js';
import type { VendorAccount } from '../domain/vendor-accounts.js';
import { recordsImported } from '../../telemetry.js';
import { importPage } from './import-page.js';
import type { PageCounts } from './import-page.js';
import { openSource } from './import-source.js';
import type { ErpSourceStore, ImportSource } from './import-source.js';
import { contentHashOf, importedIdOf, isUnchanged, nextRecord } from './imported-record.js';
import type { ImportedRecord, ImportedStore } from './imported-record.js';

export interface StoredPayment
  extends ImportedRecord, Omit<PaymentRecord, 'externalId' | 'vendorExternalId' | 'billExternalIds' | 'account'> {
  readonly vendorId: string;
  /** Date of an ERP payment, as the number of days since 1970-01-01. */
  readonly day: number;
  /** Amount of an ERP payment in minor units of the currency, as a string. */
  readonly amountMinor: string;
  /** Invoice ids of the bills that an ERP payment paid. */
  readonly invoiceIds: readonly string[];
  readonly account: VendorAccount | undefined;
}

interface Deps {
  readonly sources: ErpSourceStore;
  readonly payments: ImportedStore<StoredPayment>;
  readonly clock: Clock;
}

/**
 * Stores a page of payments of an ERP.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ImportPayments = (of: ImportSource, records: readonly PaymentRecord[]) => Promise<PageCounts>;

export const importPayments =
  ({ sources, payments, clock }: Deps): ImportPayments =>
  async (of, records) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const { organizationId } = source;
    const counts = await importPage(records, {
      idOf: ({ externalId }) => importedIdOf(source, 'payment', externalId),
      faultOf: (record) => recordFault(payment, record),
      stored: (ids) => payments.find(organizationId, ids),
      changes: async (arrivals) =>
        arrivals.flatMap(({ id, record, stored }): StoredPayment[] => {
          const contentHash = contentHashOf(record);
          if (isUnchanged(stored, contentHash, source)) return [];
          const { externalId, vendorExternalId, billExternalIds, account, ...payment } = record;
          const currency = payment.currency.toUpperCase();
          const vendorId = importedIdOf(source, 'vendor', vendorExternalId);
          const amountMinor = String(toMinorUnits(payment.amount, minorUnitsOf(currency)));
          const invoiceIds = billExternalIds.map((billId) => importedIdOf(source, 'bill', billId));
          return [
            {
              ...nextRecord(source, stored, { id, externalId, contentHash }, now),
              ...payment,
              currency,
              vendorId,
              day: dayNumber(payment.date),
              amountMinor,
              invoiceIds,
              account: account && readAccount(account),
              keys: [paymentAmountKey(vendorId, currency, amountMinor), ...invoiceIds.map(paidInvoiceKey)],
            },
          ];
        }),
      write: (changes) => payments.write(organizationId, changes),
    });
    recordsImported('PAYMENT', source.provider, counts);
    return counts;
  };

/** Builds the key shared by ERP payments of the same amount to the same vendor. */
export function paymentAmountKey(vendorId: string, currency: string, amountMinor: string): string {
  return `a:${vendorId}|${currency}|${amountMinor}`;
}

/** Returns the range that contains the keys of all ERP payments to a vendor. */
export function paymentKeysOf(vendorId: string): { readonly $gt: string; readonly $lt: string } {
  return { $gt: `a:${vendorId}|`, $lt: `a:${vendorId}}` };
}

/** Builds the key by which the ERP payments of a bill are found. */
export function paidInvoiceKey(invoiceId: string): string {
  return `i:${invoiceId}`;
}
