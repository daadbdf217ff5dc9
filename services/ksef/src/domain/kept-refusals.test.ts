import { crc8 } from '@invoicecontrol/values/ksef-number';
import { describe, expect, test } from 'vitest';
import { BUYER, newInbox, REFUSALS_KEPT_MAX } from './inbox.js';
import type { Inbox, KeptRefusal } from './inbox.js';
import {
  CLOSED_KEPT_MAX,
  dismissed,
  keepRefusals,
  refusalsMessage,
  refusalsToRequest,
  REPAIRS_MAX,
  waitingRefusals,
  withoutPassed,
} from './kept-refusals.js';

const NOW = new Date('2026-11-20T10:00:00Z');
const later = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000);
const none: ReadonlySet<string> = new Set();
const numberOf = (index: number): string => {
  const start = `5265877635-20261120-${index.toString(16).toUpperCase().padStart(12, '0')}`;
  return `${start}-${crc8(start)}`;
};
const refusedOf = (length: number, first = 0) =>
  Array.from({ length }, (_, index) => ({ ksefNumber: numberOf(first + index), reason: 'r' }));
const keep = (kept: readonly KeptRefusal[], length: number, now = NOW, stored = none) =>
  keepRefusals(kept, { refused: refusedOf(length), stored }, BUYER, now);
const inboxWith = (refused: readonly KeptRefusal[]): Inbox => ({
  ...newInbox(
    { id: 'c', organizationId: 'o', companyId: 'c', environment: 'TEST', contextNip: '5265877635' },
    '2026-11-01',
    NOW,
  ),
  refused,
});
const run = (refused: readonly { ksefNumber: string; reason: string }[]) => ({ received: 0, repeated: 0, refused });

describe('an inbox keeps a refused invoice', () => {
  test('with role, reason, hash, and the times of the first and the last attempt, until it is stored', () => {
    const [one] = refusedOf(1);
    const first = keepRefusals([], { refused: [{ ...one!, invoiceHash: 'hash' }], stored: none }, BUYER, NOW);
    expect(first).toEqual({
      refused: [{ ...one, invoiceHash: 'hash', role: BUYER, firstAttemptAt: NOW, lastAttemptAt: NOW }],
      areAllKept: true,
    });
    const again = { refused: [{ ksefNumber: one!.ksefNumber, reason: 'other' }], stored: none };
    const second = keepRefusals(first.refused, again, 'SUBJECT3', later(1));
    expect(second.refused).toEqual([{ ...first.refused[0], reason: 'other', lastAttemptAt: later(1) }]);
    expect(keep(second.refused, 0, later(2)).refused).toEqual(second.refused);
    const stored = keep(second.refused, 0, later(2), new Set([one!.ksefNumber]));
    expect(waitingRefusals(stored)).toEqual([]);
    // The nightly inbox run may receive a package that lacks the file once more.
    expect(waitingRefusals(keep(stored.refused, 1, later(3)))).toEqual([]);
    expect(withoutPassed(stored.refused, BUYER, later(4))).toEqual(stored.refused);
    expect(withoutPassed(stored.refused, 'SUBJECT3', later(5))).toEqual(stored.refused);
    expect(withoutPassed(stored.refused, BUYER, later(5))).toEqual([]);
  });

  test('not if another file of the same package was stored', () => {
    expect(keep([], 1, NOW, new Set([numberOf(0)]))).toEqual({ refused: [], areAllKept: true });
  });

  test('up to a limit, and says when one more cannot be kept', () => {
    const full = keep([], REFUSALS_KEPT_MAX);
    expect([full.refused.length, full.areAllKept]).toEqual([REFUSALS_KEPT_MAX, true]);
    expect(keep(full.refused, REFUSALS_KEPT_MAX).areAllKept).toBe(true);
    const over = keep([], REFUSALS_KEPT_MAX + 1);
    expect([over.refused.length, over.areAllKept]).toEqual([REFUSALS_KEPT_MAX, false]);
    const one = dismissed(inboxWith(full.refused), numberOf(0), NOW)?.refused ?? [];
    expect(keep(one, REFUSALS_KEPT_MAX + 1).areAllKept).toBe(true);
  });
});

describe('a dismissed invoice', () => {
  const kept = keep([], 2).refused;
  const inbox = dismissed(inboxWith(kept), numberOf(0), NOW) ?? inboxWith([]);

  test('is neither requested again nor named, and stays dismissed when a nightly run repeats it', () => {
    expect(refusalsToRequest(inbox, BUYER)).toEqual([numberOf(1)]);
    const repeated = keep(inbox.refused, 1, later(2));
    expect(repeated.refused[0]).toMatchObject({ ksefNumber: numberOf(0), closedAt: NOW });
    expect(refusalsMessage({ refused: repeated.refused }, run(refusedOf(1)))).toBeUndefined();
    expect(withoutPassed(inbox.refused, BUYER, later(3)).map(({ ksefNumber }) => ksefNumber)).toEqual([numberOf(1)]);
  });

  test('is kept while a window with more refused invoices than the inbox keeps has not been passed', () => {
    const total = 12 * REFUSALS_KEPT_MAX;
    let refused: readonly KeptRefusal[] = [];
    let rounds = 0;
    // Each round takes longer than closed refusals are kept after a window was passed.
    for (let areAllKept = false; !areAllKept && rounds < total; rounds++) {
      ({ refused, areAllKept } = keep(refused, total, later(4 * rounds)));
      for (const { ksefNumber } of waitingRefusals({ refused })) {
        refused = dismissed(inboxWith(refused), ksefNumber, later(4 * rounds))?.refused ?? [];
      }
    }
    expect([rounds, refused.length]).toEqual([12, total]);
    expect(withoutPassed(refused, BUYER, later(4 * rounds))).toEqual([]);
  });

  test('is one of as many as one package can refuse; beyond that, the first closed one is reported again', () => {
    const closedAt = (index: number): Date => new Date(NOW.getTime() + index);
    const closed = (length: number): readonly KeptRefusal[] =>
      refusedOf(length).map((one, index) => ({
        ...one,
        role: BUYER,
        firstAttemptAt: NOW,
        lastAttemptAt: NOW,
        closedAt: closedAt(index),
      }));
    const [one] = keep([], 1).refused;
    const waiting = { ...one!, ksefNumber: numberOf(CLOSED_KEPT_MAX) };
    const close = (length: number): readonly KeptRefusal[] =>
      dismissed(inboxWith([...closed(length), waiting]), waiting.ksefNumber, later(1))?.refused ?? [];
    expect(keep(close(CLOSED_KEPT_MAX - 1), CLOSED_KEPT_MAX - 1, later(2)).refused).toHaveLength(CLOSED_KEPT_MAX);
    const over = close(CLOSED_KEPT_MAX);
    expect([over.length, over[0]?.ksefNumber]).toEqual([CLOSED_KEPT_MAX, numberOf(1)]);
    const again = keep(over, CLOSED_KEPT_MAX, later(2));
    expect(again.areAllKept).toBe(true);
    expect(waitingRefusals(again).map(({ ksefNumber }) => ksefNumber)).toEqual([numberOf(0)]);
  });

  test('is one that the inbox keeps and that was not dismissed before', () => {
    expect(dismissed(inbox, numberOf(0), NOW)).toBeUndefined();
    expect(dismissed(inbox, numberOf(7), NOW)).toBeUndefined();
  });
});

test('a run requests those again that have waited longest, in its role, with a KSeF number, and a bounded number', () => {
  const kept = keep([], REPAIRS_MAX + 2).refused.map((one, index) => ({ ...one, lastAttemptAt: later(-index) }));
  const requested = refusalsToRequest(inboxWith(kept), BUYER);
  expect([requested.length, requested[0]]).toEqual([REPAIRS_MAX, numberOf(REPAIRS_MAX + 1)]);
  expect(refusalsToRequest(inboxWith(kept), 'SUBJECT3')).toEqual([]);
  const unnamed = kept.map((one) => ({ ...one, ksefNumber: 'passwd' }));
  expect(refusalsToRequest(inboxWith(unnamed), BUYER)).toEqual([]);
});

test('the message of a run names the first three refused invoices and what to do', () => {
  const message = (length: number) => refusalsMessage(keep([], length), run(refusedOf(length)));
  expect(message(0)).toBeUndefined();
  expect(message(1)).toMatch(new RegExp(`^1 invoice was refused and not stored: ${numberOf(0)}\\. `));
  expect(message(5)).toContain(`${numberOf(2)} and 2 more. `);
  expect(message(1)).toContain('DELETE /v1/ksef-connections/{connectionId}/inbox/refused/{ksefNumber}');
});
