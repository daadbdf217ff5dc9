import { ErpFault } from '../../domain/faults.js';
import type { RecordsOf, StreamName } from '../../domain/records.js';
import type { Page, Provider, RemoteCompany, Session, SessionDeps, Window } from '../provider.js';
import { readRows, Row, RowFault } from '../row.js';
import { NoSuchModel, odooClient, permissionDenied } from './client.js';
import type { OdooConfig } from './client.js';
import { odoo } from './product.js';
import {
  accountFields,
  linkOf,
  moveFields,
  orderFields,
  partnerFields,
  paymentFields,
  readBill,
  readOrder,
  readPayment,
  readVendor,
  readVendorAccount,
} from './records.js';

const PAGE_SIZE_MAX = 500;
/** Ids that one domain names. */
const IDS_MAX = 500;
const DOCUMENT_TYPES = ['in_invoice', 'in_refund'];

/** Odoo 14 and later (ERP reference, section 4). */
export const odooProvider: Provider = {
  code: odoo.code,
  product: odoo.product,
  title: odoo.title,
  streams: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'],
  withoutDeletions: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'orders'],
  pageSize: PAGE_SIZE_MAX,
  concurrency: 2,
  // Instants of records have microseconds that their texts do not show.
  overlapSeconds: 2,
  open: openSession,
};

/** `["id", ">", 5]`, or an operator between two of them. */
type Domain = readonly (string | readonly [field: string, operator: string, value: unknown])[];

/** What is known of a contact: the vendor that it belongs to. */
interface Contact {
  readonly vendorId: string;
  readonly isSupplier: boolean;
}

function openSession(deps: SessionDeps): Session {
  const config = deps.config as unknown as OdooConfig;
  const client = odooClient(config, deps);
  const { pageSize } = deps;
  const contacts = new Map<string, Contact>();
  const countryCodes = new Map<string, string>();
  /** Vendors whose accounts have to be read although no account changed; undefined until this session has read vendors. */
  let vendorsRead: Set<string> | undefined;
  let company: { readonly id: number; readonly name: string; readonly currency: string } | undefined;

  const recordUrl = (model: string, id: string): string =>
    `${config.baseUrl}/web#id=${id}&model=${model}&view_type=form`;

  /** Archived records too, of one company. */
  const contextOf = (companyId: number | undefined): Readonly<Record<string, unknown>> => ({
    lang: 'en_US',
    active_test: false,
    ...(companyId === undefined ? {} : { allowed_company_ids: [companyId] }),
  });

  const searchRead = async (model: string, search: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> => {
    const context = contextOf(company?.id);
    const rows = await client.call(model, 'search_read', { order: 'id asc', context, ...search });
    if (!Array.isArray(rows)) throw new ErpFault('BAD_RESPONSE', 'Odoo answered without a list.');
    return rows as readonly unknown[];
  };

  /** The configured company, the only one, or the one that the user begins in. */
  const openCompany = async (): Promise<{ readonly id: number; readonly name: string; readonly currency: string }> => {
    if (company !== undefined) return company;
    const fields = ['id', 'name', 'currency_id'];
    const { erpCompanyId } = config;
    const domain: Domain = erpCompanyId === undefined ? [] : [['id', '=', erpCompanyId]];
    const found = await searchRead('res.company', { domain, fields, limit: 2 });
    let [row] = found;
    if (found.length > 1) {
      const { uid } = asObject(await client.call('res.users', 'context_get', {}));
      const [user] = await searchRead('res.users', { domain: [['id', '=', uid]], fields: ['company_id'] });
      const id = Number(readRow(user, (of) => linkOf(of, 'company_id'))?.id);
      [row] = await searchRead('res.company', { domain: [['id', '=', id]], fields });
    }
    if (row === undefined) {
      throw new ErpFault(
        'TENANT_NOT_FOUND',
        'The user of the API key sees no such company in Odoo. Correct erpCompanyId.',
      );
    }
    company = readRow(row, (of) => ({
      id: Number(of.requiredText('id')),
      name: of.requiredText('name'),
      currency: linkOf(of, 'currency_id')?.label ?? '',
    }));
    return company;
  };

  /** Pages in the order of ids, each behind the last id of the one before: what changes meanwhile repeats and is not skipped. */
  async function* pagesOf(
    model: string,
    domain: Domain,
    fields: readonly string[],
    after = 0,
  ): AsyncGenerator<{ readonly rows: readonly unknown[]; readonly lastId: number; readonly isLast: boolean }> {
    let lastId = after;
    for (;;) {
      const rows = await searchRead(model, { domain: [...domain, ['id', '>', lastId]], fields, limit: pageSize });
      const ids = rows.map((row) => Number(asObject(row)['id']));
      const greatest = ids.reduce((max, id) => (id > max ? id : max), lastId);
      const isLast = rows.length < pageSize;
      if (!isLast && greatest <= lastId) {
        throw new ErpFault('BAD_RESPONSE', 'Odoo sends the same page again.');
      }
      lastId = greatest;
      yield { rows, lastId, isLast };
      if (isLast) return;
    }
  }

  const changedSince = ({ from }: Window): Domain =>
    from === undefined ? [] : [['write_date', '>=', instantText(from)]];

  const documentDomain = async (types: readonly string[]): Promise<Domain> => [
    ['move_type', 'in', types],
    ['company_id', '=', (await openCompany()).id],
  ];

  /** Loads what is not known yet of these contacts. */
  const loadContacts = async (ids: Iterable<string>): Promise<void> => {
    for (const chunk of chunksOf([...new Set(ids)].filter((id) => !contacts.has(id)))) {
      const domain: Domain = [['id', 'in', chunk.map(Number)]];
      noteContacts(await searchRead('res.partner', { domain, fields: ['commercial_partner_id', 'supplier_rank'] }));
    }
  };
  const noteContacts = (rows: readonly unknown[]): void => {
    const { records } = readRows(rows, 'id', (row) => {
      const id = row.requiredText('id');
      const vendorId = linkOf(row, 'commercial_partner_id')?.id ?? id;
      return [id, { vendorId, isSupplier: Number(row.text('supplier_rank') ?? 0) > 0 }] as const;
    });
    for (const [id, contact] of records) contacts.set(id, contact);
  };

  const vendorPage = async (
    rows: readonly unknown[],
  ): Promise<Pick<Page<RecordsOf['vendors']>, 'records' | 'invalid'>> => {
    noteContacts(rows);
    const countries = rows.flatMap((row) => {
      const { country_id: country } = asObject(row);
      return Array.isArray(country) && Number.isSafeInteger(country[0]) ? [Number(country[0])] : [];
    });
    for (const chunk of chunksOf([...new Set(countries)].filter((id) => !countryCodes.has(String(id))))) {
      const found = await searchRead('res.country', { domain: [['id', 'in', chunk]], fields: ['code'] });
      for (const { id, code } of found.map(asObject)) {
        if (typeof code === 'string') countryCodes.set(String(id), code);
      }
    }
    // Contacts of a company are not vendors of their own.
    const page = readRows(rows, 'id', (row) => {
      const owner = linkOf(row, 'commercial_partner_id');
      const isVendor = owner === undefined || owner.id === row.text('id');
      return isVendor ? readVendor(row, countryCodes, recordUrl) : undefined;
    });
    for (const { externalId } of page.records) vendorsRead?.add(externalId);
    return page;
  };

  /**
   * Suppliers, then the companies on changed bills that were not among them: the rank of a supplier changes without a trace,
   * and drafts do not raise it.
   */
  async function* readVendors(window: Window): AsyncIterable<Page<RecordsOf['vendors']>> {
    vendorsRead = window.after === undefined ? new Set() : undefined;
    const { phase, id } = readPosition(window.after);
    if (phase === 'partners') {
      const domain: Domain = [['supplier_rank', '>', 0], ...changedSince(window)];
      for await (const { rows, lastId } of pagesOf('res.partner', domain, partnerFields, id)) {
        yield { ...(await vendorPage(rows)), deletedIds: [], position: `partners:${lastId}` };
      }
    }
    for await (const { ids, lastId } of vendorsOnBills(window, phase === 'bills' ? id : 0)) {
      const rows: unknown[] = [];
      for (const chunk of chunksOf(ids)) {
        rows.push(
          ...(await searchRead('res.partner', { domain: [['id', 'in', chunk.map(Number)]], fields: partnerFields })),
        );
      }
      if (rows.length === 0) continue;
      yield { ...(await vendorPage(rows)), deletedIds: [], position: `bills:${lastId}` };
    }
  }

  /** Vendors of bills that {@link readVendors} has not read as suppliers. In a first run those without a rank are missing. */
  async function* vendorsOnBills(
    window: Window,
    after: number,
  ): AsyncGenerator<{ readonly ids: readonly string[]; readonly lastId: number }> {
    const seen = new Set(contacts.keys());
    const unranked: Domain = window.from === undefined ? [['commercial_partner_id.supplier_rank', '=', 0]] : [];
    const domain = [...(await documentDomain(DOCUMENT_TYPES)), ...changedSince(window), ...unranked];
    for await (const { rows, lastId } of pagesOf('account.move', domain, ['commercial_partner_id'], after)) {
      const { records } = readRows(rows, 'id', (row) => linkOf(row, 'commercial_partner_id')?.id);
      const ids = [...new Set(records)].filter((id) => !seen.has(id));
      for (const id of ids) seen.add(id);
      yield { ids, lastId };
    }
  }

  /**
   * Changed accounts of suppliers, and all accounts of vendors that are new to the window: those may be older than it. One
   * query for both where the session has read the vendors, and there are few.
   */
  async function* readAccounts(window: Window): AsyncIterable<Page<RecordsOf['bankAccounts']>> {
    const fields = await accountNames();
    const { phase, id } = readPosition(window.after);
    const isWhole = window.after === undefined && vendorsRead !== undefined;
    const vendors = [...(vendorsRead ?? (await changedVendors(window)))];
    const wanted = vendors.filter((vendor) => window.from !== undefined || contacts.get(vendor)?.isSupplier !== true);
    const isJoined = isWhole && wanted.length > 0 && wanted.length <= IDS_MAX;
    const ofVendors = (ids: readonly string[]): Domain => [['partner_id.commercial_partner_id', 'in', ids.map(Number)]];
    if (phase === 'partners') {
      const changed: Domain = [...changedSince(window), ['partner_id.supplier_rank', '>', 0]];
      const both: Domain = ['|', ...ofVendors(wanted), ...(changed.length > 1 ? ['&'] : []), ...changed];
      for await (const { rows, lastId } of pagesOf('res.partner.bank', isJoined ? both : changed, fields, id)) {
        yield { ...(await accountPage(rows)), position: `partners:${lastId}` };
      }
    }
    if (isJoined) return;
    for (const chunk of chunksOf(wanted)) {
      for await (const { rows } of pagesOf('res.partner.bank', ofVendors(chunk), fields)) {
        if (rows.length > 0) yield await accountPage(rows);
      }
    }
  }

  /** As {@link readVendors} finds them, for a session that goes on where another one ended. */
  const changedVendors = async (window: Window): Promise<ReadonlySet<string>> => {
    const { after: _, ...whole } = window;
    vendorsRead = new Set();
    for await (const { records } of readVendors(whole))
      for (const { externalId } of records) vendorsRead.add(externalId);
    return vendorsRead;
  };

  const accountPage = async (
    rows: readonly unknown[],
  ): Promise<Pick<Page<RecordsOf['bankAccounts']>, 'records' | 'invalid' | 'deletedIds'>> => {
    await loadContacts(partnersOf(rows));
    // An archived account is no account of the vendor any more.
    const deletedIds = rows.map(asObject).flatMap(({ id, active }) => (active === false ? [String(id)] : []));
    const page = readRows(rows, 'id', (row) =>
      row.boolean('active') === false ? undefined : readVendorAccount(row, vendorOf(row)),
    );
    return { ...page, deletedIds };
  };

  /** Names of fields changed with 20; an Odoo that has JSON-RPC alone is older. */
  const accountNames = async (): Promise<readonly string[]> => {
    await openCompany();
    const always = ['id', 'partner_id', 'active', 'write_date'];
    if (client.isBeforeJson2()) return [...always, 'acc_number', 'sanitized_acc_number', 'acc_holder_name', 'bank_bic'];
    const known = asObject(
      await client.call('res.partner.bank', 'fields_get', { allfields: accountFields, attributes: ['type'] }),
    );
    return [...always, ...accountFields.filter((name) => name in known)];
  };

  async function* readDocuments(type: string, window: Window): AsyncIterable<Page<RecordsOf['bills']>> {
    const { dateFrom } = window;
    // A draft without a date is read, whatever the first day is.
    const dated: Domain =
      dateFrom === undefined ? [] : ['|', ['invoice_date', '=', false], ['invoice_date', '>=', dateFrom]];
    const domain = [...(await documentDomain([type])), ...changedSince(window), ...dated];
    for await (const { rows, lastId } of pagesOf('account.move', domain, moveFields, readId(window.after))) {
      yield { ...readRows(rows, 'id', (row) => readBill(row, recordUrl)), deletedIds: [], position: String(lastId) };
    }
  }

  async function* readOfVendors<R>(
    model: string,
    domain: Domain,
    fields: readonly string[],
    window: Window,
    read: (row: Row, vendorId: string) => R,
  ): AsyncIterable<Page<R>> {
    const whole: Domain = [...domain, ['company_id', '=', (await openCompany()).id], ...changedSince(window)];
    try {
      for await (const { rows, lastId } of pagesOf(model, whole, fields, readId(window.after))) {
        await loadContacts(partnersOf(rows));
        yield { ...readRows(rows, 'id', (row) => read(row, vendorOf(row))), deletedIds: [], position: String(lastId) };
      }
    } catch (error) {
      // Without the app there is nothing to read: the stream is left out as one without a right is.
      throw error instanceof NoSuchModel ? permissionDenied([model]) : error;
    }
  }

  const vendorOf = (row: Row): string => {
    const partner = linkOf(row, 'partner_id');
    if (partner === undefined) throw new RowFault('partner_id is missing.');
    return contacts.get(partner.id)?.vendorId ?? partner.id;
  };

  return {
    async test(): Promise<RemoteCompany> {
      const missing: string[] = [];
      const tryTo = async <T>(model: string, work: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof ErpFault) || error.code !== 'PERMISSION_DENIED') throw error;
          missing.push(model);
          return undefined;
        }
      };
      const found = await tryTo('res.company', openCompany);
      for (const model of ['res.partner', 'res.partner.bank', 'account.move']) {
        // Lists are empty without a right, a count is refused.
        const context = contextOf(found?.id);
        await tryTo(model, async () => client.call(model, 'search_count', { domain: [], limit: 1, context }));
      }
      if (missing.length > 0) throw permissionDenied(missing);
      return found === undefined
        ? {}
        : { name: found.name, ...(found.currency === '' ? {} : { currency: found.currency }) };
    },
    async *read<S extends StreamName>(stream: S, window: Window) {
      await openCompany();
      yield* readStream(stream, window) as AsyncIterable<Page<RecordsOf[S]>>;
    },
    async *ids(stream) {
      await openCompany();
      const [model, domain] = await idsOf(stream);
      for await (const { rows } of pagesOf(model, domain, ['id'])) yield readIds(rows);
      // Vendors without a rank are known from their bills.
      if (stream !== 'vendors') return;
      const unranked: Domain = [['commercial_partner_id.supplier_rank', '=', 0]];
      const onBills = [...(await documentDomain(DOCUMENT_TYPES)), ...unranked];
      for await (const { rows } of pagesOf('account.move', onBills, ['commercial_partner_id'])) {
        yield readRows(rows, 'id', (row) => linkOf(row, 'commercial_partner_id')?.id).records;
      }
    },
    serverTime: () => client.serverTime(),
  };

  function readStream(stream: StreamName, window: Window): AsyncIterable<Page<RecordsOf[StreamName]>> {
    switch (stream) {
      case 'vendors':
        return readVendors(window);
      case 'bankAccounts':
        return readAccounts(window);
      case 'bills':
        return readDocuments('in_invoice', window);
      case 'creditNotes':
        return readDocuments('in_refund', window);
      case 'payments': {
        const dated: Domain = window.dateFrom === undefined ? [] : [['date', '>=', window.dateFrom]];
        const domain: Domain = [
          ['partner_type', '=', 'supplier'],
          ['payment_type', '=', 'outbound'],
          ['state', '!=', 'draft'],
          ...dated,
        ];
        return readOfVendors('account.payment', domain, paymentFields, window, readPayment);
      }
      case 'orders':
        return readOfVendors('purchase.order', ORDERED, orderFields, window, readOrder);
    }
  }

  async function idsOf(stream: StreamName): Promise<readonly [model: string, domain: Domain]> {
    switch (stream) {
      case 'vendors':
        return ['res.partner', [['supplier_rank', '>', 0]]];
      case 'bankAccounts':
        return ['res.partner.bank', [['active', '=', true]]];
      case 'bills':
        return ['account.move', await documentDomain(['in_invoice'])];
      case 'creditNotes':
        return ['account.move', await documentDomain(['in_refund'])];
      case 'payments':
        return ['account.payment', [['company_id', '=', (await openCompany()).id]]];
      case 'orders':
        return ['purchase.order', [...ORDERED, ['company_id', '=', (await openCompany()).id]]];
    }
  }
}

/** Orders that a supplier has; offers are none yet. */
const ORDERED: Domain = [['state', 'in', ['purchase', 'done']]];

function partnersOf(rows: readonly unknown[]): readonly string[] {
  return rows.map(asObject).flatMap(({ partner_id: partner }) => {
    const id: unknown = Array.isArray(partner) ? partner[0] : undefined;
    return Number.isSafeInteger(id) ? [String(id)] : [];
  });
}

/** A list of ids with a row that cannot be read would make live records look deleted. */
function readIds(rows: readonly unknown[]): readonly string[] {
  const { records, invalid } = readRows(rows, 'id', (row) => row.requiredText('id'));
  if (invalid.length > 0) throw new ErpFault('BAD_RESPONSE', 'The list of all ids has a row that cannot be read.');
  return records;
}

function readRow<T>(value: unknown, read: (row: Row) => T): T {
  try {
    return read(new Row(value));
  } catch (error) {
    if (error instanceof RowFault)
      throw new ErpFault('BAD_RESPONSE', 'Odoo answered with a record that cannot be read.');
    throw error;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function chunksOf<T>(values: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / IDS_MAX) }, (_, at) =>
    values.slice(at * IDS_MAX, (at + 1) * IDS_MAX),
  );
}

/** `2026-02-01 09:15:22`, in UTC. */
function instantText(instant: string): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
}

interface Position {
  readonly phase: 'partners' | 'bills';
  readonly id: number;
}

function readPosition(after: string | undefined): Position {
  const [, phase, id] = /^(partners|bills):(\d+)$/.exec(after ?? '') ?? [];
  return { phase: phase === 'bills' ? 'bills' : 'partners', id: Number(id ?? 0) };
}

function readId(after: string | undefined): number {
  return Number(after ?? 0);
}
