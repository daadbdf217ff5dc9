import { expect, test } from 'vitest';
import { toRecord } from './invoices.js';

const received = {
  _id: '0192a000-0000-7000-8000-000000000001',
  organizationId: '0192a000-0000-7000-8000-000000000002',
  companyId: '0192a000-0000-7000-8000-000000000003',
  version: 2,
  source: 'API',
  createdAt: new Date('2026-11-02T08:00:00Z'),
  invoice: {},
  match: {},
};
const read = (stored: object) => toRecord({ ...received, ...stored } as unknown as Parameters<typeof toRecord>[0]);

test('an analyzed invoice is never shown without its decision', () => {
  expect(() => read({ status: 'ANALYZED' })).toThrow(`The invoice ${received._id} has no stored decision.`);
});

test('the decision of the analysis is in force when no other one is stored', () => {
  const analysis = { decision: 'REVIEW', riskScore: 40 };
  expect(read({ status: 'ANALYZED', analysis })).toMatchObject({ verdict: analysis });
});
