import { describe, expect, test } from 'vitest';
import { conditional } from './etag.js';

const body = { decision: 'PASS', findings: [] };
const { headers } = conditional('0198', body, undefined);
const etag = headers?.['ETag'] ?? '';

describe('an answer with an ETag', () => {
  test('has a strong ETag and is cached only privately', () => {
    expect(etag).toMatch(/^"0198-[A-Za-z0-9_-]{22}"$/);
    expect(headers).toMatchObject({ 'Cache-Control': 'private, no-cache' });
  });

  test.each([etag, `W/${etag}`, `"other", ${etag}`, '*'])('is 304 without a body for If-None-Match: %s', (known) => {
    const reply = conditional('0198', body, known);
    expect(reply).toMatchObject({ status: 304, headers: { ETag: etag } });
    expect(reply.body).toBeUndefined();
  });

  test('is sent in full after any change, also of a single finding', () => {
    const changed = conditional('0198', { ...body, findings: [{ disposition: 'CONFIRMED' }] }, etag);
    expect(changed.status).toBe(200);
    expect(changed.headers?.['ETag']).not.toBe(etag);
  });
});
