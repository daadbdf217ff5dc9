import { erpHttpClient } from '../clients/erp-http.js';
import type { ErpCalls } from '../clients/erp-http.js';
import { ErpFault } from '../domain/faults.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { Credentials, Page, Provider, Session, Window } from '../providers/provider.js';

/** The OAuth app that the simulators accept in tests of providers. */
export const APP = { clientId: 'app', clientSecret: 'secret', redirectUris: ['https://product.example.com/callback'] };

interface Consent {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly tenant: string;
}

/** Gets the tokens of an OAuth consent for a company, without storing them. */
export async function consent({ authorizeUrl, tokenUrl, scope, tenant }: Consent): Promise<Credentials> {
  const [redirectUri = ''] = APP.redirectUris;
  const query = { client_id: APP.clientId, response_type: 'code', scope, redirect_uri: redirectUri, state: 's' };
  const url = `${authorizeUrl}?${new URLSearchParams({ ...query, simulate: 'allow', tenant }).toString()}`;
  const { headers } = await fetch(url, { redirect: 'manual' });
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
  const fetchTokens = async (form: Readonly<Record<string, string>>) => {
    const basic = Buffer.from(`${APP.clientId}:${APP.clientSecret}`).toString('base64');
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    if (!answer.ok) throw new ErpFault('REAUTH_REQUIRED', 'The access has ended.');
    return (await answer.json()) as { readonly access_token: string; readonly refresh_token: string };
  };
  let tokens = await fetchTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  return {
    secret: () =>
      Promise.reject(new TypeError('An ERP that is connected by OAuth consent has no secret in its connection.')),
    accessToken: () => Promise.resolve(tokens.access_token),
    async renewedAccessToken() {
      tokens = await fetchTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
      return tokens.access_token;
    },
  };
}

/** Makes calls to a simulated ERP with the limits of an import run and no delays between attempts. */
export function testCalls(origin: string): ErpCalls & { close(): void } {
  const client = erpHttpClient(
    {
      callMs: 5_000,
      responseBytesMax: 16 * 1024 ** 2,
      backoffMs: 1,
      backoffMsMax: 1_000,
      trustedOrigins: new Set([origin]),
    },
    { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
  );
  const calls = client.open({
    company: origin,
    peer: 'xero',
    concurrency: 5,
    callsMax: 1_000,
    runMs: 60_000,
    signal: new AbortController().signal,
  });
  return {
    send: (request) => calls.send(request),
    retry: (call) => calls.retry(call),
    get callsCount() {
      return calls.callsCount;
    },
    get throttledMs() {
      return calls.throttledMs;
    },
    close: () => client.close(),
  };
}

/** Reads all records of an ERP stream through the session of an ERP connection with consent. */
export async function readAll<S extends StreamName>(
  session: Session,
  stream: S,
  window: Window = {},
): Promise<Omit<Page<RecordsOf[S]>, 'position'> & { readonly pages: readonly Page<RecordsOf[S]>[] }> {
  const pages: Page<RecordsOf[S]>[] = [];
  for await (const page of session.read(stream, window)) pages.push(page);
  return {
    records: pages.flatMap(({ records }) => records),
    invalid: pages.flatMap(({ invalid }) => invalid),
    deletedIds: pages.flatMap(({ deletedIds }) => deletedIds),
    missesDeletions: pages.some(({ missesDeletions }) => missesDeletions === true),
    pages,
  };
}

/** Opens a session of one ERP provider with its simulator. */
export function openTestSession(
  provider: Provider,
  options: {
    readonly config: Readonly<Record<string, unknown>>;
    readonly http: ErpCalls;
    readonly credentials: Credentials;
    readonly pageSize?: number;
  },
): Session {
  return provider.open({ pageSize: provider.pageSize, ...options });
}

/** Sends a control request to the simulator of an ERP. */
export async function control(target: string, body?: unknown): Promise<unknown> {
  const [method = '', url = ''] = target.split(' ');
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}
