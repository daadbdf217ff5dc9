import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { inTurn, newestRecords, recordsById } from '@invoicecontrol/retention/archive-pages';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { Collection } from 'mongodb';
import { CURRENT_ANALYSIS, currentAnalysisOf, HAVE_CURRENT } from './analyses.js';
import type { AnalysisDocument } from './analyses.js';
import type { FindingDocument } from './findings.js';
import type { InvoiceDocument } from './invoices.js';
import type { SupplierDocument } from './suppliers.js';

/**
 * Returns functions for the data export of an organization. They read the records that no list of the API shows. The
 * export contains only the fields that this file lists.
 */
export function archivedRecords({
  invoices,
  analyses,
  findings,
  suppliers,
}: {
  readonly invoices: Collection<InvoiceDocument>;
  readonly analyses: Collection<AnalysisDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly suppliers: Collection<SupplierDocument>;
}) {
  return {
    // An analysis that is replaced during the data export may appear twice in the export, but no analysis is left out.
    analyses: inTurn(
      newestRecords(invoices, (invoice) => toAnalysisRecord(currentAnalysisOf(invoice)), {
        filter: HAVE_CURRENT,
        projection: CURRENT_ANALYSIS,
      }),
      newestRecords(analyses, toAnalysisRecord, { projection: { facts: 0 } }),
    ),
    finding_history: newestRecords(findings, toHistoryRecord, { projection: { history: 1, createdAt: 1 } }),
    suppliers: recordsById(suppliers, toSupplierRecord),
  } satisfies Readonly<Record<string, ReadArchivePage>>;
}

function toAnalysisRecord(document: Omit<AnalysisDocument, 'facts'>): Readonly<Record<string, unknown>> {
  const {
    _id: id,
    invoiceId,
    number,
    decision,
    riskScore,
    versions,
    supplierId,
    findings,
    previous,
    createdAt,
  } = document;
  return {
    id,
    invoiceId,
    number,
    decision,
    riskScore,
    versions,
    supplierId,
    findings: findings.map((finding) => ({
      id: finding.findingId,
      type: finding.type,
      severity: finding.severity,
      summary: finding.summary,
      recommendedAction: finding.recommendedAction,
      confidence: finding.confidence / 100,
      evidence: finding.evidence,
      relatedInvoiceIds: finding.relatedInvoiceIds,
      disposition: finding.disposition,
    })),
    previousAnalysisId: previous?.analysisId ?? null,
    differences: previous?.differences ?? [],
    createdAt,
  };
}

function toHistoryRecord({ _id: findingId, history, createdAt }: FindingDocument): Readonly<Record<string, unknown>> {
  const changes = history.map(({ at, actor, action, from, to, note }) => ({ at, actor, action, from, to, note }));
  return {
    findingId,
    items: [{ at: createdAt, actor: { type: 'SYSTEM', id: 'system' }, action: 'CREATED' }, ...changes],
  };
}

function toSupplierRecord({
  _id: id,
  name,
  taxKey,
  taxCountry,
  profile,
}: SupplierDocument): Readonly<Record<string, unknown>> {
  return {
    id,
    name,
    taxId: taxKey ?? null,
    country: taxCountry ?? null,
    invoices: profile.count,
    firstInvoiceDate: profile.firstDay === null ? null : dateOfDayNumber(profile.firstDay),
    lastInvoiceDate: profile.lastDay === null ? null : dateOfDayNumber(profile.lastDay),
    invoicesByCurrency: profile.currencies,
  };
}
