import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { notFound } from '@invoicecontrol/errors';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const key = keyNamed('viewer');
const SCAN_ID = '0198a000-0000-7000-8000-00000000000a';
const SUPPLIER_ID = '0198a000-0000-7000-8000-00000000000b';

let gateway: RunningGateway;
let reported: unknown[] = [];
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(new Map([[key, principal({ role: 'VIEWER', scopes: ['scans:read'] })]])),
    scans: {
      getScan: ({ scanId }) =>
        scanId === SCAN_ID
          ? Promise.resolve({
              scan: {
                scanId: SCAN_ID,
                companyId: SUPPLIER_ID,
                invoicesAnalyzed: 3,
                rowsSkipped: 0,
                skippedRows: [],
                analyzedValue: '300.00',
                analyzedValueCurrency: 'EUR',
                unconvertedInvoices: 1,
                decisionCounts: {},
                findingCounts: {},
                createdTime: new Date('2026-03-02T10:00:00.000Z'),
              },
            })
          : Promise.reject(notFound('scan')),
    },
    findings: {
      reportScan(request) {
        reported.push(request);
        return Promise.resolve({
          byDecision: [{ decision: 'BLOCK', invoices: 3, amount: '300.00' }],
          byFamily: [{ key: 'DUP', name: '', findings: 2, invoices: 1, amountAtRisk: '100.00' }],
          byMonth: [{ month: '2026-01', invoices: 3, amount: '300.00', amountAtRisk: '100.00' }],
          topSuppliers: [{ key: SUPPLIER_ID, name: '=Acme, "Ltd"', findings: 2, invoices: 1, amountAtRisk: '100.00' }],
          savingsPotential: '100.00',
          savingsConfirmed: '20.00',
          savingsDismissed: '3.00',
        });
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  reported = [];
});

const get = (scanId: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${gateway.origin}/v1/scans/${scanId}/report`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

test('the report states the value of the scan and the figures of its findings, in the currency of the scan', async () => {
  const response = await get(SCAN_ID);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    scanId: SCAN_ID,
    value: { analyzed: '300.00', currency: 'EUR', unconverted: 1 },
    byDecision: [{ decision: 'BLOCK', invoices: 3, amount: '300.00' }],
    byFamily: [{ family: 'DUP', findings: 2, invoices: 1, amountAtRisk: '100.00' }],
    byMonth: [{ month: '2026-01', invoices: 3, amount: '300.00', amountAtRisk: '100.00' }],
    topSuppliers: [
      { supplierId: SUPPLIER_ID, supplierName: '=Acme, "Ltd"', findings: 2, invoices: 1, amountAtRisk: '100.00' },
    ],
    savings: { potential: '100.00', confirmed: '20.00', dismissed: '3.00', currency: 'EUR' },
  });
  expect(reported).toMatchObject([{ scanId: SCAN_ID, currency: 'EUR' }]);
});

test('the report as CSV has each figure once, under its section, and no formula', async () => {
  const response = await get(SCAN_ID, { accept: 'text/csv' });
  expect(response.headers.get('content-type')).toContain('text/csv');
  expect(response.headers.get('vary')).toContain('Accept');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename=scan-${SCAN_ID}.csv`);
  expect((await response.text()).trimEnd().split('\r\n')).toEqual([
    'section,key,name,findings,invoices,amount,amount_at_risk,currency',
    'VALUE,ANALYZED,,,,300.00,,EUR',
    'VALUE,UNCONVERTED,,,1,,,EUR',
    'DECISION,BLOCK,,,3,300.00,,EUR',
    'FAMILY,DUP,Duplicate invoices,2,1,,100.00,EUR',
    'MONTH,2026-01,,,3,300.00,100.00,EUR',
    `SUPPLIER,${SUPPLIER_ID},"'=Acme, ""Ltd""",2,1,,100.00,EUR`,
    'SAVINGS,POTENTIAL,,,,100.00,,EUR',
    'SAVINGS,CONFIRMED,,,,20.00,,EUR',
    'SAVINGS,DISMISSED,,,,3.00,,EUR',
  ]);
  const head = await get(SCAN_ID, { accept: 'text/csv' }, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('a scan that the organization does not have is missing, and nothing is added up', async () => {
  expect((await get('0198a000-0000-7000-8000-00000000000f')).status).toBe(404);
  expect(reported).toEqual([]);
});
