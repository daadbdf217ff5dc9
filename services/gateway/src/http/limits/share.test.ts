import { expect, test } from 'vitest';
import { Share } from './share.js';

test('all owners together hold the whole and not one more, and one holds its share', () => {
  const share = new Share(2, 3);
  const first = share.take('a');
  expect(share.take('a')).toBeDefined();
  expect(share.take('a')).toBeUndefined();
  expect(share.isFull).toBe(false);
  expect(share.take('b')).toBeDefined();
  expect(share.isFull).toBe(true);
  expect(share.take('b')).toBeUndefined();
  first?.();
  first?.();
  expect(share.take('b')).toBeDefined();
  expect(share.take('c')).toBeUndefined();
});
