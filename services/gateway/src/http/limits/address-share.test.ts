import { expect, test } from 'vitest';
import { AddressShare } from './address-share.js';

test('an address holds its share and not one more, and gets back each place once', () => {
  const share = new AddressShare(2);
  const first = share.take('192.0.2.7');
  expect(share.take('192.0.2.7')).toBeDefined();
  expect(share.take('192.0.2.7')).toBeUndefined();
  expect(share.take('192.0.2.8')).toBeDefined();
  first?.();
  first?.();
  expect(share.take('192.0.2.7')).toBeDefined();
  expect(share.take('192.0.2.7')).toBeUndefined();
});

test('the /64 of an IPv6 subscriber is one address', () => {
  const share = new AddressShare(1);
  expect(share.take('2001:db8::1')).toBeDefined();
  expect(share.take('2001:db8::2')).toBeUndefined();
  expect(share.take('2001:db8:0:1::1')).toBeDefined();
});

test('an address that holds nothing costs no memory', () => {
  const share = new AddressShare(1);
  share.take('192.0.2.7')?.();
  expect(share.owners).toBe(0);
});

test('a share of 0 is no bound', () => {
  const share = new AddressShare(0);
  for (let count = 0; count < 1_000; count += 1) expect(share.take('192.0.2.7')).toBeDefined();
  expect(share.owners).toBe(0);
});
