import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { ConsentedTenant, FlowOutcome, GrantedFlow, OAuthFlow } from '../domain/oauth-flow.js';
import type { ProviderCode } from '../providers/provider.js';

// The operations of the use cases about consents and tokens on the collections.

/** Tokens of a consent that came to nothing, to be revoked. */
export interface AbandonedTokens {
  readonly flow: OAuthFlow;
  readonly tokens: SealedValue | undefined;
  readonly tenant: ConsentedTenant | undefined;
  /** Number of earlier attempts to revoke. */
  readonly tries: number;
}

export interface OAuthFlows {
  insert(flow: OAuthFlow): Promise<void>;
  /**
   * PENDING to EXCHANGING, once: a state that is used again finds nothing.
   * @param organizationId of the signed state
   */
  consume(organizationId: string, flowId: string): Promise<OAuthFlow | undefined>;
  /** Keeps the tokens; unless the flow goes on, they are revoked at the given time. */
  keepTokens(flow: OAuthFlow, tokens: SealedValue, revokeAt: Date): Promise<void>;
  /** EXCHANGING to CONFIRMING. */
  awaitConfirmation(
    flow: OAuthFlow,
    page: { readonly tenant: ConsentedTenant; readonly confirmationHash: string; readonly expiresAt: Date },
  ): Promise<void>;
  /** A flow that waits for the decision. */
  findConfirming(flowId: string, confirmationHash: string): Promise<OAuthFlow | undefined>;
  /** CONFIRMING to EXCHANGING, once. @param revokeAt when its tokens are revoked unless it goes on */
  decide(flow: OAuthFlow, confirmationHash: string, revokeAt: Date): Promise<GrantedFlow | undefined>;
  /** Ends it. @param revokeAt when its tokens are revoked; undefined to remove them at once */
  close(flow: OAuthFlow, outcome: FlowOutcome, revokeAt: Date | undefined): Promise<void>;
  /** Removes the tokens of a flow that is over. */
  wipe(flow: OAuthFlow): Promise<void>;
  /** Claims tokens that are due to be revoked, until the given time. */
  claimRevocation(now: Date, until: Date): Promise<AbandonedTokens | undefined>;
  retryRevocation(flow: OAuthFlow, at: Date): Promise<void>;
}

/** The connection that has the tokens. */
export interface TokenOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** A connection as far as its tokens go. */
export interface TokenHolder extends TokenOwner {
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  readonly tokens: SealedValue;
  /** Raised by every write of the tokens. */
  readonly tokenVersion: number;
}

export interface ClaimedTokens extends TokenHolder {
  readonly claimId: string;
}

export interface ConnectionTokenStore {
  /** Undefined without tokens. */
  read(owner: TokenOwner): Promise<TokenHolder | undefined>;
  /** Claims the tokens for one refresh; undefined while another process has them, or without tokens. */
  claim(owner: TokenOwner, leaseMs: number): Promise<ClaimedTokens | undefined>;
  /** False after a takeover. */
  renew(claimed: ClaimedTokens, leaseMs: number): Promise<boolean>;
  /** Writes refreshed tokens and releases them. False when they were changed or taken over before: then nothing is written. */
  save(claimed: ClaimedTokens, tokens: SealedValue): Promise<boolean>;
  release(claimed: ClaimedTokens): Promise<void>;
  /** Connections whose tokens were not refreshed since, those that waited longest first. */
  dueForRefresh(before: Date, exceptIds: readonly string[], limit: number): Promise<readonly TokenHolder[]>;
  /** The tokens are no longer valid: the job leaves them alone until a person consents again. */
  stopRefreshing(holder: TokenHolder): Promise<void>;
  /** Disconnected connections whose tokens are to be revoked: claims one until the given time. */
  claimRevocation(
    now: Date,
    until: Date,
  ): Promise<{ readonly holder: TokenHolder; readonly tries: number } | undefined>;
  retryRevocation(owner: TokenOwner, at: Date): Promise<void>;
  /** Tokens that were refreshed to revoke them; nobody else writes those of a disconnected connection. */
  replaceRevoked(owner: TokenOwner, tokens: SealedValue): Promise<void>;
  /** Removes the tokens of a disconnected connection. */
  wipe(owner: TokenOwner): Promise<void>;
}

export interface ConsentedConnections {
  /**
   * Turns a connection whose tokens are no longer valid to ERROR, and tells its people; not one that is ERROR already, was disconnected, or
   * has got other tokens since.
   */
  endAccess(holder: TokenHolder, error: ConnectionError): Promise<void>;
  /** The connection to this remote company that is not DISABLED. */
  findLive(organizationId: string, provider: ProviderCode, remoteKey: string): Promise<Connection | undefined>;
  /** Tells whether any company of the provider is connected, to the given company of the organization or to any. */
  hasLive(organizationId: string, provider: ProviderCode, companyId?: string): Promise<boolean>;
  /** Replaces the tokens by new ones, even while another process refreshes the old ones. @throws VersionConflict */
  reauthorize(
    connection: Connection,
    change: {
      readonly config: Readonly<Record<string, unknown>>;
      readonly tokens: SealedValue;
      readonly status: ConnectionStatus;
      readonly nextSyncAt: Date | undefined;
    },
    events: readonly Announcement[],
  ): Promise<Connection>;
}
