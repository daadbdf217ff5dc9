import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { keyNamed, ORGANIZATION_ID, principal, silent } from '../testing/fakes.js';
import { Authenticator, FRESH_MS, STALE_MS_MAX } from './authenticate.js';
import { CHECKS_AT_ONCE_MAX, CHECKS_WAITING_MAX } from './check-line.js';
import { FailureBucket, FAILURES_PER_MINUTE_MAX } from './failure-bucket.js';

const key = keyNamed('first');
const ADDRESS = '192.0.2.7';

let nowMs: number;
/** What the organization service answers: a principal, or the reason why not. */
let answer: () => Promise<Principal>;
let calls: number;
let authenticator: Authenticator;

beforeEach(() => {
  nowMs = 1_000_000;
  calls = 0;
  answer = () => Promise.resolve(principal({ apiKeyId: 'first' }));
  const clock = { now: () => new Date(nowMs) };
  authenticator = new Authenticator({
    access: {
      async authenticateKey() {
        calls += 1;
        return { principal: await answer() };
      },
    },
    failures: new FailureBucket(clock),
    clock,
    logger: silent,
  });
});

const unknown = () => Promise.reject(new DomainError('unauthenticated', 'No such key.'));
const unreachable = () => Promise.reject(new DomainError('unavailable', 'Down.'));

function authenticate(...values: string[]): Promise<Principal> {
  const request = {
    headersDistinct: values.length === 0 ? {} : { authorization: values },
  } as unknown as IncomingMessage;
  return authenticator.authenticate(request, ADDRESS, systemContext('req_1'));
}
const withKey = (text = key) => authenticate(`Bearer ${text}`);

async function kindOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'allowed';
  } catch (error) {
    return error instanceof DomainError ? error.kind : String(error);
  }
}

test('a cached key ends in the moment in which it expires', async () => {
  answer = () => Promise.resolve(principal({ keyExpiresTime: new Date(nowMs + 1_000) }));
  expect(await kindOf(withKey())).toBe('allowed');
  nowMs += 999;
  expect(await kindOf(withKey())).toBe('allowed');
  nowMs += 1;
  expect(await kindOf(withKey())).toBe('unauthenticated');
  expect(calls).toBe(1);
});

describe('the Authorization header', () => {
  test.each([`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])('is read: %s', async (value) => {
    expect(await authenticate(value)).toMatchObject({ apiKeyId: 'first' });
  });

  test.each([
    ['none', []],
    ['an empty one', ['']],
    ['the scheme alone', ['Bearer']],
    ['another scheme', [`Basic ${key}`]],
    ['the bare key', [key]],
    ['two headers', [`Bearer ${key}`, `Bearer ${key}`]],
    ['two keys', [`Bearer ${key} ${key}`]],
    ['padding', [`Bearer ${key}=`]],
    ['ten kilobytes', [`Bearer ${'x'.repeat(10_000)}`]],
    ['a checksum off by one', [`Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`]],
  ])('with %s is 401 without asking anybody', async (_, values) => {
    expect(await kindOf(authenticate(...values))).toBe('unauthenticated');
    expect(calls).toBe(0);
  });

  test('is refused in the same words whatever is wrong with the key', async () => {
    answer = unknown;
    const words = async (attempt: Promise<unknown>) => attempt.catch((error: unknown) => (error as Error).message);
    expect(await words(withKey())).toBe(await words(authenticate()));
  });
});

describe('a cached principal', () => {
  test('serves for five seconds and is then checked again', async () => {
    await withKey();
    nowMs += FRESH_MS - 1;
    await withKey();
    expect(calls).toBe(1);
    nowMs += 1;
    await withKey();
    expect(calls).toBe(2);
  });

  test('is asked for once by requests that come together', async () => {
    await Promise.all(Array.from({ length: 50 }, () => withKey()));
    expect(calls).toBe(1);
  });

  test('is dropped at once when its key is revoked or its organization changes', async () => {
    await withKey();
    answer = unknown;
    authenticator.invalidateKeys(['another']);
    expect(await kindOf(withKey())).toBe('allowed');
    authenticator.invalidateKeys(['first']);
    expect(await kindOf(withKey())).toBe('unauthenticated');

    answer = () => Promise.resolve(principal({ apiKeyId: 'first' }));
    nowMs += FRESH_MS;
    await withKey();
    answer = unknown;
    authenticator.invalidateOrganization(principal().organizationId);
    expect(await kindOf(withKey())).toBe('unauthenticated');
  });

  test('is not cached when the key was revoked during the check', async () => {
    let release = (_: Principal): void => {};
    answer = () => new Promise((resolve) => (release = resolve));
    const first = withKey();
    authenticator.invalidateKeys(['first']);
    answer = unknown;
    expect(await kindOf(withKey())).toBe('unauthenticated');
    release(principal({ apiKeyId: 'first' }));
    await first;
    expect(await kindOf(withKey())).toBe('unauthenticated');
  });

  test('stays valid for thirty seconds while the organization service is unavailable, then the answer is 503', async () => {
    await withKey();
    answer = unreachable;
    nowMs += STALE_MS_MAX - 1;
    expect(await kindOf(withKey())).toBe('allowed');
    nowMs += 1;
    expect(await kindOf(withKey())).toBe('unavailable');
    expect(await kindOf(withKey(keyNamed('second')))).toBe('unavailable');
  });

  test('is not waited for by every request while the service is unavailable', async () => {
    await withKey();
    answer = unreachable;
    nowMs += FRESH_MS;
    for (let count = 0; count < 10; count += 1) await withKey();
    expect(calls).toBe(2);
  });

  test('ends with a revocation that arrives while the organization service is unavailable', async () => {
    await withKey();
    answer = unreachable;
    nowMs += FRESH_MS;
    authenticator.invalidateKeys(['first']);
    expect(await kindOf(withKey())).toBe('unavailable');
  });
});

describe('refused keys', () => {
  test('are cached for five seconds, so that repeating one costs no call', async () => {
    answer = unknown;
    for (let count = 0; count < 100; count += 1) expect(await kindOf(withKey())).toBe('unauthenticated');
    expect(calls).toBe(1);
  });

  test('of one address are answered 401 twenty times a minute and then 429', async () => {
    await withKey();
    answer = unknown;
    const kinds: string[] = [];
    for (let count = 0; count < FAILURES_PER_MINUTE_MAX + 5; count += 1) {
      kinds.push(await kindOf(withKey(keyNamed(`guess${count}x`))));
    }
    expect(kinds.filter((kind) => kind === 'unauthenticated')).toHaveLength(FAILURES_PER_MINUTE_MAX);
    expect(kinds.slice(FAILURES_PER_MINUTE_MAX)).toEqual(Array.from({ length: 5 }, () => 'rate_limited'));
    // Neither a key that was good a moment ago nor one never seen is punished for its neighbours.
    answer = () => Promise.resolve(principal({ apiKeyId: 'first' }));
    nowMs += FRESH_MS;
    expect(await kindOf(withKey())).toBe('allowed');
    expect(await kindOf(withKey(keyNamed('new')))).toBe('allowed');
    authenticator.invalidateOrganization(ORGANIZATION_ID);
    expect(await kindOf(withKey())).toBe('allowed');
  });

  test.each([0, 1])('wait for each other, and %i more than may wait is refused', async (excess) => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    answer = () => held.then(unknown);
    const attempts = Array.from({ length: CHECKS_AT_ONCE_MAX + CHECKS_WAITING_MAX + excess }, (_, count) =>
      kindOf(withKey(keyNamed(`guess${count}x`))),
    );
    expect(calls).toBe(CHECKS_AT_ONCE_MAX);
    release();
    const kinds = await Promise.all(attempts);
    expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(excess);
    expect(kinds).not.toContain('allowed');
  });
});
