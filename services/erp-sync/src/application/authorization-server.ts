import type { ConsentedTenant, GrantedTokens } from '../domain/oauth-flow.js';
import type { ProviderCode } from '../providers/provider.js';

/** Error that is thrown if the refresh token or the authorization code is no longer valid (`invalid_grant`). */
export class GrantRefused extends Error {
  constructor() {
    super('The authorization server refused the grant.');
    this.name = 'GrantRefused';
  }
}

/** Calls to the authorization server of an ERP provider. This installation has registered an OAuth app there. */
export interface AuthorizationServer {
  /** Returns the URL of the OAuth consent page of an ERP provider, with PKCE (S256). */
  authorizeUrl(request: {
    readonly state: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  }): Promise<string>;
  /**
   * Exchanges the authorization code from the browser for tokens.
   * @param query query exactly as sent by the provider; `iss` is checked if present
   * @throws GrantRefused, ErpFault
   */
  exchange(request: {
    readonly query: string;
    readonly state: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  }): Promise<GrantedTokens>;
  /**
   * Refreshes the OAuth tokens.
   * @throws GrantRefused, ErpFault
   */
  refresh(refreshToken: string): Promise<GrantedTokens>;
  /**
   * Finds the ERP company to which the user consented. A call with the access token proves that the consent includes
   * this company.
   * @param parameters parameters of the OAuth callback
   * @throws ErpFault
   */
  resolveTenant(accessToken: string, parameters: ReadonlyMap<string, string>): Promise<ConsentedTenant>;
  /**
   * Revokes all access that the OAuth tokens give. Tokens that are unknown to the provider count as revoked.
   * @throws ErpFault
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Revokes the OAuth access to a single company in the ERP. Absent if the ERP provider can only revoke the access to
   * all companies at once.
   * @throws ErpFault AUTH_FAILED if the token has expired
   */
  disconnect?(accessToken: string, remoteConnectionId: string): Promise<void>;
  /** Returns the configuration for an ERP connection to the company that a user consented to. */
  configOf(tenant: ConsentedTenant): Readonly<Record<string, unknown>>;
}

/**
 * The ERP providers that are connected by OAuth consent. A provider without a configured client id and secret is
 * absent.
 */
export type AuthorizationServers = ReadonlyMap<ProviderCode, AuthorizationServer>;
