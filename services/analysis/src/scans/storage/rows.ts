import { Binary } from 'mongodb';
import type { Collection, Filter, FindCursor, UpdateFilter } from 'mongodb';
import { v7 as uuidV7 } from 'uuid';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { announcementsOf } from '../../records/application/announcements.js';
import { packBundle } from '../../records/application/packed-facts.js';
import { analysisIdFor } from '../../records/application/derived-ids.js';
import type { DecidedRow, RowDecision, RowStore } from '../../records/application/row-store.js';
import { suspicionOf } from '../../reviews/domain/review.js';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import { CANDIDATES_PER_KEY_MAX, HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import type { AnalysisDocument } from '../../records/storage/analyses.js';
import { findingDocumentsOf } from '../../records/storage/findings.js';
import type { FindingDocument } from '../../records/storage/findings.js';
import { inBatches } from '../../records/storage/in-batches.js';
import { MATCH_INDEX, matchPartIn } from '../../records/storage/invoices.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import type { FactBundleDocument, StoredFacts } from '../../records/storage/stored-facts.js';

/**
 * Maximum number of history scan rows in one write or read, so that neither the database nor this process is blocked
 * for long.
 */
const BATCH_DOCUMENTS_MAX = 25;

interface Collections {
  readonly invoices: Collection<InvoiceDocument>;
  readonly analyses: Collection<AnalysisDocument>;
  readonly bundles: Collection<FactBundleDocument>;
  readonly findings: Collection<FindingDocument>;
}

/** Stores history scan rows many at a time, in the same form as single invoices. */
export function rowStore(
  { invoices, analyses, bundles, findings }: Collections,
  outbox: Outbox,
  clock: Clock,
): RowStore {
  const aggregates = aggregateStore(invoices, outbox, clock);

  const matching = (filter: Filter<InvoiceDocument>): FindCursor<MatchPart> =>
    invoices
      .find<Pick<InvoiceDocument, 'match' | 'status'>>(filter, { projection: { match: 1, status: 1 } })
      .map(matchPartIn);

  const candidates: RowStore['candidates'] = async ({ organizationId, scanId }, keys) => {
    const limit = CANDIDATES_PER_KEY_MAX * keys.length;
    const others = { organizationId, 'match.scanId': { $ne: scanId } };
    const parts = await matching({ ...others, 'match.keys': { $in: [...keys] } })
      .hint(MATCH_INDEX)
      .limit(limit)
      .toArray();
    if (parts.length < limit) return parts;
    // Some lookup keys of scan rows are shared by very many invoices, so the newest invoices are read for each key
    // separately.
    const hits = await inBatches(keys, 1, ([key = '']) =>
      matching({ ...others, 'match.keys': key })
        .hint(MATCH_INDEX)
        .sort({ 'match.issueDay': -1 })
        .limit(HITS_PER_KEY_MAX)
        .toArray(),
    );
    return hits.flat();
  };

  /** Commits decisions on history scan rows. Returns false if some of the rows were decided before. */
  const commit = (
    organizationId: string,
    rows: readonly DecidedRow[],
    factsAt: (index: number) => StoredFacts | undefined,
  ): Promise<boolean> =>
    aggregates.commitMany(
      rows.map((row, index) => ({
        guard: { id: row.subject.invoiceId, organizationId, version: 1 },
        change: decisionOf(row, factsAt(index)),
        events: announcementsOf({ ...row.subject, source: 'SCAN' }, row.analysis),
      })),
    );

  return {
    candidates,
    async receive({ organizationId, companyId }, rows, receivedAt) {
      await inBatches(rows, BATCH_DOCUMENTS_MAX, (some) =>
        insertMissing(
          invoices,
          some.map(({ invoiceId, invoice, match }) => ({
            _id: invoiceId,
            organizationId,
            version: 1,
            companyId,
            source: 'SCAN' as const,
            status: 'RECEIVED' as const,
            createdAt: receivedAt,
            invoice,
            match,
          })),
        ),
      );
    },
    async hasHistory(organizationId) {
      return (await invoices.findOne({ organizationId }, { projection: { _id: 1 } })) !== null;
    },
    arrivedSince({ organizationId, scanId }, since) {
      const filter = { organizationId, createdAt: { $gte: since }, 'match.scanId': { $ne: scanId } };
      return matching(filter).batchSize(BATCH_DOCUMENTS_MAX).toArray();
    },
    async decided(organizationId, invoiceIds) {
      const current = await inBatches(invoiceIds, BATCH_DOCUMENTS_MAX, (some) =>
        invoices
          .find(
            { _id: { $in: [...some] }, organizationId, 'analysis.number': 1 },
            { projection: { analysis: 1, base: 1 } },
          )
          .toArray(),
      );
      const decisions = new Map<string, RowDecision>();
      for (const { _id, analysis, base = null } of current.flat()) {
        if (analysis !== undefined) decisions.set(_id, { analysis, base });
      }
      // If a history scan row was analyzed again, its first analysis is in the collection of earlier analyses. An
      // earlier release stored every analysis in that collection first.
      const ids = invoiceIds.filter((id) => !decisions.has(id)).map((id) => analysisIdFor(id, 1));
      const earlier = await inBatches(ids, BATCH_DOCUMENTS_MAX, (some) =>
        analyses.find({ _id: { $in: [...some] }, organizationId }, { projection: { facts: 0 } }).toArray(),
      );
      for (const document of earlier.flat()) decisions.set(document.invoiceId, toDecision(document));
      return decisions;
    },
    async decide(organizationId, rows) {
      if (rows.length === 0) return new Set();
      // Each write has its own bundle of facts, to which only the rows of this write refer. If another worker has
      // already decided all of these rows, the bundle is never read.
      const bundleId = uuidV7();
      const facts = await packBundle(rows.flatMap(({ facts: read }) => read ?? []));
      await bundles.insertOne({ _id: bundleId, organizationId, facts: new Binary(facts) });
      const isStored = await commit(organizationId, rows, (index) => ({ bundleId, index }));
      if (isStored) return new Set();
      const ids = rows.map(({ subject }) => subject.invoiceId);
      const found = await invoices
        .find({ _id: { $in: ids }, organizationId, 'facts.bundleId': bundleId } as Filter<InvoiceDocument>, {
          projection: { _id: 1 },
        })
        .toArray();
      const own = new Set(found.map(({ _id }) => _id));
      return new Set(ids.filter((id) => !own.has(id)));
    },
    async finalize(organizationId, rows) {
      await Promise.all([
        // A history scan row without facts was decided by an earlier call. That call may have been made by an earlier
        // release that stored only the analysis. The decision is therefore written to the invoice here, if it is
        // missing.
        commit(
          organizationId,
          rows.filter(({ facts }) => facts === undefined),
          () => undefined,
        ),
        insertMissing(
          findings,
          rows.flatMap(({ subject, analysis }) => findingDocumentsOf(organizationId, subject, analysis, clock.now())),
        ),
      ]);
    },
  };
}

function decisionOf(
  { analysis, base, receivedAtMs, reimportOf }: DecidedRow,
  facts: StoredFacts | undefined,
): UpdateFilter<InvoiceDocument> {
  const suspicion = suspicionOf(analysis.findings);
  return {
    $set: {
      status: 'ANALYZED',
      'match.status': 'ANALYZED',
      'match.supplierId': analysis.supplierId,
      'match.suspectedAs': suspicion,
      'match.receivedAtMs': receivedAtMs,
      base,
      analysis,
      facts,
      verdict: { decision: analysis.decision, riskScore: analysis.riskScore },
      reimportOf,
    },
  } as UpdateFilter<InvoiceDocument>;
}

function toDecision({ _id, organizationId, invoiceId, facts, base, ...analysis }: AnalysisDocument): RowDecision {
  return { analysis: { analysisId: _id, ...analysis }, base: base ?? null };
}
