import { defineProvider, deniedAmong } from '../define-provider.js';
import type { RowsPage, StreamSource } from '../define-provider.js';
import { textOf } from '../json.js';
import type { Provider, Window } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { lists, permissionDenied } from './answers.js';
import type { ListName } from './answers.js';
import { firstPosition, xeroClient } from './client.js';
import type { ListQuery } from './client.js';
import { xero } from './product.js';
import { isDeletedOrder, toBill, toCreditNote, toOrder, toPayment, toVendor } from './records.js';
import type { RowContext } from './records.js';

/** Contacts that one call names, in its URL; as many rows name no more. */
const CONTACT_IDS_MAX = 50;
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

      /** Contacts that this session has read as vendors, or asked for. */
      const known = new Set<string>();
      /** Contacts that documents name: vendors, whatever Xero calls them. */
      const named = new Set<string>();
      /**
       * Pages of documents, with the contacts that they name and that the stream of vendors has not brought: the mark of a supplier
       * comes with the first bill, which may not change the contact; drafts, credit notes and payments do not set it. A page that
       * names more contacts than one call may ask for comes in parts.
       */
      const withSuppliers = <R>(source: StreamSource<R>): StreamSource<R> => ({
        ...source,
        async *pages(window) {
          let { page: before, row: lastRow } = readPartPosition(window.after, pageSize);
          for await (const { rows, position = before } of source.pages({ ...window, after: before })) {
            const left = rowsBehind(rows, source.idName, lastRow);
            const size = unknownContacts(source, left).length > CONTACT_IDS_MAX ? CONTACT_IDS_MAX : left.length;
            for (let at = 0; at < left.length; at += size) {
              const part = left.slice(at, at + size);
              const isLast = at + size >= left.length;
              const partPosition = `${before}/${textOf(part.at(-1), source.idName) ?? ''}`;
              yield { rows: part, ...(await suppliersOf(source, part)), position: isLast ? position : partPosition };
            }
            if (left.length === 0) yield { rows: [], position };
            [before, lastRow] = [position, undefined];
          }
        },
      });
      const unknownContacts = (source: StreamSource<unknown>, rows: readonly unknown[]): readonly string[] =>
        contactsOf(source, rows).filter((id) => !known.has(id));
      const suppliersOf = async (
        source: StreamSource<unknown>,
        rows: readonly unknown[],
      ): Promise<Pick<RowsPage, 'besides'>> => {
        const ids = unknownContacts(source, rows);
        if (ids.length === 0) return {};
        const found = await client.readPage('Contacts', { ids }, 1, CONTACT_IDS_MAX);
        for (const id of ids) {
          known.add(id);
          named.add(id);
        }
        return { besides: { vendors: found.rows } };
      };

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
            read(row) {
              const id = row.requiredText('ContactID').toLowerCase();
              if (!named.has(id) && row.boolean('IsSupplier') !== true) return undefined;
              known.add(id);
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

/** Ids of the contacts that bills, credit notes and payments name, each once. */
function contactsOf({ idName }: Pick<StreamSource<unknown>, 'idName'>, rows: readonly unknown[]): readonly string[] {
  const { records } = readRows(rows, idName, (row) =>
    // A payment names the contact of its bill.
    (row.row('Contact') ?? row.row('Invoice')?.row('Contact'))?.text('ContactID')?.toLowerCase(),
  );
  return [...new Set(records)].filter((id) => /^[0-9a-f-]{36}$/.test(id));
}

/** `2:1000/<id>`: the position of a page, and the last row of the next page that was read. Pages of another size have other rows. */
function readPartPosition(after: string | undefined, pageSize: number): { page: string; row: string | undefined } {
  const [page = '', row] = (after ?? '').split('/', 2);
  return page.endsWith(`:${pageSize}`) ? { page, row } : { page: firstPosition(pageSize), row: undefined };
}

/** Returns the rows behind one of them; all when it is no longer among them. */
function rowsBehind(rows: readonly unknown[], idName: string, last: string | undefined): readonly unknown[] {
  const at = last === undefined ? -1 : rows.findIndex((row) => textOf(row, idName) === last);
  return rows.slice(at + 1);
}
