import type { Clock } from '@invoicecontrol/runtime/clock';
import type { AuthorizationServer, AuthorizationServers } from '../application/authorization-server.js';
import type { Config } from '../config.js';
import type { ProviderCode } from '../providers/provider.js';
import { providerWords } from '@invoicecontrol/runtime/telemetry/schema';
import { boundedFetch } from './bounded-fetch.js';
import type { BoundedFetch } from './bounded-fetch.js';
import { oauthApp } from './oauth-app.js';
import type { OAuthAppSettings } from './oauth-app.js';
import { quickBooksApp, quickBooksAuthorization } from './quickbooks-authorization.js';
import { xeroApp, xeroAuthorization } from './xero-authorization.js';

/** Maximum size of a response of an OAuth server of an ERP provider. Tokens and company names take a few KiB. */
const OAUTH_ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Returns the OAuth apps that this installation has registered.
 * @param callMs timeout of each call to an authorization server
 */
export function authorizationServers(config: Config, callMs: number, clock: Clock): AuthorizationServers {
  const fetchOf = (provider: ProviderCode): BoundedFetch =>
    boundedFetch({ callMs, answerBytesMax: OAUTH_ANSWER_BYTES_MAX, peer: providerWords[provider] });
  const servers = new Map<ProviderCode, AuthorizationServer>();
  const { QUICKBOOKS_CLIENT_ID: quickBooksId, QUICKBOOKS_CLIENT_SECRET: quickBooksSecret } = config;
  if (quickBooksId !== undefined && quickBooksSecret !== undefined) {
    const settings: OAuthAppSettings = {
      ...quickBooksApp,
      clientId: quickBooksId,
      clientSecret: quickBooksSecret,
      authorizeUrl: config.QUICKBOOKS_AUTHORIZE_URL,
      tokenUrl: config.QUICKBOOKS_TOKEN_URL,
      revokeUrl: config.QUICKBOOKS_REVOKE_URL,
    };
    const fetchBounded = fetchOf('PROVIDER_C');
    const api = { apiUrl: config.QUICKBOOKS_API_URL, fetchBounded };
    servers.set('PROVIDER_C', quickBooksAuthorization(oauthApp(settings, fetchBounded, clock), settings, api));
  }
  const { XERO_CLIENT_ID: xeroId, XERO_CLIENT_SECRET: xeroSecret } = config;
  if (xeroId !== undefined && xeroSecret !== undefined) {
    const settings: OAuthAppSettings = {
      ...xeroApp,
      clientId: xeroId,
      clientSecret: xeroSecret,
      authorizeUrl: config.XERO_AUTHORIZE_URL,
      tokenUrl: config.XERO_TOKEN_URL,
      revokeUrl: config.XERO_REVOKE_URL,
    };
    const fetchBounded = fetchOf('PROVIDER_D');
    const api = { apiUrl: config.XERO_API_URL, fetchBounded };
    servers.set('PROVIDER_D', xeroAuthorization(oauthApp(settings, fetchBounded, clock), settings, api));
  }
  return servers;
}
