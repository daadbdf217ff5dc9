import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pageOfList, readPageRequest } from './page.js';

const ask = (pageSize: number, pageToken = '') => readPageRequest({ pageSize, pageToken });
const entries = fc
  .uniqueArray(fc.record({ id: fc.uuid(), ms: fc.nat(20) }), { selector: ({ id }) => id, maxLength: 60 })
  .map((list) => list.map(({ id, ms }) => ({ id, createdAt: new Date(1_700_000_000_000 + ms) })));

describe('a list', () => {
  test('read page by page shows every entry once, newest first, whatever shares an instant', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 10 }), (list, size) => {
        const seen: { id: string; createdAt: Date }[] = [];
        let token = '';
        do {
          const page = pageOfList(list, ask(size, token));
          expect(page.items.length).toBeLessThanOrEqual(size);
          seen.push(...page.items);
          token = page.nextPageToken;
        } while (token !== '');
        expect(new Set(seen.map(({ id }) => id)).size).toBe(list.length);
        const times = seen.map(({ createdAt }) => createdAt.getTime());
        expect(times).toEqual([...times].sort((left, right) => right - left));
      }),
    );
  });

  test('shows what was created from one instant, inclusive, to another, exclusive', () => {
    const list = [1, 2, 3].map((day) => ({ id: `${day}`, createdAt: new Date(Date.UTC(2026, 0, day)) }));
    const request = {
      ...ask(10),
      createdFrom: new Date(Date.UTC(2026, 0, 2)),
      createdTo: new Date(Date.UTC(2026, 0, 3)),
    };
    expect(pageOfList(list, request).items.map(({ id }) => id)).toEqual(['2']);
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
    ['base64 of something else', Buffer.from('2026|x').toString('base64url')],
    ['an impossible instant', Buffer.from('2026-13-41T00:00:00.000Z|x').toString('base64url')],
    ['another spelling of a good one', `${Buffer.from('2026-01-01T00:00:00.000Z|x').toString('base64url')}=`],
    ['an operator of the database', Buffer.from('2026-01-01T00:00:00.000Z|{"$gt":""}').toString('base64url')],
  ])('refuses %s as a token', (_, token) => {
    expect(() => ask(10, token)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
