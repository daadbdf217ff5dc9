import type { RecordsOf } from '../../domain/records.js';
import { chunksOf } from '../chunks.js';
import { defineProvider, deniedAmong, idsOf } from '../define-provider.js';
import type { RowsPage, StreamSource } from '../define-provider.js';
import { isObject } from '../json.js';
import type { Provider, Window } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { odooClient, permissionDenied } from './client.js';
import type { OdooConfig } from './client.js';
import { linksOf, openContacts } from './contacts.js';
import { odoo } from './product.js';
import { IDS_MAX, odooReader } from './reader.js';
import type { Domain } from './reader.js';
import * as records from './records.js';

const SUPPLIERS: Domain = [['supplier_rank', '>', 0]];
const PAYMENTS: Domain = [
  ['partner_type', '=', 'supplier'],
  ['payment_type', '=', 'outbound'],
  ['state', '!=', 'draft'],
];
/** Orders that a supplier has received; offers are left out. */
const ORDERS: Domain = [['state', 'in', ['purchase', 'done']]];
const onBills = (company: number): Domain => [...ofTypes('in_invoice', 'in_refund'), ['company_id', '=', company]];
const WITHOUT_RANK: Domain = [['commercial_partner_id.supplier_rank', '=', 0]];

/** Odoo 14 and later (ERP reference, section 4). */
export const odooProvider: Provider = defineProvider({
  ...odoo,
  streams: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'],
  withoutDeletions: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'orders'],
  pageSize: 500,
  concurrency: 2,
  // Instants of records have microseconds that their texts do not show.
  overlapSeconds: 2,
  open({ pageSize, ...deps }) {
    const config = deps.config as unknown as OdooConfig;
    const client = odooClient(config, deps);
    const reader = odooReader(client, config.erpCompanyId, pageSize);
    const contacts = openContacts(reader);
    const countryCodes = new Map<string, string>();
    /** Vendors whose accounts have to be read although no account changed; undefined until this session has read vendors. */
    let vendorsRead: Set<string> | undefined;

    const recordUrl = (model: string, id: string): string =>
      `${config.baseUrl}/web#id=${id}&model=${model}&view_type=form`;

    /** Records of the company that a window asks for, in the order of ids. */
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
        async *ids() {
          yield* idsOf(reader.pages(model, await ofCompany({}), ['id']), idOf);
        },
      };
    };

    /**
     * Suppliers, then the companies on changed bills that were not among them: the rank of a supplier changes without a trace,
     * and drafts do not raise it.
     */
    async function* vendorPages(window: Window): AsyncGenerator<RowsPage> {
      vendorsRead = window.after === undefined ? new Set() : undefined;
      const isBehindSuppliers = window.after?.startsWith('bills:') === true;
      if (!isBehindSuppliers) {
        const domain = [...SUPPLIERS, ...changedSince(window)];
        const pages = reader.pages('res.partner', domain, records.partnerFields, lastIdOf(window));
        for await (const { rows, position } of pages) yield { rows, position: `partners:${position}` };
      }
      const seen = new Set(contacts.ids());
      const bills = onBills((await reader.company()).id);
      // In a first run those without a rank are missing.
      const domain = [...bills, ...changedSince(window), ...(window.from === undefined ? WITHOUT_RANK : [])];
      const after = isBehindSuppliers ? lastIdOf(window) : 0;
      for await (const page of reader.pages('account.move', domain, ['commercial_partner_id'], after)) {
        const ids = linksOf(page.rows, 'commercial_partner_id').filter((id) => !seen.has(id));
        for (const id of ids) seen.add(id);
        const rows = await reader.readByIds('res.partner', ids, records.partnerFields);
        if (rows.length > 0) yield { rows, position: `bills:${page.position}` };
      }
    }

    const vendors: StreamSource<RecordsOf['vendors']> & { prepare(rows: readonly unknown[]): Promise<void> } = {
      idName: 'id',
      pages: vendorPages,
      async prepare(rows) {
        contacts.note(rows);
        const unknown = linksOf(rows, 'country_id').filter((id) => !countryCodes.has(id));
        readRows(await reader.readByIds('res.country', unknown, ['code']), 'id', (row) =>
          countryCodes.set(row.requiredText('id'), row.requiredText('code')),
        );
      },
      read(row) {
        const owner = records.linkOf(row, 'commercial_partner_id');
        // Contacts of a company are not vendors of their own.
        if (owner !== undefined && owner.id !== row.text('id')) return undefined;
        const vendor = records.readVendor(row, countryCodes, recordUrl);
        vendorsRead?.add(vendor.externalId);
        return vendor;
      },
      async *ids() {
        yield* idsOf(reader.pages('res.partner', SUPPLIERS, ['id']), idOf);
        // Vendors without a rank are known from their bills.
        const domain = [...onBills((await reader.company()).id), ...WITHOUT_RANK];
        const bills = reader.pages('account.move', domain, ['commercial_partner_id']);
        yield* idsOf(bills, (row) => records.linkOf(row, 'commercial_partner_id')?.id);
      },
    };

    /** As the stream of vendors finds them, for a session that goes on where another one ended. */
    const changedVendors = async ({ after: _, ...whole }: Window): Promise<Iterable<string>> => {
      for await (const { rows } of vendorPages(whole)) {
        await vendors.prepare(rows);
        readRows(rows, 'id', (row) => vendors.read(row));
      }
      return vendorsRead ?? [];
    };

    /**
     * Changed accounts of suppliers, and all accounts of vendors that are new to the window: those may be older than it. One
     * query for both where there are few, and no session before has read a part of it.
     */
    async function* accountPages(window: Window): AsyncGenerator<RowsPage> {
      await reader.company();
      const fields = await accountFields();
      const isNew = window.after === undefined && vendorsRead !== undefined;
      const changed: Domain = [...changedSince(window), ['partner_id.supplier_rank', '>', 0]];
      const wanted = [...(vendorsRead ?? (await changedVendors(window)))].filter(
        // A first window has all accounts of suppliers.
        (vendor) => window.from !== undefined || !contacts.isSupplier(vendor),
      );
      const ofVendors = chunksOf(wanted, IDS_MAX).map((ids): Domain => [
        ['partner_id.commercial_partner_id', 'in', ids.map(Number)],
      ]);
      const together = isNew ? ofVendors.shift() : undefined;
      const first: Domain =
        together === undefined ? changed : ['|', ...together, ...(changed.length > 1 ? ['&'] : []), ...changed];
      yield* reader.pages('res.partner.bank', first, fields, lastIdOf(window));
      for (const domain of ofVendors) {
        for await (const { rows } of reader.pages('res.partner.bank', domain, fields)) {
          if (rows.length > 0) yield { rows };
        }
      }
    }

    /** Names of fields changed with 20; an Odoo that has JSON-RPC alone is older. */
    const accountFields = async (): Promise<readonly string[]> => {
      const always = ['id', 'partner_id', 'active', 'write_date'];
      if (client.isBeforeJson2()) return [...always, ...records.accountFieldsBeforeJson2];
      const query = { allfields: records.accountFields, attributes: ['type'] };
      const known = await client.call('res.partner.bank', 'fields_get', query);
      return [...always, ...records.accountFields.filter((name) => isObject(known) && name in known)];
    };

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
          // An archived account is no account of the vendor any more.
          isDeleted: (row) => row.boolean('active') === false,
          ids: () => idsOf(reader.pages('res.partner.bank', [['active', '=', true]], ['id']), idOf),
        },
        bills: sourceOf('account.move', records.moveFields, documentsOf('in_invoice'), (row) =>
          records.readBill(row, recordUrl),
        ),
        creditNotes: sourceOf('account.move', records.moveFields, documentsOf('in_refund'), (row) =>
          records.readBill(row, recordUrl),
        ),
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

/** A draft without a date is read, whatever the first day is. */
const documentsOf =
  (type: string) =>
  ({ dateFrom }: Window): Domain =>
    dateFrom === undefined
      ? ofTypes(type)
      : [...ofTypes(type), '|', ['invoice_date', '=', false], ['invoice_date', '>=', dateFrom]];

function paymentsOf({ dateFrom }: Window): Domain {
  return dateFrom === undefined ? PAYMENTS : [...PAYMENTS, ['date', '>=', dateFrom]];
}

/** `2026-02-01 09:15:22`, in UTC. */
function changedSince({ from }: Window): Domain {
  if (from === undefined) return [];
  return [['write_date', '>=', new Date(from).toISOString().slice(0, 19).replace('T', ' ')]];
}

/** The id at the end of a position. */
function lastIdOf({ after = '' }: Window): number {
  return Number(/\d+$/.exec(after)?.[0] ?? 0);
}

function idOf(row: Row): string {
  return row.requiredText('id');
}
