import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { randomInt, randomUUID } from 'node:crypto';
import { caller, stated } from './running-erp-sync.js';
import type { RunningErpSync } from './running-erp-sync.js';

const CALLBACK_URL = 'https://product.example.com/product/v1/erp-connections/oauth/callback';
const APP = { clientId: 'app-id', clientSecret: 'app.secret~1' };

export const RETURN_URL = 'https://app.example.com/settings?tab=erp';

type Product = 'quickBooks' | 'xero';
export const codes = { quickBooks: 'PROVIDER_C', xero: 'PROVIDER_D' } as const;

/** State of a company in the ERP simulator: the numbers of its OAuth tokens, and whether it is connected. */
interface TokenCounts {
  readonly issued: number;
  readonly refreshed: number;
  readonly reused: number;
  readonly liveRefreshTokens: number;
  readonly revoked: number;
  readonly connected: boolean;
}

interface RegisteredApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** Starts the simulators of the ERPs. */
type StartSimulators = (apps: { quickBooksApp: RegisteredApp; xeroApp: RegisteredApp }) => Promise<{
  readonly urls: Readonly<Record<Product, string>>;
  readonly stop: () => Promise<void>;
}>;

/** Starts the simulators of QuickBooks Online and Xero, with functions that consent as their users. */
export async function startConsenting(startErpSimulators: StartSimulators) {
  const app = (code: string) => ({ ...APP, redirectUris: [`${CALLBACK_URL}/${code}`] });
  const simulators = await startErpSimulators({
    quickBooksApp: app(codes.quickBooks),
    xeroApp: app(codes.xero),
  });
  const { quickBooks, xero } = simulators.urls;
  const control = async (product: Product, target: string, body?: object): Promise<unknown> => {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(`${simulators.urls[product]}/control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
  return {
    env: {
      QUICKBOOKS_CLIENT_ID: APP.clientId,
      QUICKBOOKS_CLIENT_SECRET: APP.clientSecret,
      QUICKBOOKS_AUTHORIZE_URL: `${quickBooks}/connect/oauth2`,
      QUICKBOOKS_TOKEN_URL: `${quickBooks}/oauth2/v1/tokens/bearer`,
      QUICKBOOKS_REVOKE_URL: `${quickBooks}/v2/oauth2/tokens/revoke`,
      QUICKBOOKS_API_URL: quickBooks,
      XERO_CLIENT_ID: APP.clientId,
      XERO_CLIENT_SECRET: APP.clientSecret,
      XERO_AUTHORIZE_URL: `${xero}/identity/connect/authorize`,
      XERO_TOKEN_URL: `${xero}/connect/token`,
      XERO_REVOKE_URL: `${xero}/connect/revocation`,
      XERO_API_URL: xero,
      ERP_OAUTH_CALLBACK_URL: CALLBACK_URL,
      ERP_OAUTH_RETURN_URL: RETURN_URL,
      ERP_BACKOFF_MS: '1',
    },
    control,
    async newCompany(product: Product, name = 'Norton & Sons'): Promise<string> {
      const id = product === 'xero' ? randomUUID() : String(randomInt(1e9, 1e12));
      await control(product, `PUT /tenants/${id}`, product === 'xero' ? { tenantName: name } : { companyName: name });
      return id;
    },
    tokens: async (product: Product, tenant: string) =>
      (await control(product, `GET /tenants/${tenant}/tokens`)) as TokenCounts,
    fault: (product: Product, fault: object) => control(product, 'POST /faults', fault),
    stop: () => simulators.stop(),
  };
}

export type Consenting = Awaited<ReturnType<typeof startConsenting>>;

/**
 * Confirms or refuses the ERP connection on the confirmation page.
 * @returns the query of the callback
 */
export async function clickThrough(authorizeUrl: string, choice: string): Promise<string> {
  const response = await fetch(`${authorizeUrl}&${choice}`, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`The consent page did not redirect: ${await response.text()}`);
  return new URL(location).search.slice(1);
}

/** Company of an ERP connection that a test starts, and the limit of the plan. */
interface StartPart {
  readonly companyId?: string;
  readonly connectionsLimit?: number;
}

/** The single steps by which a test connects an ERP by consent, as a user does. */
export function personAt(running: Pick<RunningErpSync, 'oauth'>) {
  const start = async (
    organizationId: string,
    product: Product,
    { connectionsLimit, ...part }: StartPart = {},
  ): Promise<string> => {
    const limits = connectionsLimit === undefined ? {} : { erpConnections: connectionsLimit };
    const call = callWithGrant(caller, organizationId, { limits });
    return (await running.oauth.startOAuth({ organizationId, provider: codes[product], ...part }, call)).authorizeUrl;
  };
  const callback = async (query: string, provider?: string) =>
    (await running.oauth.receiveCallback({ query, ...(provider === undefined ? {} : { provider }) }, caller)).outcome;
  const page = async (query: string, provider?: string) => {
    const outcome = await callback(query, provider);
    if (outcome?.$case !== 'confirmation') throw new Error(`no page, but ${JSON.stringify(outcome)}`);
    return outcome.value;
  };
  const decide = async (confirmation: string, decision = 'connect', provider?: string) => {
    const request = { confirmation, decision, ...(provider === undefined ? {} : { provider }) };
    return resultOf(stated((await running.oauth.decideConfirmation(request, caller)).redirect).url);
  };
  const toPage = async (organizationId: string, product: Product, tenant: string, part: StartPart = {}) => {
    const url = await start(organizationId, product, part);
    return page(await clickThrough(url, `simulate=allow&tenant=${tenant}`), codes[product]);
  };
  return {
    start,
    callback,
    page,
    decide,
    toPage,
    /**
     * Performs all steps of connecting an ERP by consent in a test.
     * @returns status and id of the connection
     */
    async connect(organizationId: string, product: Product, tenant: string, part: StartPart = {}) {
      const { confirmation } = await toPage(organizationId, product, tenant, part);
      return decide(confirmation);
    },
    /** Returns the status of an OAuth callback that ends with a redirect and not with the confirmation page. */
    async statusOf(query: string, provider?: string) {
      const outcome = await callback(query, provider);
      if (outcome?.$case !== 'redirect') throw new Error(`no redirect, but ${JSON.stringify(outcome)}`);
      return resultOf(outcome.value.url).status;
    },
  };
}

function resultOf(url: string): { readonly status: string | null; readonly connectionId: string } {
  const { searchParams } = new URL(url);
  return { status: searchParams.get('status'), connectionId: searchParams.get('connection_id') ?? '' };
}
