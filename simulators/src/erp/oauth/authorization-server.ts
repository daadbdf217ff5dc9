import { createHash, timingSafeEqual } from 'node:crypto';
import { readForm } from '../call.js';
import type { Answer, Call } from '../call.js';
import { consentPage, errorPage } from './consent-page.js';
import type { Grant, Grants, TokenPair } from './grants.js';

/** The OAuth app that is registered at the ERP vendor. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Redirect URIs that are registered for the OAuth client. They are compared exactly. */
  readonly redirectUris: () => readonly string[];
}

export interface AuthorizationServerOptions {
  readonly client: OAuthClient;
  readonly grants: Grants;
  /** Name of the ERP vendor on the consent page, such as `Intuit`. */
  readonly vendor: string;
  /** Returns the ERP tenants that a user may choose on the consent page, with their names. */
  readonly choices: () => readonly { readonly id: string; readonly name: string }[];
  /** Returns the OAuth error for scopes that the app must not request, or undefined if all scopes are allowed. */
  readonly refuseScopes: (scopes: readonly string[]) => string | undefined;
  /**
   * Function that is called when a user has given OAuth consent for a tenant.
   * @returns additional parameters of the redirect
   */
  readonly consented: (tenant: string) => Readonly<Record<string, string>>;
  /** Checks whether the secret of the OAuth app has expired for calls about the given ERP tenant. */
  readonly hasExpiredSecret: (tenant: string | undefined) => boolean;
  /** True if the OAuth client may also send its secret in the request body. */
  readonly takesSecretInBody: boolean;
  /** Returns the response of the OAuth token endpoint. */
  readonly presentTokens: (pair: TokenPair) => Readonly<Record<string, unknown>>;
  readonly invalidGrantDescription?: string;
}

const STATE_LENGTH_MAX = 2_048;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Implements the authorization code grant with PKCE as the ERP vendors check it (RFC 6749, RFC 7636). */
export function authorizationServer(options: AuthorizationServerOptions) {
  const { client, grants } = options;

  /**
   * Handles `GET <authorize_url>`: shows the OAuth consent page with its two buttons. With `simulate`, it responds as
   * if one of them was clicked.
   */
  const authorize = ({ query, path }: Call): Answer => {
    const { client_id: clientId, redirect_uri: redirectUri = '', response_type: type, state = '' } = query;
    // A wrong OAuth client id or redirect URI is shown to the user, because a redirect could lead anywhere.
    if (clientId === '' || clientId !== client.clientId)
      return errorPage(options.vendor, 'unauthorized_client: unknown client_id');
    if (!client.redirectUris().includes(redirectUri)) {
      return errorPage(options.vendor, 'invalid_request: the redirect_uri is not registered for this app');
    }
    const redirect = (parameters: Readonly<Record<string, string>>): Answer => {
      const location = new URL(redirectUri);
      for (const [name, value] of Object.entries({ ...parameters, state })) location.searchParams.set(name, value);
      return { status: 302, headers: { ...NO_STORE, location: location.href }, body: '' };
    };
    if (state === '' || state.length > STATE_LENGTH_MAX) {
      return errorPage(options.vendor, 'invalid_request: state is required');
    }
    if (type !== 'code') return redirect({ error: 'unsupported_response_type' });
    const scopes = (query['scope'] ?? '').split(' ').filter((scope) => scope !== '');
    const refusal = options.refuseScopes(scopes);
    if (refusal !== undefined) return redirect({ error: refusal });
    const { code_challenge: codeChallenge, code_challenge_method: method } = query;
    if (codeChallenge !== undefined && (method !== 'S256' || !CHALLENGE.test(codeChallenge))) {
      return redirect({ error: 'invalid_request', error_description: 'code challenge required as S256' });
    }
    const { simulate, tenant } = query;
    if (simulate === 'deny') return redirect({ error: 'access_denied' });
    if (simulate !== 'allow') return consentPage({ vendor: options.vendor, choices: options.choices(), path, query });
    if (tenant === undefined || !options.choices().some(({ id }) => id === tenant)) {
      return errorPage(options.vendor, 'tenant: name one that exists. PUT /control/tenants/{tenant} makes one.');
    }
    const more = options.consented(tenant);
    return redirect({ code: grants.authorize({ tenant, scopes, redirectUri, codeChallenge }), ...more });
  };

  /** Checks whether the request has the secret of the OAuth app, as in RFC 6749 section 2.3.1. */
  const isClient = ({ headers }: Call, form: Readonly<Record<string, string>>): boolean => {
    const [scheme = '', value = ''] = (headers['authorization'] ?? '').split(' ');
    if (scheme.toLowerCase() === 'basic') {
      const [id = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':');
      return isEqual(decode(id), client.clientId) && isEqual(decode(rest.join(':')), client.clientSecret);
    }
    const { client_id: id = '', client_secret: secret = '' } = form;
    return options.takesSecretInBody && isEqual(id, client.clientId) && isEqual(secret, client.clientSecret);
  };

  const token = (call: Call): Answer => {
    const form = readForm(call.body);
    if (!isClient(call, form) || options.hasExpiredSecret(tenantOfForm(form))) {
      return { status: 401, headers: { ...NO_STORE, 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' } };
    }
    const refuse = (error: string, description?: string): Answer => ({
      status: 400,
      headers: NO_STORE,
      body: { error, ...(description === undefined ? {} : { error_description: description }) },
    });
    const { grant_type: type, code, refresh_token: refreshToken } = form;
    let pair: TokenPair | undefined;
    if (type === 'authorization_code') {
      if (code === undefined) return refuse('invalid_request');
      pair = grants.exchange(code, { redirectUri: form['redirect_uri'], codeVerifier: form['code_verifier'] });
    } else if (type === 'refresh_token') {
      if (refreshToken === undefined) return refuse('invalid_request');
      pair = grants.refresh(refreshToken);
    } else {
      return refuse('unsupported_grant_type');
    }
    if (pair === undefined) return refuse('invalid_grant', options.invalidGrantDescription);
    return { status: 200, headers: NO_STORE, body: options.presentTokens(pair) };
  };

  const tenantOfForm = ({ code, refresh_token: refreshToken, token: revoked }: Readonly<Record<string, string>>) => {
    const value = refreshToken ?? code ?? revoked;
    return value === undefined ? undefined : grants.tenantOf(value);
  };

  return {
    authorize,
    token,
    isClient: (call: Call) => isClient(call, readForm(call.body)),
    /** Returns the OAuth grant of the access token in the call, or undefined if the access token is not valid. */
    grantOf: (call: Call): Grant | undefined => grants.grantOf(bearerOf(call)),
    /**
     * Returns the ERP tenant that an authorize, token or revoke call names. For other calls, returns the tenant of
     * their access token.
     */
    tenantOf: (call: Call): string | undefined =>
      call.query['tenant'] ?? tenantOfForm(readForm(call.body)) ?? grants.tenantOf(bearerOf(call)),
  };
}

function bearerOf({ headers }: Call): string {
  return /^bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '';
}

function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/**
 * OAuth clients encode the client id and the secret as form fields before they join them in the header Authorization.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
