import type { RecordsOf } from '../../domain/streams.js';
import { defineProvider, deniedAmong, idsOf } from '../define-provider.js';
import type { RowsPage, StreamSource } from '../define-provider.js';
import { isObject } from '../json.js';
import type { Provider, Window } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { permissionDenied } from './answers.js';
import { odooClient } from './client.js';
import type { OdooConfig } from './client.js';
import { linksOf, openContacts } from './contacts.js';
import { odoo } from './product.js';
import { odooReader } from './reader.js';
import type { Domain } from './reader.js';
import * as records from './records.js';

const SUPPLIERS: Domain = [['supplier_rank', '>', 0]];
const PAYMENTS: Domain = [
  ['partner_type', '=', 'supplier'],
  ['payment_type', '=', 'outbound'],
  ['state', '!=', 'draft'],
];
/** Filter for confirmed purchase orders in Odoo. Requests for quotation are left out. */
const ORDERS: Domain = [['state', 'in', ['purchase', 'done']]];
const onBills = (company: number): Domain => [...ofTypes('in_invoice', 'in_refund'), ['company_id', '=', company]];
const VENDOR_WITHOUT_RANK: Domain = [['commercial_partner_id.supplier_rank', '=', 0]];
/** Filter for the bank accounts of suppliers in Odoo, including the accounts of people who work for a supplier. */
const OF_SUPPLIERS: Domain = [['partner_id.commercial_partner_id.supplier_rank', '>', 0]];

/** Provider for Odoo 14 and later (ERP reference, section 4). */
export const odooProvider: Provider = defineProvider({
  ...odoo,
  streams: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'],
  withoutDeletions: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'orders'],
  pageSize: 500,
  concurrency: 2,
  // Each time window begins before the end of the previous one, because Odoo compares modification times with
  // microseconds but does not show the microseconds in its responses.
  overlapSeconds: 2,
  open({ pageSize, ...deps }) {
    const config = deps.config as unknown as OdooConfig;
    const client = odooClient(config, deps);
    const reader = odooReader(client, config.erpCompanyId, pageSize);
    const contacts = openContacts(reader);
    const countryCodes = new Map<string, string>();
    /** Ids of the Odoo vendors that this session has read or searched for. */
    const knownVendors = new Set<string>();
    let accountFieldsOfVersion: readonly string[] | undefined;

    const recordUrl = (model: string, id: string): string =>
      `${config.baseUrl}/web#id=${id}&model=${model}&view_type=form`;

    /** Reads the Odoo records of the company in a time window, sorted by id. */
    const sourceOf = <R>(
      model: string,
      fields: readonly string[],
      domainOf: (window: Window) => Domain,
      read: (row: Row) => R,
    ): StreamSource<R> => {
      const ofCompany = async (window: Window): Promise<Domain> => [
        ...domainOf(window),
        ['company_id', '=', (await reader.company()).id],
      ];
      return {
        idName: 'id',
        async *pages(window) {
          const domain = [...(await ofCompany(window)), ...changedSince(window)];
          yield* reader.pages(model, domain, fields, lastIdOf(window));
        },
        read,
        async *ids(after) {
          yield* idsOf(reader.pages(model, await ofCompany({}), ['id'], lastIdOf({ after })), idOf);
        },
      };
    };

    /**
     * Reads bills or credit notes. Each page of ERP records also contains the companies named on its bills that this
     * session has not read yet, with their bank accounts. The vendor stream may lack such a company for two reasons. A
     * change of its supplier rank does not change its modification time, and draft bills do not increase the rank. In
     * the first time window, an earlier run may have read the vendors before the first bill gave the company a supplier
     * rank.
     */
    const withVendors = <R>(source: StreamSource<R>): StreamSource<R> => ({
      ...source,
      async *pages(window) {
        for await (const page of source.pages(window)) {
          const ids = [...new Set(linksOf(page.rows, 'commercial_partner_id'))].filter((id) => !knownVendors.has(id));
          const rows = await reader.readByIds('res.partner', ids, records.partnerFields);
          for (const id of ids) knownVendors.add(id);
          if (rows.length === 0) {
            yield page;
            continue;
          }
          const found = readRows(rows, 'id', (row) => row.text('id')).records;
          const owners: Domain = [['partner_id.commercial_partner_id', 'in', found.map(Number)]];
          const accounts = await reader.readAll('res.partner.bank', owners, await accountFields());
          yield { ...page, besides: { vendors: rows, bankAccounts: accounts } };
        }
      },
    });

    const vendors: StreamSource<RecordsOf['vendors']> = {
      idName: 'id',
      pages: (window) =>
        reader.pages('res.partner', [...SUPPLIERS, ...changedSince(window)], records.partnerFields, lastIdOf(window)),
      async prepare(rows) {
        contacts.note(rows);
        const unknown = linksOf(rows, 'country_id').filter((id) => !countryCodes.has(id));
        readRows(await reader.readByIds('res.country', unknown, ['code']), 'id', (row) =>
          countryCodes.set(row.requiredText('id'), row.requiredText('code')),
        );
      },
      read(row) {
        const owner = records.linkOf(row, 'commercial_partner_id');
        // Odoo contacts within a company are not separate vendors.
        if (owner !== undefined && owner.id !== row.text('id')) return undefined;
        const vendor = records.readVendor(row, countryCodes, recordUrl);
        knownVendors.add(vendor.externalId);
        return vendor;
      },
      async *ids(after) {
        if (after?.startsWith('suppliers:') !== true) {
          // Odoo vendors without a supplier rank are found through their bills. They are read before the vendors with a
          // rank, because a rank only increases: a company that gets a rank in the meantime still appears among the
          // vendors with a rank.
          const domain = [...onBills((await reader.company()).id), ...VENDOR_WITHOUT_RANK];
          const lastBill = after?.startsWith('bills:') === true ? lastIdOf({ after }) : 0;
          const bills = reader.pages('account.move', domain, ['commercial_partner_id'], lastBill);
          const vendorIds = idsOf(bills, (row) => records.linkOf(row, 'commercial_partner_id')?.id);
          for await (const { ids, position } of vendorIds) yield { ids, position: `bills:${position}` };
        }
        const lastSupplier = after?.startsWith('suppliers:') === true ? lastIdOf({ after }) : 0;
        const suppliers = reader.pages('res.partner', SUPPLIERS, ['id'], lastSupplier);
        for await (const { ids, position } of idsOf(suppliers, idOf)) yield { ids, position: `suppliers:${position}` };
      },
    };

    /**
     * Reads Odoo bank accounts that have changed, or whose vendor has changed, because the accounts of a new vendor may
     * be older than the time window.
     */
    async function* accountPages(window: Window): AsyncGenerator<RowsPage> {
      await reader.company();
      const changed = changedSince(window);
      const ofChanged = changedSince(window, 'partner_id.commercial_partner_id.write_date');
      const domain = [...(changed.length > 0 ? ['|' as const] : []), ...changed, ...ofChanged, ...OF_SUPPLIERS];
      yield* reader.pages('res.partner.bank', domain, await accountFields(), lastIdOf(window));
    }

    /** Odoo 20 renamed the fields of bank accounts. An instance that has only JSON-RPC is older. */
    const accountFields = async (): Promise<readonly string[]> => {
      const always = ['id', 'partner_id', 'active', 'write_date'];
      if (client.isBeforeJson2()) return [...always, ...records.accountFieldsBeforeJson2];
      if (accountFieldsOfVersion !== undefined) return accountFieldsOfVersion;
      const query = { allfields: records.accountFields, attributes: ['type'] };
      const known = await client.call('res.partner.bank', 'fields_get', query);
      accountFieldsOfVersion = [...always, ...records.accountFields.filter((name) => isObject(known) && name in known)];
      return accountFieldsOfVersion;
    };

    const documentSource = (type: string): StreamSource<RecordsOf['bills']> =>
      withVendors(
        sourceOf('account.move', records.moveFields, documentsOf(type), (row) => records.readBill(row, recordUrl)),
      );
    const loadContacts = (rows: readonly unknown[]): Promise<void> => contacts.load(rows);
    return {
      async test() {
        const denied = await deniedAmong([
          ['res.company', () => reader.company()],
          ...['res.partner', 'res.partner.bank', 'account.move'].map(
            (model) => [model, () => reader.tryCount(model)] as const,
          ),
        ]);
        if (denied.length > 0) throw permissionDenied(denied);
        const { name, currency } = await reader.company();
        return present({ name, currency });
      },
      streams: {
        vendors,
        bankAccounts: {
          idName: 'id',
          pages: accountPages,
          prepare: loadContacts,
          read: (row) => records.readVendorAccount(row, contacts.vendorOf(row)),
          // A bank account that was archived in Odoo no longer belongs to the vendor.
          isDeleted: (row) => row.boolean('active') === false,
          ids: (after) =>
            idsOf(reader.pages('res.partner.bank', [['active', '=', true]], ['id'], lastIdOf({ after })), idOf),
        },
        bills: documentSource('in_invoice'),
        creditNotes: documentSource('in_refund'),
        payments: {
          ...sourceOf('account.payment', records.paymentFields, paymentsOf, (row) =>
            records.readPayment(row, contacts.vendorOf(row)),
          ),
          prepare: loadContacts,
        },
        orders: {
          ...sourceOf(
            'purchase.order',
            records.orderFields,
            () => ORDERS,
            (row) => records.readOrder(row, contacts.vendorOf(row)),
          ),
          prepare: loadContacts,
        },
      },
    };
  },
});

function ofTypes(...types: readonly string[]): Domain {
  return [['move_type', 'in', types]];
}

/** An Odoo draft without a date is read regardless of the first import date. */
const documentsOf =
  (type: string) =>
  ({ dateFrom }: Window): Domain =>
    dateFrom === undefined
      ? ofTypes(type)
      : [...ofTypes(type), '|', ['invoice_date', '=', false], ['invoice_date', '>=', dateFrom]];

function paymentsOf({ dateFrom }: Window): Domain {
  return dateFrom === undefined ? PAYMENTS : [...PAYMENTS, ['date', '>=', dateFrom]];
}

/** Returns the search condition for Odoo rows that have changed since a time such as `2026-02-01 09:15:22` in UTC. */
function changedSince({ from }: Window, field = 'write_date'): Domain {
  if (from === undefined) return [];
  return [[field, '>=', new Date(from).toISOString().slice(0, 19).replace('T', ' ')]];
}

/** Returns the record id at the end of a stored position in an Odoo stream. */
function lastIdOf({ after = '' }: { readonly after?: string | undefined }): number {
  return Number(/(?<!\d)\d+$/.exec(after)?.[0] ?? 0);
}

function idOf(row: Row): string {
  return row.requiredText('id');
}
