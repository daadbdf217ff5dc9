import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { parseApiKey } from '@invoicecontrol/api-key';
import type { AccessServiceDefinition, Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import { createCache } from '@invoicecontrol/runtime/cache';
import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { ClientGone } from '../response/client-gone.js';
import { CheckLine } from './check-line.js';
import { sessionToken } from './session-cookie.js';
import type { FailureBucket } from '../limits/failure-bucket.js';
import { HEADER_VALUE_LENGTH_MAX } from '../limits/limits.js';
import { authenticationFailed, keyLookedUp } from '../../telemetry.js';

/**
 * Time for which the result of an API key check is cached. If the event about a revocation is lost, the key is refused
 * after this time.
 */
export const FRESH_MS = 5_000;
/**
 * Time after its last check for which a valid API key is still accepted while the organization service is unavailable.
 */
export const STALE_MS_MAX = 30_000;
/**
 * Maximum age of a grant that the gateway passes on to other services. A grant is valid for a minute, so it is still
 * valid when the longest call begins. This age is larger than {@link STALE_MS_MAX}, so every accepted caller has a
 * usable grant.
 */
const GRANT_USE_MS_MAX = 40_000;
/** Time after a failed check of a previously valid API key during which the gateway does not check the key again. */
const RETRY_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
const PRINCIPALS_MAX = 10_000;
/** Maximum number of refused API keys, which are cached separately so that guesses never evict a valid key. */
const REFUSED_MAX = 10_000;

/**
 * An authenticated caller. The gateway passes the grant on to the other services, to prove to them who the caller is.
 */
export interface Caller extends Principal {
  /** Grant that the organization service has signed. */
  readonly grant: Buffer;
  /** Time when the organization service answered, in milliseconds of the clock of the gateway. */
  readonly authenticatedAtMs: number;
}

/** Authenticates one request by an API key or by the session of the app. */
interface Attempt {
  readonly credential: Credential;
  readonly digest: string;
  readonly address: string;
  readonly socket: Socket;
  /** True if the API key or session was valid at its last check. */
  readonly isKnown: boolean;
  readonly context: RequestContext;
}

export interface AuthenticatorDependencies {
  readonly access: Pick<
    Methods<typeof AccessServiceDefinition, CallOptions>,
    'authenticateKey' | 'authenticateSession'
  >;
  /** Counter of refused API keys. Refused upload tokens are counted separately. */
  readonly failures: FailureBucket;
  readonly clock: Clock;
}

/**
 * Determines the caller (principal) from the Authorization header of a request or, if the request has no such header,
 * from its session cookie. Responses of the organization service are cached under the SHA-256 hash of the key or token,
 * never under the key or token itself.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #principals: Cache<Caller, Attempt>;
  /** Time until which each refused API key is refused without a check, oldest first. */
  readonly #refusedUntilMs = new Map<string, number>();
  readonly #line = new CheckLine();

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
    this.#principals = createCache({
      // A request with an API key that was valid before does not wait in the queue for key checks. Only unknown keys
      // wait.
      load: (_, attempt) => (attempt.isKnown ? this.#check(attempt) : this.#checkInTurn(attempt)),
      freshMs: FRESH_MS,
      entriesMax: PRINCIPALS_MAX,
      staleIfError: {
        maxMs: STALE_MS_MAX,
        retryMs: RETRY_MS,
        mayServe: (error) => !(error instanceof RefusedCredential),
      },
      onGet: (how) => keyLookedUp(({ FRESH: 'hit', LOADED: 'miss', STALE: 'stale' } as const)[how]),
      clock: dependencies.clock,
    });
  }

  /**
   * Authenticates a request.
   * @throws DomainError `unauthenticated` with the same message for every reason; `rate_limited` for an address that
   *   tries unknown keys; `unavailable` if the key cannot be checked and was not valid within the last 30 seconds
   * @throws ClientGone if the client disconnects while the key is waiting for its check
   */
  async authenticate(request: IncomingMessage, address: string, context: RequestContext): Promise<Caller> {
    const { failures } = this.#dependencies;
    const credential = credentialOf(request);
    const refusal = credential?.kind === 'session' ? sessionRefused : refused;
    if (credential === undefined) {
      authenticationFailed(request.headersDistinct['authorization'] === undefined ? 'missing' : 'malformed');
      throw refusal();
    }
    const digest = digestOf(credential);
    const exhausted = failures.refusalOf(address);
    const refuse = (): DomainError => {
      authenticationFailed(exhausted === undefined ? 'refused' : 'throttled');
      return exhausted ?? refusal();
    };
    if (this.#isRefused(digest)) {
      keyLookedUp('refused');
      throw refuse();
    }
    const isKnown = this.#principals.peek(digest) !== undefined;
    try {
      const { socket } = request;
      const principal = await this.#principal({ credential, digest, address, socket, isKnown, context });
      if (!hasExpired(principal, this.#nowMs())) return principal;
    } catch (error) {
      if (error instanceof RefusedCredential) throw refuse();
      if (error instanceof DomainError && error.kind === 'unavailable') authenticationFailed('unavailable');
      throw error;
    }
    authenticationFailed('expired');
    throw refusal();
  }

  /** Checks whether the grant of a caller is too old to be passed on, and the request must be authenticated again. */
  isOutdated({ authenticatedAtMs }: Caller): boolean {
    return this.#nowMs() - authenticatedAtMs > GRANT_USE_MS_MAX;
  }

  /** Checks whether a request has an API key or session that was valid at its last check, without calling a service. */
  hasKnownKey(request: IncomingMessage): boolean {
    const credential = credentialOf(request);
    return credential !== undefined && this.#principals.peek(digestOf(credential)) !== undefined;
  }

  /**
   * Removes an ended session of the app from the cache of this gateway at once. The other gateways check the session
   * again within seconds.
   */
  invalidateSession(sessionId: string): void {
    this.#principals.invalidateWhere(({ session }) => session?.sessionId === sessionId);
  }

  /** Invalidates revoked API keys, and keys whose rights were reduced, immediately. */
  invalidateKeys(apiKeyIds: readonly string[]): void {
    const ids = new Set(apiKeyIds);
    this.#principals.invalidateWhere(({ apiKeyId }) => ids.has(apiKeyId));
  }

  /** Removes all API keys of an organization from the cache after its state, plan or limits have changed. */
  invalidateOrganization(organizationId: string): void {
    this.#principals.expireWhere((principal) => principal.organizationId === organizationId);
  }

  async #principal(attempt: Attempt): Promise<Caller> {
    for (;;) {
      try {
        return await this.#principals.get(attempt.digest, attempt);
      } catch (error) {
        // Concurrent requests with the same API key share one check. If the client of the request that started the
        // check has disconnected, another request starts a check of its own.
        if (!(error instanceof ClientGone) || attempt.socket.destroyed) throw error;
      }
    }
  }

  async #checkInTurn(attempt: Attempt): Promise<Caller> {
    const leave = await this.#line.enter(attempt.address, attempt.socket);
    try {
      return await this.#check(attempt);
    } finally {
      leave();
    }
  }

  async #check({ credential, digest, address, context }: Attempt): Promise<Caller> {
    const { access, failures } = this.#dependencies;
    const call = { context, timeoutMs: CHECK_TIMEOUT_MS };
    const { kind, text } = credential;
    try {
      const { principal, grant } =
        kind === 'key'
          ? await access.authenticateKey({ key: text }, call)
          : await access.authenticateSession({ token: text }, call);
      if (principal === undefined)
        throw new TypeError(
          'The response to an authentication does not name the organization and the rights of the caller.',
        );
      return { ...principal, grant, authenticatedAtMs: this.#nowMs() };
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') {
        failures.count(address);
        this.#refuse(digest);
        throw new RefusedCredential();
      }
      const credential = kind === 'key' ? 'API key of the request' : 'session of the app';
      throw new DomainError(
        'unavailable',
        `The ${credential} cannot be checked right now. Retry the request in a moment.`,
        {
          cause: error,
        },
      );
    }
  }

  #refuse(digest: string): void {
    this.#principals.invalidate(digest);
    this.#refusedUntilMs.delete(digest);
    this.#refusedUntilMs.set(digest, this.#nowMs() + FRESH_MS);
    if (this.#refusedUntilMs.size <= REFUSED_MAX) return;
    const [oldest] = this.#refusedUntilMs.keys();
    if (oldest !== undefined) this.#refusedUntilMs.delete(oldest);
  }

  #isRefused(digest: string): boolean {
    const untilMs = this.#refusedUntilMs.get(digest);
    if (untilMs === undefined) return false;
    if (untilMs > this.#nowMs()) return true;
    this.#refusedUntilMs.delete(digest);
    return false;
  }

  #nowMs(): number {
    return this.#dependencies.clock.now().getTime();
  }
}

/** Error that is thrown when the organization service refuses an API key or a session. */
class RefusedCredential extends Error {}

/**
 * Returns the same refusal for an API key that is missing, unknown, revoked, expired, or belongs to a deleted
 * organization.
 */
export function refused(): DomainError {
  return new DomainError(
    'unauthenticated',
    'The API key is missing or invalid. Send `Authorization: Bearer <API key>`.',
  );
}

/** Returns the same refusal for a session that is unknown or has ended, for whatever reason. */
function sessionRefused(): DomainError {
  return new DomainError('unauthenticated', 'The session of the app has ended. Sign in again.');
}

/** The secret by which a caller is authenticated: an API key, or the token of a session of the app. */
interface Credential {
  readonly kind: 'key' | 'session';
  readonly text: string;
}

/**
 * Returns the well-formed credential of a request. A request with an Authorization header is never authenticated by a
 * cookie, so that programs cannot mix the two.
 */
function credentialOf(request: IncomingMessage): Credential | undefined {
  if (request.headersDistinct['authorization'] !== undefined) {
    const text = bearerKey(request);
    return text === undefined || parseApiKey(text) === undefined ? undefined : { kind: 'key', text };
  }
  const text = sessionToken(request);
  return text === undefined ? undefined : { kind: 'session', text };
}

function digestOf({ text }: Credential): string {
  return createHash('sha256').update(text).digest('base64');
}

/** A cached API key or session is refused from its expiry time on, not only when it is evicted from the cache. */
function hasExpired({ keyExpiresTime, session }: Principal, nowMs: number): boolean {
  return [keyExpiresTime, session?.expiresTime].some((at) => at !== undefined && at.getTime() <= nowMs);
}

/**
 * Returns the API key in a single `Authorization: Bearer` header. The scheme may be in any case (RFC 9110, section
 * 11.1).
 */
function bearerKey(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = request.headersDistinct['authorization'] ?? [];
  if (value.length > HEADER_VALUE_LENGTH_MAX) return undefined;
  return others.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(value)?.[1];
}
