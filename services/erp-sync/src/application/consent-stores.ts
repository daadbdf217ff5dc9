import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { ConsentedTenant, FlowOutcome, GrantedFlow, OAuthFlow } from '../domain/oauth-flow.js';
import type { ProviderCode } from '../providers/provider.js';

// Operations on the database collections that the use cases for OAuth consents and tokens need.

/**
 * Tokens of an OAuth consent that did not lead to an ERP connection. Such tokens must be revoked at the ERP provider.
 */
export interface AbandonedTokens {
  readonly flow: OAuthFlow;
  readonly tokens: SealedValue | undefined;
  readonly tenant: ConsentedTenant | undefined;
  /** Number of attempts so far to revoke the OAuth tokens. */
  readonly tries: number;
}

export interface OAuthFlows {
  insert(flow: OAuthFlow): Promise<void>;
  /**
   * Changes the status of an OAuth consent flow from PENDING to EXCHANGING, but only once. A state parameter that is
   * used a second time finds no consent flow.
   * @param organizationId organization in the signed state parameter
   */
  consume(organizationId: string, flowId: string): Promise<OAuthFlow | undefined>;
  /**
   * Stores the tokens of an OAuth consent flow. The tokens are revoked at the given time unless the user completes the
   * consent.
   */
  keepTokens(flow: OAuthFlow, tokens: SealedValue, revokeAt: Date): Promise<void>;
  /** Changes the status of the OAuth consent flow from EXCHANGING to CONFIRMING. */
  awaitConfirmation(
    flow: OAuthFlow,
    page: { readonly tenant: ConsentedTenant; readonly confirmationHash: string; readonly expiresAt: Date },
  ): Promise<void>;
  /** Returns an OAuth consent flow that is waiting for the user's decision. */
  findConfirming(flowId: string, confirmationHash: string): Promise<OAuthFlow | undefined>;
  /**
   * Changes the status of an OAuth consent flow from CONFIRMING to EXCHANGING, once.
   * @param revokeAt time at which the tokens are revoked unless the flow continues
   */
  decide(flow: OAuthFlow, confirmationHash: string, revokeAt: Date): Promise<GrantedFlow | undefined>;
  /**
   * Closes an OAuth consent flow with its outcome.
   * @param revokeAt time at which the tokens are revoked, or undefined to remove them at once
   */
  close(flow: OAuthFlow, outcome: FlowOutcome, revokeAt: Date | undefined): Promise<void>;
  /** Removes the OAuth tokens of a closed consent flow. */
  wipe(flow: OAuthFlow): Promise<void>;
  /** Claims, until the given time, OAuth tokens of an ERP that are due for revocation. */
  claimRevocation(now: Date, until: Date): Promise<AbandonedTokens | undefined>;
  retryRevocation(flow: OAuthFlow, at: Date): Promise<void>;
}

/** The ERP connection that owns the OAuth tokens. */
export interface TokenOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** An ERP connection with its OAuth token fields. */
export interface TokenHolder extends TokenOwner {
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  readonly tokens: SealedValue;
  /** Version of the OAuth tokens, which increases with every write. */
  readonly tokenVersion: number;
}

export interface ClaimedTokens extends TokenHolder {
  readonly claimId: string;
}

export interface ConnectionTokenStore {
  /** Returns the OAuth tokens of an ERP connection, or undefined if there are none. */
  read(owner: TokenOwner): Promise<TokenHolder | undefined>;
  /**
   * Claims the OAuth tokens for one refresh. Returns undefined while another process has claimed them, or if there are
   * no tokens.
   */
  claim(owner: TokenOwner, leaseMs: number): Promise<ClaimedTokens | undefined>;
  /** Extends the claim on the OAuth tokens. Returns false if another process has claimed them. */
  renew(claimed: ClaimedTokens, leaseMs: number): Promise<boolean>;
  /**
   * Stores refreshed OAuth tokens and releases the claim on them. If another process has changed or claimed the OAuth
   * tokens, stores nothing and returns false.
   */
  save(claimed: ClaimedTokens, tokens: SealedValue): Promise<boolean>;
  release(claimed: ClaimedTokens): Promise<void>;
  /**
   * Returns the ERP connections whose OAuth tokens have not been refreshed since the given time, starting with the
   * oldest refresh.
   */
  dueForRefresh(before: Date, exceptIds: readonly string[], limit: number): Promise<readonly TokenHolder[]>;
  /**
   * Records that the OAuth tokens of an ERP connection are no longer valid, so that the refresh job skips them until a
   * new OAuth consent is given.
   */
  stopRefreshing(holder: TokenHolder): Promise<void>;
  /** Claims, until the given time, a disconnected ERP connection whose OAuth tokens must be revoked. */
  claimRevocation(
    now: Date,
    until: Date,
  ): Promise<{ readonly holder: TokenHolder; readonly tries: number } | undefined>;
  retryRevocation(owner: TokenOwner, at: Date): Promise<void>;
  /**
   * Stores OAuth tokens that were refreshed so that they can be revoked. The write has no condition, because nothing
   * else writes the tokens of a disconnected connection.
   */
  replaceRevoked(owner: TokenOwner, tokens: SealedValue): Promise<void>;
  /** Removes the OAuth tokens of a disconnected connection. */
  wipe(owner: TokenOwner): Promise<void>;
}

export interface ConsentedConnections {
  /**
   * Sets an ERP connection with invalid tokens to ERROR and publishes the change, unless it is already in ERROR, was
   * disconnected, or received other OAuth tokens in the meantime.
   */
  endAccess(holder: TokenHolder, error: ConnectionError): Promise<void>;
  /** Returns the ERP connection to a company in the ERP, unless the connection is DISABLED. */
  findLive(organizationId: string, provider: ProviderCode, remoteKey: string): Promise<Connection | undefined>;
  /**
   * Checks whether the organization has a connection to the ERP provider that is not DISABLED. If a company id is
   * given, only the connections of this company count.
   */
  hasLive(organizationId: string, provider: ProviderCode, companyId?: string): Promise<boolean>;
  /**
   * Replaces the OAuth tokens with new ones, even while another process refreshes the old ones.
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
