import { parseUrl } from '@invoicecontrol/values/url';
import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { RowsPage } from '../define-provider.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';
import { COMPANY, faultOfApi, PAYMENTS, QueryRefused } from './answers.js';
import { entraTokens } from './tokens.js';

/** Base URLs of Business Central, without a trailing slash. */
export interface BusinessCentralAddresses {
  readonly loginUrl: string;
  readonly apiUrl: string;
}

/** Configuration of a Business Central connection, in its stored form (ERP reference, section 12). */
export interface BusinessCentralConfig {
  readonly tenantId: string;
  readonly environmentName: string;
  readonly companyId: string;
  readonly clientId: string;
  readonly bankAccountEndpoint?: string;
  readonly bankAccountVendorIdField?: string;
  readonly bankAccountIbanField?: string;
}

/** A list in the API of Business Central, with the name that messages use for the list. */
export interface ListTarget {
  readonly url: string;
  /** Name that messages use for a list of ERP records, such as `vendors`. */
  readonly name: string;
}

export type BusinessCentralClient = ReturnType<typeof businessCentralClient>;

/** Read-only client for the Business Central API v2.0 (ERP reference, section 3). */
export function businessCentralClient(
  { apiUrl, loginUrl }: BusinessCentralAddresses,
  config: BusinessCentralConfig,
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
  pageSize: number,
) {
  const [tenant, environment] = [config.tenantId, config.environmentName].map(encodeURIComponent);
  const base = `${apiUrl}/v2.0/${tenant}/${environment}/api`;
  const calls = { http, credentials: entraTokens(loginUrl, config, { http, credentials }) };

  const get = async (
    url: string,
    name: string,
    isGood: (json: unknown) => boolean,
    rowsMax?: number,
  ): Promise<unknown> => {
    const headers = {
      accept: 'application/json',
      // Header that fixes the language of Business Central's error messages and the format of values.
      'accept-language': 'en-US',
      'data-access-intent': 'ReadOnly',
      ...(rowsMax === undefined ? {} : { prefer: `odata.maxpagesize=${rowsMax}` }),
    };
    // An OAuth token may be revoked before it expires, so a refused request to Business Central is repeated once with a
    // new token. If the new token is refused as well, the fault is permanent.
    const faultOf = (one: ErpAnswer) => faultOfApi(one, name, isGood);
    const answer = await sendWithToken(calls, { method: 'GET', url, headers, faultOf }, ({ status }) => status === 401);
    const fault = faultOf(answer);
    if (fault !== undefined) throw fault;
    return answer.json;
  };

  /**
   * Reads one page of a list from Business Central.
   * @param after path and query of the page, from the position of the previous page
   */
  const readPage = async ({ url, name }: ListTarget, after?: string, rowsMax = pageSize): Promise<RowsPage> => {
    const { origin } = new URL(url);
    const hasRows = (json: unknown): boolean => Array.isArray(fieldOf(json, 'value'));
    const body = await get(after === undefined ? url : `${origin}${after}`, name, hasRows, rowsMax);
    const rows = fieldOf(body, 'value');
    const next = readNextLink(fieldOf(body, '@odata.nextLink'), origin, name);
    return { rows: rows as readonly unknown[], ...(next === undefined ? {} : { position: next }) };
  };

  return {
    /** Path of the environment, which is part of every URL of Business Central. */
    path: `${tenant}/${environment}`,
    companyUrl: `${base}/v2.0/companies(${config.companyId})`,
    paymentsUrl: `${base}/microsoft/reportsFinance/beta/companies(${config.companyId})/${PAYMENTS}`,
    readCompany: () =>
      get(`${base}/v2.0/companies(${config.companyId})`, COMPANY, (json) => textOf(json, 'id') !== undefined),
    /** Reads the first rows of a list from Business Central, up to the given number. */
    readRows: async (target: ListTarget, rowsMax: number) => (await readPage(target, undefined, rowsMax)).rows,
    async *pages(target: ListTarget, after?: string): AsyncGenerator<RowsPage> {
      const first = readPage(target, after).catch(async (error: unknown) => {
        // The link to a page of a Business Central list may be invalid if an earlier import run stored it. The list is
        // then read from the beginning.
        if (after === undefined || !(error instanceof QueryRefused)) throw error;
        return readPage(target);
      });
      for (let page = await first; ; page = await readPage(target, page.position)) {
        yield page;
        if (page.position === undefined) return;
      }
    },
  };
}

/**
 * Returns the path and query of the link to the next page of a Business Central list. Links to other hosts are not
 * followed, because they would receive the OAuth token.
 */
function readNextLink(link: unknown, origin: string, name: string): string | undefined {
  if (link === undefined) return undefined;
  const url = typeof link === 'string' ? parseUrl(link) : undefined;
  if (url === undefined || url.origin !== origin || url.username !== '' || url.password !== '') {
    throw new ErpFault(
      'BAD_RESPONSE',
      `The link of the ERP to the next page of ${name} has another address, which is not followed.`,
    );
  }
  return `${url.pathname}${url.search}`;
}
