import { expect, test } from 'vitest';
import type { ScanFinding } from '../../records/domain/scan-records.js';
import { reportScan } from './report-scan.js';

const FINDINGS_MAX = 3;
const findingsOf = (count: number): ScanFinding[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'BANK_ACCOUNT_CHANGED',
    severity: 'HIGH',
    disposition: 'OPEN',
    createdAt: new Date('2026-04-01T00:00:00Z'),
    invoiceId: `i${at}`,
    relatedInvoiceIds: [],
    amountAtRisk: { currency: 'EUR', amount: '10.00' },
  }));
const report = (count: number) =>
  reportScan({
    invoices: { ofScan: () => Promise.resolve([]) },
    findings: { ofScan: (_organization, _scan, limit) => Promise.resolve(findingsOf(count).slice(0, limit)) },
    findingsMax: FINDINGS_MAX,
  })('acme', { scanId: 'scan', currency: 'EUR' });

test('a report takes its maximum number of findings and refuses one more with what to do instead', async () => {
  expect((await report(FINDINGS_MAX)).savings.potential).toBe('30.00');
  await expect(report(FINDINGS_MAX + 1)).rejects.toMatchObject({
    kind: 'wrong_state',
    publicMessage: expect.stringContaining('GET /v1/findings'),
  });
});
