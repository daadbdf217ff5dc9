import type { GrantedTokens } from './oauth-flow.js';

/** The tokens of a connection, as they are sealed together. */
export interface ConnectionTokens extends GrantedTokens {
  /** The refresh token before the last refresh, which may be tried again for a while. */
  readonly previous?: { readonly refreshToken: string; readonly until: Date };
  /** The provider's id of the connection, where ending it needs one. */
  readonly remoteConnectionId?: string;
}

/** Time for which the refresh token before the last refresh is kept (ERP reference, section 7.7). */
export const PREVIOUS_TOKEN_MS = 30 * 60_000;
/** An access token that ends within this time is renewed before it is used. */
export const RENEW_BEFORE_END_MS = 120_000;

/** The tokens after a refresh. */
export function refreshed(before: ConnectionTokens, granted: GrantedTokens, now: Date): ConnectionTokens {
  const { remoteConnectionId } = before;
  // One that gives the same value again still has the one before.
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

/** Encodes tokens as they are sealed. */
export function encodeTokens(tokens: ConnectionTokens): string {
  return JSON.stringify(tokens);
}

/** Decodes a text of {@link encodeTokens}. */
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
