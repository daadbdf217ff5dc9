import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ascendingPageOf, newestPageOf, readPageRequest } from './page.js';
import type { Page } from './page.js';

const ask = (pageSize: number, pageToken = '') => readPageRequest({ pageSize, pageToken });
const numbered = fc.uniqueArray(fc.record({ id: fc.uuid(), order: fc.nat(20) }), {
  selector: ({ id }) => id,
  maxLength: 60,
});
const pageSize = fc.integer({ min: 1, max: 10 });

/** Reads all entries of a list page by page. */
function readAll<T>(size: number, read: (request: ReturnType<typeof ask>) => Page<T>): T[] {
  const seen: T[] = [];
  let token = '';
  do {
    const page = read(ask(size, token));
    expect(page.items.length).toBeLessThanOrEqual(size);
    seen.push(...page.items);
    token = page.nextPageToken;
  } while (token !== '');
  return seen;
}

describe('a list read page by page', () => {
  test('shows every entry once, newest first, whatever shares an instant', () => {
    fc.assert(
      fc.property(numbered, pageSize, (list, size) => {
        const entries = list.map(({ id, order }) => ({ id, createdAt: new Date(1_700_000_000_000 + order) }));
        const seen = readAll(size, (request) => newestPageOf(entries, request));
        expect(new Set(seen.map(({ id }) => id)).size).toBe(list.length);
        const times = seen.map(({ createdAt }) => createdAt.getTime());
        expect(times).toEqual([...times].sort((left, right) => right - left));
      }),
    );
  });

  test('shows every entry once in ascending order, whatever shares a number', () => {
    fc.assert(
      fc.property(numbered, pageSize, (list, size) => {
        const seen = readAll(size, (request) => ascendingPageOf(list, request, (item) => item));
        expect(new Set(seen.map(({ id }) => id)).size).toBe(list.length);
        const orders = seen.map(({ order }) => order);
        expect(orders).toEqual([...orders].sort((left, right) => left - right));
      }),
    );
  });

  test('shows what was created from one instant, inclusive, to another, exclusive', () => {
    const list = [1, 2, 3].map((day) => ({ id: `${day}`, createdAt: new Date(Date.UTC(2026, 0, day)) }));
    const bounds = {
      createdFromTime: new Date(Date.UTC(2026, 0, 2)),
      createdToTime: new Date(Date.UTC(2026, 0, 3)),
    };
    const request = readPageRequest({ pageSize: 10, pageToken: '', ...bounds });
    expect(newestPageOf(list, request).items.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('a page request', () => {
  test('asks for 50 entries unless told otherwise, 1 to 100', () => {
    expect([0, 1, 100].map((size) => ask(size).size)).toEqual([50, 1, 100]);
    for (const size of [-1, 101]) {
      expect(() => ask(size)).toThrow(expect.objectContaining({ kind: 'invalid' }));
    }
  });

  test.each([
    ['a word', 'next'],
    ['base64 of something else', Buffer.from('2026-01-01|0123456789abcdef').toString('base64url')],
    ['a number that no time has', Buffer.from('9999999999999999|0123456789abcdef').toString('base64url')],
    ['another spelling of a number', Buffer.from('007|0123456789abcdef').toString('base64url')],
    ['another spelling of a good one', `${Buffer.from('1767225600000|0123456789abcdef').toString('base64url')}=`],
    ['an operator of the database', Buffer.from('1767225600000|{"$gt":""}').toString('base64url')],
  ])('refuses %s as a token', (_, token) => {
    expect(() => ask(10, token)).toThrow(
      expect.objectContaining({ kind: 'invalid', details: [expect.objectContaining({ path: 'cursor' })] }),
    );
  });
});
