import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { ConsentedTenant, FlowOutcome, GrantedFlow, OAuthFlow } from '../domain/oauth-flow.js';
import type { ProviderCode } from '../providers/provider.js';

// Operations of the use cases for consents and tokens on the collections.

/** Tokens of a consent that did not lead to a connection. They must be revoked. */
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
   * Changes the status from PENDING to EXCHANGING, once. A state parameter that is used again finds no flow.
   * @param organizationId organization in the signed state parameter
   */
  consume(organizationId: string, flowId: string): Promise<OAuthFlow | undefined>;
  /** Stores the tokens. They are revoked at the given time unless the flow continues. */
  keepTokens(flow: OAuthFlow, tokens: SealedValue, revokeAt: Date): Promise<void>;
  /** Changes the status from EXCHANGING to CONFIRMING. */
  awaitConfirmation(
    flow: OAuthFlow,
    page: { readonly tenant: ConsentedTenant; readonly confirmationHash: string; readonly expiresAt: Date },
  ): Promise<void>;
  /** Returns a flow that waits for the decision of the user. */
  findConfirming(flowId: string, confirmationHash: string): Promise<OAuthFlow | undefined>;
  /**
   * Changes the status from CONFIRMING to EXCHANGING, once.
   * @param revokeAt time at which the tokens are revoked unless the flow continues
   */
  decide(flow: OAuthFlow, confirmationHash: string, revokeAt: Date): Promise<GrantedFlow | undefined>;
  /**
   * Ends a flow.
   * @param revokeAt time at which the tokens are revoked, or undefined to remove them at once
   */
  close(flow: OAuthFlow, outcome: FlowOutcome, revokeAt: Date | undefined): Promise<void>;
  /** Removes the tokens of an ended flow. */
  wipe(flow: OAuthFlow): Promise<void>;
  /** Claims tokens that are due for revocation, until the given time. */
  claimRevocation(now: Date, until: Date): Promise<AbandonedTokens | undefined>;
  retryRevocation(flow: OAuthFlow, at: Date): Promise<void>;
}

/** The connection that owns the tokens. */
export interface TokenOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** A connection with its token fields. */
export interface TokenHolder extends TokenOwner {
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  readonly tokens: SealedValue;
  /** Increases with every write of the tokens. */
  readonly tokenVersion: number;
}

export interface ClaimedTokens extends TokenHolder {
  readonly claimId: string;
}

export interface ConnectionTokenStore {
  /** Returns undefined if there are no tokens. */
  read(owner: TokenOwner): Promise<TokenHolder | undefined>;
  /**
   * Claims the tokens for one refresh. Returns undefined while another process has claimed them, or if there are none.
   */
  claim(owner: TokenOwner, leaseMs: number): Promise<ClaimedTokens | undefined>;
  /** Extends the claim. Returns false after a takeover. */
  renew(claimed: ClaimedTokens, leaseMs: number): Promise<boolean>;
  /**
   * Stores refreshed tokens and releases the claim. Returns false, and stores nothing, if the tokens were changed or
   * taken over.
   */
  save(claimed: ClaimedTokens, tokens: SealedValue): Promise<boolean>;
  release(claimed: ClaimedTokens): Promise<void>;
  /** Returns connections whose tokens were not refreshed since the given time, longest first. */
  dueForRefresh(before: Date, exceptIds: readonly string[], limit: number): Promise<readonly TokenHolder[]>;
  /** Records that the tokens are no longer valid, so that the job skips them until a new consent. */
  stopRefreshing(holder: TokenHolder): Promise<void>;
  /** Claims a disconnected connection whose tokens must be revoked, until the given time. */
  claimRevocation(
    now: Date,
    until: Date,
  ): Promise<{ readonly holder: TokenHolder; readonly tries: number } | undefined>;
  retryRevocation(owner: TokenOwner, at: Date): Promise<void>;
  /**
   * Stores tokens that were refreshed in order to revoke them. Nobody else writes the tokens of a disconnected
   * connection.
   */
  replaceRevoked(owner: TokenOwner, tokens: SealedValue): Promise<void>;
  /** Removes the tokens of a disconnected connection. */
  wipe(owner: TokenOwner): Promise<void>;
}

export interface ConsentedConnections {
  /**
   * Sets a connection with invalid tokens to ERROR and publishes the change, unless it is already in ERROR, was
   * disconnected, or got other tokens in the meantime.
   */
  endAccess(holder: TokenHolder, error: ConnectionError): Promise<void>;
  /** Returns the connection to this company in the ERP that is not DISABLED. */
  findLive(organizationId: string, provider: ProviderCode, remoteKey: string): Promise<Connection | undefined>;
  /** Tells whether any company of the provider is connected, to the given company of the organization or to any. */
  hasLive(organizationId: string, provider: ProviderCode, companyId?: string): Promise<boolean>;
  /**
   * Replaces the tokens by new ones, even while another process refreshes the old ones.
   * @throws VersionConflict
   */
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
