import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';

/**
 * Encrypts the secrets of ERP connections: the credential that a user sent, and the tokens of an OAuth consent as JSON.
 */
export interface ConnectionSecrets {
  readonly credential: SealedField;
  readonly tokens: SealedField;
}

/** Encrypts the secrets of OAuth consent flows, which exist for minutes. */
export interface FlowSecrets {
  readonly codeVerifier: SealedField;
  readonly tokens: SealedField;
}
