import type { StateKey } from '../domain/oauth-state.js';

/** What the installation says about consents (ERP reference, section 14). */
export interface OAuthSettings {
  /** The newest signs. */
  readonly stateKeys: readonly [StateKey, ...StateKey[]];
  /** Of the callback, without the provider. */
  readonly callbackUrl: string;
  /** Where the browser ends. */
  readonly returnUrl: string;
  readonly flowMs: number;
  /** Whether a person confirms what is connected, see ADR 0088. */
  readonly isConfirmed: boolean;
}
