import { expect, test } from 'vitest';
import { RequestLog } from './request-log.js';

test.each([19_999, 20_000, 20_001, 65_000])('keeps the last 20,000 requests of %i', (count) => {
  const log = new RequestLog();
  const request = { method: 'GET', path: '/', query: {}, headers: {}, body: '' };
  for (let sent = 0; sent < count; sent++) log.add('acme', request, new Date(0));
  const kept = log.after('acme', 0);
  expect(kept).toHaveLength(Math.min(count, 20_000));
  expect(kept[0]?.n).toBe(Math.max(1, count - 19_999));
  expect(kept.at(-1)?.n).toBe(count);
  expect(log.after('acme', count - 1)).toHaveLength(1);
});
