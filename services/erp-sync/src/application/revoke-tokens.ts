import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { ErpFault } from '../domain/faults.js';
import { decodeTokens, encodeTokens, isUsable } from '../domain/tokens.js';
import type { ConnectionTokens } from '../domain/tokens.js';
import { tokensRevoked } from '../telemetry.js';
import { serverOf } from './access-tokens.js';
import { GrantRefused } from './authorization-server.js';
import type { AuthorizationServers } from './authorization-server.js';
import type {
  AbandonedTokens,
  ConnectionTokenStore,
  ConsentedConnections,
  OAuthFlows,
  TokenHolder,
} from './consent-stores.js';
import type { ConnectionSecrets, FlowSecrets } from './secrets.js';

export interface RevokeDeps {
  readonly tokens: Pick<ConnectionTokenStore, 'claimRevocation' | 'retryRevocation' | 'replaceRevoked' | 'wipe'>;
  readonly flows: Pick<OAuthFlows, 'claimRevocation' | 'retryRevocation' | 'wipe'>;
  readonly consented: Pick<ConsentedConnections, 'findLive' | 'hasLive'>;
  readonly servers: AuthorizationServers;
  readonly secrets: Pick<ConnectionSecrets, 'tokens'>;
  readonly flowSecrets: FlowSecrets;
  /** Lease of a claim for an OAuth token revocation, longer than the calls of one revocation. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of OAuth tokens that one run of the revocation job revokes. */
const REVOCATIONS_MAX = 100;
/**
 * Maximum number of revocation attempts, made over about half a day. After the last attempt, the OAuth tokens are
 * removed even if they were not revoked.
 */
const TRIES_MAX = 12;
const RETRY_MS = 30_000;
const RETRY_MS_MAX = 4 * 3_600_000;

export interface Revocations {
  /** Revokes the OAuth tokens whose revocation is due. The scheduled job calls this function. */
  run(signal: AbortSignal): Promise<void>;
  /** Revokes the OAuth tokens that are due now, without delaying the caller. */
  soon(): void;
  /** Resolves when no OAuth token of an ERP is being revoked. */
  stop(): Promise<void>;
}

/**
 * Revokes the access of deleted ERP connections and of unused consents at the provider, and then removes the OAuth
 * tokens. If the provider does not respond, the revocation is retried for about half a day.
 */
export function revocations(deps: RevokeDeps): Revocations {
  const { tokens, flows, clock, leaseMs, logger } = deps;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isDueAgain = false;

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let done = 0; done < REVOCATIONS_MAX && !signal.aborted; done++) {
      const now = clock.now();
      const until = new Date(now.getTime() + leaseMs);
      const deleted = await tokens.claimRevocation(now, until);
      if (deleted !== undefined) await revokeOfConnection(deps, deleted.holder, deleted.tries);
      const abandoned = await flows.claimRevocation(now, until);
      if (abandoned !== undefined) await revokeOfFlow(deps, abandoned);
      if (deleted === undefined && abandoned === undefined) return;
    }
  };
  const soon = (): void => {
    if (running !== undefined) {
      isDueAgain = true;
      return;
    }
    if (stopping.signal.aborted) return;
    running = run(stopping.signal)
      // If the ERP tokens cannot be revoked now, the scheduled job tries again.
      .catch((error: unknown) => logger.warn({ error }, 'revoking tokens failed'))
      .finally(() => {
        running = undefined;
        if (!isDueAgain) return;
        isDueAgain = false;
        soon();
      });
  };
  return {
    run,
    soon,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function revokeOfConnection(deps: RevokeDeps, holder: TokenHolder, tries: number): Promise<void> {
  const { tokens, secrets } = deps;
  await attempt(deps, {
    provider: holder.provider,
    target: { connectionId: holder.id },
    tries,
    work: async () => {
      const server = serverOf(deps.servers, holder);
      let held = decodeTokens(secrets.tokens.open(holder, holder.tokens));
      const { remoteConnectionId } = held;
      if (server.disconnect === undefined || remoteConnectionId === undefined) return server.revoke(held.refreshToken);
      const refresh = async (): Promise<void> => {
        held = { ...held, ...(await server.refresh(held.refreshToken)) } satisfies ConnectionTokens;
        await tokens.replaceRevoked(holder, secrets.tokens.seal(holder, encodeTokens(held)));
      };
      if (!isUsable(held, deps.clock.now())) await refresh();
      try {
        await server.disconnect(held.accessToken, remoteConnectionId);
      } catch (error) {
        if (!(error instanceof ErpFault) || error.code !== 'AUTH_FAILED') throw error;
        await refresh();
        await server.disconnect(held.accessToken, remoteConnectionId);
      }
    },
    retryAt: (at) => tokens.retryRevocation(holder, at),
    finish: () => tokens.wipe(holder),
  });
}

async function revokeOfFlow(deps: RevokeDeps, { flow, tokens: sealed, tenant, tries }: AbandonedTokens): Promise<void> {
  const { flows, consented, flowSecrets } = deps;
  const { organizationId, provider } = flow;
  await attempt(deps, {
    provider,
    target: { flowId: flow.id },
    tries,
    work: async () => {
      if (sealed === undefined) return;
      // If an ERP connection to the same company in the ERP exists, the OAuth tokens of the unused consent are not
      // revoked, because the provider would also terminate the access of that connection.
      if (tenant !== undefined && (await consented.findLive(organizationId, provider, tenant.id)) !== undefined) return;
      const server = serverOf(deps.servers, flow);
      const held = decodeTokens(flowSecrets.tokens.open(flow, sealed));
      if (server.disconnect !== undefined && tenant?.remoteConnectionId !== undefined) {
        await disconnectIfPossible(() => server.disconnect?.(held.accessToken, tenant.remoteConnectionId ?? ''));
        // The refresh token belongs to the user, so revoking it would terminate the access to every company that the
        // user has connected. It is therefore not revoked while the organization has a connection to this ERP provider.
        if (await consented.hasLive(organizationId, provider)) return;
      }
      await server.revoke(held.refreshToken);
    },
    retryAt: (at) => flows.retryRevocation(flow, at),
    finish: () => flows.wipe(flow),
  });
}

/**
 * If the access token has expired, the call cannot disconnect a company in an ERP. Revoking the refresh token then
 * terminates the access.
 */
async function disconnectIfPossible(disconnect: () => Promise<void> | undefined): Promise<void> {
  try {
    await disconnect();
  } catch (error) {
    if (!(error instanceof ErpFault) || error.code !== 'AUTH_FAILED') throw error;
  }
}

interface Attempt {
  readonly provider: TokenHolder['provider'];
  readonly target: Readonly<Record<string, string>>;
  readonly tries: number;
  work(): Promise<void>;
  retryAt(at: Date): Promise<void>;
  finish(): Promise<void>;
}

async function attempt(
  { clock, logger }: RevokeDeps,
  { provider, target, tries, work, retryAt, finish }: Attempt,
): Promise<void> {
  try {
    await work();
    tokensRevoked(provider, 'revoked');
  } catch (error) {
    // If the ERP provider refuses the refresh token, the token has already expired or been revoked.
    if (!(error instanceof GrantRefused)) {
      const isLast = tries + 1 >= TRIES_MAX;
      tokensRevoked(provider, isLast ? 'given_up' : 'failed');
      logger.warn(
        { error, provider, ...target, tries: tries + 1 },
        isLast
          ? 'tokens could not be revoked; they are removed'
          : 'tokens could not be revoked; revoking them is retried',
      );
      if (!isLast) {
        await retryAt(new Date(clock.now().getTime() + Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX)));
        return;
      }
    }
  }
  await finish();
}
