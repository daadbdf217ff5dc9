import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseApiKey } from '@invoicecontrol/api-key';
import type { AccessServiceDefinition, Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { FailureBucket } from './failure-bucket.js';

/** An answer about a key is believed this long; a revocation whose broadcast was lost is bounded by it. */
export const FRESH_MS = 5_000;
/** While nobody can be asked, a key that was good lives this long after it was last checked. */
export const STALE_MS_MAX = 30_000;
/** After a failed check a key that was good is not checked again for this long. */
const RETRY_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
const ENTRIES_MAX = 10_000;

type Outcome = Principal | 'refused';

interface Entry {
  readonly outcome: Outcome;
  readonly checkedAt: number;
  /** While the keeper of the keys is out of reach: when to ask again. */
  retryAt: number;
}

export interface AuthenticatorDependencies {
  readonly access: Pick<Methods<typeof AccessServiceDefinition, CallOptions>, 'authenticateKey'>;
  readonly failures: FailureBucket;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Turns the Authorization header into the principal who acts. Answers of the organization service are remembered under
 * the SHA-256 of the key, never under the key; concurrent requests with one key share one call.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #entries = new Map<string, Entry>();
  readonly #checks = new Map<string, Promise<Outcome>>();
  /** Grows whenever something is forgotten, so that an answer given before is not remembered after. */
  #epoch = 0;

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @throws DomainError `unauthenticated` in one wording for every reason, `rate_limited` for an address that tries
   *   unknown keys, `unavailable` when the key cannot be checked and was not good within the last 30 seconds
   */
  async authenticate(request: IncomingMessage, address: string, context: RequestContext): Promise<Principal> {
    const key = bearerKey(request);
    if (key === undefined || parseApiKey(key) === undefined) throw refused();
    const digest = createHash('sha256').update(key).digest('base64');
    const known = this.#entries.get(digest);
    const now = this.#now();
    if (known !== undefined && (now < known.checkedAt + FRESH_MS || (isGood(known, now) && now < known.retryAt))) {
      return principalOf(known.outcome, now);
    }
    if (known === undefined) this.#dependencies.failures.refuseExhausted(address);
    try {
      return principalOf(await this.#checkOnce(digest, key, address, context), this.#now());
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') throw error;
      // Looked up again: a revocation that arrived meanwhile has taken the entry away.
      const last = this.#entries.get(digest);
      if (last !== undefined && isGood(last, this.#now())) {
        last.retryAt = this.#now() + RETRY_MS;
        return principalOf(last.outcome, this.#now());
      }
      throw new DomainError('unavailable', 'The API key cannot be checked right now. Repeat the request in a moment.', {
        cause: error,
      });
    }
  }

  /** Forgets revoked or lowered keys at once. */
  forgetKeys(apiKeyIds: readonly string[]): void {
    const ids = new Set(apiKeyIds);
    this.#forget(({ apiKeyId }) => ids.has(apiKeyId));
  }

  /** Forgets every key of an organization: its state, plan or limits have changed. */
  forgetOrganization(organizationId: string): void {
    this.#forget((principal) => principal.organizationId === organizationId);
  }

  #forget(isConcerned: (principal: Principal) => boolean): void {
    this.#epoch += 1;
    for (const [digest, { outcome }] of this.#entries) {
      if (outcome !== 'refused' && isConcerned(outcome)) this.#entries.delete(digest);
    }
    this.#checks.clear();
  }

  #checkOnce(digest: string, key: string, address: string, context: RequestContext): Promise<Outcome> {
    const running = this.#checks.get(digest);
    if (running !== undefined) return running;
    const check = this.#check(digest, key, address, context).finally(() => {
      if (this.#checks.get(digest) === check) this.#checks.delete(digest);
    });
    this.#checks.set(digest, check);
    return check;
  }

  async #check(digest: string, key: string, address: string, context: RequestContext): Promise<Outcome> {
    const epoch = this.#epoch;
    const outcome = await this.#ask(key, context);
    if (outcome === 'refused') this.#dependencies.failures.count(address);
    if (epoch === this.#epoch) this.#remember(digest, outcome);
    return outcome;
  }

  async #ask(key: string, context: RequestContext): Promise<Outcome> {
    try {
      const { principal } = await this.#dependencies.access.authenticateKey(
        { key },
        { context, timeoutMs: CHECK_TIMEOUT_MS },
      );
      if (principal === undefined) throw new TypeError('AuthenticateKey answered without a principal.');
      return principal;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return 'refused';
      this.#dependencies.logger.warn({ error, requestId: context.requestId }, 'a key could not be checked');
      throw error;
    }
  }

  #remember(digest: string, outcome: Outcome): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, { outcome, checkedAt: this.#now(), retryAt: 0 });
    if (this.#entries.size <= ENTRIES_MAX) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #now(): number {
    return this.#dependencies.clock.now().getTime();
  }
}

/** The one refusal for a key that is missing, unknown, revoked, expired, or of a deleted organization. */
function refused(): DomainError {
  return new DomainError('unauthenticated', 'Missing or invalid API key. Send `Authorization: Bearer <API key>`.');
}

/** A remembered key ends when it expires, not when it is forgotten. */
function principalOf(outcome: Outcome, now: number): Principal {
  if (outcome === 'refused') throw refused();
  const { keyExpiresTime } = outcome;
  if (keyExpiresTime !== undefined && keyExpiresTime.getTime() <= now) throw refused();
  return outcome;
}

function isGood({ outcome, checkedAt }: Entry, now: number): boolean {
  return outcome !== 'refused' && now < checkedAt + STALE_MS_MAX;
}

/** The token of exactly one `Authorization: Bearer` header; the scheme in any case (RFC 9110, section 11.1). */
function bearerKey(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = request.headersDistinct['authorization'] ?? [];
  return others.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(value)?.[1];
}
