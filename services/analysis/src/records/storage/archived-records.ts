import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { newestRecords, recordsById } from '@invoicecontrol/retention/archive-pages';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { Collection } from 'mongodb';
import type { AnalysisDocument } from './analyses.js';
import type { FindingDocument } from './findings.js';
import type { SupplierDocument } from './suppliers.js';

/** Reads the records for an organization's archive that the API lists do not show. Each field is chosen explicitly. */
export function archivedRecords({
  analyses,
  findings,
  suppliers,
}: {
  readonly analyses: Collection<AnalysisDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly suppliers: Collection<SupplierDocument>;
}) {
  return {
    analyses: newestRecords(analyses, toAnalysisRecord, { projection: { facts: 0 } }),
    finding_history: newestRecords(findings, toHistoryRecord, { projection: { history: 1, createdAt: 1 } }),
    suppliers: recordsById(suppliers, toSupplierRecord),
  } satisfies Readonly<Record<string, ReadArchivePage>>;
}

function toAnalysisRecord(document: AnalysisDocument): Readonly<Record<string, unknown>> {
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
