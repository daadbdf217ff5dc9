import { beforeEach, describe, expect, test } from 'vitest';
import type {
  ReserveRequestsRequest,
  ReserveRequestsResponse,
} from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { silent } from '../../testing/fakes.js';
import { BLOCK_TOKENS, FALLBACK_MS, RateLimiter } from './rate-limit.js';
import type { Demand, TakeResult } from './rate-limit.js';

const context = systemContext('req_1');
const WINDOW_MS = 60_000;

let nowMs: number;
/** Number of tokens of every reservation that was requested, by rate limit. */
let asked: Record<string, number>[];
/** Tokens that are used in the current window, as the organization service counts them. */
let used: Map<string, number>;
let reserve: (request: ReserveRequestsRequest) => Promise<ReserveRequestsResponse>;

beforeEach(() => {
  nowMs = 0;
  asked = [];
  used = new Map();
  reserve = async ({ policies }) => {
    asked.push(Object.fromEntries(policies.map(({ policy, tokens }) => [policy, tokens])));
    return {
      reservations: policies.map(({ subject, policy, limitPerMinute, tokens }) => {
        const window = `${subject}:${policy}:${Math.floor(nowMs / WINDOW_MS)}`;
        const before = used.get(window) ?? 0;
        const granted = before + tokens <= limitPerMinute ? tokens : before < limitPerMinute ? 1 : 0;
        used.set(window, before + granted);
        const windowRemainingMs = WINDOW_MS - (nowMs % WINDOW_MS);
        return {
          granted,
          remaining: limitPerMinute - before - granted,
          windowRemainingMs,
          retryAfterMs: granted === 0 ? windowRemainingMs : 0,
        };
      }),
    };
  };
});

function limiter(gateways = 1): RateLimiter {
  return limiterAmong({ count: gateways });
}

function limiterAmong(peers: { readonly count: number }): RateLimiter {
  return new RateLimiter({
    access: { reserveRequests: (request) => reserve(request) },
    clock: { now: () => new Date(nowMs) },
    logger: silent,
    peers,
    waitMs: 50,
  });
}

const byKey = (limitPerMinute: number): Demand => ({ subject: 'key:1', policy: 'default', limitPerMinute });
const byOrganization = (limitPerMinute: number): Demand => ({
  subject: 'organization:1',
  policy: 'organization',
  limitPerMinute,
});

async function takeMany(from: RateLimiter, demands: Demand[], times: number): Promise<TakeResult[]> {
  const results: TakeResult[] = [];
  for (let count = 0; count < times; count += 1) results.push(await from.take(demands, context));
  return results;
}
const allowedIn = (results: TakeResult[]) => results.filter(({ isAllowed }) => isAllowed).length;

describe('tokens', () => {
  test('are reserved ten at a time, all policies of a request in one call', async () => {
    await takeMany(limiter(), [byKey(3_000), byOrganization(10_000)], 1);
    expect(asked).toEqual([{ default: BLOCK_TOKENS, organization: BLOCK_TOKENS }]);
  });

  test('are fetched again in the background before the block is empty', async () => {
    const results = await takeMany(limiter(), [byKey(3_000)], 100);
    expect(allowedIn(results)).toBe(100);
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  test('are shared by requests that come together', async () => {
    const shared = limiter();
    await Promise.all(Array.from({ length: 50 }, () => shared.take([byKey(3_000)], context)));
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test('of a limit up to sixty a minute are reserved one by one, so the limit is exact', async () => {
    const results = await takeMany(limiter(), [byKey(20)], 30);
    expect(allowedIn(results)).toBe(20);
    expect(asked.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => ({ default: 1 })));
  });

  test('never exceed the limit, also over several gateways and in parallel', async () => {
    const gateways = [limiter(), limiter(), limiter()];
    const results = await Promise.all(
      Array.from({ length: 900 }, (_, index) => gateways[index % 3]!.take([byKey(200)], context)),
    );
    expect(allowedIn(results)).toBeLessThanOrEqual(200);
    expect(allowedIn(results)).toBeGreaterThan(200 - 3 * BLOCK_TOKENS);
  });

  test('expire with their window', async () => {
    const single = limiter();
    await takeMany(single, [byKey(3_000)], 1);
    nowMs = WINDOW_MS;
    await takeMany(single, [byKey(3_000)], 1);
    expect(asked).toHaveLength(2);
  });
});

describe('a refused request', () => {
  test('is told how long to wait, and asks nobody until then', async () => {
    const single = limiter();
    nowMs = 15_000;
    const results = await takeMany(single, [byKey(60)], 70);
    expect(results.at(-1)).toEqual({
      isAllowed: false,
      refused: { policy: 'default', limitPerMinute: 60, remaining: 0, resetMs: 45_000 },
    });
    expect(asked).toHaveLength(61);
    nowMs = WINDOW_MS;
    expect(allowedIn(await takeMany(single, [byKey(60)], 1))).toBe(1);
  });

  test('consumes nothing of its other policies', async () => {
    const single = limiter();
    await takeMany(single, [byKey(3_000), byOrganization(5)], 5);
    const refused = await takeMany(single, [byKey(3_000), byOrganization(5)], 20);
    expect(allowedIn(refused)).toBe(0);
    const [next] = await takeMany(single, [byKey(3_000)], 1);
    expect(next).toMatchObject({ isAllowed: true, standings: [{ remaining: 3_000 - 6 }] });
  });
});

describe('while the service with the rate windows does not answer', () => {
  beforeEach(() => {
    reserve = () => {
      asked.push({});
      return Promise.reject(new DomainError('deadline', 'Late.'));
    };
  });

  test('a local window with the share of this gateway decides', async () => {
    expect(allowedIn(await takeMany(limiter(4), [byKey(400)], 150))).toBe(100);
  });

  test('the share follows the number of gateways', async () => {
    const peers = { count: 4 };
    const one = limiterAmong(peers);
    expect(allowedIn(await takeMany(one, [byKey(400)], 150))).toBe(100);
    peers.count = 2;
    expect(allowedIn(await takeMany(one, [byKey(400)], 150))).toBe(100);
    nowMs += WINDOW_MS;
    expect(allowedIn(await takeMany(one, [byKey(400)], 250))).toBe(200);
  });

  test('it is asked once a second, not once a request', async () => {
    const single = limiter();
    await takeMany(single, [byKey(3_000)], 50);
    expect(asked).toHaveLength(1);
    nowMs += FALLBACK_MS;
    await takeMany(single, [byKey(3_000)], 50);
    expect(asked).toHaveLength(2);
  });

  test('the local window spans the seconds, so failing for long does not lift the limit', async () => {
    const single = limiter();
    let allowed = 0;
    for (; nowMs < WINDOW_MS - 1; nowMs += FALLBACK_MS) {
      allowed += allowedIn(await takeMany(single, [byKey(100)], 10));
    }
    expect(allowed).toBe(100);
  });
});
