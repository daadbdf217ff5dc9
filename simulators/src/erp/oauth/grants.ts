import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.js';

/** Lifetimes of the tokens of a simulated authorization server, and rotation of its refresh tokens. */
export interface TokenPolicy {
  readonly codeSeconds: number;
  readonly accessSeconds: number;
  /** Number of seconds for which a refresh token is valid after its last use. */
  readonly refreshIdleSeconds: number;
  /**
   * Age in seconds from which an OAuth refresh replaces the refresh token. A younger refresh token is kept. With 0,
   * each refresh returns a new refresh token.
   */
  readonly rotateAfterSeconds: number;
  /** Seconds for which a replaced refresh token is still valid. */
  readonly graceSeconds: number;
}

/** An OAuth consent that allows the app to make calls for one tenant. */
export interface Grant {
  readonly id: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

export interface Authorization {
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
}

/** Values that an OAuth client sends with an authorization code; they must equal those of the request for the code. */
export interface CodeProof {
  readonly redirectUri: string | undefined;
  readonly codeVerifier: string | undefined;
}

export interface TokenPair {
  readonly grant: Grant;
  readonly accessToken: string;
  /** Refresh token of the OAuth grant. Absent if no offline access was granted. */
  readonly refreshToken: string | undefined;
}

interface Code extends Authorization {
  readonly expiresAt: number;
  isUsed: boolean;
}

interface AccessToken {
  readonly grant: Grant;
  readonly expiresAt: number;
}

interface RefreshToken {
  readonly grant: Grant;
  readonly issuedAt: number;
  usedAt: number;
  /** Time when the OAuth refresh token was replaced by another one. */
  supersededAt?: number;
  /** True if the refresh token was ended before its expiry. */
  isDead: boolean;
}

interface Counts {
  issued: number;
  refreshed: number;
  reused: number;
  revoked: number;
}

export interface GrantOptions {
  readonly clock: Clock;
  readonly policy: TokenPolicy;
  /** Creates an OAuth access token in the format of the ERP vendor. */
  readonly newAccessToken: (grant: Grant) => string;
  readonly newRefreshToken: () => string;
  readonly isOffline: (scopes: readonly string[]) => boolean;
}

/** Authorization codes, access tokens and refresh tokens of one OAuth app for all tenants. */
export class Grants {
  readonly #options: GrantOptions;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, AccessToken>();
  readonly #refresh = new Map<string, RefreshToken>();
  readonly #counts = new Map<string, Counts>();
  #last = 0;

  constructor(options: GrantOptions) {
    this.#options = options;
  }

  /** Returns a new authorization code for the OAuth client after the user has given consent. */
  authorize(authorization: Authorization): string {
    const code = randomBytes(24).toString('base64url');
    const expiresAt = this.#now() + this.#options.policy.codeSeconds;
    this.#codes.set(code, { ...authorization, expiresAt, isUsed: false });
    return code;
  }

  /**
   * Exchanges an authorization code for OAuth tokens. Returns undefined if the code is invalid or the PKCE verifier or
   * the redirect URI does not match.
   */
  exchange(value: string, { redirectUri, codeVerifier }: CodeProof): TokenPair | undefined {
    const code = this.#codes.get(value);
    if (code === undefined || code.isUsed || code.expiresAt <= this.#now()) return undefined;
    if (code.redirectUri !== redirectUri || !verifies(code.codeChallenge, codeVerifier)) return undefined;
    code.isUsed = true;
    this.#last += 1;
    const grant: Grant = { id: String(this.#last), tenant: code.tenant, scopes: code.scopes };
    this.#countsOf(grant.tenant).issued += 1;
    const refreshToken = this.#options.isOffline(grant.scopes) ? this.#addRefreshToken(grant) : undefined;
    return { grant, accessToken: this.#addAccessToken(grant), refreshToken };
  }

  /** Returns new OAuth tokens for a refresh token, or undefined if the refresh token is invalid. */
  refresh(value: string): TokenPair | undefined {
    const token = this.#refresh.get(value);
    if (token === undefined) return undefined;
    const counts = this.#countsOf(token.grant.tenant);
    if (!this.#holds(token)) {
      counts.reused += 1;
      return undefined;
    }
    counts.refreshed += 1;
    const now = this.#now();
    token.usedAt = now;
    const { rotateAfterSeconds } = this.#options.policy;
    const isKept = token.supersededAt === undefined && now - token.issuedAt < rotateAfterSeconds;
    const refreshToken = isKept ? value : this.#addRefreshToken(token.grant);
    return { grant: token.grant, accessToken: this.#addAccessToken(token.grant), refreshToken };
  }

  /** Returns the OAuth grant of an access token, or undefined if the access token is not valid. */
  grantOf(accessToken: string): Grant | undefined {
    const token = this.#access.get(accessToken);
    return token !== undefined && token.expiresAt > this.#now() ? token.grant : undefined;
  }

  /** Returns the ERP tenant of an authorization code or token, whether or not the code or token is valid. */
  tenantOf(value: string): string | undefined {
    return (
      this.#codes.get(value)?.tenant ?? this.#access.get(value)?.grant.tenant ?? this.#refresh.get(value)?.grant.tenant
    );
  }

  /**
   * Ends the OAuth grant of an access token or a refresh token.
   * @returns the grant, or undefined for an unknown token
   */
  revoke(value: string): Grant | undefined {
    const grant = this.#access.get(value)?.grant ?? this.#refresh.get(value)?.grant;
    if (grant === undefined) return undefined;
    this.#countsOf(grant.tenant).revoked += 1;
    for (const [token, { grant: of }] of this.#access) if (of.id === grant.id) this.#access.delete(token);
    for (const token of this.#refresh.values()) if (token.grant.id === grant.id) token.isDead = true;
    return grant;
  }

  expireAccessTokens(tenant: string): void {
    for (const [token, { grant }] of this.#access) {
      if (grant.tenant === tenant) this.#access.set(token, { grant, expiresAt: this.#now() });
    }
  }

  expireRefreshTokens(tenant: string): void {
    for (const token of this.#refresh.values()) if (token.grant.tenant === tenant) token.isDead = true;
  }

  /** Removes the OAuth grants of a tenant that is created again. */
  remove(tenant: string): void {
    for (const [code, { tenant: of }] of this.#codes) if (of === tenant) this.#codes.delete(code);
    for (const [token, { grant }] of this.#access) if (grant.tenant === tenant) this.#access.delete(token);
    for (const [token, { grant }] of this.#refresh) if (grant.tenant === tenant) this.#refresh.delete(token);
    this.#counts.delete(tenant);
  }

  /**
   * Counts the valid refresh tokens of the simulated ERP, without replaced ones that may still be valid for their grace
   * period.
   */
  count(tenant: string): Readonly<Counts & { liveRefreshTokens: number }> {
    const live = [...this.#refresh.values()].filter(
      (token) => token.grant.tenant === tenant && token.supersededAt === undefined && this.#holds(token),
    );
    return { ...this.#countsOf(tenant), liveRefreshTokens: live.length };
  }

  #addAccessToken(grant: Grant): string {
    const value = this.#options.newAccessToken(grant);
    this.#access.set(value, { grant, expiresAt: this.#now() + this.#options.policy.accessSeconds });
    return value;
  }

  /**
   * The new OAuth refresh token replaces all others of its grant, including a token that the client never received
   * because a response was lost.
   */
  #addRefreshToken(grant: Grant): string {
    const now = this.#now();
    for (const token of this.#refresh.values()) if (token.grant.id === grant.id) token.supersededAt ??= now;
    const value = this.#options.newRefreshToken();
    this.#refresh.set(value, { grant, issuedAt: now, usedAt: now, isDead: false });
    return value;
  }

  #holds({ isDead, usedAt, supersededAt }: RefreshToken): boolean {
    const { refreshIdleSeconds, graceSeconds } = this.#options.policy;
    const now = this.#now();
    if (isDead || now - usedAt >= refreshIdleSeconds) return false;
    return supersededAt === undefined || now - supersededAt < graceSeconds;
  }

  #countsOf(tenant: string): Counts {
    const counts = this.#counts.get(tenant) ?? { issued: 0, refreshed: 0, reused: 0, revoked: 0 };
    this.#counts.set(tenant, counts);
    return counts;
  }

  /** Current time of the simulated authorization server in seconds. */
  #now(): number {
    return this.#options.clock.now().getTime() / 1_000;
  }
}

/** By RFC 7636, OAuth requires a PKCE verifier if, and only if, a challenge was sent. */
function verifies(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  const expected = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const sent = Buffer.from(challenge);
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
