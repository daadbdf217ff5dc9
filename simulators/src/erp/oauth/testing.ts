import { createHash } from 'node:crypto';
import { call } from '../testing.js';
import type { TestAnswer } from '../testing.js';

export const APP = {
  clientId: 'app-id',
  clientSecret: 'app.secret~1',
  redirectUris: ['https://product.example.com/callback'],
};
const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Creates an OAuth client for tests, which uses the authorization code grant as the product does. */
export function oauthClient(urls: { readonly authorize: string; readonly token: string; readonly scope: string }) {
  const basic = `Basic ${Buffer.from(`${APP.clientId}:${encodeURIComponent(APP.clientSecret)}`).toString('base64')}`;
  const form = async (
    url: string,
    fields: Readonly<Record<string, string>>,
    authorization = basic,
  ): Promise<TestAnswer> =>
    call(`POST ${url}`, new URLSearchParams(fields).toString(), {
      authorization,
      'content-type': 'application/x-www-form-urlencoded',
    });
  const authorizeUrl = (more: Readonly<Record<string, string | undefined>> = {}): string => {
    const parameters = {
      client_id: APP.clientId,
      response_type: 'code',
      scope: urls.scope,
      redirect_uri: APP.redirectUris[0],
      state: 'st',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...more,
    };
    const query = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return `${urls.authorize}?${query.join('&')}`;
  };
  /** Returns the target of the redirect after the OAuth consent. */
  const consent = async (tenant: string, more: Readonly<Record<string, string>> = {}): Promise<URL> => {
    const { headers, text } = await call(`GET ${authorizeUrl({ simulate: 'allow', tenant, ...more })}`);
    const location = headers.get('location');
    if (location === null) throw new Error(`The consent did not redirect: ${text}`);
    return new URL(location);
  };
  const exchange = async (code: string, more: Readonly<Record<string, string>> = {}): Promise<TestAnswer> =>
    form(urls.token, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: APP.redirectUris[0] ?? '',
      code_verifier: VERIFIER,
      ...more,
    });
  const refresh = async (refreshToken: unknown): Promise<TestAnswer> =>
    form(urls.token, { grant_type: 'refresh_token', refresh_token: String(refreshToken) });
  const connect = async (tenant: string): Promise<Readonly<Record<string, unknown>>> => {
    const location = await consent(tenant);
    const { json = {} } = await exchange(location.searchParams.get('code') ?? '');
    return json;
  };
  return { form, authorizeUrl, consent, exchange, refresh, connect };
}
