import { Decision, InvoiceSource, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Disposition } from '../domain/finding-disposition.js';
import type { InvoiceSource as Source } from '@invoicecontrol/engine/facts/invoice';
import type { FindingActor, FindingRecord, FindingSubject } from './finding-store.js';
import type { DecidedAnalysis, StoredFinding } from './invoice-store.js';

/**
 * Builds the events for a decision on an invoice: the decision, each new open finding, and its assignment by a routing
 * rule. For scan rows and ERP bills, only findings are announced.
 * @param known ids of findings that an earlier analysis of the invoice raised
 */
export function announcementsOf(
  invoice: Pick<FindingSubject, 'invoiceId' | 'companyId' | 'scanId'> & { readonly source: Source },
  analysis: DecidedAnalysis,
  known: ReadonlySet<string> = new Set(),
): Announcement[] {
  const { invoiceId, companyId, source, scanId } = invoice;
  const decided = announce(events.invoiceAnalyzed, {
    invoiceId,
    companyId,
    analysisId: analysis.analysisId,
    decision: Decision[analysis.decision],
    riskScore: analysis.riskScore,
    source: InvoiceSource[source],
  });
  const raised = analysis.findings
    .filter(({ findingId, disposition }) => disposition === 'OPEN' && !known.has(findingId))
    .flatMap((finding) => raisedAnnouncements(finding, { invoiceId, scanId, companyId }));
  return source === 'SCAN' || source === 'ERP' ? raised : [decided, ...raised];
}

/** Builds the events for a new finding and for its assignment by a routing rule. */
export function raisedAnnouncements(
  { findingId, type, severity, summary, assignment }: StoredFinding,
  { invoiceId, scanId, companyId }: RaisedOn,
): Announcement[] {
  const about = { findingId, invoiceId, type, severity: Severity[severity], summary };
  const created = announce(events.findingCreated, { ...about, scanId, companyId });
  if (assignment === undefined) return [created];
  const { ruleId, assigneeUserId } = assignment;
  return [created, announce(events.findingAssigned, { ...about, assigneeUserId, assignedBy: `RULE:${ruleId}` })];
}

interface RaisedOn {
  readonly companyId: string;
  /** Id of the invoice of a finding. Undefined for a finding about a history scan as a whole or about ERP records. */
  readonly invoiceId: string | undefined;
  readonly scanId: string | undefined;
}

/** Builds the event for a finding whose disposition a person has changed. */
export function reviewedAnnouncement(
  { findingId, invoiceId }: FindingRecord,
  { from, to }: { readonly from: Disposition; readonly to: Disposition },
  actor: FindingActor,
): Announcement {
  return announce(events.findingReviewed, {
    findingId,
    invoiceId,
    disposition: to,
    previousDisposition: from,
    reviewedBy: `${actor.type}:${actor.id}`,
  });
}
