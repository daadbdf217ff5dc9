import type { GrantedTokens } from './oauth-flow.js';

/** Tokens of an ERP connection, which are sealed together. */
export interface ConnectionTokens extends GrantedTokens {
  /** The previous OAuth refresh token of an ERP connection, which the provider still accepts for a while. */
  readonly previous?: { readonly refreshToken: string; readonly until: Date };
  /** Connection id at the provider, if it is needed to terminate the ERP connection. */
  readonly remoteConnectionId?: string;
}

/** Time for which the previous OAuth refresh token of an ERP connection is kept (ERP reference, section 7.7). */
export const PREVIOUS_TOKEN_MS = 30 * 60_000;
/** Remaining validity below which an OAuth access token is renewed before it is used. */
export const RENEW_BEFORE_END_MS = 120_000;

/** Returns the OAuth tokens of an ERP connection after a refresh. */
export function refreshed(before: ConnectionTokens, granted: GrantedTokens, now: Date): ConnectionTokens {
  const { remoteConnectionId } = before;
  // If the provider returns the current refresh token again, no token was replaced, so the stored previous token stays.
  const previous =
    granted.refreshToken === before.refreshToken
      ? before.previous
      : { refreshToken: before.refreshToken, until: new Date(now.getTime() + PREVIOUS_TOKEN_MS) };
  return {
    ...granted,
    ...(previous === undefined || previous.until <= now ? {} : { previous }),
    ...(remoteConnectionId === undefined ? {} : { remoteConnectionId }),
  };
}

export function isUsable({ accessExpiresAt }: Pick<GrantedTokens, 'accessExpiresAt'>, now: Date): boolean {
  return accessExpiresAt.getTime() - RENEW_BEFORE_END_MS > now.getTime();
}

/** Encodes the OAuth tokens of an ERP connection as the text that is sealed. */
export function encodeTokens(tokens: ConnectionTokens): string {
  return JSON.stringify(tokens);
}

/** Decodes the OAuth tokens of an ERP connection that {@link encodeTokens} encoded. */
export function decodeTokens(text: string): ConnectionTokens {
  const { previous, ...tokens } = JSON.parse(text) as Omit<ConnectionTokens, 'accessExpiresAt' | 'previous'> & {
    accessExpiresAt: string;
    previous?: { refreshToken: string; until: string };
  };
  return {
    ...tokens,
    accessExpiresAt: new Date(tokens.accessExpiresAt),
    ...(previous === undefined ? {} : { previous: { ...previous, until: new Date(previous.until) } }),
  };
}
