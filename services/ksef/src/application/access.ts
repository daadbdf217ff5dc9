import { KsefRefusal } from '../domain/ksef-refusal.js';
import { authenticate } from './authentication.js';
import type { AuthenticationDeps, Grant } from './authentication.js';
import type { KsefCredentials } from './ksef-calls.js';

/** Time before expiry at which a KSeF token is renewed. */
const RENEW_BEFORE_MS = 60_000;

interface Tokens {
  readonly access: Grant;
  readonly refresh: Grant;
  readonly obtainedAtMs: number;
}

/**
 * Manages the access tokens of one KSeF connection. Tokens are kept only in memory, and only one authentication runs at
 * a time.
 */
export class Access {
  readonly #deps: AuthenticationDeps;
  readonly #credentials: KsefCredentials;
  #tokens: Tokens | undefined;
  #renewal: Promise<Tokens> | undefined;

  constructor(deps: AuthenticationDeps, credentials: KsefCredentials) {
    this.#deps = deps;
    this.#credentials = credentials;
  }

  isFor(credentials: KsefCredentials): boolean {
    const { environment, contextNip, secret } = this.#credentials;
    return (
      credentials.environment === environment && credentials.contextNip === contextNip && credentials.secret === secret
    );
  }

  /**
   * Makes a call with an access token. After a 401 the token is refreshed once, and after another 401 the KSeF
   * connection authenticates once.
   */
  async during<T>(call: (accessToken: string) => Promise<T>): Promise<T> {
    return withoutSecret(this.#credentials, () => this.#call(call));
  }

  async #call<T>(call: (accessToken: string) => Promise<T>): Promise<T> {
    const first = this.#isFresh() ?? (await this.#renew(this.#tokens, 'REFRESH'));
    try {
      return await call(first.access.token);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
    }
    const second = await this.#renew(first, 'REFRESH');
    try {
      return await call(second.access.token);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
    }
    const third = await this.#renew(second, 'AUTHENTICATE');
    return call(third.access.token);
  }

  /**
   * Terminates the KSeF login session if there is one (call A7).
   * @throws KsefRefusal
   */
  async end(): Promise<void> {
    const tokens = this.#tokens;
    this.#tokens = undefined;
    if (tokens === undefined) return;
    const { calls } = this.#deps;
    await withoutSecret(this.#credentials, async () => {
      try {
        await calls.end(this.#credentials, tokens.access.token);
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
        // The KSeF access token was revoked before its expiry. The refresh token can terminate the login session too.
        await calls.end(this.#credentials, tokens.refresh.token);
      }
    });
  }

  #isFresh(): Tokens | undefined {
    const tokens = this.#tokens;
    if (tokens === undefined) return undefined;
    const nowMs = this.#deps.nowMs();
    // KSeF tokens that were just obtained are not renewed. Otherwise, if the clocks of KSeF and the ksef service
    // differ, the tokens would be renewed before each call.
    if (nowMs - tokens.obtainedAtMs < RENEW_BEFORE_MS) return tokens;
    return nowMs < tokens.access.validUntil.getTime() - RENEW_BEFORE_MS ? tokens : undefined;
  }

  /**
   * Renews the access and refresh tokens of a KSeF connection.
   * @param stale tokens that KSeF refused; if they were replaced in the meantime, the current tokens are returned
   */
  async #renew(stale: Tokens | undefined, how: 'REFRESH' | 'AUTHENTICATE'): Promise<Tokens> {
    if (this.#renewal !== undefined) return this.#renewal;
    if (this.#tokens !== undefined && this.#tokens !== stale) return this.#tokens;
    const renewal = this.#obtain(stale, how).finally(() => {
      this.#renewal = undefined;
    });
    this.#renewal = renewal;
    return renewal;
  }

  async #obtain(stale: Tokens | undefined, how: 'REFRESH' | 'AUTHENTICATE'): Promise<Tokens> {
    const refreshed = how === 'REFRESH' && stale !== undefined ? await this.#refresh(stale.refresh) : undefined;
    const granted = refreshed ?? (await authenticate(this.#deps, this.#credentials));
    this.#tokens = { ...granted, obtainedAtMs: this.#deps.nowMs() };
    return this.#tokens;
  }

  /**
   * Refreshes the KSeF access token of a connection.
   * @returns undefined if the refresh token is no longer valid
   */
  async #refresh(refresh: Grant): Promise<{ access: Grant; refresh: Grant } | undefined> {
    if (refresh.validUntil.getTime() <= this.#deps.nowMs()) return undefined;
    try {
      return { access: await this.#deps.calls.refresh(this.#credentials, refresh.token), refresh };
    } catch (error) {
      // Refreshing the access token was refused permanently. Another login with the stored KSeF token shows whether
      // that token is still valid.
      if (error instanceof KsefRefusal && (error.kind === 'PERMANENT' || isUnauthorized(error))) return undefined;
      throw error;
    }
  }
}

/**
 * Removes the secret of a KSeF connection from refusals. KSeF messages are shown to people and may repeat what KSeF
 * received.
 */
async function withoutSecret<T>({ secret }: KsefCredentials, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KsefRefusal) || !error.message.includes(secret)) throw error;
    throw new KsefRefusal(error.kind, error.message.replaceAll(secret, '…'), error);
  }
}

/**
 * Checks whether KSeF itself refused the access token of a call. If another system responded, a sent document may still
 * have arrived, so the call is not repeated.
 */
function isUnauthorized(error: unknown): boolean {
  return error instanceof KsefRefusal && error.httpStatus === 401 && error.kind !== 'UNKNOWN';
}
