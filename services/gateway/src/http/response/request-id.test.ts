import { describe, expect, test } from 'vitest';
import { newRequestId, requestIdOf } from './request-id.js';

describe('a request id', () => {
  test.each(['req-1', 'A.b_c-9', 'x'.repeat(64)])('of the caller is kept: %s', (id) => {
    expect(requestIdOf(id)).toBe(id);
  });

  test.each([undefined, '', 'x'.repeat(65), 'a b', 'a\nb', '<script>', 'a,b', ['a', 'b']])(
    'that could do harm is replaced: %j',
    (header) => {
      expect(requestIdOf(header)).toMatch(/^req_[0-9a-z]{26}$/);
    },
  );

  test('is new every time', () => {
    expect(new Set(Array.from({ length: 1_000 }, newRequestId)).size).toBe(1_000);
  });
});
