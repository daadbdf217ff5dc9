import { ErpFault } from '../../domain/faults.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';

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

/** The same wherever the API is reached. */
const SCOPE = 'https://api.businesscentral.dynamics.com/.default';
const TOKEN_MARGIN_SECONDS = 300;
const ENTRA_FAULTS: Readonly<Record<number, ErpFault>> = {
  7_000_215: authFailed('The client secret is wrong. Enter the value of the secret, not its id.'),
  7_000_222: authFailed('The client secret has expired. Make a new one in Microsoft Entra and enter it here.'),
  700_016: authFailed(
    'The application is not known in this tenant. Check clientId, and give admin consent in the tenant.',
  ),
  90_002: new ErpFault('TENANT_NOT_FOUND', 'Microsoft Entra knows no such tenant. Check tenantId.'),
};

/** The API has no such list. */
export class NoSuchList extends ErpFault {}
/** The API does not take the query, such as a filter on a field that the list does not have. */
export class QueryRefused extends ErpFault {}

/** A list, and what it is called in messages. */
export interface ListTarget {
  readonly url: string;
  /** `vendors` */
  readonly name: string;
}

export interface ListPage {
  readonly rows: readonly unknown[];
  /** Path and query of the next page, below the origin of the list. */
  readonly next: string | undefined;
}

export interface BusinessCentralClient {
  /** `companies({id})` of the standard API. */
  readonly companyUrl: string;
  /** Below `/api`: `microsoft/reportsFinance/beta`. */
  apiUrlOf(path: string): string;
  get(url: string, name: string, pageSize?: number): Promise<unknown>;
  /** @param after path and query as {@link ListPage.next} has them */
  readPage(target: ListTarget, pageSize: number, after?: string): Promise<ListPage>;
  /** RFC 3339, of the last answer. */
  serverTime(): string | undefined;
}

/** Calls Business Central with tokens of the client credentials grant (ERP reference, section 3). */
export function businessCentralClient(
  addresses: BusinessCentralAddresses,
  config: BusinessCentralConfig,
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
): BusinessCentralClient {
  const { tenantId, environmentName, companyId, clientId } = config;
  const base = `${addresses.apiUrl}/v2.0/${encodeURIComponent(tenantId)}/${encodeURIComponent(environmentName)}/api`;
  // Kept for the session alone: a secret that was taken back must show within one run.
  let token: { readonly value: string; readonly renewAt: number } | undefined;
  let date: string | undefined;

  const note = (answer: ErpAnswer): ErpAnswer => {
    const at = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(at)) date = new Date(at).toISOString();
    return answer;
  };

  const fetchToken = async (): Promise<string> => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: await credentials.secret(),
      scope: SCOPE,
    });
    const answer = await http.send({
      method: 'POST',
      url: `${addresses.loginUrl}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: body.toString(),
    });
    if (answer.status !== 200) throw tokenFault(answer);
    const { access_token: value, expires_in: seconds } = (answer.json ?? {}) as Record<string, unknown>;
    if (typeof value !== 'string' || value === '' || typeof seconds !== 'number') {
      throw new ErpFault('BAD_RESPONSE', 'Microsoft Entra answered without an access token.');
    }
    token = { value, renewAt: performance.now() + (seconds - TOKEN_MARGIN_SECONDS) * 1_000 };
    return value;
  };

  const sendWith = async (accessToken: string, url: string, pageSize: number | undefined): Promise<ErpAnswer> =>
    note(
      await http.send({
        method: 'GET',
        url,
        headers: {
          authorization: `Bearer ${accessToken}`,
          accept: 'application/json',
          // Fixes the language of errors and the formats of values.
          'accept-language': 'en-US',
          'data-access-intent': 'ReadOnly',
          ...(pageSize === undefined ? {} : { prefer: `odata.maxpagesize=${pageSize}` }),
        },
      }),
    );

  const get = async (url: string, name: string, pageSize?: number): Promise<unknown> => {
    const isCurrent = token !== undefined && performance.now() < token.renewAt;
    let answer = await sendWith(isCurrent && token !== undefined ? token.value : await fetchToken(), url, pageSize);
    // A token may end before its time; a new one is refused only for a reason that stays.
    if (answer.status === 401) answer = await sendWith(await fetchToken(), url, pageSize);
    if (answer.status !== 200) throw apiFault(answer, name);
    return answer.json;
  };

  return {
    companyUrl: `${base}/v2.0/companies(${companyId})`,
    apiUrlOf: (path) => `${base}/${path}`,
    get,
    async readPage({ url, name }, pageSize, after) {
      const { origin } = new URL(url);
      const body = await get(after === undefined ? url : `${origin}${after}`, name, pageSize);
      const { value, '@odata.nextLink': link } = (body ?? {}) as Record<string, unknown>;
      if (!Array.isArray(value))
        throw new ErpFault('BAD_RESPONSE', `Business Central answered ${name} without a list.`);
      return { rows: value as readonly unknown[], next: readNextLink(link, origin, name) };
    },
    serverTime: () => date,
  };
}

/** The token goes along: a link to anywhere else is not followed. */
function readNextLink(link: unknown, origin: string, name: string): string | undefined {
  if (link === undefined) return undefined;
  const url = typeof link === 'string' && URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || url.origin !== origin || url.username !== '' || url.password !== '') {
    throw new ErpFault('BAD_RESPONSE', `The next page of ${name} leads to another address, which is not followed.`);
  }
  return `${url.pathname}${url.search}`;
}

function tokenFault({ status, json }: ErpAnswer): ErpFault {
  const { error_codes: codes } = (json ?? {}) as { readonly error_codes?: unknown };
  const known = Array.isArray(codes) ? codes.map((code) => ENTRA_FAULTS[Number(code)]).find(Boolean) : undefined;
  if (known !== undefined) return new ErpFault(known.code, known.message);
  if (status >= 400 && status < 500) {
    return authFailed('Microsoft Entra gives no access token. Check tenantId, clientId and the client secret.');
  }
  return new ErpFault('BAD_RESPONSE', `Microsoft Entra answered in an unexpected way (status ${status}).`);
}

function apiFault({ status, json }: ErpAnswer, name: string): ErpFault {
  const { error } = (json ?? {}) as { readonly error?: { readonly code?: unknown } };
  const code = typeof error?.code === 'string' ? error.code : '';
  switch (status) {
    case 400:
      return new QueryRefused('BAD_RESPONSE', `Business Central refuses the query of ${name}.`);
    case 401:
      return authFailed(
        'Business Central does not accept the application. Add it on the page "Microsoft Entra Applications" with State Enabled.',
      );
    case 403:
      return permissionDenied([name]);
    case 404:
      if (code === 'Internal_CompanyNotFound') {
        return new ErpFault('TENANT_NOT_FOUND', 'The environment has no such company. Check companyId.');
      }
      if (code === 'NoEnvironment' || name === COMPANY) {
        return new ErpFault(
          'TENANT_NOT_FOUND',
          'There is no such environment or company. Check environmentName and companyId.',
        );
      }
      return new NoSuchList('BAD_RESPONSE', `Business Central does not have ${name} at this address.`);
    case 413:
      return new ErpFault('BAD_RESPONSE', `A page of ${name} is too large for Business Central.`);
    default:
      return new ErpFault('BAD_RESPONSE', `Business Central answered ${name} in an unexpected way (status ${status}).`);
  }
}

/** What the calls for the company itself are called. */
export const COMPANY = 'the company';

/** @param names of lists: `vendors` */
export function permissionDenied(names: readonly string[]): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `The application may not read ${names.join(', ')}. Give it a permission set that reads ${names.length === 1 ? 'it' : 'them'}, on the page "Microsoft Entra Applications" of Business Central.`,
  );
}

function authFailed(message: string): ErpFault {
  return new ErpFault('AUTH_FAILED', message);
}
