import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection } from './connection.js';

/**
 * Status of an OAuth consent flow: PENDING until the browser returns, EXCHANGING while the authorization code is
 * exchanged, CONFIRMING until the user has decided, and CLOSED.
 */
export type FlowStatus = 'PENDING' | 'EXCHANGING' | 'CONFIRMING' | 'CLOSED';

/** Outcome of an OAuth consent that the browser receives at the end (ERP reference, section 14). */
export type FlowOutcome = 'connected' | 'denied' | 'failed' | 'conflict';

/** An OAuth consent flow, from its start to the decision. */
export interface OAuthFlow {
  /** Id of an OAuth consent flow with 128 random bits, which is part of the state parameter. */
  readonly id: string;
  readonly organizationId: string;
  readonly provider: Connection['provider'];
  readonly companyId: string;
  /** The actor who started the OAuth consent flow, for audit events. */
  readonly actor: FlowActor;
  /**
   * OAuth redirect URI as it was sent to the provider. The request that exchanges the authorization code must repeat
   * this URI.
   */
  readonly redirectUri: string;
  readonly codeVerifier: SealedValue;
  /** Time until which the browser may return from an OAuth consent and, later, until which the user may confirm. */
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** An OAuth consent whose code was exchanged and whose company in the ERP is known. */
export interface GrantedFlow extends OAuthFlow {
  readonly tokens: SealedValue;
  readonly tenant: ConsentedTenant;
}

export interface FlowActor {
  readonly type: string;
  readonly id: string;
  readonly requestId: string;
  readonly ip: string | undefined;
}

/** The ERP company to which the user consented. */
export interface ConsentedTenant {
  readonly id: string;
  readonly name: string;
  /** Connection id at the provider, if it is needed to terminate the ERP connection. */
  readonly remoteConnectionId?: string;
}

/** OAuth tokens from a provider, in the form in which they are sealed. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly accessExpiresAt: Date;
  readonly refreshToken: string;
}
