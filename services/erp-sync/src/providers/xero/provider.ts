import { ErpFault } from '../../domain/faults.js';
import { chunksOf } from '../chunks.js';
import { defineProvider, deniedAmong } from '../define-provider.js';
import type { StreamSource } from '../define-provider.js';
import { textOf } from '../json.js';
import type { DocumentStream, Provider, Window } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { lists, permissionDenied, xeroClient } from './client.js';
import type { ListName, ListQuery } from './client.js';
import { xero } from './product.js';
import { isDeletedOrder, toBill, toCreditNote, toOrder, toPayment, toVendor } from './records.js';
import type { RowContext } from './records.js';

/** Ids of contacts in one call, which are part of a URL. */
const CONTACT_IDS_MAX = 50;
/** More contacts than this are read from the whole list, in larger pages. */
const CONTACTS_BY_ID_MAX = 1_000;
const WEB_URL = 'https://go.xero.com';

/** @param apiUrl of the vendor or of a simulator, without what begins with `/api.xro` */
export function xeroProvider({ apiUrl }: { readonly apiUrl: string }): Provider {
  return defineProvider({
    ...xero,
    streams: ['vendors', 'bills', 'creditNotes', 'payments', 'orders'],
    // Nothing vanishes: bills are VOIDED or DELETED, contacts ARCHIVED.
    withoutDeletions: [],
    pageSize: 1_000,
    concurrency: 5,
    overlapSeconds: 300,
    open({ config, pageSize, ...calls }) {
      const client = xeroClient(apiUrl, String(config['tenantId']), calls);
      let organisation: unknown;
      let context = contextOf(organisation);
      /** One call for a session, and none where nothing has changed. */
      const loadOrganisation = async (): Promise<void> => {
        if (organisation !== undefined) return;
        organisation = await client.readOrganisation();
        context = contextOf(organisation);
      };

      const sourceOf = <R>(
        list: ListName,
        type: string | undefined,
        read: (row: Row, context: RowContext) => R | undefined,
      ): StreamSource<R> => ({
        idName: lists[list].idName,
        pages: (window) => client.pages(list, queryOf(type, window), pageSize, window.after),
        prepare: loadOrganisation,
        read: (row) => read(row, context),
      });
      const contacts = sourceOf('Contacts', undefined, toVendor);
      const bills = sourceOf('Invoices', 'Type=="ACCPAY"', toBill);
      const creditNotes = sourceOf('CreditNotes', 'Type=="ACCPAYCREDIT"', toCreditNote);
      const payments = sourceOf('Payments', 'PaymentType=="ACCPAYPAYMENT"', toPayment);

      const suppliers = new Set<string>();
      /** Contacts of documents that are not among the suppliers; undefined while those are read. */
      let missing: Set<string> | undefined;
      /** What kept the suppliers of a stream from being found. */
      const faults = new Map<StreamSource<unknown>, ErpFault>();
      const contactsOfDocuments = async (window: Window): Promise<ReadonlySet<string>> => {
        const ids = new Set<string>();
        for (const [stream, source] of Object.entries({ bills, creditNotes, payments })) {
          try {
            const ahead = window.ofDocuments?.[stream as DocumentStream] ?? window;
            for await (const id of contactsOf(source, ahead)) ids.add(id);
          } catch (error) {
            if (!(error instanceof ErpFault)) throw error;
            // Bills that cannot be read must not cost the vendors; their stream tells the fault, and both are read again.
            faults.set(source, error);
          }
        }
        return ids;
      };
      /** Documents whose suppliers were not found would be documents of unknown suppliers. */
      const withSuppliers = <R>(source: StreamSource<R>): StreamSource<R> => ({
        ...source,
        async *pages(window) {
          const fault = faults.get(source);
          if (fault !== undefined) throw fault;
          yield* source.pages(window);
        },
      });

      return {
        async test() {
          const denied = await deniedAmong([
            ['Organisation', loadOrganisation],
            ['Contacts', () => client.readPage('Contacts', {}, 1, 1)],
            ['Invoices', () => client.readPage('Invoices', {}, 1, 1)],
            ['CreditNotes', () => client.readPage('CreditNotes', {}, 1, 1)],
          ]);
          if (denied.length > 0) throw permissionDenied(denied);
          return present({ name: textOf(organisation, 'Name'), currency: textOf(organisation, 'BaseCurrency') });
        },
        streams: {
          vendors: {
            ...contacts,
            // Contacts that Xero calls suppliers, then those of the documents that this run reads: the mark comes with the first
            // bill, which may not change the contact; drafts, credit notes and payments do not set it.
            async *pages(window) {
              missing = undefined;
              yield* contacts.pages(window);
              const named = await contactsOfDocuments(window);
              missing = new Set([...named].filter((id) => !suppliers.has(id)));
              if (missing.size > CONTACTS_BY_ID_MAX) {
                for await (const { rows } of client.pages('Contacts', {}, pageSize)) yield { rows };
                return;
              }
              for (const ids of chunksOf(missing, CONTACT_IDS_MAX)) {
                yield { rows: (await client.readPage('Contacts', { ids }, 1, CONTACT_IDS_MAX)).rows };
              }
            },
            read(row) {
              const id = row.requiredText('ContactID').toLowerCase();
              const isVendor = missing === undefined ? row.boolean('IsSupplier') === true : missing.delete(id);
              if (!isVendor) return undefined;
              suppliers.add(id);
              return contacts.read(row);
            },
          },
          bills: withSuppliers(bills),
          creditNotes: withSuppliers(creditNotes),
          payments: withSuppliers(payments),
          orders: { ...sourceOf('PurchaseOrders', undefined, toOrder), isDeleted: isDeletedOrder },
        },
      };
    },
  });
}

/** @param type the condition for documents of suppliers */
function queryOf(type: string | undefined, { from, dateFrom }: Window): ListQuery {
  if (type === undefined || dateFrom === undefined) return { where: type, modifiedSince: from };
  const day = dateFrom.split('-').map(Number).join(',');
  return { where: `${type} AND Date>=DateTime(${day})`, modifiedSince: from };
}

function contextOf(organisation: unknown): RowContext {
  // Links to its pages name it.
  const shortCode = textOf(organisation, 'ShortCode');
  const login = `${WEB_URL}/organisationlogin/default.aspx?shortcode=${encodeURIComponent(shortCode ?? '')}&redirecturl=`;
  return {
    countryCode: textOf(organisation, 'CountryCode'),
    baseCurrency: textOf(organisation, 'BaseCurrency'),
    pageUrl: (path) => (shortCode === undefined ? `${WEB_URL}${path}` : `${login}${encodeURIComponent(path)}`),
  };
}

/** Ids of the contacts that bills, credit notes and payments name. */
async function* contactsOf({ idName, pages }: StreamSource<unknown>, window: Window): AsyncIterable<string> {
  let first: string | undefined;
  for await (const { rows } of pages(window)) {
    const { records } = readRows(rows, idName, (row) => ({
      id: row.text(idName),
      // A payment names the contact of its bill.
      contact: (row.row('Contact') ?? row.row('Invoice')?.row('Contact'))?.text('ContactID'),
    }));
    // The same page again: there may be no end, which the stream itself tells.
    if (records.length > 0 && records[0]?.id === first) return;
    first = records[0]?.id;
    for (const { contact } of records) {
      if (contact !== undefined && /^[0-9a-f-]{36}$/i.test(contact)) yield contact.toLowerCase();
    }
  }
}
