import type { RatePolicy } from '@invoicecontrol/contracts/rate-limits';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { HttpRefusal } from '../response/refusal.js';
import type { Demand, Standing } from './rate-limit.js';

/** Requests per minute for each rate limit, from the configuration. */
export type Limits = Readonly<Record<RatePolicy, number>>;

/**
 * Returns the rate limits for a request: the limits of its API key and its organization, the limit for writes, and the
 * limit of its route.
 */
export function demandsOf(
  principal: Principal,
  method: string,
  extra: RatePolicy | undefined,
  limits: Limits,
): Demand[] {
  const key = `key:${principal.apiKeyId}`;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  const demand = (subject: string, policy: RatePolicy): Demand => ({ subject, policy, limitPerMinute: limits[policy] });
  return [
    demand(key, 'default'),
    demand(`organization:${principal.organizationId}`, 'organization'),
    ...(isWrite ? [demand(key, 'writes')] : []),
    ...(extra === undefined ? [] : [demand(key, extra)]),
  ];
}

/** Returns the `RateLimit-Policy` and `RateLimit` headers in the format of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitFields(standings: readonly Standing[]): Record<string, string> {
  return {
    'RateLimit-Policy': standings
      .map(({ policy, limitPerMinute }) => `"${policy}";q=${limitPerMinute};w=60`)
      .join(', '),
    RateLimit: standings
      .map(({ policy, remaining, resetMs }) => `"${policy}";r=${remaining};t=${wholeSeconds(resetMs)}`)
      .join(', '),
  };
}

/**
 * Maximum random delay that a refusal adds to Retry-After, which spreads the retries of callers that were refused at
 * the same time.
 */
const JITTER_SECONDS_MAX = 2;

/**
 * Returns the 429 refusal of a request that exceeds a rate limit. `Retry-After` is never less than the seconds `t` in
 * the RateLimit header.
 */
export function rateLimited(refused: Standing, random: () => number = Math.random): HttpRefusal {
  const seconds = wholeSeconds(refused.resetMs) + Math.floor(random() * (JITTER_SECONDS_MAX + 1));
  return new HttpRefusal(
    429,
    `The limit of ${refused.limitPerMinute} requests per minute (${refused.policy}) is exceeded. Retry in ${seconds} s.`,
    { 'Retry-After': String(seconds), ...rateLimitFields([refused]) },
    'RATE_LIMITED',
  );
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
