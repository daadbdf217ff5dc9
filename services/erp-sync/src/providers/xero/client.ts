import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';

export type ListName = 'Contacts' | 'Invoices' | 'CreditNotes' | 'Payments' | 'PurchaseOrders';

export interface ListQuery {
  readonly list: ListName;
  readonly where?: string | undefined;
  /** RFC 3339 */
  readonly modifiedSince?: string | undefined;
  /** Comma list. */
  readonly ids?: string;
}

export interface ListPage {
  readonly rows: readonly unknown[];
  readonly isLast: boolean;
}

export interface Organisation {
  readonly name: string | undefined;
  readonly baseCurrency: string | undefined;
  readonly countryCode: string | undefined;
  /** Links to its pages name it. */
  readonly shortCode: string | undefined;
}

export interface XeroClient {
  readOrganisation(): Promise<Organisation>;
  /** @param page from 1 */
  readPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage>;
  /** RFC 3339, of the last answer. */
  serverTime(): string | undefined;
}

/** What people call a list, and the scope that it needs. */
const permissions: Readonly<Record<ListName | 'Organisation', { readonly noun: string; readonly scope: string }>> = {
  Organisation: { noun: 'the organisation', scope: 'accounting.settings.read' },
  Contacts: { noun: 'contacts', scope: 'accounting.contacts.read' },
  Invoices: { noun: 'bills', scope: 'accounting.invoices.read' },
  CreditNotes: { noun: 'credit notes', scope: 'accounting.invoices.read' },
  Payments: { noun: 'payments', scope: 'accounting.payments.read' },
  PurchaseOrders: { noun: 'purchase orders', scope: 'accounting.invoices.read' },
};
type ResourceName = keyof typeof permissions;

const idNames: Readonly<Record<ListName, string>> = {
  Contacts: 'ContactID',
  Invoices: 'InvoiceID',
  CreditNotes: 'CreditNoteID',
  Payments: 'PaymentID',
  PurchaseOrders: 'PurchaseOrderID',
};
/** A token that lacks a scope; a new token lacks it too. */
const SCOPE_MISSING = 'AuthorizationUnsuccessful';

/** The accounting API 2.0 of Xero, read only (ERP reference, section 6). */
export function xeroClient(apiUrl: string, tenantId: string, deps: SessionDeps): XeroClient {
  let date: string | undefined;

  const send = async (url: string, headers: Readonly<Record<string, string>>): Promise<ErpAnswer> => {
    const answer = await sendWithToken(
      deps,
      { method: 'GET', url, headers: { accept: 'application/json', ...headers } },
      (refused) => refused.status === 401 && fieldOf(refused.json, 'Detail') !== SCOPE_MISSING,
    );
    const at = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(at)) date = new Date(at).toISOString();
    return answer;
  };

  const get = async (
    resource: ResourceName,
    query: Readonly<Record<string, string | undefined>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    const parameters = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
    const answer = await send(`${apiUrl}/api.xro/2.0/${resource}${parameters}`, {
      'xero-tenant-id': tenantId,
      ...headers,
    });
    if (answer.status === 200) return answer.json;
    if (answer.status === 403 && !(await isConnected())) {
      throw new ErpFault('REAUTH_REQUIRED', 'The organisation was disconnected in Xero. Connect it again.');
    }
    throw faultOf(answer, resource);
  };

  /** An organisation that was disconnected and a user without a role are refused alike. */
  const isConnected = async (): Promise<boolean> => {
    const { status, json } = await send(`${apiUrl}/connections`, {});
    if (status !== 200 || !Array.isArray(json)) return true;
    return json.some((connection) => fieldOf(connection, 'tenantId') === tenantId);
  };

  return {
    async readOrganisation() {
      const list = fieldOf(await get('Organisation', {}), 'Organisations');
      if (!Array.isArray(list) || list.length === 0) throw badResponse('Organisation');
      const text = (name: string): string | undefined => {
        const value = fieldOf(list[0], name);
        return typeof value === 'string' && value !== '' ? value : undefined;
      };
      return {
        name: text('Name'),
        baseCurrency: text('BaseCurrency'),
        countryCode: text('CountryCode'),
        shortCode: text('ShortCode'),
      };
    },
    async readPage({ list, where, modifiedSince, ids }, page, pageSize) {
      const body = await get(
        list,
        {
          ...(list === 'Contacts' ? { includeArchived: 'true' } : {}),
          where,
          IDs: ids,
          order: `${idNames[list]} ASC`,
          page: String(page),
          pageSize: String(pageSize),
        },
        // UTC without a zone, as Xero reads it.
        modifiedSince === undefined ? {} : { 'if-modified-since': modifiedSince.slice(0, 19) },
      );
      const rows = fieldOf(body, list);
      if (!Array.isArray(rows)) throw badResponse(list);
      const pageCount = fieldOf(fieldOf(body, 'pagination'), 'pageCount');
      const isLast = typeof pageCount === 'number' ? page >= pageCount : rows.length < pageSize;
      return { rows: rows as readonly unknown[], isLast: isLast || rows.length === 0 };
    },
    serverTime: () => date,
  };
}

/** Collects what may not be read, so that all of it is named at once. */
export async function testReading(client: XeroClient): Promise<Organisation> {
  const missing: ResourceName[] = [];
  const tryTo = async <T>(resource: ResourceName, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ErpFault) || error.code !== 'PERMISSION_DENIED') throw error;
      missing.push(resource);
      return undefined;
    }
  };
  const organisation = await tryTo('Organisation', () => client.readOrganisation());
  for (const list of ['Contacts', 'Invoices', 'CreditNotes'] as const) {
    await tryTo(list, () => client.readPage({ list }, 1, 1));
  }
  if (organisation === undefined || missing.length > 0) throw permissionDenied(missing);
  return organisation;
}

function faultOf({ status, json }: ErpAnswer, resource: ResourceName): ErpFault {
  if (status === 403 || (status === 401 && fieldOf(json, 'Detail') === SCOPE_MISSING)) {
    return permissionDenied([resource]);
  }
  if (status === 401)
    return new ErpFault('REAUTH_REQUIRED', 'Xero does not accept the access any more. Connect it again.');
  const { noun } = permissions[resource];
  return new ErpFault('BAD_RESPONSE', `Xero does not answer a request for ${noun} (status ${status}).`);
}

function permissionDenied(resources: readonly ResourceName[]): ErpFault {
  const named = resources.map((resource) => `${permissions[resource].noun} (${permissions[resource].scope})`);
  return new ErpFault(
    'PERMISSION_DENIED',
    `Xero does not let this connection read: ${named.join(', ')}. Connect it again as a user who may read them, and allow all that is asked for.`,
  );
}

function badResponse(resource: ResourceName): ErpFault {
  return new ErpFault('BAD_RESPONSE', `Xero sent something else than ${permissions[resource].noun}.`);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
