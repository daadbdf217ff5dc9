import { Decision, InvoiceSource, InvoiceStatus, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type {
  Analysis as WireAnalysis,
  Finding as WireFinding,
  Invoice,
  StoredInvoice,
} from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import type { CanonicalInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { FindingRecord } from '../../application/finding-store.js';
import type { DecidedAnalysis, InvoiceRecord } from '../../application/invoice-store.js';

/** @param verdict the decision in force, where it is not the one of the analysis */
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
    versions: { ...analysis.versions, compliance: undefined },
    createdTime: analysis.createdAt,
  };
}

export function encodeFinding(finding: FindingRecord): WireFinding {
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
    // MongoDB keeps members in their order, but one byte form is easier to promise than to assume.
    evidenceJson: canonicalJson(finding.evidence),
    relatedInvoiceIds: [...finding.relatedInvoiceIds],
    disposition: finding.disposition,
    companyId: finding.companyId,
    assigneeUserId: finding.assigneeUserId,
    createdTime: finding.createdAt,
  };
}

export function encodeStoredInvoice(record: InvoiceRecord): StoredInvoice {
  const { analysis, verdict } = record;
  return {
    invoiceId: record.invoiceId,
    companyId: record.companyId,
    source: InvoiceSource[record.source],
    status: InvoiceStatus[record.status],
    invoice: encodeInvoice(record.invoice),
    decision: verdict === undefined ? Decision.UNSPECIFIED : Decision[verdict.decision],
    riskScore: verdict?.riskScore,
    analysisId: analysis?.analysisId,
    documentId: undefined,
    scanId: record.match.scanId,
    createdTime: record.createdAt,
  };
}

function encodeInvoice(invoice: CanonicalInvoice): Invoice {
  const { supplier, buyer } = invoice;
  const account = supplier.bank_account;
  return {
    supplier: {
      name: supplier.name,
      taxId: supplier.tax_id,
      bankAccount: account && {
        iban: account.iban,
        sortCode: account.sort_code,
        accountNumber: account.account_number,
      },
    },
    invoiceNumber: invoice.invoice_number,
    issueDate: invoice.issue_date,
    dueDate: invoice.due_date,
    currency: invoice.currency,
    netAmount: invoice.net_amount,
    taxAmount: invoice.tax_amount,
    grossAmount: invoice.gross_amount,
    purchaseOrderRef: invoice.purchase_order_ref,
    buyer: buyer && { name: buyer.name, taxId: buyer.tax_id },
    companyId: invoice.company_id,
  };
}
