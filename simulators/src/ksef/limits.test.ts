import { expect, test } from 'vitest';
import { Clock } from '../erp/clock.js';
import { Limits } from './limits.js';

test('refuses the call beyond a limit until its window has slid on, and counts each context apart', () => {
  const clock = new Clock();
  const limits = new Limits(clock);
  for (let sent = 0; sent < 10; sent++) expect(limits.take('S1', '5265877635', 1)).toBeUndefined();
  expect(limits.take('S1', '5265877635', 1)).toBe(1);
  expect(limits.take('S1', '1111111111', 1)).toBeUndefined();
  clock.advance(1.1);
  expect(limits.take('S1', '5265877635', 1)).toBeUndefined();
});

test('the hour has a limit of its own', () => {
  const clock = new Clock();
  const limits = new Limits(clock);
  for (let sent = 0; sent < 120; sent++) {
    expect(limits.take('S1', '5265877635', 1)).toBeUndefined();
    clock.advance(3);
  }
  expect(limits.take('S1', '5265877635', 1)).toBeGreaterThan(3_000);
});

test('windows may be shorter than those of KSeF', () => {
  const clock = new Clock();
  const limits = new Limits(clock, 0.01);
  for (let sent = 0; sent < 120; sent++) {
    expect(limits.take('S1', '5265877635', 1)).toBeUndefined();
    clock.advance(0.03);
  }
  expect(limits.take('S1', '5265877635', 1)).toBeGreaterThan(30);
  clock.advance(33);
  expect(limits.take('S1', '5265877635', 1)).toBeUndefined();
});

test('a factor multiplies the limits, and 0 lifts them', () => {
  const limits = new Limits(new Clock());
  for (let sent = 0; sent < 20; sent++) expect(limits.take('S1', '5265877635', 2)).toBeUndefined();
  expect(limits.take('S1', '5265877635', 2)).toBe(1);
  for (let sent = 0; sent < 500; sent++) expect(limits.take('S2', '5265877635', 0)).toBeUndefined();
});
