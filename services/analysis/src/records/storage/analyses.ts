import type { Collection, Filter } from 'mongodb';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { pageOf } from '@invoicecontrol/runtime/page';
import type { PageRequest } from '@invoicecontrol/runtime/page';
import type { AnalysisRecord, AnalysisStore } from '../application/analysis-store.js';
import { analysisIdFor } from '../application/derived-ids.js';
import type { DecidedAnalysis } from '../application/invoice-store.js';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { InvoiceDocument } from './invoices.js';
import { readFacts } from './stored-facts.js';
import type { FactBundleDocument, StoredFacts } from './stored-facts.js';

/**
 * Analysis that a later analysis of the same invoice has replaced, with its facts (ADR 0131). It is never changed.
 * Releases before ADR 0131 stored every analysis in this collection, and the invoice kept only the facts of the latest
 * one.
 */
export interface AnalysisDocument extends Omit<DecidedAnalysis, 'analysisId'> {
  /** Id of the stored analysis, a UUIDv5 derived from the invoice and the number of the analysis. */
  readonly _id: string;
  readonly organizationId: string;
  readonly invoiceId: string;
  readonly facts: StoredFacts;
  /** Gross amount of a history scan row in the base currency. Present only if an earlier release decided the row. */
  readonly base?: ConvertedAmount | null;
}

/**
 * Condition for invoices that contain their current analysis. Invoices that earlier releases stored do not contain it,
 * see {@link AnalysisDocument}.
 */
export const HAVE_CURRENT = { facts: { $exists: true } } as const;
/** Fields of a stored invoice from which its current analysis is read ({@link currentAnalysisOf}). */
export const CURRENT_ANALYSIS = { organizationId: 1, createdAt: 1, analysis: 1 } as const;
const WITH_FACTS = { ...CURRENT_ANALYSIS, facts: 1 } as const;
/** Prefix of the ids of invoice analyses in page tokens that point to earlier analyses. */
const EARLIER = 'earlier_';

export async function createAnalysisIndexes(collection: Collection<AnalysisDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, invoiceId: 1, number: -1 }, name: 'of_invoice' },
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
  ]);
}

export function analysisStore(
  earlier: Collection<AnalysisDocument>,
  invoices: Collection<InvoiceDocument>,
  bundles: Collection<FactBundleDocument>,
): AnalysisStore {
  const withFacts = async (
    organizationId: string,
    documents: readonly AnalysisDocument[],
  ): Promise<AnalysisRecord[]> => {
    const facts = await readFacts(
      bundles,
      organizationId,
      documents.map((document) => document.facts),
    );
    return documents.map((document, index) => toRecord(document, facts[index] as AnalysisRecord['facts']));
  };
  const findCurrent = (organizationId: string, invoiceId: string, also: Filter<InvoiceDocument> = {}) =>
    invoices.findOne({ ...also, _id: invoiceId, organizationId, ...HAVE_CURRENT }, { projection: WITH_FACTS });
  /** Reads the current analyses of invoices, newest invoice first. */
  const currentPage = async (organizationId: string, request: PageRequest) => {
    const { items } = await findPage(invoices, { organizationId, ...HAVE_CURRENT }, request, WITH_FACTS);
    return items.map((invoice) => ({
      document: withOwnFacts(invoice),
      position: { order: invoice.createdAt.getTime(), id: invoice._id },
    }));
  };
  /**
   * Reads replaced analyses, newest first. An analysis that is also stored with its invoice, as its current analysis,
   * is left out.
   */
  const earlierPage = async (organizationId: string, request: PageRequest) => {
    const { items } = await findPage(earlier, { organizationId }, request);
    const current = await invoices
      .find(
        { _id: { $in: items.map(({ invoiceId }) => invoiceId) }, organizationId, ...HAVE_CURRENT },
        { projection: { 'analysis.analysisId': 1 } },
      )
      .toArray();
    const currentIds = new Set(current.map(({ analysis }) => analysis?.analysisId));
    return items.map((document) => ({
      document: currentIds.has(document._id) ? undefined : document,
      position: { order: document.createdAt.getTime(), id: EARLIER + document._id },
    }));
  };
  return {
    async keepCurrent({ organizationId, invoiceId }) {
      const current = await findCurrent(organizationId, invoiceId);
      if (current !== null) await insertMissing(earlier, [withOwnFacts(current)]);
    },
    async find({ organizationId, invoiceId }, number) {
      // The invoice is read before its earlier analyses. When an analysis is replaced, it is first copied to the
      // earlier analyses, so it is found in one of the two places at any time.
      const current = await findCurrent(organizationId, invoiceId, { 'analysis.number': number });
      const document =
        current === null
          ? await earlier.findOne({ _id: analysisIdFor(invoiceId, number), organizationId })
          : withOwnFacts(current);
      if (document === null) return undefined;
      const [record] = await withFacts(organizationId, [document]);
      return record;
    },
    async ofInvoice({ organizationId, invoiceId, analysis }, { size, after }) {
      const isAfter = (number: number): boolean => after === undefined || number < after.order;
      const { findings: _, ...current } = analysis;
      const newest = isAfter(current.number) ? [current] : [];
      const below = Math.min(current.number, after?.order ?? current.number);
      const documents = await earlier
        .find({ organizationId, invoiceId, number: { $lt: below } }, { projection: { facts: 0, findings: 0 } })
        .sort({ number: -1 })
        .limit(size + 1 - newest.length)
        .toArray();
      const summaries = documents.map(({ _id: analysisId, ...summary }) => ({ analysisId, ...summary }));
      return pageOf([...newest, ...summaries], size, ({ number, analysisId }) => ({ order: number, id: analysisId }));
    },
    async all(organizationId, request) {
      const { size, after } = request;
      const isEarlier = after?.id.startsWith(EARLIER) === true;
      const current = isEarlier ? [] : await currentPage(organizationId, { ...request, size: size + 1 });
      const missing = size + 1 - current.length;
      const position = isEarlier ? { ...after, id: after.id.slice(EARLIER.length) } : undefined;
      const rest =
        missing === 0 ? [] : await earlierPage(organizationId, { ...request, size: missing, after: position });
      const { items, nextPageToken } = pageOf([...current, ...rest], size, (one) => one.position);
      const documents = items.flatMap(({ document }) => document ?? []);
      return { items: await withFacts(organizationId, documents), nextPageToken };
    },
  };
}

/**
 * Converts the analysis that is stored with an invoice to the form in which replaced analyses are stored.
 * @throws TypeError if the invoice has no analysis
 */
export function currentAnalysisOf({
  _id: invoiceId,
  organizationId,
  analysis,
}: Pick<InvoiceDocument, '_id' | 'organizationId' | 'analysis'>): Omit<AnalysisDocument, 'facts'> {
  if (analysis === undefined) throw new TypeError(`The invoice ${invoiceId} has no stored analysis.`);
  const { analysisId, ...decided } = analysis;
  return { _id: analysisId, organizationId, invoiceId, ...decided };
}

function withOwnFacts(invoice: InvoiceDocument): AnalysisDocument {
  const { _id, facts } = invoice;
  if (facts === undefined) throw new TypeError(`The analysis of the invoice ${_id} has no stored facts.`);
  return { ...currentAnalysisOf(invoice), facts };
}

function toRecord(
  { _id, organizationId: _, invoiceId, facts: _packed, base: _base, ...analysis }: AnalysisDocument,
  facts: AnalysisRecord['facts'],
): AnalysisRecord {
  return { invoiceId, analysis: { analysisId: _id, ...analysis }, facts };
}
