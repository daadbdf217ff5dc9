import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Decision, InvoiceSource, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { bodyOf, publicEventTypes } from '@invoicecontrol/public-events';
import type { PublicEvent } from '@invoicecontrol/public-events';
import {
  ofAnalysisFailed,
  ofFindingCreated,
  ofFindingReviewed,
  ofInvoiceAnalyzed,
  ofPaymentRunChecked,
  ofScanCompleted,
  ofSubmissionChanged,
  ofSyncCompleted,
} from './to-public-event.js';

const header = { eventId: 'evt_golden', eventTime: new Date('2026-03-14T09:30:00.125Z'), organizationId: 'org' };
const invoiceId = '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14';
const analyzed = {
  ...header,
  invoiceId,
  analysisId: 'an',
  companyId: 'c',
  decision: Decision.REVIEW,
  riskScore: 41,
  source: InvoiceSource.API,
};
const created = {
  ...header,
  findingId: 'f',
  invoiceId,
  scanId: undefined,
  companyId: 'c',
  type: 'DUPLICATE_INVOICE',
  severity: Severity.HIGH,
  summary: 'The invoice is a copy of A-1.',
};

const submission = {
  ...header,
  submissionId: 's',
  connectionId: 'k',
  companyId: 'c',
  invoiceId,
  status: 'ACCEPTED',
  errorCode: undefined,
  ksefNumber: '9998051643-20260314-0A1B2C3D4E5F-6A',
};
const run = {
  ...header,
  connectionId: 'e',
  runId: 'r',
  status: 'FAILED',
  created: 12,
  updated: 3,
  deleted: 0,
  failed: 1,
  errorCode: 'AUTH_FAILED',
};

const mapped: readonly (PublicEvent | undefined)[] = [
  ofInvoiceAnalyzed(analyzed),
  ofAnalysisFailed({
    ...header,
    uploadId: 'u',
    invoiceId: undefined,
    errorCode: 'PROCESSING_FAILED',
    message: 'The document cannot be read.',
  }),
  ofScanCompleted({
    ...header,
    scanId: 's',
    companyId: 'c',
    invoicesAnalyzed: 3,
    rowsSkipped: 1,
    analyzedValue: '9.00',
    analyzedValueCurrency: 'EUR',
    unconvertedInvoices: 0,
    decisionCounts: { PASS: 2, REVIEW: 1, BLOCK: 0 },
    findingCounts: { DUPLICATE_INVOICE: 1 },
  }),
  ofFindingCreated(created),
  ofFindingReviewed({
    ...header,
    findingId: 'f',
    invoiceId,
    disposition: 'CONFIRMED',
    previousDisposition: 'OPEN',
    reviewedBy: 'API_KEY:k',
  }),
  ofPaymentRunChecked({
    ...header,
    runId: 'r',
    companyId: 'c',
    lineCount: 8,
    payCount: 5,
    holdCount: 2,
    unknownCount: 1,
  }),
  ofSubmissionChanged(submission),
  ofSubmissionChanged({ ...submission, status: 'REJECTED', errorCode: 'KSEF_440', ksefNumber: undefined }),
  ofSyncCompleted(run),
];

test.each(publicEventTypes.map((type) => [type]))('the body of %s is its golden file to the byte', (type) => {
  const event = mapped.find((one) => one?.type === type);
  if (event === undefined) throw new Error(`nothing maps to ${type}`);
  const golden = readFileSync(new URL(`../../../golden/${type}.json`, import.meta.url), 'utf8');
  expect(`${bodyOf('evt_golden', event)}\n`).toBe(golden);
});

test.each(['QUEUED', 'SENDING', 'PROCESSING', 'CANCELED'])('a submission to KSeF in state %s is not told', (status) => {
  expect(ofSubmissionChanged({ ...submission, status })).toBeUndefined();
});

test('a submission that failed is told as refused, with its own status', () => {
  const event = ofSubmissionChanged({ ...submission, status: 'FAILED', ksefNumber: undefined });
  expect(event).toMatchObject({ type: 'ksef.submission.refused', data: { status: 'FAILED', error_code: null } });
});

test.each(['SUCCEEDED', 'PARTIAL', 'CANCELED'])('a run of an ERP that ended as %s is not told', (status) => {
  expect(ofSyncCompleted({ ...run, status })).toBeUndefined();
});

test.each([
  [Decision.PASS, true],
  [Decision.REVIEW, false],
  [Decision.BLOCK, false],
])('decision %d is ready for export: %s', (decision, isReady) => {
  expect(ofInvoiceAnalyzed({ ...analyzed, decision })?.data).toMatchObject({ export_ready: isReady });
});

test('an invoice that came as a file or from KSeF is told like one that was posted', () => {
  for (const source of [InvoiceSource.UPLOAD, InvoiceSource.KSEF]) {
    expect(ofInvoiceAnalyzed({ ...analyzed, source })).toEqual(ofInvoiceAnalyzed(analyzed));
  }
});

test.each([InvoiceSource.SCAN, InvoiceSource.ERP])('an invoice of source %d is not told', (source) => {
  expect(ofInvoiceAnalyzed({ ...analyzed, source })).toBeUndefined();
});

test('a finding of a scan as a whole names the scan and no invoice', () => {
  const event = ofFindingCreated({ ...created, invoiceId: undefined, scanId: 's' });
  expect(event.data).toMatchObject({ invoice_id: null, scan_id: 's' });
});

test('texts of 2,000 characters stay; longer ones are cut, never within a character', () => {
  const summaryOf = (summary: string): unknown => ofFindingCreated({ ...created, summary }).data;
  const longest = 'ü'.repeat(2_000);
  expect(summaryOf(longest)).toMatchObject({ summary: longest });
  expect(summaryOf(`${longest}ü`)).toMatchObject({ summary: `${'ü'.repeat(1_999)}…` });
  expect(summaryOf(`a${'😀'.repeat(1_000)}`)).toMatchObject({ summary: `a${'😀'.repeat(999)}…` });
});

test('no event comes near the 64 KiB that a body may have, however much our services say', () => {
  // A control character takes six bytes in JSON. An internal event has at most 1 MiB.
  const text = '\u0001'.repeat(1024 ** 2);
  const id = 'i'.repeat(200);
  const longest = [
    ofFindingCreated({ ...created, findingId: id, invoiceId: id, scanId: id, type: id, summary: text }),
    ofAnalysisFailed({ ...header, uploadId: id, invoiceId: id, errorCode: id, message: text }),
  ];
  for (const event of longest) expect(Buffer.byteLength(bodyOf(id, event))).toBeLessThan(16 * 1024);
});
