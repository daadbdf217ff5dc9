import { enumName, optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import type {
  AnalysisFailed,
  FindingCreated,
  FindingReviewed,
  InvoiceAnalyzed,
  PaymentRunChecked,
} from '@invoicecontrol/contracts/analysis/v1/events';
import { Decision, InvoiceSource, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { SyncCompleted } from '@invoicecontrol/contracts/erp_sync/v1/events';
import type { SubmissionChanged } from '@invoicecontrol/contracts/ksef/v1/events';
import type { PublicEvent } from '@invoicecontrol/public-events';
import type { ScanCompleted } from '@invoicecontrol/contracts/scan/v1/events';

// This module is the only place where internal events become public ones (architecture section 6). The files in golden/
// define the bodies of the public events byte by byte.

/**
 * Maximum length of texts for people in a webhook event. All other members of a body are ids, names and numbers, so
 * that the body stays far below 64 KiB.
 */
const TEXT_CHARACTERS_MAX = 2_000;

/**
 * Returns the public event about an invoice, or undefined for an invoice of which customers are not notified: a row of
 * a history scan, or an ERP bill.
 */
export function ofInvoiceAnalyzed({
  invoiceId,
  decision,
  riskScore,
  source,
}: InvoiceAnalyzed): PublicEvent | undefined {
  const from = optionalEnumName(InvoiceSource, source);
  if (from === undefined || from === 'SCAN' || from === 'ERP') return undefined;
  const name = enumName(Decision, decision);
  return {
    type: 'invoice.analysis.completed',
    data: {
      invoice_id: invoiceId,
      decision: name,
      risk_score: riskScore,
      export_ready: name === 'PASS',
      canonical_export_path: `/v1/invoices/${invoiceId}/export?format=json`,
    },
  };
}

export function ofAnalysisFailed({ uploadId, invoiceId, errorCode, message }: AnalysisFailed): PublicEvent {
  return {
    type: 'invoice.analysis.failed',
    data: {
      upload_id: uploadId,
      invoice_id: invoiceId ?? null,
      error: { code: errorCode, message: shortened(message) },
    },
  };
}

export function ofScanCompleted(scan: ScanCompleted): PublicEvent {
  return {
    type: 'scan.completed',
    data: {
      scan_id: scan.scanId,
      invoices_analyzed: scan.invoicesAnalyzed,
      rows_skipped: scan.rowsSkipped,
      decision_counts: scan.decisionCounts,
      finding_counts: scan.findingCounts,
    },
  };
}

export function ofFindingCreated(finding: FindingCreated): PublicEvent {
  return {
    type: 'finding.created',
    data: {
      finding_id: finding.findingId,
      invoice_id: finding.invoiceId ?? null,
      scan_id: finding.scanId ?? null,
      type: finding.type,
      severity: enumName(Severity, finding.severity),
      summary: shortened(finding.summary),
    },
  };
}

export function ofFindingReviewed(review: FindingReviewed): PublicEvent {
  return {
    type: 'finding.reviewed',
    data: {
      finding_id: review.findingId,
      invoice_id: review.invoiceId ?? null,
      disposition: review.disposition,
      previous_disposition: review.previousDisposition,
      reviewed_at: (review.eventTime ?? new Date(0)).toISOString(),
    },
  };
}

export function ofPaymentRunChecked(checked: PaymentRunChecked): PublicEvent {
  return {
    type: 'payment_run.checked',
    data: {
      payment_run_id: checked.runId,
      company_id: checked.companyId,
      line_count: checked.lineCount,
      pay_count: checked.payCount,
      hold_count: checked.holdCount,
      unknown_count: checked.unknownCount,
    },
  };
}

/** Returns the public event about a KSeF submission, or undefined for a submission whose result is not known yet. */
export function ofSubmissionChanged({
  submissionId,
  connectionId,
  companyId,
  invoiceId,
  status,
  errorCode,
  ksefNumber,
}: SubmissionChanged): PublicEvent | undefined {
  const ids = {
    submission_id: submissionId,
    connection_id: connectionId,
    company_id: companyId,
    invoice_id: invoiceId,
  };
  if (status === 'ACCEPTED') {
    return { type: 'ksef.submission.accepted', data: { ...ids, ksef_number: ksefNumber ?? '' } };
  }
  if (status === 'REJECTED' || status === 'FAILED') {
    return { type: 'ksef.submission.refused', data: { ...ids, status, error_code: errorCode ?? null } };
  }
  return undefined;
}

/** Returns the public event about an ERP import run, or undefined for a run that did not fail. */
export function ofSyncCompleted(run: SyncCompleted): PublicEvent | undefined {
  if (run.status !== 'FAILED') return undefined;
  return {
    type: 'erp.run.failed',
    data: {
      run_id: run.runId,
      connection_id: run.connectionId,
      error_code: run.errorCode ?? null,
      created: run.created,
      updated: run.updated,
      deleted: run.deleted,
      failed: run.failed,
    },
  };
}

function shortened(text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  // The shortened text of a webhook event must not end in half of a surrogate pair.
  return `${text.slice(0, TEXT_CHARACTERS_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
