import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { ErpFault, Outage } from '../domain/faults.js';
import type { GrantedTokens } from '../domain/oauth-flow.js';
import { decodeTokens, encodeTokens, isUsable, refreshed } from '../domain/tokens.js';
import type { ConnectionTokens } from '../domain/tokens.js';
import { productOf } from '../providers/registry.js';
import { tokensRefreshed } from '../telemetry.js';
import { GrantRefused } from './authorization-server.js';
import type { AuthorizationServer, AuthorizationServers } from './authorization-server.js';
import type { ClaimedTokens, ConnectionTokenStore, TokenHolder, TokenOwner } from './consent-stores.js';
import type { Retry } from './open-erp.js';
import type { ConnectionSecrets } from './secrets.js';

export interface AccessTokenDeps {
  readonly tokens: ConnectionTokenStore;
  readonly servers: AuthorizationServers;
  readonly secrets: Pick<ConnectionSecrets, 'tokens'>;
  readonly clock: Clock;
  /** Lease of an OAuth token refresh, at least twice as long as the longest call to a provider. */
  readonly leaseMs: number;
  /**
   * Delay before the second attempt at an OAuth token refresh outside an import run. The delay doubles with each
   * further attempt.
   */
  readonly backoffMs: number;
}

/** Maximum number of attempts at an OAuth token refresh outside an import run. An import run has its own limit. */
const TRIES_MAX = 3;
/** Interval between polls for the completion of an OAuth token refresh by another process. */
const POLL_EACH_MS = 100;

/** Provides access tokens for ERP connections that a user connected by consent (ERP reference, section 7.7). */
export interface AccessTokens {
  /**
   * Returns an access token for the ERP that is valid for at least two minutes.
   * @throws ErpFault REAUTH_REQUIRED if a new consent is needed
   */
  current(owner: TokenOwner, retry?: Retry): Promise<string>;
  /**
   * Returns an access token that differs from the one that the ERP refused. If no other process has refreshed the token
   * yet, it is refreshed once.
   * @throws ErpFault
   */
  renewed(owner: TokenOwner, refused: string, retry?: Retry): Promise<string>;
  /**
   * Refreshes the OAuth tokens, unless another process has done so since the ERP connection was read.
   * @throws ErpFault
   */
  refresh(holder: TokenHolder): Promise<void>;
}

/**
 * One process at a time refreshes the tokens of an ERP connection, and stores the new tokens before anyone uses them.
 * If the process is killed before it stores them, the next process uses the same refresh token a second time. Providers
 * accept this, because a response may get lost.
 */
export function accessTokens(deps: AccessTokenDeps): AccessTokens {
  const { tokens: store, secrets, clock, leaseMs } = deps;
  const open = (holder: TokenHolder): ConnectionTokens => decodeTokens(secrets.tokens.open(holder, holder.tokens));
  const require = async (owner: TokenOwner): Promise<TokenHolder> => {
    const holder = await store.read(owner);
    if (holder === undefined || holder.status === 'DISABLED') {
      throw new ErpFault(
        'REAUTH_REQUIRED',
        'The ERP connection no longer has access to the ERP. Connect the ERP again.',
      );
    }
    return holder;
  };

  /** Returns the OAuth tokens of the ERP connection if their version is later than the given version. */
  const refreshOnce = async (owner: TokenOwner, versionSeen: number, retry: Retry): Promise<ConnectionTokens> => {
    // After twice the duration of the lease, another process has either finished refreshing the OAuth tokens or lost
    // its claim.
    const endsAt = performance.now() + 2 * leaseMs;
    for (;;) {
      const claimed = await store.claim(owner, leaseMs);
      if (claimed !== undefined && claimed.tokenVersion === versionSeen) return refreshClaimed(claimed, retry);
      if (claimed !== undefined) {
        await store.release(claimed);
        return open(claimed);
      }
      const holder = await require(owner);
      if (holder.tokenVersion !== versionSeen) return open(holder);
      if (performance.now() >= endsAt) {
        throw new ErpFault('TIMEOUT', 'Renewing the access token took too long. The next run retries.');
      }
      await delay(POLL_EACH_MS);
    }
  };

  const refreshClaimed = async (claimed: ClaimedTokens, retry: Retry): Promise<ConnectionTokens> => {
    try {
      const before = open(claimed);
      const granted = await grant(claimed, before, retry);
      const after = refreshed(before, granted, clock.now());
      if (await store.save(claimed, secrets.tokens.seal(claimed, encodeTokens(after)))) {
        tokensRefreshed(claimed.provider, 'refreshed');
        return after;
      }
      // A new OAuth consent was given in the meantime, or another process took over, so the stored tokens of the ERP
      // connection are used.
      return open(await require(claimed));
    } catch (error) {
      tokensRefreshed(claimed.provider, error instanceof ErpFault ? error.code : 'failed');
      await store.release(claimed);
      throw error;
    }
  };

  const grant = async (claimed: ClaimedTokens, before: ConnectionTokens, retry: Retry): Promise<GrantedTokens> => {
    const server = serverOf(deps.servers, claimed);
    try {
      return await retry(attempt(server, claimed, before.refreshToken));
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
    }
    const { previous } = before;
    const holder = await require(claimed);
    // A changed token version means that a new OAuth consent has stored other tokens. Nothing else can write tokens
    // while this process holds the claim.
    if (holder.tokenVersion !== claimed.tokenVersion) return open(holder);
    if (previous === undefined || previous.until <= clock.now()) throw reauthorizationRequired(claimed);
    try {
      return await retry(attempt(server, claimed, previous.refreshToken));
    } catch (error) {
      throw error instanceof GrantRefused ? reauthorizationRequired(claimed) : error;
    }
  };

  /**
   * Makes one attempt to refresh the OAuth tokens. Before each further attempt, the claim on the tokens is renewed,
   * because the pause may be longer than the claim lasts.
   */
  const attempt = (server: AuthorizationServer, claimed: ClaimedTokens, refreshToken: string) => {
    let isFirst = true;
    return async (): Promise<GrantedTokens> => {
      if (!isFirst && !(await store.renew(claimed, leaseMs))) {
        throw new ErpFault(
          'BAD_RESPONSE',
          'Another process is renewing the access token. The next import run retries.',
        );
      }
      isFirst = false;
      return server.refresh(refreshToken);
    };
  };

  const retryHere: Retry = async (call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await call();
      } catch (error) {
        if (tries === TRIES_MAX || !isTransient(error)) throw error;
        await delay(Math.random() * deps.backoffMs * 2 ** tries);
      }
    }
  };

  return {
    async current(owner, retry = retryHere) {
      const holder = await require(owner);
      const held = open(holder);
      const usable = isUsable(held, clock.now()) ? held : await refreshOnce(owner, holder.tokenVersion, retry);
      return usable.accessToken;
    },
    async renewed(owner, refused, retry = retryHere) {
      const holder = await require(owner);
      const held = open(holder);
      const isRenewed = held.accessToken !== refused && isUsable(held, clock.now());
      return (isRenewed ? held : await refreshOnce(owner, holder.tokenVersion, retry)).accessToken;
    },
    async refresh(holder) {
      await refreshOnce(holder, holder.tokenVersion, retryHere);
    },
  };
}

/**
 * Returns the OAuth authorization server of an ERP provider.
 * @throws ErpFault if the installation no longer has an app at the provider
 */
export function serverOf(
  servers: AuthorizationServers,
  { provider }: Pick<TokenHolder, 'provider'>,
): AuthorizationServer {
  const server = servers.get(provider);
  if (server !== undefined) return server;
  const { title } = productOf(provider);
  throw new ErpFault(
    'UPSTREAM_ERROR',
    `This installation has no app for ${title}. Ask the operator of the installation to configure one.`,
  );
}

function reauthorizationRequired({ provider }: TokenHolder): ErpFault {
  const { title } = productOf(provider);
  return new ErpFault('REAUTH_REQUIRED', `${title} has revoked the access. Connect ${title} again and give consent.`);
}

/**
 * Checks whether another attempt at an OAuth token refresh makes sense immediately, because the response may have been
 * lost.
 */
function isTransient(error: unknown): boolean {
  return error instanceof Outage && error.code !== 'RATE_LIMITED';
}
