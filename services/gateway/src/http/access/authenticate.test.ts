import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { Authenticator, FRESH_MS, STALE_MS_MAX } from './authenticate.js';
import { CHECKS_AT_ONCE_MAX, CHECKS_PIPELINED_MAX } from './check-line.js';
import { FailureBucket, FAILURES_PER_MINUTE_MAX } from '../limits/failure-bucket.js';

const key = keyNamed('first');
const ADDRESS = '192.0.2.7';

let nowMs: number;
/** Response of the organization service: a principal, or the error of a refusal. */
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
        return { principal: await answer(), grant: Buffer.from('a grant') };
      },
      async authenticateSession() {
        calls += 1;
        return { principal: await answer(), grant: Buffer.from('a grant') };
      },
    },
    failures: new FailureBucket(clock),
    clock,
  });
});

const unknown = () => Promise.reject(new DomainError('unauthenticated', 'No such key.'));
const unreachable = () => Promise.reject(new DomainError('unavailable', 'Down.'));

/** A fake socket with the members that the authenticator reads. */
class Connection extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function authenticateOn(connection: Connection, address: string, ...values: string[]): Promise<Principal> {
  const request = {
    headersDistinct: values.length === 0 ? {} : { authorization: values },
    headers: {},
    socket: connection,
  } as unknown as IncomingMessage;
  return authenticator.authenticate(request, address, systemContext('req_1'));
}
const authenticate = (...values: string[]) => authenticateOn(new Connection(), ADDRESS, ...values);
const withKey = (text = key, connection = new Connection(), address = ADDRESS) =>
  authenticateOn(connection, address, `Bearer ${text}`);

const turn = () => new Promise((resolve) => setImmediate(resolve));

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
    await turn();
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
    // Neither an API key that was valid before nor a new key is affected by the refusals of other keys.
    answer = () => Promise.resolve(principal({ apiKeyId: 'first' }));
    nowMs += FRESH_MS;
    expect(await kindOf(withKey())).toBe('allowed');
    expect(await kindOf(withKey(keyNamed('new')))).toBe('allowed');
    authenticator.invalidateOrganization(ORGANIZATION_ID);
    expect(await kindOf(withKey())).toBe('allowed');
  });

  test('never evict a good key', async () => {
    await withKey();
    answer = unknown;
    for (let count = 0; count < 10_001; count += 1) await kindOf(withKey(keyNamed(`g${count}`)));
    calls = 0;
    answer = unreachable;
    expect(await kindOf(withKey())).toBe('allowed');
    expect(calls).toBe(0);
  });
});

describe('unknown keys of one address', () => {
  /** Checks in progress, in the order in which they began. The test ends each with an outcome. */
  let checks: ((outcome: Promise<Principal>) => void)[];
  beforeEach(() => {
    checks = [];
    answer = () => new Promise<Principal>((resolve) => checks.push(resolve));
  });
  const guess = (count: number, connection?: Connection) => kindOf(withKey(keyNamed(`guess${count}x`), connection));
  const guesses = (count: number, connection?: Connection) =>
    Array.from({ length: count }, (_, index) => guess(index, connection));
  /** Refuses the oldest check of an API key until none is left. */
  async function refuseAll(): Promise<void> {
    await turn();
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) {
      check(unknown());
      await turn();
    }
  }

  test('are checked a few at once, the others wait, however many they are', async () => {
    const attempts = guesses(1_000);
    await turn();
    expect(calls).toBe(CHECKS_AT_ONCE_MAX);
    await refuseAll();
    expect(calls).toBe(1_000);
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(['unauthenticated']));
  });

  test('do not make keys of other addresses wait', async () => {
    const attempts = guesses(CHECKS_AT_ONCE_MAX + 1);
    const other = withKey(key, new Connection(), '192.0.2.8');
    await turn();
    checks.pop()?.(Promise.resolve(principal({ apiKeyId: 'other' })));
    expect(await other).toMatchObject({ apiKeyId: 'other' });
    await refuseAll();
    await Promise.all(attempts);
  });

  test('let a good one through after one guess of each other connection, however many each of them sends', async () => {
    const connections = [new Connection(), new Connection()];
    const first = guesses(CHECKS_AT_ONCE_MAX);
    const attempts = connections.flatMap((connection, index) =>
      Array.from({ length: 30 }, (_, count) => guess(1_000 * (index + 1) + count, connection)),
    );
    const good = withKey();
    await turn();
    let guessed = 0;
    for (let done = false; !done; guessed += 1) {
      checks.shift()?.(unknown());
      await turn();
      done = calls > CHECKS_AT_ONCE_MAX + connections.length;
    }
    expect(guessed).toBe(connections.length + 1);
    checks.pop()?.(Promise.resolve(principal({ apiKeyId: 'good' })));
    expect(await good).toMatchObject({ apiKeyId: 'good' });
    await refuseAll();
    await Promise.all([...first, ...attempts]);
  });

  test('leave the line when their connection ends, and cost no check', async () => {
    const first = guesses(CHECKS_AT_ONCE_MAX);
    const connection = new Connection();
    const waiting = [guess(1_001, connection), guess(1_002, connection)];
    connection.destroy();
    await refuseAll();
    expect(calls).toBe(CHECKS_AT_ONCE_MAX);
    expect(await Promise.all(waiting)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('disconnected')),
    );
    await Promise.all(first);
    expect(connection.listenerCount('close')).toBe(0);
  });

  test('wait in the place of another request with the same key when the first one leaves', async () => {
    const first = guesses(CHECKS_AT_ONCE_MAX);
    const connection = new Connection();
    const left = kindOf(withKey(key, connection));
    const stays = withKey(key);
    connection.destroy();
    await turn();
    for (const check of checks.splice(0)) check(unknown());
    await turn();
    checks.pop()?.(Promise.resolve(principal({ apiKeyId: 'stays' })));
    expect(await stays).toMatchObject({ apiKeyId: 'stays' });
    expect(await left).toContain('disconnected');
    await Promise.all(first);
  });

  test.each([0, 1])(
    'wait behind others of their connection up to a bound of all, and %i more is refused',
    async (excess) => {
      const first = guesses(CHECKS_AT_ONCE_MAX);
      const connection = new Connection();
      const pipelined = Array.from({ length: 1 + CHECKS_PIPELINED_MAX + excess }, (_, count) =>
        guess(1_000 + count, connection),
      );
      const alone = guess(9_999);
      await refuseAll();
      const kinds = await Promise.all(pipelined);
      expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(excess);
      expect(await alone).toBe('unauthenticated');
      expect(connection.listenerCount('close')).toBe(0);
      await Promise.all(first);
    },
  );
});
