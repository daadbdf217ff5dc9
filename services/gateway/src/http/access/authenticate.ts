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

/** An answer about a key is believed this long; a revocation whose broadcast was lost is bounded by it. */
export const FRESH_MS = 5_000;
/** Time after its last check for which a valid key is accepted while the organization service is unavailable. */
export const STALE_MS_MAX = 30_000;
/** After a failed check a key that was good is not checked again for this long. */
const RETRY_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
const PRINCIPALS_MAX = 10_000;
/** Kept apart from principals, so that guesses never evict a good key. */
const REFUSED_MAX = 10_000;

/** A request that brings a key. */
interface Attempt {
  readonly key: string;
  readonly digest: string;
  readonly address: string;
  readonly socket: Socket;
  /** True when the key was valid at its last check. */
  readonly isKnown: boolean;
  readonly context: RequestContext;
}

export interface AuthenticatorDependencies {
  readonly access: Pick<Methods<typeof AccessServiceDefinition, CallOptions>, 'authenticateKey'>;
  /** Failures of keys; tokens have a bucket of their own. */
  readonly failures: FailureBucket;
  readonly clock: Clock;
}

/**
 * Turns the Authorization header into the principal who acts. Answers of the organization service are cached under the
 * SHA-256 of the key, never under the key.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #principals: Cache<Principal, Attempt>;
  /** Time until which a refused key is refused without a check, the oldest first. */
  readonly #refusedUntilMs = new Map<string, number>();
  readonly #line = new CheckLine();

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
    this.#principals = createCache({
      // A key that was good does not wait behind others; whether an unknown one is good, only its check can say.
      load: (_, attempt) => (attempt.isKnown ? this.#check(attempt) : this.#checkInTurn(attempt)),
      freshMs: FRESH_MS,
      entriesMax: PRINCIPALS_MAX,
      staleIfError: { maxMs: STALE_MS_MAX, retryMs: RETRY_MS, mayServe: (error) => !(error instanceof RefusedKey) },
      clock: dependencies.clock,
    });
  }

  /**
   * @throws DomainError `unauthenticated` in one wording for every reason, `rate_limited` for an address that tries
   *   unknown keys, `unavailable` when the key cannot be checked and was not good within the last 30 seconds
   * @throws ClientGone when the connection ends while the key waits for its check
   */
  async authenticate(request: IncomingMessage, address: string, context: RequestContext): Promise<Principal> {
    const { failures } = this.#dependencies;
    const key = bearerKey(request);
    if (key === undefined || parseApiKey(key) === undefined) throw refused();
    const digest = digestOf(key);
    const refusal = failures.refusalOf(address) ?? refused();
    if (this.#isRefused(digest)) throw refusal;
    const isKnown = this.#principals.peek(digest) !== undefined;
    try {
      const { socket } = request;
      const principal = await this.#principal({ key, digest, address, socket, isKnown, context });
      if (hasExpired(principal, this.#nowMs())) throw refused();
      return principal;
    } catch (error) {
      throw error instanceof RefusedKey ? refusal : error;
    }
  }

  /** Tells whether the request brings a key that was valid at its last check. Calls no service. */
  hasKnownKey(request: IncomingMessage): boolean {
    const key = bearerKey(request);
    return key !== undefined && this.#principals.peek(digestOf(key)) !== undefined;
  }

  /** Invalidates revoked or lowered keys at once. */
  invalidateKeys(apiKeyIds: readonly string[]): void {
    const ids = new Set(apiKeyIds);
    this.#principals.invalidateWhere(({ apiKeyId }) => ids.has(apiKeyId));
  }

  /** Has every key of an organization checked again: its state, plan or limits have changed. */
  invalidateOrganization(organizationId: string): void {
    this.#principals.expireWhere((principal) => principal.organizationId === organizationId);
  }

  async #principal(attempt: Attempt): Promise<Principal> {
    for (;;) {
      try {
        return await this.#principals.get(attempt.digest, attempt);
      } catch (error) {
        // Requests with one key share a check. The one that waited for it has left; now this one does.
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
      if (principal === undefined) throw new TypeError('AuthenticateKey responded without a principal.');
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

/** The organization service does not accept the key. */
class RefusedKey extends Error {}

/** The one refusal for a key that is missing, unknown, revoked, expired, or of a deleted organization. */
export function refused(): DomainError {
  return new DomainError('unauthenticated', 'Missing or invalid API key. Send `Authorization: Bearer <API key>`.');
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

/** A cached key ends when it expires, not when it is evicted. */
function hasExpired({ keyExpiresTime }: Principal, nowMs: number): boolean {
  return keyExpiresTime !== undefined && keyExpiresTime.getTime() <= nowMs;
}

/** The token of exactly one `Authorization: Bearer` header; the scheme in any case (RFC 9110, section 11.1). */
function bearerKey(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = request.headersDistinct['authorization'] ?? [];
  if (value.length > HEADER_VALUE_LENGTH_MAX) return undefined;
  return others.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(value)?.[1];
}
