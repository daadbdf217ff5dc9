import { describe, expect, test } from 'vitest';
import type { Page } from '../providers/provider.js';
import { EMPTY_PAGES_MAX, PAGES_MAX, pagesSeen } from './pages-seen.js';

const page = (externalId: string | undefined, position?: string): Page<{ readonly externalId: string }> => ({
  records: externalId === undefined ? [] : [{ externalId }],
  invalid: [],
  deletedIds: [],
  ...(position === undefined ? {} : { position }),
});
const endless = expect.objectContaining({ code: 'BAD_RESPONSE' });

describe('pages of a stream', () => {
  test('are as many as the limit, and not one more', () => {
    const seen = pagesSeen(undefined);
    for (let n = 1; n <= PAGES_MAX; n++) seen.add(page(`v${n}`, `after ${n}`));
    expect(() => seen.add(page('last', 'last'))).toThrow(endless as unknown as Error);
  });

  test('without a row are as many in a row as the limit, and not one more', () => {
    const seen = pagesSeen(undefined);
    for (let n = 1; n <= EMPTY_PAGES_MAX; n++) seen.add(page(undefined));
    seen.add(page('v1'));
    for (let n = 1; n <= EMPTY_PAGES_MAX; n++) seen.add(page(undefined));
    expect(() => seen.add(page(undefined))).toThrow(endless as unknown as Error);
  });

  test('repeat neither their rows nor their position, nor that of an earlier run', () => {
    const seen = pagesSeen('from before');
    seen.add(page('v1', 'one'));
    for (const repeated of [page('v1', 'two'), page('v2', 'one'), page('v3', 'from before')]) {
      expect(() => seen.add(repeated)).toThrow(endless as unknown as Error);
    }
  });
});
