import { ErpFault } from '../../domain/faults.js';
import { chunksOf } from '../chunks.js';
import { defineProvider, deniedAmong, idsOf } from '../define-provider.js';
import type { StreamSource } from '../define-provider.js';
import { textOf } from '../json.js';
import type { Provider } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { withQuery } from '../url.js';
import { bankPage } from './bank-page.js';
import { PAYMENTS, permissionDenied } from './answers.js';
import { businessCentralClient } from './client.js';
import type { BusinessCentralAddresses, BusinessCentralConfig } from './client.js';
import { businessCentral } from './product.js';
import * as records from './records.js';

const WEB_CLIENT_URL = 'https://businesscentral.dynamics.com';
/** Page numbers in the web client of Business Central, by kind of record. */
const webPages = { vendor: 26, bill: 138, creditNote: 140 } as const;
/** Maximum number of vendor numbers in one filter of Business Central. */
const NUMBERS_MAX = 50;

/** Provider for Dynamics 365 Business Central online, API v2.0 (ERP reference, section 3). */
export function businessCentralProvider(addresses: BusinessCentralAddresses): Provider {
  return defineProvider({
    ...businessCentral,
    streams: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'],
    withoutDeletions: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'orders'],
    pageSize: 1_000,
    concurrency: 5,
    overlapSeconds: 300,
    open({ pageSize, ...deps }) {
      const config = deps.config as unknown as BusinessCentralConfig;
      const client = businessCentralClient(addresses, config, deps, pageSize);
      const bank = bankPage(client, config);
      let company: unknown;
      let localCurrency: string | undefined;
      const vendorIds = new Map<string, string>();

      const listOf = (name: string, query: Readonly<Record<string, string | undefined>>) => ({
        name,
        url: withQuery(`${client.companyUrl}/${name}`, query),
      });
      const readLocalCurrency = async (): Promise<string | undefined> => {
        const rows = await client.readRows(listOf('companyInformation', { $select: 'currencyCode' }), 1);
        return readRows(rows, 'id', (row) => row.text('currencyCode')).records[0];
      };

      const sourceOf = <R>(
        name: string,
        fields: string,
        dateField: string | undefined,
        read: (row: Row) => R,
      ): StreamSource<R> => ({
        idName: 'id',
        pages(window) {
          const filter = records.filterOf(records.changedSince(window), records.datedFrom(window, dateField));
          return client.pages(listOf(name, { $select: fields, $orderby: 'id', $filter: filter }), window.after);
        },
        read,
        ids: (after) =>
          idsOf(client.pages(listOf(name, { $select: 'id', $orderby: 'id' }), after), (row) =>
            row.requiredText('id').toLowerCase(),
          ),
      });

      /** Loads the Business Central company, once for a session. Links contain its display name. */
      const loadCompany = async (): Promise<void> => {
        company ??= await client.readCompany();
      };

      /**
       * Loads the ids of the vendors, because payments name their vendors only by number, and the currency of the
       * company, because payments in this currency state no currency.
       */
      const loadVendorIds = async (payments: readonly unknown[]): Promise<void> => {
        const numbers = payments.flatMap((row) => textOf(row, 'vendorNumber') ?? []);
        for (const chunk of chunksOf(
          numbers.filter((number) => !vendorIds.has(number)),
          NUMBERS_MAX,
        )) {
          const filter = chunk.map((number) => `number eq ${records.quoted(number)}`).join(' or ');
          const rows = await client.readRows(listOf('vendors', { $select: 'id,number', $filter: filter }), NUMBERS_MAX);
          readRows(rows, 'id', (row) =>
            vendorIds.set(row.requiredText('number'), row.requiredText('id').toLowerCase()),
          );
        }
        localCurrency ??= await readLocalCurrency();
      };

      /** Returns the URL of a record in the web client of Business Central. */
      const pageUrl: records.PageUrl = (page, number) => {
        const query = {
          company: textOf(company, 'name') ?? '',
          page: String(webPages[page]),
          filter: `'No.' IS ${records.quoted(number)}`,
        };
        return withQuery(`${WEB_CLIENT_URL}/${client.path}`, query);
      };

      return {
        async test() {
          const denied = await deniedAmong([
            ['companies', async () => (company = await client.readCompany())],
            ...['vendors', 'purchaseInvoices', 'purchaseCreditMemos'].map(
              (name) => [name, () => client.readRows(listOf(name, { $top: '1', $select: 'id' }), 1)] as const,
            ),
          ]);
          if (denied.length > 0) throw permissionDenied([...denied, ...((await bank?.denied()) ?? [])]);
          await bank?.test();
          const currency = await readLocalCurrency().catch((error: unknown) => {
            // A missing permission to read the currency does not fail the connection test of Business Central. A
            // used-up call budget or an outage is a result of the test, so it is passed to the caller.
            if (error instanceof ErpFault && error.code === 'PERMISSION_DENIED') return undefined;
            throw error;
          });
          return present({ name: textOf(company, 'displayName') ?? textOf(company, 'name'), currency });
        },
        streams: {
          vendors: {
            ...sourceOf('vendors', records.vendorFields, undefined, (row) => records.readVendor(row, pageUrl)),
            prepare: loadCompany,
          },
          ...(bank === undefined ? {} : { bankAccounts: bank.accounts }),
          bills: {
            ...sourceOf('purchaseInvoices', records.billFields, 'invoiceDate', (row) => records.readBill(row, pageUrl)),
            prepare: loadCompany,
          },
          creditNotes: {
            ...sourceOf('purchaseCreditMemos', records.creditNoteFields, 'creditMemoDate', (row) =>
              records.readCreditNote(row, pageUrl),
            ),
            prepare: loadCompany,
          },
          payments: {
            idName: 'entryNumber',
            pages(window) {
              const day = window.dateFrom === undefined ? undefined : `postingDate ge ${window.dateFrom}`;
              const filter = records.filterOf(`documentType eq 'Payment'`, records.changedSince(window), day);
              const query = { $select: records.paymentFields, $orderby: 'entryNumber', $filter: filter };
              return client.pages({ name: PAYMENTS, url: withQuery(client.paymentsUrl, query) }, window.after);
            },
            prepare: loadVendorIds,
            read: (row) => records.readPayment(row, vendorIds, localCurrency),
          },
          orders: sourceOf('purchaseOrders', records.orderFields, undefined, records.readOrder),
        },
      };
    },
  });
}
