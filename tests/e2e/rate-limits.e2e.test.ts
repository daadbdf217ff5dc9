import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REQUESTS_PER_MINUTE_MAX } from '@invoicecontrol/contracts/rate-limits';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';

/**
 * On a busy machine the service that counts requests takes longer than the default of 50 ms. The gateway would then
 * count alone for a second, which is less exact.
 */
const RATE_LIMIT_WAIT_MS = '5000';
const LIMITS = { default: 8, writes: 3, organization: 15 };

let running: RunningSystem;
beforeAll(async () => {
  running = await startRunningSystem({
    RATE_LIMIT_WAIT_MS,
    RATE_LIMIT_DEFAULT_PER_MINUTE: String(LIMITS.default),
    RATE_LIMIT_WRITES_PER_MINUTE: String(LIMITS.writes),
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: String(LIMITS.organization),
  });
});
afterAll(() => running.stop());

const read = (key: string): Promise<Answer<ErrorBody>> => running.request('GET /organizations/current', { key });
const write = (key: string): Promise<Answer<ErrorBody>> => running.request('POST /invoices', { key, body: {} });
const fresh = async () => (await running.newTenant()).keys;

const limited = { status: 429, body: { error: { code: 'RATE_LIMITED' } } };

/** Reads one policy of a RateLimit field: the remaining requests, and the seconds until the window ends. */
function standing({ headers }: Answer, policy: string): { left: number; seconds: number } {
  const [, left, seconds] = new RegExp(`"${policy}";r=(\\d+);t=(\\d+)`).exec(headers.get('ratelimit') ?? '') ?? [];
  return { left: Number(left), seconds: Number(seconds) };
}

/**
 * Runs a whole scenario and repeats it with other keys if it fails. Limits are not exact when the service that counts
 * requests does not answer in time.
 */
function exactly(scenario: () => Promise<void>): Promise<void> {
  return eventually(scenario);
}

describe('requests of one key', () => {
  test('are let through up to the limit and not one more; the fields count down', () =>
    exactly(async () => {
      const { owner } = await fresh();
      for (let used = 1; used <= LIMITS.default; used += 1) {
        const answer = await read(owner);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('ratelimit-policy')).toBe(
          `"default";q=${LIMITS.default};w=60, "organization";q=${LIMITS.organization};w=60`,
        );
        expect(standing(answer, 'default').left).toBe(LIMITS.default - used);
        expect(standing(answer, 'organization').left).toBe(LIMITS.organization - used);
        expect(standing(answer, 'default').seconds).toBeGreaterThan(0);
      }
      const refused = await read(owner);
      expect(refused).toMatchObject(limited);
      const { left, seconds } = standing(refused, 'default');
      expect(left).toBe(0);
      expect(seconds).toBeLessThanOrEqual(120);
      const retryAfter = Number(refused.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThanOrEqual(seconds);
      expect(retryAfter).toBeLessThanOrEqual(seconds + 2);
      expect(refused.headers.get('ratelimit-policy')).toBe(`"default";q=${LIMITS.default};w=60`);
    }));

  test('are let through up to the limit when all come at once', () =>
    exactly(async () => {
      const { owner } = await fresh();
      const answers = await Promise.all(Array.from({ length: 3 * LIMITS.default }, () => read(owner)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMITS.default);
      for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(limited);
    }));

  test('that write have a limit of their own, and reads continue', () =>
    exactly(async () => {
      const { owner } = await fresh();
      for (let used = 1; used <= LIMITS.writes; used += 1) {
        const answer = await write(owner);
        expect(answer.status).toBe(400);
        expect(standing(answer, 'writes').left).toBe(LIMITS.writes - used);
      }
      expect(await write(owner)).toMatchObject(limited);
      expect((await read(owner)).status).toBe(200);
    }));

  test('that were refused are not counted', () =>
    exactly(async () => {
      const { owner } = await fresh();
      for (let number = 0; number < 2 * LIMITS.writes; number += 1) await write(owner);
      for (let used = LIMITS.writes + 1; used <= LIMITS.default; used += 1)
        expect((await read(owner)).status).toBe(200);
      expect(await read(owner)).toMatchObject(limited);
    }));

  test('without the right are counted before they are refused', () =>
    exactly(async () => {
      const { viewer } = await fresh();
      const statuses: number[] = [];
      for (let number = 0; number <= LIMITS.writes; number += 1) statuses.push((await write(viewer)).status);
      expect(statuses).toEqual([403, 403, 403, 429]);
    }));
});

describe('requests of one organization', () => {
  test('share a limit over all its keys, without an effect on other organizations', () =>
    exactly(async () => {
      const [keys, others] = [await fresh(), await fresh()];
      const each = Math.floor(LIMITS.organization / 2);
      for (const key of [keys.owner, keys.admin]) {
        for (let used = 0; used < each; used += 1) expect((await read(key)).status).toBe(200);
      }
      expect((await read(keys.analyst)).status).toBe(200);
      const refused = await read(keys.viewer);
      expect(refused).toMatchObject(limited);
      expect(refused.body.error.message).toContain('organization');
      expect((await read(others.owner)).status).toBe(200);
    }));
});

describe('no limit', () => {
  test('holds for probes and the description', async () => {
    for (let number = 0; number < 2 * LIMITS.organization; number += 1) {
      expect((await running.request('GET //livez')).status).toBe(200);
      expect((await running.request('GET //readyz')).status).toBe(200);
    }
  });

  test('is used up by calls without a key, which are refused all the same', async () => {
    for (let number = 0; number < 2 * LIMITS.organization; number += 1) {
      expect((await running.request('GET /organizations/current')).status).toBe(401);
    }
    expect((await read((await fresh()).owner)).status).toBe(200);
  });
});

describe('the highest limit that may be configured', () => {
  const ORGANIZATION_PER_MINUTE = 6;
  /** Number of requests that each of three gateways allows while it counts alone. */
  const LOCAL_SHARE = ORGANIZATION_PER_MINUTE / 3;

  test('is kept by its owner, so that the other limits of the request are exact, too', async () => {
    const highest = await startRunningSystem({
      RATE_LIMIT_WAIT_MS,
      RATE_LIMIT_DEFAULT_PER_MINUTE: String(REQUESTS_PER_MINUTE_MAX),
      RATE_LIMIT_ORGANIZATION_PER_MINUTE: String(ORGANIZATION_PER_MINUTE),
      GATEWAY_REPLICAS: '3',
    });
    try {
      await exactly(async () => {
        const { owner: key } = (await highest.newTenant()).keys;
        for (let used = 1; used <= LOCAL_SHARE + 1; used += 1) {
          const answer = await highest.request('GET /organizations/current', { key });
          expect(answer.status).toBe(200);
          expect(standing(answer, 'default').left).toBe(REQUESTS_PER_MINUTE_MAX - used);
        }
      });
    } finally {
      await highest.stop();
    }
  });

  test('is also the highest that the gateway starts with', async () => {
    const over = { RATE_LIMIT_DEFAULT_PER_MINUTE: String(REQUESTS_PER_MINUTE_MAX + 1) };
    await expect(startRunningSystem(over)).rejects.toThrow(/RATE_LIMIT_DEFAULT_PER_MINUTE/);
  });
});
