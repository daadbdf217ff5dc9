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
import type { FailureBucket } from '../limits/failure-bucket.js';
import { HEADER_VALUE_LENGTH_MAX } from '../limits/limits.js';

/**
 * Time for which the result of an API key check is cached. If the event about a revocation is lost, the key is refused
 * after this time.
 */
export const FRESH_MS = 5_000;
/** Time after its last check for which a valid key is accepted while the organization service is unavailable. */
export const STALE_MS_MAX = 30_000;
/** Time after a failed check during which an API key that was valid is not checked again. */
const RETRY_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
const PRINCIPALS_MAX = 10_000;
/** Maximum number of refused keys, which are cached separately so that guesses never evict a valid key. */
const REFUSED_MAX = 10_000;

/** An attempt to authenticate a request with an API key. */
interface Attempt {
  readonly key: string;
  readonly digest: string;
  readonly address: string;
  readonly socket: Socket;
  /** True if the API key was valid at its last check. */
  readonly isKnown: boolean;
  readonly context: RequestContext;
}

export interface AuthenticatorDependencies {
  readonly access: Pick<Methods<typeof AccessServiceDefinition, CallOptions>, 'authenticateKey'>;
  /** Counter of refused API keys. Refused upload tokens have a separate counter. */
  readonly failures: FailureBucket;
  readonly clock: Clock;
}

/**
 * Determines the principal from the Authorization header of a request. Responses of the organization service are cached
 * under the SHA-256 hash of the API key, never under the key itself.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #principals: Cache<Principal, Attempt>;
  /** Time until which each refused key is refused without a check, oldest first. */
  readonly #refusedUntilMs = new Map<string, number>();
  readonly #line = new CheckLine();

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
    this.#principals = createCache({
      // An API key that was valid does not wait in the check line. An unknown key must be checked.
      load: (_, attempt) => (attempt.isKnown ? this.#check(attempt) : this.#checkInTurn(attempt)),
      freshMs: FRESH_MS,
      entriesMax: PRINCIPALS_MAX,
      staleIfError: { maxMs: STALE_MS_MAX, retryMs: RETRY_MS, mayServe: (error) => !(error instanceof RefusedKey) },
      clock: dependencies.clock,
    });
  }

  /**
   * Authenticates a request.
   * @throws DomainError `unauthenticated` with the same message for every reason; `rate_limited` for an address that
   *   tries unknown keys; `unavailable` if the key cannot be checked and was not valid within the last 30 seconds
   * @throws ClientGone if the client disconnects while the key is waiting for its check
   */
  async authenticate(request: IncomingMessage, address: string, context: RequestContext): Promise<Principal> {
    const { failures } = this.#dependencies;
    const key = bearerKey(request);
    if (key === undefined || parseApiKey(key) === undefined) throw refused();
    const digest = digestOf(key);
    const exhausted = failures.refusalOf(address);
    if (this.#isRefused(digest)) throw exhausted ?? refused();
    const isKnown = this.#principals.peek(digest) !== undefined;
    try {
      const { socket } = request;
      const principal = await this.#principal({ key, digest, address, socket, isKnown, context });
      if (hasExpired(principal, this.#nowMs())) throw refused();
      return principal;
    } catch (error) {
      throw error instanceof RefusedKey ? (exhausted ?? refused()) : error;
    }
  }

  /** Checks whether the request has an API key that was valid at its last check, without calling a service. */
  hasKnownKey(request: IncomingMessage): boolean {
    const key = bearerKey(request);
    return key !== undefined && this.#principals.peek(digestOf(key)) !== undefined;
  }

  /** Invalidates revoked keys, and keys whose rights were reduced, immediately. */
  invalidateKeys(apiKeyIds: readonly string[]): void {
    const ids = new Set(apiKeyIds);
    this.#principals.invalidateWhere(({ apiKeyId }) => ids.has(apiKeyId));
  }

  /** Invalidates all keys of an organization whose state, plan or limits have changed. */
  invalidateOrganization(organizationId: string): void {
    this.#principals.expireWhere((principal) => principal.organizationId === organizationId);
  }

  async #principal(attempt: Attempt): Promise<Principal> {
    for (;;) {
      try {
        return await this.#principals.get(attempt.digest, attempt);
      } catch (error) {
        // Requests with the same API key share a check. The request that was waiting for it has been abandoned, so this
        // request waits for its own check.
        if (!(error instanceof ClientGone) || attempt.socket.destroyed) throw error;
      }
    }
  }

  async #checkInTurn(attempt: Attempt): Promise<Principal> {
    const leave = await this.#line.enter(attempt.address, attempt.socket);
    try {
      return await this.#check(attempt);
    } finally {
      leave();
    }
  }

  async #check({ key, digest, address, context }: Attempt): Promise<Principal> {
    const { access, failures } = this.#dependencies;
    try {
      const { principal } = await access.authenticateKey({ key }, { context, timeoutMs: CHECK_TIMEOUT_MS });
      if (principal === undefined) throw new TypeError('The response of AuthenticateKey contains no principal.');
      return principal;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') {
        failures.count(address);
        this.#refuse(digest);
        throw new RefusedKey();
      }
      throw new DomainError('unavailable', 'The API key cannot be checked right now. Retry the request in a moment.', {
        cause: error,
      });
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

/** Error that is thrown when the organization service refuses an API key. */
class RefusedKey extends Error {}

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

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

/** A cached API key is refused from its expiry time on, not only when it is evicted from the cache. */
function hasExpired({ keyExpiresTime }: Principal, nowMs: number): boolean {
  return keyExpiresTime !== undefined && keyExpiresTime.getTime() <= nowMs;
}

/**
 * Returns the token of a single `Authorization: Bearer` header. The scheme may be in any case (RFC 9110, section 11.1).
 */
function bearerKey(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = request.headersDistinct['authorization'] ?? [];
  if (value.length > HEADER_VALUE_LENGTH_MAX) return undefined;
  return others.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(value)?.[1];
}
