// Creates a small, complete data set without a fault: the requests of one organization, and the records that result
// from them.
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Scan } from '../e2e/shapes.js';
import type { Books, InvoiceRecord, PublishedEvent } from './books.js';
import type { LedgerBooks } from './ledger.js';

type Deep<T> = T extends readonly (infer Item)[]
  ? Deep<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Deep<T[Key]> }
    : T;

/** Sample of correct records. Each test breaks one of their guarantees. */
export interface SampleBooks {
  readonly books: Deep<Books>;
  readonly ledger: Deep<LedgerBooks>;
}

const organizationId: Tenant['organizationId'] = 'organization';
const assigneeUserId = 'analyst';
const MONTH = '2026-03';

export function sampleBooks(): SampleBooks {
  const finding = { findingId: 'finding', type: 'DUPLICATE_INVOICE', disposition: 'OPEN' };
  const scan: Scan = {
    id: 'scan',
    status: 'COMPLETE',
    invoicesAnalyzed: 2,
    rowsSkipped: 0,
    analyzedValue: '30.00',
    analyzedValueCurrency: 'EUR',
    unconvertedInvoices: 0,
    decisionCounts: { PASS: 2, REVIEW: 0, BLOCK: 0 },
    findingCounts: {},
    skippedRows: [],
  };
  const { id: _id, status: _status, skippedRows, ...result } = scan;
  const invoices = [
    invoiceRecord('posted', { sentAs: 'request', findings: [finding] }),
    invoiceRecord('uploaded', { sentAs: 'document' }),
    invoiceRecord('row-0', { position: 0 }),
    invoiceRecord('row-1', { position: 1 }),
  ];
  const events: PublishedEvent[] = [
    {
      id: 'evt-1',
      name: 'invoice_analyzed',
      payload: { invoiceId: 'posted', analysisId: 'analysis of posted', decision: 'DECISION_PASS', riskScore: 7 },
    },
    {
      id: 'evt-2',
      name: 'finding_created',
      payload: { findingId: 'finding', invoiceId: 'posted', type: finding.type },
    },
    {
      id: 'evt-3',
      name: 'finding_reviewed',
      payload: { findingId: 'finding', disposition: 'CONFIRMED', previousDisposition: 'OPEN' },
    },
    { id: 'evt-4', name: 'finding_assigned', payload: { findingId: 'finding', assigneeUserId } },
    {
      id: 'evt-6',
      name: 'invoice_analyzed',
      payload: {
        invoiceId: 'uploaded',
        analysisId: 'analysis of uploaded',
        decision: 'DECISION_PASS',
        riskScore: 7,
      },
    },
    // The field with the number of skipped rows of a history scan is left out, because its value is the default 0.
    { id: 'evt-5', name: 'scan_completed', payload: { scanId: 'scan', invoicesAnalyzed: 2 } },
  ];
  const known = { organizationId, outcome: 'ACKNOWLEDGED', isRetried: true } as const;
  const rows = [0, 1].map((position) => ({ sourceRowNumber: position + 1, externalId: `row-${position}` }));
  const answer = { invoiceId: 'posted', decision: 'PASS', riskScore: 7, findingTypes: [finding.type] };
  const sample: { books: Books; ledger: LedgerBooks } = {
    ledger: {
      invoices: [
        { ...known, idempotencyKey: 'key', sentAs: 'request', answers: [answer, answer] },
        {
          ...known,
          idempotencyKey: undefined,
          sentAs: 'document',
          upload: { id: 'upload', isStored: true },
          answers: [{ invoiceId: 'uploaded', decision: 'PASS', riskScore: 7, findingTypes: [] }],
        },
      ],
      scans: [{ ...known, idempotencyKey: 'file', rows, firstNumber: 'number of row-0', answers: [scan, scan] }],
      reviews: [{ ...known, findingId: 'finding', disposition: 'CONFIRMED' }],
      assignments: [{ ...known, findingId: 'finding', assigneeUserId }],
      wrongReads: [],
    },
    books: {
      invoices,
      findings: [
        {
          _id: 'finding',
          organizationId,
          type: finding.type,
          disposition: 'CONFIRMED',
          invoiceId: 'posted',
          assigneeUserId,
          history: [
            { action: 'REVIEWED', from: 'OPEN', to: 'CONFIRMED' },
            { action: 'ASSIGNED', to: assigneeUserId },
          ],
        },
      ],
      analyses: invoices.map(({ _id: invoiceId, analysis }) => ({
        _id: analysis?.analysisId ?? '',
        invoiceId,
        decision: 'PASS',
        riskScore: 7,
        facts: invoiceId.startsWith('row-') ? { bundleId: 'bundle' } : {},
      })),
      factBundleIds: ['bundle'],
      scans: [
        { _id: 'scan', organizationId, status: 'COMPLETE', usage: { month: MONTH, rows: 2 }, result, skippedRows },
      ],
      importedRows: [0, 1].map((position) => ({ scanId: 'scan', position })),
      uploadAnalyses: [{ _id: 'uploaded', organizationId, uploadId: 'upload', state: 'READ', usageMonth: MONTH }],
      uploads: [
        {
          _id: 'upload',
          organizationId,
          state: 'UPLOADED',
          byteSize: 100,
          content: { fileId: 'file' },
          usage: { month: MONTH, bytes: 100 },
        },
      ],
      storedBytes: { file: 100 },
      scanRuns: [{ _id: 'scan', outcome: {} }],
      usage: [
        { _id: `${organizationId}:${MONTH}:analyses`, used: 2 },
        { _id: `${organizationId}:${MONTH}:upload_bytes`, used: 100 },
        { _id: `${organizationId}:${MONTH}:scan_rows`, used: 2 },
      ],
      auditLines: [{ action: 'finding.reviewed', target: 'finding:finding', outcome: 'SUCCEEDED' }],
      notifications: [{ userId: assigneeUserId, occasion: { findingId: 'finding' } }],
      events,
      leftovers: [],
    },
  };
  // The copied sample books share no objects, so that a test that breaks one record breaks no other.
  return JSON.parse(JSON.stringify(sample)) as SampleBooks;
}

interface About {
  readonly sentAs?: string;
  readonly position?: number;
  readonly findings?: NonNullable<InvoiceRecord['analysis']>['findings'];
}

function invoiceRecord(_id: string, { sentAs, position, findings = [] }: About): InvoiceRecord {
  return {
    _id,
    organizationId,
    source: position !== undefined ? 'SCAN' : _id === 'uploaded' ? 'UPLOAD' : 'API',
    status: 'ANALYZED',
    invoice: { invoice_number: `number of ${_id}`, ...(sentAs === undefined ? {} : { buyer: { name: sentAs } }) },
    match: position === undefined ? {} : { scanId: 'scan', position },
    // An upload is counted towards the quota through the request for its analysis.
    ...(position === undefined && _id !== 'uploaded' ? { usageMonth: MONTH } : {}),
    analysis: { analysisId: `analysis of ${_id}`, decision: 'PASS', riskScore: 7, findings },
  };
}
