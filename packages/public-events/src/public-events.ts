/**
 * The types of the events that webhooks can subscribe to: those in section 6 of the specification, and additional ones.
 */
export const publicEventTypes = [
  'invoice.analysis.completed',
  'invoice.analysis.failed',
  'scan.completed',
  'finding.created',
  'finding.reviewed',
  'payment_run.checked',
  'ksef.submission.accepted',
  'ksef.submission.refused',
  'erp.run.failed',
] as const;

export type PublicEventType = (typeof publicEventTypes)[number];

export function isPublicEventType(text: string): text is PublicEventType {
  return (publicEventTypes as readonly string[]).includes(text);
}

/**
 * The `data` member of a webhook event, by event type. Members are only added; an incompatible change requires a new
 * event type.
 */
export interface PublicEventData {
  readonly 'invoice.analysis.completed': {
    readonly invoice_id: string;
    readonly decision: 'PASS' | 'REVIEW' | 'BLOCK';
    readonly risk_score: number;
    /** True if the decision on the invoice is PASS, so that it may be paid. */
    readonly export_ready: boolean;
    readonly canonical_export_path: string;
  };
  readonly 'invoice.analysis.failed': {
    readonly upload_id: string;
    readonly invoice_id: string | null;
    readonly error: { readonly code: string; readonly message: string };
  };
  readonly 'scan.completed': {
    readonly scan_id: string;
    readonly invoices_analyzed: number;
    readonly rows_skipped: number;
    readonly decision_counts: Readonly<Record<string, number>>;
    readonly finding_counts: Readonly<Record<string, number>>;
  };
  readonly 'finding.created': {
    readonly finding_id: string;
    readonly invoice_id: string | null;
    readonly scan_id: string | null;
    readonly type: string;
    readonly severity: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    readonly summary: string;
  };
  readonly 'finding.reviewed': {
    readonly finding_id: string;
    readonly invoice_id: string | null;
    readonly disposition: string;
    readonly previous_disposition: string;
    readonly reviewed_at: string;
  };
  readonly 'payment_run.checked': {
    readonly payment_run_id: string;
    readonly company_id: string;
    readonly line_count: number;
    readonly pay_count: number;
    readonly hold_count: number;
    readonly unknown_count: number;
  };
  readonly 'ksef.submission.accepted': {
    readonly submission_id: string;
    readonly connection_id: string;
    readonly company_id: string;
    readonly invoice_id: string;
    readonly ksef_number: string;
  };
  readonly 'ksef.submission.refused': {
    readonly submission_id: string;
    readonly connection_id: string;
    readonly company_id: string;
    readonly invoice_id: string;
    /** Status of the submission to KSeF: REJECTED by KSeF, or FAILED before KSeF could accept it. */
    readonly status: 'REJECTED' | 'FAILED';
    readonly error_code: string | null;
  };
  readonly 'erp.run.failed': {
    readonly run_id: string;
    readonly connection_id: string;
    readonly error_code: string | null;
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly failed: number;
  };
}

/** A webhook event before it is written as JSON. */
export type PublicEvent = {
  readonly [T in PublicEventType]: { readonly type: T; readonly data: PublicEventData[T] };
}[PublicEventType];

const INVOICE_ID = '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14';
const FINDING_ID = '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d13';
const SUBMISSION = {
  submission_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1f',
  connection_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d20',
  company_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d12',
  invoice_id: INVOICE_ID,
};

/** Example data for test deliveries and the published API description. The ids do not exist. */
export const publicEventExamples: PublicEventData = {
  'invoice.analysis.completed': {
    invoice_id: INVOICE_ID,
    decision: 'PASS',
    risk_score: 4,
    export_ready: true,
    canonical_export_path: `/v1/invoices/${INVOICE_ID}/export?format=json`,
  },
  'invoice.analysis.failed': {
    upload_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1b',
    invoice_id: null,
    error: { code: 'PROCESSING_FAILED', message: 'The document cannot be read. Send it as PDF, image or XML.' },
  },
  'scan.completed': {
    scan_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d19',
    invoices_analyzed: 480,
    rows_skipped: 2,
    decision_counts: { PASS: 470, REVIEW: 9, BLOCK: 1 },
    finding_counts: { DUPLICATE_INVOICE: 1, AMOUNT_OUTLIER: 9 },
  },
  'finding.created': {
    finding_id: FINDING_ID,
    invoice_id: INVOICE_ID,
    scan_id: null,
    type: 'BANK_ACCOUNT_CHANGED',
    severity: 'CRITICAL',
    summary: 'The bank account is new for this supplier.',
  },
  'finding.reviewed': {
    finding_id: FINDING_ID,
    invoice_id: INVOICE_ID,
    disposition: 'CONFIRMED',
    previous_disposition: 'OPEN',
    reviewed_at: '2026-03-14T09:30:00.000Z',
  },
  'payment_run.checked': {
    payment_run_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1e',
    company_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d12',
    line_count: 8,
    pay_count: 5,
    hold_count: 2,
    unknown_count: 1,
  },
  'ksef.submission.accepted': {
    ...SUBMISSION,
    ksef_number: '9998051643-20260314-0A1B2C3D4E5F-6A',
  },
  'ksef.submission.refused': {
    ...SUBMISSION,
    status: 'REJECTED',
    error_code: 'KSEF_440',
  },
  'erp.run.failed': {
    run_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d21',
    connection_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d22',
    error_code: 'AUTH_FAILED',
    created: 12,
    updated: 3,
    deleted: 0,
    failed: 0,
  },
};

/**
 * Returns the body of a webhook delivery: exactly these members in this order. The body is stored once and sent byte
 * for byte.
 */
export function bodyOf(eventId: string, { type, data }: PublicEvent): string {
  return JSON.stringify({ id: eventId, type, data });
}
