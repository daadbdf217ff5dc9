import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { allowedTokens, retryAfterMs, WINDOW_MS, windowPosition } from '../domain/rate-window.js';
import { requestsRefused } from '../telemetry.js';

/** Where the tokens given out in each minute are counted. */
export interface RateWindows {
  /** What was given out in a window; one that does not exist gave out nothing. */
  used(id: string): Promise<number>;
  /**
   * Gives out tokens if no more than `usedMax` are out afterwards.
   * @returns how many are out now, or undefined when they do not fit
   */
  take(id: string, tokens: number, usedMax: number, expiresAt: Date): Promise<number | undefined>;
}

export interface RequestPolicy {
  readonly subject: string;
  readonly policy: string;
  readonly limitPerMinute: number;
  readonly tokens: number;
}

export interface Reservation {
  /** 0 when refused. */
  readonly granted: number;
  /** What the window can still give out. */
  readonly remaining: number;
  readonly windowRemainingMs: number;
  /** 0 unless refused. */
  readonly retryAfterMs: number;
}

const POLICIES_MAX = 8;
const TOKENS_MAX = 1_000;
const LIMIT_PER_MINUTE_MAX = 10_000_000;
const SUBJECT = /^(?:key|organization):[0-9A-Za-z-]{1,64}$/;
const policyNames: ReadonlySet<string> = new Set(['default', 'organization', 'writes', 'scans', 'documents']);
/** The next minute still looks at a window; afterwards nobody does, since its number is part of its id. */
const KEPT_MS = 2 * WINDOW_MS;

/**
 * Reserves request tokens, one answer per policy in the asked order (HTTP and security reference, section 7). Where the
 * wanted number does not fit, a single token is tried.
 */
export function reserveRequests(
  { windows, clock }: { windows: RateWindows; clock: Clock },
  policies: readonly RequestPolicy[],
): Promise<readonly Reservation[]> {
  if (policies.length > POLICIES_MAX) throw new DomainError('invalid', `Ask for at most ${POLICIES_MAX} policies.`);
  policies.forEach(requireValid);
  return Promise.all(policies.map((policy) => reserve(windows, policy, clock.now())));
}

async function reserve(
  windows: RateWindows,
  { subject, policy, limitPerMinute, tokens }: RequestPolicy,
  now: Date,
): Promise<Reservation> {
  const { windowNumber, elapsedMs } = windowPosition(now);
  const windowRemainingMs = WINDOW_MS - elapsedMs;
  const idOf = (number: number): string => `${subject}:${policy}:${number}`;
  const [current, previous] = [idOf(windowNumber), idOf(windowNumber - 1)];
  const expiresAt = new Date((windowNumber + 1) * WINDOW_MS + KEPT_MS);

  const previousUsed = await windows.used(previous);
  const allowed = allowedTokens(limitPerMinute, previousUsed, elapsedMs);
  for (const granted of new Set([tokens, 1])) {
    const used = await windows.take(current, granted, allowed, expiresAt);
    if (used !== undefined) return { granted, remaining: allowed - used, windowRemainingMs, retryAfterMs: 0 };
  }
  requestsRefused(policy);
  return {
    granted: 0,
    remaining: 0,
    windowRemainingMs,
    retryAfterMs: retryAfterMs(limitPerMinute, { previousUsed, currentUsed: await windows.used(current), elapsedMs }),
  };
}

function requireValid({ subject, policy, limitPerMinute, tokens }: RequestPolicy): void {
  const isValid =
    SUBJECT.test(subject) &&
    policyNames.has(policy) &&
    limitPerMinute >= 1 &&
    limitPerMinute <= LIMIT_PER_MINUTE_MAX &&
    tokens >= 1 &&
    tokens <= TOKENS_MAX;
  if (!isValid) {
    throw new DomainError(
      'invalid',
      `A policy names key:<id> or organization:<id>, one of ${[...policyNames].join(', ')}, ` +
        `a limit of 1 to ${LIMIT_PER_MINUTE_MAX} and 1 to ${TOKENS_MAX} tokens.`,
    );
  }
}
