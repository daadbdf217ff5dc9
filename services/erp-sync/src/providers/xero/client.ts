import { Outage } from '../../domain/faults.js';
import type { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { TokenCalls } from '../access-token.js';
import { outageOf } from '../answers.js';
import type { RowsPage } from '../define-provider.js';
import { fieldOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';
import { withQuery } from '../url.js';
import { disconnected, faultOfAnswer, lists, SCOPE_MISSING } from './answers.js';
import type { ListName, ResourceName } from './answers.js';

export interface ListQuery {
  readonly where?: string | undefined;
  /** Modification time from which Xero records are read, in RFC 3339 format. */
  readonly modifiedSince?: string | undefined;
  readonly ids?: readonly string[];
}

/** Returns the position before the first page of a Xero list. */
export function firstPosition(pageSize: number): string {
  return `0:${pageSize}`;
}

/** Read-only client for the Xero accounting API 2.0 (ERP reference, section 6). */
export function xeroClient(apiUrl: string, tenantId: string, calls: TokenCalls) {
  const send = async (
    url: string,
    faultOf: (answer: ErpAnswer) => ErpFault | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const answer = await sendWithToken(
      calls,
      { method: 'GET', url, headers: { accept: 'application/json', ...headers }, faultOf },
      ({ status, json }) => status === 401 && fieldOf(json, 'Detail') !== SCOPE_MISSING,
    );
    const fault = faultOf(answer);
    // Xero gives the same refusal for a disconnected organisation and for a user without a role.
    if (fault?.code === 'PERMISSION_DENIED' && answer.status === 403 && !(await isConnected())) throw disconnected();
    if (fault !== undefined) throw fault;
    return answer.json;
  };

  /** Reads a page of rows of a Xero resource. */
  const get = async (
    resource: ResourceName,
    query: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly rows: readonly unknown[]; readonly body: unknown }> => {
    const url = withQuery(`${apiUrl}/api.xro/2.0/${resource}`, query);
    const rowsOf = (json: unknown): unknown => fieldOf(json, resource === 'Organisation' ? 'Organisations' : resource);
    const faultOf = (answer: ErpAnswer) => faultOfAnswer(answer, resource, (json) => Array.isArray(rowsOf(json)));
    const body = await send(url, faultOf, { 'xero-tenant-id': tenantId, ...headers });
    return { rows: rowsOf(body) as readonly unknown[], body };
  };

  /**
   * The list of connections in Xero is read without naming the organisation. Only this list shows whether the
   * organisation is still connected.
   */
  const isConnected = async (): Promise<boolean> => {
    const faultOf = ({ status, json, ...answer }: ErpAnswer): ErpFault | undefined => {
      if (status === 200 && Array.isArray(json)) return undefined;
      const fault = faultOfAnswer({ status, json, ...answer }, 'Organisation', () => false);
      return fault?.code === 'REAUTH_REQUIRED' ? fault : outageOf({ status, codes: [] });
    };
    const connections = (await send(`${apiUrl}/connections`, faultOf)) as readonly unknown[];
    return connections.some((connection) => fieldOf(connection, 'tenantId') === tenantId);
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
    // Xero expects the modification time for a list in UTC without a time zone.
    const headers = modifiedSince === undefined ? undefined : { 'if-modified-since': modifiedSince.slice(0, 19) };
    const { rows, body } = await get(list, query, headers);
    const pageCount = fieldOf(body, 'pagination', 'pageCount');
    const isLast = typeof pageCount === 'number' ? page >= pageCount : rows.length < pageSize;
    return { rows, isLast: isLast || rows.length === 0 };
  };

  return {
    async readOrganisation(): Promise<unknown> {
      const [organisation] = (await get('Organisation')).rows;
      if (organisation === undefined) throw new Outage('BAD_RESPONSE', 'Xero did not return the organisation.');
      return organisation;
    },
    readPage,
    /**
     * Yields pages of a Xero list sorted by id. Rows never disappear in Xero, so a row may be read twice, but no row is
     * skipped.
     */
    async *pages(list: ListName, query: ListQuery, pageSize: number, after?: string): AsyncGenerator<RowsPage> {
      const [, lastPage = '0', sizeThen] = /^(\d{1,9}):(\d{1,9})$/.exec(after ?? '') ?? [];
      // The page size of Xero must not change during an import run, because the pages would then have other rows.
      const first = sizeThen === String(pageSize) ? Number(lastPage) + 1 : 1;
      for (let page = first; ; page++) {
        const { rows, isLast } = await readPage(list, query, page, pageSize);
        yield { rows, position: `${page}:${pageSize}` };
        if (isLast) return;
      }
    },
  };
}
