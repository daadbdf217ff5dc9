import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { RowsPage } from '../define-provider.js';
import { fieldOf } from '../json.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';
import { entraTokens } from './tokens.js';

/** Where Business Central is called: configuration of the service. Both without a slash at the end. */
export interface BusinessCentralAddresses {
  readonly loginUrl: string;
  readonly apiUrl: string;
}

/** Of a connection, as it is stored (ERP reference, section 12). */
export interface BusinessCentralConfig {
  readonly tenantId: string;
  readonly environmentName: string;
  readonly companyId: string;
  readonly clientId: string;
  readonly bankAccountEndpoint?: string;
  readonly bankAccountVendorIdField?: string;
  readonly bankAccountIbanField?: string;
}

/** What the company itself is called in messages. */
const COMPANY = 'the company';
/** The list of the API for reports, which may be missing. */
export const PAYMENTS = 'vendorLedgerEntries';

/** The API does not take the query, such as a filter on a field that the list does not have. */
export class QueryRefused extends ErpFault {}

/** A list, and what it is called in messages. */
export interface ListTarget {
  readonly url: string;
  /** `vendors` */
  readonly name: string;
}

export type BusinessCentralClient = ReturnType<typeof businessCentralClient>;

/** The API v2.0 of Business Central, read only (ERP reference, section 3). */
export function businessCentralClient(
  { apiUrl, loginUrl }: BusinessCentralAddresses,
  config: BusinessCentralConfig,
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
  pageSize: number,
) {
  const [tenant, environment] = [config.tenantId, config.environmentName].map(encodeURIComponent);
  const base = `${apiUrl}/v2.0/${tenant}/${environment}/api`;
  const calls = { http, credentials: entraTokens(loginUrl, config, { http, credentials }) };

  const get = async (url: string, name: string, rowsMax?: number): Promise<unknown> => {
    const headers = {
      accept: 'application/json',
      // Fixes the language of errors and the formats of values.
      'accept-language': 'en-US',
      'data-access-intent': 'ReadOnly',
      ...(rowsMax === undefined ? {} : { prefer: `odata.maxpagesize=${rowsMax}` }),
    };
    // A token may end before its time; a new one is refused only for a reason that stays.
    const answer = await sendWithToken(calls, { method: 'GET', url, headers }, ({ status }) => status === 401);
    if (answer.status !== 200) throw faultOf(answer, name);
    return answer.json;
  };

  /** @param after path and query of the page, as the position of the page before has them */
  const readPage = async ({ url, name }: ListTarget, after?: string, rowsMax = pageSize): Promise<RowsPage> => {
    const { origin } = new URL(url);
    const body = await get(after === undefined ? url : `${origin}${after}`, name, rowsMax);
    const rows = fieldOf(body, 'value');
    if (!Array.isArray(rows)) throw new ErpFault('BAD_RESPONSE', `Business Central answered ${name} without a list.`);
    const next = readNextLink(fieldOf(body, '@odata.nextLink'), origin, name);
    return { rows: rows as readonly unknown[], ...(next === undefined ? {} : { position: next }) };
  };

  return {
    /** Of the environment, in every address. */
    path: `${tenant}/${environment}`,
    companyUrl: `${base}/v2.0/companies(${config.companyId})`,
    paymentsUrl: `${base}/microsoft/reportsFinance/beta/companies(${config.companyId})/${PAYMENTS}`,
    readCompany: () => get(`${base}/v2.0/companies(${config.companyId})`, COMPANY),
    /** The first rows of a list. */
    readRows: async (target: ListTarget, rowsMax: number) => (await readPage(target, undefined, rowsMax)).rows,
    async *pages(target: ListTarget, after?: string): AsyncGenerator<RowsPage> {
      const first = readPage(target, after).catch(async (error: unknown) => {
        // A link to a page that an earlier run kept may not hold any more.
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

/** Path and query. The token goes along: a link to anywhere else is not followed. */
function readNextLink(link: unknown, origin: string, name: string): string | undefined {
  if (link === undefined) return undefined;
  const url = typeof link === 'string' && URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || url.origin !== origin || url.username !== '' || url.password !== '') {
    throw new ErpFault('BAD_RESPONSE', `The next page of ${name} leads to another address, which is not followed.`);
  }
  return `${url.pathname}${url.search}`;
}

function faultOf({ status, json }: ErpAnswer, name: string): ErpFault {
  const code = fieldOf(json, 'error', 'code');
  switch (status) {
    case 400:
      return new QueryRefused('BAD_RESPONSE', `Business Central refuses the query of ${name}.`);
    case 401:
      return new ErpFault(
        'AUTH_FAILED',
        'Business Central does not accept the application. Add it on the page "Microsoft Entra Applications" with State Enabled.',
      );
    case 403:
      return permissionDenied([name]);
    case 404:
      if (code === 'Internal_CompanyNotFound') {
        return new ErpFault(
          'TENANT_NOT_FOUND',
          'The environment has no such company. Delete this connection and connect with the right companyId.',
        );
      }
      if (code === 'NoEnvironment' || name === COMPANY) {
        return new ErpFault(
          'TENANT_NOT_FOUND',
          'There is no such environment or company. Delete this connection and connect with the right environmentName and companyId.',
        );
      }
      // Without the API for reports there is nothing to read: payments are left out as without a right.
      if (name === PAYMENTS) return permissionDenied([name]);
      return new ErpFault('BAD_RESPONSE', `Business Central does not have ${name} at this address.`);
    case 413:
      return new ErpFault('BAD_RESPONSE', `A page of ${name} is too large for Business Central.`);
    default:
      return new ErpFault('BAD_RESPONSE', `Business Central answered ${name} in an unexpected way (status ${status}).`);
  }
}

/** @param names of lists: `vendors` */
export function permissionDenied(names: readonly string[]): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `The application may not read ${names.join(', ')}. Give it a permission set that reads ${names.length === 1 ? 'it' : 'them'}, on the page "Microsoft Entra Applications" of Business Central.`,
  );
}
