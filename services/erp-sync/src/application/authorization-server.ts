import type { ConsentedTenant, GrantedTokens } from '../domain/oauth-flow.js';
import type { ProviderCode } from '../providers/provider.js';

/** The refresh token or the code is no longer valid (`invalid_grant`). */
export class GrantRefused extends Error {
  constructor() {
    super('The authorization server refused the grant.');
    this.name = 'GrantRefused';
  }
}

/** The app of this installation at one provider: its consent page, its tokens, its companies. */
export interface AuthorizationServer {
  /** The URL of the consent page, with PKCE (S256). */
  authorizeUrl(request: {
    readonly state: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  }): Promise<string>;
  /**
   * The tokens for the code that the browser brought.
   * @param query as the provider sent it; `iss` is compared where it is sent
   * @throws GrantRefused, ErpFault
   */
  exchange(request: {
    readonly query: string;
    readonly state: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  }): Promise<GrantedTokens>;
  /** @throws GrantRefused, ErpFault */
  refresh(refreshToken: string): Promise<GrantedTokens>;
  /**
   * Finds the company of the consent, proven by a call with its access token.
   * @param parameters of the callback
   * @throws ErpFault
   */
  resolveTenant(accessToken: string, parameters: ReadonlyMap<string, string>): Promise<ConsentedTenant>;
  /** Ends all access of the tokens. What is unknown to the provider is ended. @throws ErpFault */
  revoke(refreshToken: string): Promise<void>;
  /** Ends the access to one company alone; absent where only all of it can be revoked. @throws ErpFault AUTH_FAILED for a token that ended */
  disconnect?(accessToken: string, remoteConnectionId: string): Promise<void>;
  /** Returns the configuration of a connection that names the company. */
  configOf(tenant: ConsentedTenant): Readonly<Record<string, unknown>>;
}

/** The providers that are connected by consent; one whose app this installation has no id and secret of is absent. */
export type AuthorizationServers = ReadonlyMap<ProviderCode, AuthorizationServer>;
