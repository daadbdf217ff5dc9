import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseApiKey } from '@invoicecontrol/api-key';
import type { AccessServiceDefinition, Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Methods } from '@invoicecontrol/contracts/definition';
import { DomainError } from '@invoicecontrol/errors';
import { createCache } from '@invoicecontrol/runtime/cache';
import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { CheckLine } from './check-line.js';
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

/** A request that brings a key. */
interface Attempt {
  readonly key: string;
  readonly address: string;
  /** Whether it was good when it was last checked. */
  readonly isKnown: boolean;
  readonly context: RequestContext;
}

export interface AuthenticatorDependencies {
  readonly access: Pick<Methods<typeof AccessServiceDefinition, CallOptions>, 'authenticateKey'>;
  /** Of keys; tokens have their own. */
  readonly failures: FailureBucket;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Turns the Authorization header into the principal who acts. Answers of the organization service are cached under the
 * SHA-256 of the key, never under the key.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #outcomes: Cache<Outcome, Attempt>;
  readonly #line = new CheckLine();

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
    this.#outcomes = createCache({
      // A key that was good does not wait behind others; whether an unknown one is good, only its check can say.
      load: (_, attempt) =>
        attempt.isKnown ? this.#check(attempt) : this.#line.run(attempt.address, () => this.#check(attempt)),
      freshMs: FRESH_MS,
      entriesMax: ENTRIES_MAX,
      staleIfError: { maxMs: STALE_MS_MAX, retryMs: RETRY_MS, mayServe: (_, outcome) => outcome !== 'refused' },
      clock: dependencies.clock,
    });
  }

  /**
   * @throws DomainError `unauthenticated` in one wording for every reason, `rate_limited` for an address that tries
   *   unknown keys, `unavailable` when the key cannot be checked and was not good within the last 30 seconds
   */
  async authenticate(request: IncomingMessage, address: string, context: RequestContext): Promise<Principal> {
    const { failures, clock } = this.#dependencies;
    const key = bearerKey(request);
    if (key === undefined || parseApiKey(key) === undefined) throw refused();
    const digest = createHash('sha256').update(key).digest('base64');
    const refusal = failures.refusalOf(address);
    const known = this.#outcomes.peek(digest);
    const isKnown = known !== undefined && known !== 'refused';
    const outcome = await this.#outcomes.get(digest, { key, address, isKnown, context });
    if (outcome === 'refused' && refusal !== undefined) throw refusal;
    return principalOf(outcome, clock.now().getTime());
  }

  /** Invalidates revoked or lowered keys at once. */
  invalidateKeys(apiKeyIds: readonly string[]): void {
    const ids = new Set(apiKeyIds);
    this.#outcomes.invalidateWhere((outcome) => outcome !== 'refused' && ids.has(outcome.apiKeyId));
  }

  /** Has every key of an organization checked again: its state, plan or limits have changed. */
  invalidateOrganization(organizationId: string): void {
    this.#outcomes.expireWhere((outcome) => outcome !== 'refused' && outcome.organizationId === organizationId);
  }

  async #check({ key, address, context }: Attempt): Promise<Outcome> {
    const { access, failures, logger } = this.#dependencies;
    try {
      const { principal } = await access.authenticateKey({ key }, { context, timeoutMs: CHECK_TIMEOUT_MS });
      if (principal === undefined) throw new TypeError('AuthenticateKey answered without a principal.');
      return principal;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') {
        failures.count(address);
        return 'refused';
      }
      logger.warn({ error, requestId: context.requestId }, 'a key could not be checked');
      throw new DomainError('unavailable', 'The API key cannot be checked right now. Repeat the request in a moment.', {
        cause: error,
      });
    }
  }
}

/** The one refusal for a key that is missing, unknown, revoked, expired, or of a deleted organization. */
export function refused(): DomainError {
  return new DomainError('unauthenticated', 'Missing or invalid API key. Send `Authorization: Bearer <API key>`.');
}

/** A cached key ends when it expires, not when it is evicted. */
function principalOf(outcome: Outcome, now: number): Principal {
  if (outcome === 'refused') throw refused();
  const { keyExpiresTime } = outcome;
  if (keyExpiresTime !== undefined && keyExpiresTime.getTime() <= now) throw refused();
  return outcome;
}

/** The token of exactly one `Authorization: Bearer` header; the scheme in any case (RFC 9110, section 11.1). */
function bearerKey(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = request.headersDistinct['authorization'] ?? [];
  return others.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(value)?.[1];
}
