import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { TokenCalls } from '../access-token.js';
import type { RowsPage } from '../define-provider.js';
import { fieldOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';
import { withQuery } from '../url.js';

/** What people call each list, the scope that it needs, and the ids of its rows. */
export const lists = {
  Contacts: { noun: 'contacts', scope: 'accounting.contacts.read', idName: 'ContactID' },
  Invoices: { noun: 'bills', scope: 'accounting.invoices.read', idName: 'InvoiceID' },
  CreditNotes: { noun: 'credit notes', scope: 'accounting.invoices.read', idName: 'CreditNoteID' },
  Payments: { noun: 'payments', scope: 'accounting.payments.read', idName: 'PaymentID' },
  PurchaseOrders: { noun: 'purchase orders', scope: 'accounting.invoices.read', idName: 'PurchaseOrderID' },
} as const;
export type ListName = keyof typeof lists;
export type ResourceName = ListName | 'Organisation';
const resources = { ...lists, Organisation: { noun: 'the organisation', scope: 'accounting.settings.read' } };

export interface ListQuery {
  readonly where?: string | undefined;
  /** RFC 3339 */
  readonly modifiedSince?: string | undefined;
  readonly ids?: readonly string[];
}

/** In front of the first page. */
export function firstPosition(pageSize: number): string {
  return `0:${pageSize}`;
}

/** A token that lacks a scope; a new token lacks it too. */
const SCOPE_MISSING = 'AuthorizationUnsuccessful';

/** The accounting API 2.0 of Xero, read only (ERP reference, section 6). */
export function xeroClient(apiUrl: string, tenantId: string, calls: TokenCalls) {
  const send = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<ErpAnswer> =>
    sendWithToken(
      calls,
      { method: 'GET', url, headers: { accept: 'application/json', ...headers } },
      ({ status, json }) => status === 401 && fieldOf(json, 'Detail') !== SCOPE_MISSING,
    );

  /** The rows of a resource, and what comes with them. */
  const get = async (
    resource: ResourceName,
    query: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly rows: readonly unknown[]; readonly body: unknown }> => {
    const url = withQuery(`${apiUrl}/api.xro/2.0/${resource}`, query);
    const answer = await send(url, { 'xero-tenant-id': tenantId, ...headers });
    if (answer.status === 403 && !(await isConnected())) {
      throw new ErpFault('REAUTH_REQUIRED', 'The organisation was disconnected in Xero. Connect it again.');
    }
    if (answer.status !== 200) throw faultOf(answer, resource);
    const rows = fieldOf(answer.json, resource === 'Organisation' ? 'Organisations' : resource);
    if (!Array.isArray(rows)) throw badResponse(resource);
    return { rows: rows as readonly unknown[], body: answer.json };
  };

  /** An organisation that was disconnected and a user without a role are refused alike. */
  const isConnected = async (): Promise<boolean> => {
    const { status, json } = await send(`${apiUrl}/connections`);
    if (status !== 200 || !Array.isArray(json)) return true;
    return json.some((connection) => fieldOf(connection, 'tenantId') === tenantId);
  };

  const readPage = async (
    list: ListName,
    { where, modifiedSince, ids }: ListQuery,
    page: number,
    pageSize: number,
  ): Promise<{ readonly rows: readonly unknown[]; readonly isLast: boolean }> => {
    const query = {
      includeArchived: list === 'Contacts' ? 'true' : undefined,
      where,
      IDs: ids?.join(','),
      order: `${lists[list].idName} ASC`,
      page: String(page),
      pageSize: String(pageSize),
    };
    // UTC without a zone, as Xero reads it.
    const headers = modifiedSince === undefined ? undefined : { 'if-modified-since': modifiedSince.slice(0, 19) };
    const { rows, body } = await get(list, query, headers);
    const pageCount = fieldOf(body, 'pagination', 'pageCount');
    const isLast = typeof pageCount === 'number' ? page >= pageCount : rows.length < pageSize;
    return { rows, isLast: isLast || rows.length === 0 };
  };

  return {
    async readOrganisation(): Promise<unknown> {
      const [organisation] = (await get('Organisation')).rows;
      if (organisation === undefined) throw badResponse('Organisation');
      return organisation;
    },
    readPage,
    /** Pages in the order of ids: since nothing vanishes, a row may come twice, but none is skipped. */
    async *pages(list: ListName, query: ListQuery, pageSize: number, after?: string): AsyncGenerator<RowsPage> {
      const [, lastPage = '0', sizeThen] = /^(\d{1,9}):(\d{1,9})$/.exec(after ?? '') ?? [];
      // Pages of another size have other rows.
      const first = sizeThen === String(pageSize) ? Number(lastPage) + 1 : 1;
      for (let page = first; ; page++) {
        const { rows, isLast } = await readPage(list, query, page, pageSize);
        yield { rows, position: `${page}:${pageSize}` };
        if (isLast) return;
      }
    },
  };
}

function badResponse(resource: ResourceName): ErpFault {
  return new ErpFault('BAD_RESPONSE', `Xero sent something else than ${resources[resource].noun}.`);
}

function faultOf({ status, json }: ErpAnswer, resource: ResourceName): ErpFault {
  const isScopeMissing = status === 401 && fieldOf(json, 'Detail') === SCOPE_MISSING;
  if (status === 403 || isScopeMissing) return permissionDenied([resource]);
  if (status === 401) {
    return new ErpFault('REAUTH_REQUIRED', 'Xero does not accept the access any more. Connect it again.');
  }
  const { noun } = resources[resource];
  return new ErpFault('BAD_RESPONSE', `Xero does not answer a request for ${noun} (status ${status}).`);
}

/** Names each with the scope that it needs. */
export function permissionDenied(denied: readonly ResourceName[]): ErpFault {
  const named = denied.map((resource) => `${resources[resource].noun} (${resources[resource].scope})`);
  return new ErpFault(
    'PERMISSION_DENIED',
    `Xero does not let this connection read: ${named.join(', ')}. Connect it again as a user who may read them, and allow all that is asked for.`,
  );
}
