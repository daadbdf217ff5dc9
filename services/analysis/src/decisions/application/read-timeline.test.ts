import { expect, test } from 'vitest';
import { SYSTEM_ACTOR } from '../../records/application/finding-store.js';
import { TIMELINE_ENTRIES_MAX, timelineOf } from './read-timeline.js';
import type { TimelineEntry } from './read-timeline.js';

const entryAt = (ms: number, id = String(ms)): TimelineEntry => ({
  at: new Date(ms),
  kind: 'FINDING_REVIEWED',
  actor: SYSTEM_ACTOR,
  ref: { type: 'finding', id },
});

test('entries are ordered by time, and those with equal times keep their order', () => {
  const { entries } = timelineOf([entryAt(2, 'b'), entryAt(1, 'a'), entryAt(2, 'c')], false);
  expect(entries.map(({ ref }) => ref.id)).toEqual(['a', 'b', 'c']);
});

test.each([
  [TIMELINE_ENTRIES_MAX, false, false, 0],
  [TIMELINE_ENTRIES_MAX + 1, false, true, 1],
  [1, true, true, 0],
])(
  'of %i entries (more: %s) the newest are kept, and it is said that older ones are missing: %s',
  (count, hasMore, isTruncated, first) => {
    const timeline = timelineOf(
      Array.from({ length: count }, (_, ms) => entryAt(ms)),
      hasMore,
    );
    expect(timeline.isTruncated).toBe(isTruncated);
    expect(timeline.entries).toHaveLength(Math.min(count, TIMELINE_ENTRIES_MAX));
    expect(timeline.entries[0]?.ref.id).toBe(String(first));
  },
);
