import { describe, expect, test } from 'vitest';
import { principal } from '../../testing/fakes.js';
import { demandsOf, rateLimited, rateLimitFields } from './rate-limit-fields.js';

const limits = { default: 3_000, organization: 10_000, writes: 1_200, scans: 20, documents: 600 };

describe('the limits of a request', () => {
  test('are those of its key and its organization, of writing when it writes, and of its route', () => {
    const policies = (method: string, extra?: 'scans') =>
      demandsOf(principal({ apiKeyId: 'k' }), method, extra, limits).map(({ policy }) => policy);
    expect(policies('GET')).toEqual(['default', 'organization']);
    expect(policies('HEAD')).toEqual(['default', 'organization']);
    expect(policies('DELETE')).toEqual(['default', 'organization', 'writes']);
    expect(policies('POST', 'scans')).toEqual(['default', 'organization', 'writes', 'scans']);
  });

  test('are counted per key, that of the organization per organization', () => {
    const subjects = demandsOf(principal({ apiKeyId: 'k', organizationId: 'o' }), 'GET', undefined, limits);
    expect(subjects.map(({ subject }) => subject)).toEqual(['key:k', 'organization:o']);
  });
});

describe('the RateLimit fields', () => {
  test('are structured fields with quota, remaining requests and seconds', () => {
    const standing = { policy: 'default', limitPerMinute: 3_000, remaining: 2_999, resetMs: 59_001 } as const;
    expect(rateLimitFields([standing, { ...standing, policy: 'organization' }])).toEqual({
      'RateLimit-Policy': '"default";q=3000;w=60, "organization";q=3000;w=60',
      RateLimit: '"default";r=2999;t=60, "organization";r=2999;t=60',
    });
  });

  test('of a refusal never send the caller back earlier than they say', () => {
    const refused = { policy: 'scans', limitPerMinute: 20, remaining: 0, resetMs: 12_300 } as const;
    expect(rateLimited(refused, () => 0)).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      headers: { 'Retry-After': '13', RateLimit: '"scans";r=0;t=13' },
    });
    expect(rateLimited(refused, () => 0.99).headers['Retry-After']).toBe('15');
  });
});
