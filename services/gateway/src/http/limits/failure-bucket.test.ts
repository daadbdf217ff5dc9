import { beforeEach, describe, expect, test } from 'vitest';
import { FailureBucket, FAILURES_PER_MINUTE_MAX } from './failure-bucket.js';

let nowMs: number;
let bucket: FailureBucket;
beforeEach(() => {
  nowMs = 1_000_000;
  bucket = new FailureBucket({ now: () => new Date(nowMs) });
});

function fail(address: string, times: number): void {
  for (let count = 0; count < times; count += 1) bucket.count(address);
}

describe('refused attempts of one address', () => {
  test('are answered up to the limit of a minute, then refused with the seconds to wait', () => {
    fail('192.0.2.7', FAILURES_PER_MINUTE_MAX - 1);
    expect(() => bucket.refuseExhausted('192.0.2.7')).not.toThrow();
    fail('192.0.2.7', 1);
    nowMs += 20_000;
    expect(() => bucket.refuseExhausted('192.0.2.7')).toThrow(
      expect.objectContaining({ kind: 'rate_limited', retryAfterSeconds: 40 }),
    );
  });

  test('expire after a minute', () => {
    fail('192.0.2.7', FAILURES_PER_MINUTE_MAX);
    nowMs += 60_000;
    expect(() => bucket.refuseExhausted('192.0.2.7')).not.toThrow();
  });

  test('count for the whole /64 of an IPv6 subscriber and for nobody else', () => {
    for (let host = 1; host <= FAILURES_PER_MINUTE_MAX; host += 1) bucket.count(`2001:db8::${host}`);
    expect(() => bucket.refuseExhausted('2001:db8::ffff')).toThrow(
      'Too many requests from this IP address were refused',
    );
    expect(() => bucket.refuseExhausted('2001:db8:0:1::1')).not.toThrow();
    expect(() => bucket.refuseExhausted('192.0.2.7')).not.toThrow();
  });
});
