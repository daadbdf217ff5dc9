import { expect, test } from 'vitest';
import { listStuckWork, STUCK_ITEMS_MAX } from './stuck-work.js';
import type { StuckItem } from './stuck-work.js';

const now = new Date('2026-03-15T12:00:00Z');
const item = (minutes: number, why = ''): StuckItem => ({
  kind: 'test',
  what: `${minutes}`,
  since: new Date(now.getTime() - minutes * 60_000),
  why,
  resolution: '',
});
const list = (...items: StuckItem[]) =>
  listStuckWork({
    clock: { now: () => now },
    sources: [async (before) => items.filter(({ since }) => since <= before), async () => []],
  });

test('lists what is older than asked, the oldest first', async () => {
  const ask = list(item(5), item(20), item(10));
  expect((await ask(0)).items.map(({ what }) => what)).toEqual(['20', '10']);
  expect((await ask(300)).items.map(({ what }) => what)).toEqual(['20', '10', '5']);
  expect((await ask(1_201)).items).toEqual([]);
});

test('lists a bounded number and says when there is more', async () => {
  const many = (count: number) => Array.from({ length: count }, () => item(20));
  expect(await list(...many(STUCK_ITEMS_MAX))(0)).toMatchObject({ hasMore: false });
  const more = await list(...many(STUCK_ITEMS_MAX + 1))(0);
  expect(more.hasMore).toBe(true);
  expect(more.items).toHaveLength(STUCK_ITEMS_MAX);
});

test('masks secrets in errors', async () => {
  expect((await list(item(20, 'refused whsec_abc'))(0)).items[0]?.why).toBe('refused whsec_[masked]');
});

test.each([-1, 2_592_001])('refuses an age of %d seconds', async (seconds) => {
  await expect(list()(seconds)).rejects.toMatchObject({ kind: 'invalid' });
});
