import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection } from './connection.js';

/**
 * Status of a consent: PENDING until the browser comes back, EXCHANGING while its code is, then CONFIRMING until a person has decided, and
 * CLOSED.
 */
export type FlowStatus = 'PENDING' | 'EXCHANGING' | 'CONFIRMING' | 'CLOSED';

/** Outcome that the browser is told at the end (ERP reference, section 14). */
export type FlowOutcome = 'connected' | 'denied' | 'failed' | 'conflict';

/** One consent, from the start to the decision. */
export interface OAuthFlow {
  /** 128 random bits; in the state. */
  readonly id: string;
  readonly organizationId: string;
  readonly provider: Connection['provider'];
  readonly companyId: string;
  /** The actor who started it, for the audit trail. */
  readonly actor: FlowActor;
  /** Redirect URI as it was sent to the provider; the exchange of the code repeats it. */
  readonly redirectUri: string;
  readonly codeVerifier: SealedValue;
  /** Time until which the browser may come back, and later until which the page may be confirmed. */
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** A consent whose code was exchanged and whose company in the ERP is known. */
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

/** The company in the ERP that a consent is for. */
export interface ConsentedTenant {
  readonly id: string;
  readonly name: string;
  /** The provider's id of the connection, where ending it needs one. */
  readonly remoteConnectionId?: string;
}

/** Tokens that a provider grants, as they are sealed. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly accessExpiresAt: Date;
  readonly refreshToken: string;
}
