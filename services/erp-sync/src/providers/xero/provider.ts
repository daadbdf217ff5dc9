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

/** Maximum number of contacts in one call to Xero, whose URL contains their ids. */
const CONTACT_IDS_MAX = 50;
const WEB_URL = 'https://go.xero.com';

/**
 * Creates the provider for Xero.
 * @param apiUrl URL of the vendor or a simulator, up to `/api.xro`
 */
export function xeroProvider({ apiUrl }: { readonly apiUrl: string }): Provider {
  return defineProvider({
    ...xero,
    streams: ['vendors', 'bills', 'creditNotes', 'payments', 'orders'],
    // Records of Xero never disappear: bills become VOIDED or DELETED, and contacts ARCHIVED.
    withoutDeletions: [],
    pageSize: 1_000,
    concurrency: 5,
    overlapSeconds: 300,
    open({ config, pageSize, ...calls }) {
      const client = xeroClient(apiUrl, String(config['tenantId']), calls);
      let organisation: unknown;
      let context = contextOf(organisation);
      /**
       * Loads the Xero organisation once for each session, before the first row is read. A session in which no rows
       * have changed does not load it.
       */
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

      /** Ids of Xero contacts that this session has read as vendors or requested. */
      const known = new Set<string>();
      /**
       * Ids of Xero contacts to which documents refer. Such contacts count as vendors, whatever their type in Xero is.
       */
      const named = new Set<string>();
      /**
       * Adds contacts to each page of Xero documents: the contacts to which the documents refer, unless the session has
       * already read them as vendors. The vendor stream may lack such a contact: Xero marks a contact as supplier with
       * its first bill, possibly without changing its modification time, and does not mark it for a draft, credit note
       * or payment. If a page refers to more contacts than one call may request, the page is split.
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

/**
 * Builds the filter of a Xero query.
 * @param type the condition that selects documents of suppliers
 */
function queryOf(type: string | undefined, { from, dateFrom }: Window): ListQuery {
  if (type === undefined || dateFrom === undefined) return { where: type, modifiedSince: from };
  const day = dateFrom.split('-').map(Number).join(',');
  return { where: `${type} AND Date>=DateTime(${day})`, modifiedSince: from };
}

function contextOf(organisation: unknown): RowContext {
  // Short code of the Xero organisation, which is part of the links to its pages.
  const shortCode = textOf(organisation, 'ShortCode');
  const login = `${WEB_URL}/organisationlogin/default.aspx?shortcode=${encodeURIComponent(shortCode ?? '')}&redirecturl=`;
  return {
    countryCode: textOf(organisation, 'CountryCode'),
    baseCurrency: textOf(organisation, 'BaseCurrency'),
    pageUrl: (path) => (shortCode === undefined ? `${WEB_URL}${path}` : `${login}${encodeURIComponent(path)}`),
  };
}

/** Returns the distinct contact ids on Xero bills, credit notes and payments. */
function contactsOf({ idName }: Pick<StreamSource<unknown>, 'idName'>, rows: readonly unknown[]): readonly string[] {
  const { records } = readRows(rows, idName, (row) =>
    // If a Xero payment names no contact, the contact of its bill is used.
    (row.row('Contact') ?? row.row('Invoice')?.row('Contact'))?.text('ContactID')?.toLowerCase(),
  );
  return [...new Set(records)].filter((id) => /^[0-9a-f-]{36}$/.test(id));
}

/**
 * Parses a stored position in a Xero list, such as `2:1000/<id>`: the page up to which the list was read completely,
 * the page size, and the id of the last row that was read on the following page. The page size is part of the position,
 * because pages of another size have other rows.
 */
function readPartPosition(after: string | undefined, pageSize: number): { page: string; row: string | undefined } {
  const [page = '', row] = (after ?? '').split('/', 2);
  return page.endsWith(`:${pageSize}`) ? { page, row } : { page: firstPosition(pageSize), row: undefined };
}

/** Returns the Xero rows after the row with the id `last`, or all rows if that row no longer exists. */
function rowsBehind(rows: readonly unknown[], idName: string, last: string | undefined): readonly unknown[] {
  const at = last === undefined ? -1 : rows.findIndex((row) => textOf(row, idName) === last);
  return rows.slice(at + 1);
}
