import { count } from '@invoicecontrol/runtime/telemetry';

/** A browser came back from a consent, and was told how it went. */
export function consentEnded(provider: string, outcome: string): void {
  count('erp.consents', { provider, outcome });
}

/** Tokens were refreshed, or not: `refreshed`, else the code of the fault. */
export function tokensRefreshed(provider: string, outcome: string): void {
  count('erp.token_refreshes', { provider, outcome });
}

/** Access was ended at the provider: `revoked`, `failed` while it is tried again, `given_up`. */
export function tokensRevoked(provider: string, outcome: string): void {
  count('erp.token_revocations', { provider, outcome });
}
