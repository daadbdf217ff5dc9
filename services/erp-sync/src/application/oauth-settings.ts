import type { StateKey } from '../domain/oauth-state.js';

/** OAuth settings of the installation (ERP reference, section 14). */
export interface OAuthSettings {
  /** Keys that sign the state parameter of an OAuth consent. The newest key is used for new signatures. */
  readonly stateKeys: readonly [StateKey, ...StateKey[]];
  /**
   * URL to which a provider sends the browser after an OAuth consent, without the provider code that is appended to it.
   */
  readonly callbackUrl: string;
  /** Page of the application to which the browser is redirected after an OAuth consent. */
  readonly returnUrl: string;
  readonly flowMs: number;
  /** True if a user must confirm which company of the ERP is connected (ADR 0088). */
  readonly isConfirmed: boolean;
}
