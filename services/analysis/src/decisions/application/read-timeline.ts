import { notFound } from '@invoicecontrol/errors';
import type { AnalysisStore, AnalysisSummary } from '../../records/application/analysis-store.js';
import { SYSTEM_ACTOR } from '../../records/application/finding-store.js';
import type { FindingActor, FindingHistory, FindingStore } from '../../records/application/finding-store.js';
import type { DecisionChange, InvoiceStore } from '../../records/application/invoice-store.js';
import type { UploadStore } from '../../records/application/upload-store.js';

/** Maximum number of analyses of an invoice in its timeline. The newest are kept. */
const ANALYSES_MAX = 100;
/** Maximum number of entries in a timeline. The newest are kept. */
export const TIMELINE_ENTRIES_MAX = 1_000;

export type TimelineKind =
  | 'RECEIVED'
  | 'ANALYZED'
  | 'REANALYZED'
  | 'FINDING_CREATED'
  | 'FINDING_REVIEWED'
  | 'FINDING_ASSIGNED'
  | 'DECISION_CHANGED';

/** Something that happened to an invoice. */
export interface TimelineEntry {
  readonly at: Date;
  readonly kind: TimelineKind;
  readonly actor: FindingActor;
  readonly ref: { readonly type: 'invoice' | 'analysis' | 'finding'; readonly id: string };
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly note?: string | undefined;
}

export interface Timeline {
  /** Entries of the timeline, oldest first. */
  readonly entries: readonly TimelineEntry[];
  /** True if the timeline has older entries than those that are returned. */
  readonly isTruncated: boolean;
}

interface Deps {
  readonly invoices: Pick<InvoiceStore, 'find' | 'decisionChanges'>;
  readonly analyses: Pick<AnalysisStore, 'ofInvoice'>;
  readonly findings: Pick<FindingStore, 'historiesOfInvoice'>;
  readonly uploads: Pick<UploadStore, 'find'>;
}

/**
 * Reads what happened to an invoice. The timeline itself is not stored: each of its entries is derived from the record
 * that the entry is about.
 * @throws DomainError not_found
 */
export type ReadTimeline = (organizationId: string, invoiceId: string) => Promise<Timeline>;

export function timelineReader({ invoices, analyses, findings, uploads }: Deps): ReadTimeline {
  return async (organizationId, invoiceId) => {
    const invoice = await invoices.find(organizationId, invoiceId);
    if (invoice?.analysis === undefined) {
      const received = invoice ?? (await uploads.find(organizationId, invoiceId));
      if (received === undefined) throw notFound('invoice');
      return { entries: [receivedAt(invoiceId, received.createdAt)], isTruncated: false };
    }
    const newest = { size: ANALYSES_MAX, after: undefined, createdFrom: undefined, createdTo: undefined };
    const [{ items, nextPageToken }, histories, decisions] = await Promise.all([
      analyses.ofInvoice(invoice, newest),
      findings.historiesOfInvoice(organizationId, invoiceId),
      invoices.decisionChanges(organizationId, invoiceId),
    ]);
    const hasMore = nextPageToken !== '';
    return timelineOf(
      [
        receivedAt(invoiceId, invoice.createdAt),
        ...items.toReversed().map(analyzed),
        ...histories.flatMap(changesOf),
        ...decisions.map(decided),
      ],
      hasMore,
    );
  };
}

/** Orders the entries by time and keeps the newest. Entries with equal times keep their order. */
export function timelineOf(entries: readonly TimelineEntry[], hasMore: boolean): Timeline {
  const ordered = entries.toSorted((left, right) => left.at.getTime() - right.at.getTime());
  return {
    entries: ordered.slice(-TIMELINE_ENTRIES_MAX),
    isTruncated: hasMore || ordered.length > TIMELINE_ENTRIES_MAX,
  };
}

function receivedAt(id: string, at: Date): TimelineEntry {
  return { at, kind: 'RECEIVED', actor: SYSTEM_ACTOR, ref: { type: 'invoice', id } };
}

function analyzed({ analysisId: id, createdAt: at, decision: to, previous }: AnalysisSummary): TimelineEntry {
  const ref = { type: 'analysis', id } as const;
  if (previous === undefined) return { at, kind: 'ANALYZED', actor: SYSTEM_ACTOR, ref, to };
  const changed = previous.differences.find(({ field }) => field === 'decision');
  return { at, kind: 'REANALYZED', actor: SYSTEM_ACTOR, ref, from: changed?.from ?? to, to };
}

/**
 * Kinds of the timeline entries for changes of a finding. A change by an analysis (RECOMPUTED) is shown as the repeated
 * analysis that made it.
 */
const kinds = {
  CREATED: 'FINDING_CREATED',
  REVIEWED: 'FINDING_REVIEWED',
  ASSIGNED: 'FINDING_ASSIGNED',
  RECOMPUTED: 'REANALYZED',
} as const;

function changesOf({ findingId: id, type, createdAt, history }: FindingHistory): TimelineEntry[] {
  const ref = { type: 'finding', id } as const;
  return [
    { at: createdAt, kind: 'FINDING_CREATED', actor: SYSTEM_ACTOR, ref, to: type },
    ...history.map(({ at, actor, action, from, to, note }) => ({
      at,
      kind: kinds[action],
      actor,
      ref,
      from,
      to,
      note,
    })),
  ];
}

function decided({ at, findingId: id, from, to }: DecisionChange): TimelineEntry {
  return { at, kind: 'DECISION_CHANGED', actor: SYSTEM_ACTOR, ref: { type: 'finding', id }, from, to };
}
