import type { StateKey } from '../domain/oauth-state.js';

/** Settings of the installation for consents (ERP reference, section 14). */
export interface OAuthSettings {
  /** The newest signs. */
  readonly stateKeys: readonly [StateKey, ...StateKey[]];
  /** URL of the callback, without the provider. */
  readonly callbackUrl: string;
  /** Page to which the browser is sent at the end. */
  readonly returnUrl: string;
  readonly flowMs: number;
  /** True when a person confirms the connected company, see ADR 0088. */
  readonly isConfirmed: boolean;
}
