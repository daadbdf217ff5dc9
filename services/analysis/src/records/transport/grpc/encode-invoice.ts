import { Decision, InvoiceSource, InvoiceStatus, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type {
  Analysis as WireAnalysis,
  Finding as WireFinding,
  StoredInvoice,
} from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { toWire } from '@invoicecontrol/invoice/wire';
import type { FindingRecord, ListedFinding } from '../../application/finding-store.js';
import type { DecidedAnalysis, InvoiceRecord } from '../../application/invoice-store.js';
import type { UploadRecord } from '../../application/upload-store.js';
import { sourceOf } from '../../domain/upload-source.js';

/**
 * Encodes an analysis as a gRPC message.
 * @param verdict the current decision about the invoice, if it differs from the decision in the analysis
 */
export function encodeAnalysis(
  invoiceId: string,
  analysis: DecidedAnalysis,
  findings: readonly FindingRecord[],
  verdict: RiskDecision = analysis,
): WireAnalysis {
  return {
    analysisId: analysis.analysisId,
    invoiceId,
    number: analysis.number,
    decision: Decision[verdict.decision],
    riskScore: verdict.riskScore,
    findings: findings.map(encodeFinding),
    versions: { compliance: undefined, ...analysis.versions },
    createdTime: analysis.createdAt,
  };
}

export function encodeFinding(finding: ListedFinding): WireFinding {
  return {
    findingId: finding.findingId,
    invoiceId: finding.invoiceId,
    invoiceNumber: finding.invoiceNumber,
    supplierId: finding.supplierId,
    supplierName: finding.supplierName,
    scanId: finding.scanId,
    type: finding.type,
    severity: Severity[finding.severity],
    summary: finding.summary,
    recommendedAction: finding.recommendedAction ?? undefined,
    confidencePercent: finding.confidence,
    // The evidence of a finding is written as canonical JSON, which does not depend on the order in which MongoDB keeps
    // its members.
    evidenceJson: finding.evidence === undefined ? '' : canonicalJson(finding.evidence),
    relatedInvoiceIds: [...finding.relatedInvoiceIds],
    disposition: finding.disposition,
    companyId: finding.companyId,
    assigneeUserId: finding.assigneeUserId,
    createdTime: finding.createdAt,
    amountAtRisk: finding.amountAtRisk?.amount,
    amountAtRiskCurrency: finding.amountAtRisk?.currency,
    family: finding.family,
    updatedTime: finding.updatedAt ?? finding.createdAt,
  };
}

export function encodeStoredInvoice(record: InvoiceRecord): StoredInvoice {
  const { analysis, verdict } = record;
  return {
    invoiceId: record.invoiceId,
    companyId: record.companyId,
    source: InvoiceSource[record.source],
    status: InvoiceStatus[record.status],
    invoice: toWire(record.invoice),
    decision: verdict === undefined ? Decision.UNSPECIFIED : Decision[verdict.decision],
    riskScore: verdict?.riskScore,
    analysisId: analysis?.analysisId,
    documentId: record.documentId,
    channel: record.channel,
    scanId: record.match.scanId,
    createdTime: record.createdAt,
    erp: record.erp && {
      connectionId: record.erp.connectionId,
      externalId: record.erp.externalId,
      erpNumber: record.erp.erpNumber,
      kind: record.erp.kind,
      state: record.erp.state,
      linkedInvoiceId: record.match.bookedInvoiceId,
    },
  };
}

/** Encodes an upload that has no stored invoice, because it has not been read yet or could not be read. */
export function encodeUpload({
  invoiceId,
  uploadId,
  companyId,
  state,
  createdAt,
  origin,
}: UploadRecord): StoredInvoice {
  return {
    invoiceId,
    companyId,
    source: InvoiceSource[sourceOf(origin)],
    status: state === 'FAILED' ? InvoiceStatus.FAILED : InvoiceStatus.RECEIVED,
    invoice: toWire({}),
    decision: Decision.UNSPECIFIED,
    riskScore: undefined,
    analysisId: undefined,
    documentId: uploadId,
    channel: origin,
    scanId: undefined,
    createdTime: createdAt,
    erp: undefined,
  };
}
