import { describe, expect, test } from 'vitest';
import {
  ADDRESS_BODIES_BYTES_MAX,
  BodyBudget,
  KEYED_BODIES_BYTES_MAX,
  LONG_BODIES_BYTES_MAX,
  ORGANIZATION_BODIES_BYTES_MAX,
  PUBLIC_BODIES_BYTES_MAX,
  SENDER_BODIES_BYTES_MAX,
  SIGNED_BODIES_BYTES_MAX,
  UNPROVEN_BODIES_BYTES_MAX,
} from './body-budget.js';
import type { BodyReservation } from './body-budget.js';

/** Reserves the maximum share for as many owners as fit, until `total` is reserved, and returns the next error. */
function fill(total: number, share: number, reservationOf: (owner: number) => BodyReservation): void {
  for (let owner = 0, left = total; left > 0; owner += 1, left -= share) {
    reservationOf(owner).add(Math.min(share, left));
  }
}

describe('bytes of bodies', () => {
  test('of one organization are held up to its share and not a byte more, over all its bodies', () => {
    const budget = new BodyBudget();
    const first = budget.ofOrganization('a', false);
    const second = budget.ofOrganization('a', false);
    first.add(ORGANIZATION_BODIES_BYTES_MAX - 1);
    second.add(1);
    expect(() => second.add(1)).toThrow(/for this organization/);
    expect(() => second.requireRoom(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    budget.ofOrganization('b', false).add(1);
    first.giveBack();
    second.add(1);
    expect(budget.bytes).toBe(3);
  });

  test('with a key are bounded, and leave room for those without one and for signed ones', () => {
    const budget = new BodyBudget();
    fill(KEYED_BODIES_BYTES_MAX, ORGANIZATION_BODIES_BYTES_MAX, (owner) => budget.ofOrganization(`o${owner}`, false));
    expect(budget.bytes).toBe(KEYED_BODIES_BYTES_MAX);
    expect(() => budget.ofOrganization('another', false).add(1)).toThrow(/right now/);
    budget.ofAddress('192.0.2.1').add(1);
    budget.ofSender('192.0.2.1', false).add(1);
    expect(budget.bytes).toBe(KEYED_BODIES_BYTES_MAX + 2);
  });

  test('of long bodies leave room for the others', () => {
    const budget = new BodyBudget();
    fill(LONG_BODIES_BYTES_MAX, ORGANIZATION_BODIES_BYTES_MAX, (owner) => budget.ofOrganization(`o${owner}`, true));
    expect(() => budget.ofOrganization('another', true).add(1)).toThrow(/right now/);
    budget.ofOrganization('another', false).add(1);
  });

  test('without a key are bounded for an address and for all of them, and leave room for those with one', () => {
    const budget = new BodyBudget();
    const first = budget.ofAddress('192.0.2.1');
    first.add(ADDRESS_BODIES_BYTES_MAX);
    expect(() => budget.ofAddress('192.0.2.1').add(1)).toThrow(/from this IP address/);
    first.giveBack();
    fill(PUBLIC_BODIES_BYTES_MAX, ADDRESS_BODIES_BYTES_MAX, (owner) => budget.ofAddress(`192.0.2.${owner}`));
    expect(() => budget.ofAddress('192.0.2.250').add(1)).toThrow(/right now/);
    budget.ofOrganization('a', false).add(ORGANIZATION_BODIES_BYTES_MAX);
    budget.ofSender('192.0.2.250', false).add(SENDER_BODIES_BYTES_MAX);
  });

  test('with a signature are bounded for an address, and leave room for addresses whose signatures were right', () => {
    const budget = new BodyBudget();
    budget.ofSender('192.0.2.1', false).add(SENDER_BODIES_BYTES_MAX);
    expect(() => budget.ofSender('192.0.2.1', false).add(1)).toThrow(/from this IP address/);
    fill(UNPROVEN_BODIES_BYTES_MAX - SENDER_BODIES_BYTES_MAX, SENDER_BODIES_BYTES_MAX, (owner) =>
      budget.ofSender(`192.0.2.${owner + 2}`, false),
    );
    expect(() => budget.ofSender('192.0.2.250', false).add(1)).toThrow(/right now/);
    const reserve = SIGNED_BODIES_BYTES_MAX - UNPROVEN_BODIES_BYTES_MAX;
    fill(reserve, SENDER_BODIES_BYTES_MAX, (owner) => budget.ofSender(`198.51.100.${owner}`, true));
    expect(() => budget.ofSender('198.51.100.250', true).add(1)).toThrow(/right now/);
  });

  test('that do not fit leave what is held as it was', () => {
    const budget = new BodyBudget();
    const body = budget.ofOrganization('a', true);
    body.add(1);
    expect(() => body.add(ORGANIZATION_BODIES_BYTES_MAX)).toThrow(/for this organization/);
    expect(budget.bytes).toBe(1);
  });

  test('are given back once, and what arrives afterwards is not held', () => {
    const budget = new BodyBudget();
    const other = budget.ofOrganization('a', false);
    other.add(5);
    const body = budget.ofOrganization('a', false);
    body.add(7);
    body.giveBack();
    body.giveBack();
    body.add(3);
    expect(budget.bytes).toBe(5);
  });
});
