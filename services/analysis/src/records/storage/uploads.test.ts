import { expect, test } from 'vitest';
import { toRecord } from './uploads.js';

const requested = {
  _id: '0192a000-0000-7000-8000-000000000001',
  organizationId: '0192a000-0000-7000-8000-000000000002',
  uploadId: '0192a000-0000-7000-8000-000000000003',
  companyId: '0192a000-0000-7000-8000-000000000004',
  version: 3,
  request: {},
  createdAt: new Date('2026-11-02T08:00:00Z'),
  updatedAt: new Date('2026-11-02T08:00:00Z'),
  countedAt: new Date('2026-11-02T08:00:00Z'),
  attempts: 0,
  corrections: [],
} as const;

test.each([
  [{ state: 'QUEUED' }, 'usageMonth'],
  [{ state: 'PROCESSING' }, 'usageMonth'],
  [{ state: 'READ', usageMonth: '2026-11' }, 'extracted'],
  [{ state: 'FAILED' }, 'failure'],
] as const)('an upload is never shown without what its state has: %o', (stored, member) => {
  const document = { ...requested, ...stored } as unknown as Parameters<typeof toRecord>[0];
  expect(() => toRecord(document)).toThrow(`upload ${requested.uploadId} is ${stored.state} without ${member}`);
});

test('an upload that failed counts in no month', () => {
  const failure = { reason: 'DAMAGED', message: 'The file is damaged.', missingFields: [] };
  const document = { ...requested, state: 'FAILED', usageMonth: '2026-11', failure } as unknown as Parameters<
    typeof toRecord
  >[0];
  expect(toRecord(document)).not.toHaveProperty('usageMonth');
});
