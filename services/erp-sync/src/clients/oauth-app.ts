import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  Configuration,
  customFetch,
  refreshTokenGrant,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { TokenEndpointResponse } from 'openid-client';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { readRetryAfterMs } from '@invoicecontrol/egress/http-answer';
import { GrantRefused } from '../application/authorization-server.js';
import { ErpFault, Outage } from '../domain/faults.js';
import type { GrantedTokens } from '../domain/oauth-flow.js';
import { textOf } from '../providers/json.js';
import type { BoundedFetch } from './bounded-fetch.js';

/** Settings of the OAuth app that this installation has registered with an ERP provider. */
export interface OAuthAppSettings {
  /** Expected OAuth issuer, which is compared with the parameter `iss` of a callback if the callback contains one. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  readonly scopes: readonly string[];
  /** Lifetime of an OAuth access token in seconds if the provider does not state one. */
  readonly accessSeconds: number;
}

export interface OAuthApp {
  authorizeUrl(request: { state: string; redirectUri: string; codeVerifier: string }): Promise<string>;
  exchange(request: {
    query: string;
    state: string;
    redirectUri: string;
    codeVerifier: string;
  }): Promise<GrantedTokens>;
  refresh(refreshToken: string): Promise<GrantedTokens>;
}

/**
 * Implements the OAuth authorization code flow with PKCE and refresh tokens. The app secret is sent with Basic
 * authentication (ERP reference, section 8).
 */
export function oauthApp(settings: OAuthAppSettings, fetchBounded: BoundedFetch, clock: Clock): OAuthApp {
  const configuration = new Configuration(
    {
      issuer: settings.issuer,
      authorization_endpoint: settings.authorizeUrl,
      token_endpoint: settings.tokenUrl,
    },
    settings.clientId,
    undefined,
    ClientSecretBasic(settings.clientSecret),
  );
  configuration[customFetch] = (url, init) => fetchBounded(url, init as RequestInit);
  // Only configured addresses are called, and a simulator on the same machine has no certificate.
  // oxlint-disable-next-line typescript/no-deprecated -- the function is marked as deprecated only to stand out
  if (new URL(settings.tokenUrl).protocol === 'http:') allowInsecureRequests(configuration);

  const grantedOf = (answer: TokenEndpointResponse, refreshTokenBefore: string | undefined): GrantedTokens => {
    const refreshToken = answer.refresh_token ?? refreshTokenBefore;
    if (refreshToken === undefined)
      throw new ErpFault('BAD_RESPONSE', 'The ERP granted access without a refresh token.');
    const seconds = answer.expires_in ?? settings.accessSeconds;
    return {
      accessToken: answer.access_token,
      accessExpiresAt: new Date(clock.now().getTime() + seconds * 1_000),
      refreshToken,
    };
  };
  return {
    async authorizeUrl({ state, redirectUri, codeVerifier }) {
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(' '),
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      // Xero refuses "+" as separator of OAuth scopes, so each "+" is replaced. A plus sign in a value is already
      // written as %2B.
      return url.href.replaceAll('+', '%20');
    },
    async exchange({ query, state, redirectUri, codeVerifier }) {
      const callback = new URL(redirectUri);
      callback.search = query;
      const checks = { expectedState: state, pkceCodeVerifier: codeVerifier };
      try {
        return grantedOf(await authorizationCodeGrant(configuration, callback, checks), undefined);
      } catch (error) {
        throw await faultOf(error);
      }
    },
    async refresh(refreshToken) {
      try {
        return grantedOf(await refreshTokenGrant(configuration, refreshToken), refreshToken);
      } catch (error) {
        throw await faultOf(error);
      }
    },
  };
}

/** OAuth error codes for an incorrect request. A retry of the request would be refused too. */
const REQUEST_REFUSED: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_scope',
  'unsupported_grant_type',
  'unauthorized_client',
]);

/**
 * Returns the ERP fault for an OAuth error. The fault does not contain the text of the provider, because this text
 * could repeat data from the request. Only an error code from the provider itself shows that a grant is invalid or that
 * the app was refused. Every other error counts as an outage.
 */
async function faultOf(error: unknown): Promise<Error> {
  if (error instanceof ErpFault) return error;
  if (error instanceof ResponseBodyError) return faultOfNamed(error.error, error.response);
  // The OAuth library reports a failed HTTP call of the erp-sync service as the cause of its own error.
  if (error instanceof ClientError && error.cause instanceof ErpFault) return error.cause;
  // A refused OAuth client gets an authentication challenge (RFC 6749, section 5.2), but a proxy may send one too.
  if (error instanceof WWWAuthenticateChallengeError) {
    const body: unknown = await error.response.json().catch(() => undefined);
    return faultOfNamed(textOf(body, 'error'), error.response);
  }
  const response = error instanceof ClientError && error.cause instanceof Response ? error.cause : undefined;
  return faultOfNamed(undefined, response);
}

/**
 * Returns the fault for an OAuth error.
 * @param name name of the OAuth error
 */
function faultOfNamed(name: string | undefined, response: Response | undefined): Error {
  if (name === 'invalid_grant') return new GrantRefused();
  if (name === 'invalid_client') return appRefused();
  if (response?.status === 429) return rateLimited(response);
  if (name !== undefined && REQUEST_REFUSED.has(name)) {
    return new ErpFault('BAD_RESPONSE', 'The ERP refused the request for tokens.');
  }
  const status = response === undefined ? '' : ` (status ${response.status})`;
  return new Outage('UPSTREAM_ERROR', `The ERP returned no tokens when access was requested${status}.`);
}

/**
 * Returns the fault for an OAuth app that the provider refused. The operator must correct the app before a user starts
 * another import run.
 */
function appRefused(): ErpFault {
  return new ErpFault(
    'AUTH_FAILED',
    'The ERP refused the app of this installation. The operator of the installation must correct its id and secret; then start a run.',
  );
}

function rateLimited({ headers }: Response): ErpFault {
  const waitMs = readRetryAfterMs(Object.fromEntries(headers));
  return new Outage('RATE_LIMITED', 'The ERP currently accepts no more requests.', waitMs);
}
