import { ratePolicies, REQUESTS_PER_MINUTE_MAX } from '@invoicecontrol/contracts/rate-limits';
import { DomainError } from '@invoicecontrol/errors';
import { createCache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { allowedTokens, retryAfterMs, WINDOW_MS, windowPosition } from '../domain/rate-window.js';
import { countRefusedRequest } from '../telemetry.js';

/** Store of the rate limit tokens that are granted in each minute. */
export interface RateWindows {
  /** Returns the number of request tokens granted in a rate limit window, or 0 if the window does not exist. */
  countUsed(id: string): Promise<number>;
  /**
   * Grants request tokens of a rate limit unless more than `usedMax` tokens would then be used.
   * @returns the number of used tokens, or undefined if no tokens were granted
   */
  grant(id: string, tokens: number, usedMax: number, expiresAt: Date): Promise<number | undefined>;
}

export interface RequestPolicy {
  readonly subject: string;
  readonly policy: string;
  readonly limitPerMinute: number;
  readonly tokens: number;
}

export interface Reservation {
  /** Number of granted rate limit tokens. 0 if the request is refused. */
  readonly granted: number;
  /** Number of request tokens that the rate limit window can still grant. */
  readonly remaining: number;
  readonly windowRemainingMs: number;
  /** Number of milliseconds to wait after a request that a rate limit refused. 0 if the request is not refused. */
  readonly retryAfterMs: number;
}

const POLICIES_MAX = 8;
const TOKENS_MAX = 1_000;
const SUBJECT = /^(?:key|organization):[0-9A-Za-z-]{1,64}$/;
const policyNames: ReadonlySet<string> = new Set(ratePolicies);
/**
 * Time for which the record of a rate limit window is kept. It is read during the minute of the window and the minute
 * after that.
 */
const WINDOW_TTL_MS = 2 * WINDOW_MS;
/**
 * Time after the end of a rate limit window (a minute) until the number of its used tokens is final and is kept in
 * memory. Before that, a replica whose clock is behind, or a call that began earlier, may still grant tokens of the
 * window.
 */
const SETTLING_MS = 10_000;
/** Maximum number of completed rate limit windows whose used tokens are kept in memory. */
const FINAL_COUNTS_MAX = 20_000;

/**
 * Reserves request tokens for one or more rate limit policies, and returns one result for each, in the order of the
 * request (HTTP and security reference, section 7). If the requested number of tokens is not available, the function
 * tries to reserve a single token.
 */
export const reserveRequests = ({ windows, clock }: { windows: RateWindows; clock: Clock }) => {
  const finalCounts = createCache({
    load: (id) => windows.countUsed(id),
    freshMs: WINDOW_MS,
    entriesMax: FINAL_COUNTS_MAX,
    clock,
  });
  const countPrevious: CountPrevious = (id, elapsedMs) =>
    elapsedMs < SETTLING_MS ? windows.countUsed(id) : finalCounts.get(id);
  return (policies: readonly RequestPolicy[]): Promise<readonly Reservation[]> => {
    if (policies.length > POLICIES_MAX)
      throw new DomainError(
        'invalid',
        `The call names too many rate limit policies. Name at most ${POLICIES_MAX} policies in one call.`,
      );
    policies.forEach(requireValid);
    return Promise.all(policies.map((policy) => reserve({ windows, countPrevious }, policy, clock.now())));
  };
};

/**
 * Returns the number of request tokens used in the previous rate limit window. `elapsedMs` is the time since the end of
 * that window.
 */
type CountPrevious = (id: string, elapsedMs: number) => Promise<number>;

async function reserve(
  { windows, countPrevious }: { readonly windows: RateWindows; readonly countPrevious: CountPrevious },
  { subject, policy, limitPerMinute, tokens }: RequestPolicy,
  now: Date,
): Promise<Reservation> {
  const { windowNumber, elapsedMs } = windowPosition(now);
  const windowRemainingMs = WINDOW_MS - elapsedMs;
  const windowId = (number: number): string => `${subject}:${policy}:${number}`;
  const [current, previous] = [windowId(windowNumber), windowId(windowNumber - 1)];
  const expiresAt = new Date((windowNumber + 1) * WINDOW_MS + WINDOW_TTL_MS);

  const previousUsed = await countPrevious(previous, elapsedMs);
  const allowed = allowedTokens(limitPerMinute, previousUsed, elapsedMs);
  for (const granted of new Set([tokens, 1])) {
    const used = await windows.grant(current, granted, allowed, expiresAt);
    if (used !== undefined) return { granted, remaining: allowed - used, windowRemainingMs, retryAfterMs: 0 };
  }
  countRefusedRequest(policy);
  return {
    granted: 0,
    remaining: 0,
    windowRemainingMs,
    retryAfterMs: retryAfterMs(limitPerMinute, {
      previousUsed,
      currentUsed: await windows.countUsed(current),
      elapsedMs,
    }),
  };
}

function requireValid({ subject, policy, limitPerMinute, tokens }: RequestPolicy): void {
  const isValid =
    SUBJECT.test(subject) &&
    policyNames.has(policy) &&
    limitPerMinute >= 1 &&
    limitPerMinute <= REQUESTS_PER_MINUTE_MAX &&
    tokens >= 1 &&
    tokens <= TOKENS_MAX;
  if (!isValid) {
    throw new DomainError(
      'invalid',
      `A policy must name key:<id> or organization:<id> and one of ${[...policyNames].join(', ')}, with ` +
        `a limit of 1 to ${REQUESTS_PER_MINUTE_MAX} and 1 to ${TOKENS_MAX} tokens.`,
    );
  }
}
