import type { Methods } from '@invoicecontrol/contracts/definition';
import type {
  AccessServiceDefinition,
  RequestReservation,
} from '@invoicecontrol/contracts/organization/v1/access_service';
import type { RatePolicy } from '@invoicecontrol/contracts/rate-limits';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { count } from '@invoicecontrol/runtime/telemetry';

/** A rate limit that applies to a request. */
export interface Demand {
  /** Subject to which the rate limit applies: `key:<id>` or `organization:<id>`. */
  readonly subject: string;
  readonly policy: RatePolicy;
  readonly limitPerMinute: number;
}

/** State of a rate limit after a request, for the RateLimit headers. */
export interface Standing {
  readonly policy: RatePolicy;
  readonly limitPerMinute: number;
  readonly remaining: number;
  /** Time until the window of the rate limit ends, or until a refused caller may retry. */
  readonly resetMs: number;
}

export type TakeResult =
  | { readonly isAllowed: true; readonly standings: readonly Standing[] }
  | { readonly isAllowed: false; readonly refused: Standing };

/**
 * Number of rate limit tokens that a gateway reserves at once. Because of such blocks, a gateway may refuse a request
 * although up to this number of requests are left. It never admits more than the limit.
 */
export const BLOCK_TOKENS = 10;
/**
 * Highest rate limit for which the gateway reserves one token with each call, so that the limit is exact. For higher
 * limits, the gateway reserves blocks of tokens.
 */
const EXACT_LIMIT_PER_MINUTE = 60;
/** Number of remaining rate limit tokens at which the next block is fetched in the background. */
const REFILL_TOKENS = 3;
/** Time after a failed reservation of rate limit tokens during which the organization service is not called. */
export const FALLBACK_MS = 1_000;
const WINDOW_MS = 60_000;
const BLOCKS_MAX = 20_000;
/**
 * Maximum number of times that a request waits for a new block of rate limit tokens. Requests with the same API key
 * share blocks of ten tokens, so other requests may use up a block first. Afterwards, the local window of the gateway
 * decides.
 */
const ROUNDS_MAX = 100;

interface Block {
  readonly demand: Demand;
  tokens: number;
  windowEndsAt: number;
  remainingAtOwner: number;
  refusedUntil: number;
  /** Promise of the reservation of rate limit tokens that is in progress. The promise never rejects. */
  pending: Promise<void> | undefined;
  /** Number of requests that the gateway admitted by its local rate limit window since `localSince`. */
  localUsed: number;
  localSince: number;
}

export interface RateLimiterDependencies {
  readonly access: Pick<Methods<typeof AccessServiceDefinition, CallOptions>, 'reserveRequests'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Current number of gateways that share the rate limits, for the local window. */
  readonly peers: { readonly count: number };
  /** Maximum time in milliseconds by which the rate limiter may delay a request. */
  readonly waitMs: number;
}

/**
 * Spends rate limit tokens of the organization service, which grants them in blocks and counts them in a sliding window
 * (HTTP and security reference, section 7). If the organization service does not respond in time, this gateway admits
 * requests for one second by a window of its own, up to its share of the limit, so that a failing limiter neither
 * delays requests nor admits all of them.
 */
export class RateLimiter {
  readonly #dependencies: RateLimiterDependencies;
  readonly #blocks = new Map<string, Block>();
  #fallbackUntil = 0;

  constructor(dependencies: RateLimiterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes one token for every rate limit of a request, or none at all. A refused request uses no token. */
  async take(demands: readonly Demand[], context: RequestContext): Promise<TakeResult> {
    const blocks = demands.map((demand) => this.#blockOf(demand));
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const now = this.#now();
      for (const block of blocks) if (block.windowEndsAt <= now) block.tokens = 0;
      const short = blocks.filter(({ tokens }) => tokens < 1);
      if (short.length === 0) {
        for (const block of blocks) block.tokens -= 1;
        void this.#reserve(blocks.filter(isLow), now, context);
        return { isAllowed: true, standings: blocks.map((block) => standingOf(block, now)) };
      }
      const refused = short.find(({ refusedUntil }) => refusedUntil > now);
      if (refused !== undefined) return { isAllowed: false, refused: refusedStanding(refused, now) };
      if (now < this.#fallbackUntil) return this.#takeLocally(blocks, now);
      void this.#reserve(
        blocks.filter((block) => block.tokens < 1 || isLow(block)),
        now,
        context,
      );
      await Promise.all(short.map(({ pending }) => pending ?? Promise.resolve()));
    }
    return this.#takeLocally(blocks, this.#now());
  }

  /** Reserves in one call all blocks of rate limit tokens that are not being reserved yet. */
  #reserve(blocks: readonly Block[], now: number, context: RequestContext): Promise<void> {
    const asked = blocks.filter(({ pending, refusedUntil }) => pending === undefined && refusedUntil <= now);
    if (asked.length === 0 || now < this.#fallbackUntil) return Promise.resolve();
    const pending = this.#ask(asked, now, context).finally(() => {
      for (const block of asked) block.pending = undefined;
    });
    for (const block of asked) block.pending = pending;
    return pending;
  }

  async #ask(blocks: readonly Block[], askedAt: number, context: RequestContext): Promise<void> {
    try {
      const policies = blocks.map(({ demand }) => ({ ...demand, tokens: blockSize(demand) }));
      const { reservations } = await this.#dependencies.access.reserveRequests(
        { policies },
        { context, timeoutMs: this.#dependencies.waitMs },
      );
      blocks.forEach((block, index) => {
        const reservation = reservations[index];
        if (reservation === undefined)
          throw new TypeError('The organization service returned fewer rate limits than the gateway requested.');
        add(block, reservation, askedAt);
      });
    } catch (error) {
      this.#fallbackUntil = this.#now() + FALLBACK_MS;
      count('invoicecontrol.limiter.fallback', {});
      this.#dependencies.logger.warn({ error, requestId: context.requestId }, 'rate limits are enforced locally');
    }
  }

  #takeLocally(blocks: readonly Block[], now: number): TakeResult {
    const share = ({ demand }: Block): number =>
      Math.max(1, Math.floor(demand.limitPerMinute / this.#dependencies.peers.count));
    const standing = (block: Block): Standing => ({
      policy: block.demand.policy,
      limitPerMinute: block.demand.limitPerMinute,
      remaining: Math.max(0, share(block) - block.localUsed),
      resetMs: block.localSince + WINDOW_MS - now,
    });
    for (const block of blocks) {
      if (block.localSince + WINDOW_MS > now) continue;
      block.localSince = now;
      block.localUsed = 0;
    }
    const exhausted = blocks.find((block) => block.tokens < 1 && block.localUsed >= share(block));
    if (exhausted !== undefined) return { isAllowed: false, refused: standing(exhausted) };
    for (const block of blocks) {
      if (block.tokens >= 1) block.tokens -= 1;
      else block.localUsed += 1;
    }
    return { isAllowed: true, standings: blocks.map(standing) };
  }

  #blockOf(demand: Demand): Block {
    const name = `${demand.subject} ${demand.policy}`;
    const found = this.#blocks.get(name);
    if (found !== undefined) return found;
    const block: Block = {
      demand,
      tokens: 0,
      windowEndsAt: 0,
      remainingAtOwner: 0,
      refusedUntil: 0,
      pending: undefined,
      localUsed: 0,
      localSince: 0,
    };
    this.#blocks.set(name, block);
    if (this.#blocks.size > BLOCKS_MAX) {
      const [oldest] = this.#blocks.keys();
      if (oldest !== undefined) this.#blocks.delete(oldest);
    }
    return block;
  }

  #now(): number {
    return this.#dependencies.clock.now().getTime();
  }
}

function blockSize({ limitPerMinute }: Demand): number {
  return limitPerMinute <= EXACT_LIMIT_PER_MINUTE ? 1 : BLOCK_TOKENS;
}

function isLow({ demand, tokens }: Block): boolean {
  return blockSize(demand) > 1 && tokens <= REFILL_TOKENS;
}

/** The rate limit window starts when the call is sent, so a block of tokens never lasts longer than its window. */
function add(block: Block, reservation: RequestReservation, askedAt: number): void {
  const { granted, remaining, windowRemainingMs, retryAfterMs } = reservation;
  if (granted <= 0) {
    block.refusedUntil = askedAt + Math.max(1, retryAfterMs);
    return;
  }
  const windowEndsAt = askedAt + windowRemainingMs;
  const isSameWindow = Math.abs(windowEndsAt - block.windowEndsAt) < WINDOW_MS / 2;
  block.tokens = isSameWindow ? block.tokens + granted : granted;
  block.windowEndsAt = windowEndsAt;
  block.remainingAtOwner = remaining;
}

function standingOf({ demand, tokens, remainingAtOwner, windowEndsAt }: Block, now: number): Standing {
  const { policy, limitPerMinute } = demand;
  return { policy, limitPerMinute, remaining: remainingAtOwner + tokens, resetMs: windowEndsAt - now };
}

function refusedStanding({ demand, refusedUntil }: Block, now: number): Standing {
  return { policy: demand.policy, limitPerMinute: demand.limitPerMinute, remaining: 0, resetMs: refusedUntil - now };
}
