import { promisify } from 'node:util';
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import { Binary } from 'mongodb';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { endOfMonth } from '@invoicecontrol/metering/usage-month';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { inBatches } from '../../records/storage/in-batches.js';
import type { CheckedLine, CheckedLines, LineOfInvoice, PaymentRunStore } from '../application/payment-run-store.js';
import type { LineFacts } from '../domain/join.js';
import type { PaymentLine } from '../domain/payment-line.js';
import type { GivenLines, Outcome, PaymentRun, Release, RunCheck, RunReport } from '../domain/run.js';
import { RULES_VERSION_UNNAMED } from '../domain/verdict.js';
import type { LineResult, RunFacts, Verdict } from '../domain/verdict.js';

/** Number of payment lines that one write stores. Larger writes keep other requests of the process waiting. */
const WRITE_LINES_MAX = 100;
/** Number of payment lines whose facts are stored together. Facts of neighbouring lines resemble each other. */
const FACTS_BUNDLE_LINES = 100;
/** Number of documents with payment line facts that one write stores. */
const WRITE_BUNDLES_MAX = 2;
const LOOKUP_IDS_MAX = 500;
/** Maximum number of payments in earlier payment runs that are read for one invoice. */
const LINES_PER_INVOICE_MAX = 64;
const POSITION_DIGITS = 5;

/** A stored payment run. All its changes are guarded by its version. */
export interface PaymentRunDocument extends Aggregate {
  readonly companyId: string;
  readonly source: PaymentRun['source'];
  readonly messageId?: string;
  readonly lineCount: number;
  readonly executionDate?: CalendarDate;
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly counts: PaymentRun['counts'];
  /** Checks of the payment run. Old checks have no version of the rules, because the version was not stored. */
  readonly checks: readonly (Omit<RunCheck, 'rulesVersion'> & Partial<Pick<RunCheck, 'rulesVersion'>>)[];
  readonly downloads: readonly (Omit<GivenLines, 'lines'> & { readonly lines: Binary })[];
  readonly reports: readonly RunReport[];
}

/** The file of a payment run as it was received. */
export interface PaymentFileDocument {
  /** Id of the payment run to which the stored file belongs. */
  readonly _id: string;
  readonly organizationId: string;
  readonly bytes: Binary;
}

/** One line of a payment run, with the verdict of one check. */
export interface PaymentLineDocument {
  /** Id of a stored payment line: made of the payment run, the check and the position of the line. */
  readonly _id: string;
  readonly organizationId: string;
  readonly runId: string;
  readonly checkId: string;
  readonly position: number;
  readonly lineId: string;
  readonly verdict: Verdict;
  /** Invoices that the payment line pays, by which later payment runs find the line. */
  readonly invoiceIds: readonly string[];
  readonly line: PaymentLine;
  readonly result: LineResult;
}

/** The facts of neighbouring payment lines of one check, as compressed JSON. */
export interface PaymentFactsDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly runId: string;
  readonly checkId: string;
  readonly bundle: number;
  readonly facts: Binary;
}

/** The release of one held line of a payment run. */
export interface PaymentReleaseDocument extends Aggregate {
  readonly runId: string;
  readonly lineId: string;
  readonly release: Omit<Release, 'version'>;
}

/** Status that the bank reported for one line of the payment run. */
export interface PaymentOutcomeDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly runId: string;
  readonly position: number;
  /** Account of the payment line, by which later payment runs find the bank's verification of the payee. */
  readonly accountKey?: string;
  readonly outcome: Outcome;
}

export interface PaymentRunCollections {
  readonly runs: Collection<PaymentRunDocument>;
  readonly files: Collection<PaymentFileDocument>;
  readonly lines: Collection<PaymentLineDocument>;
  readonly facts: Collection<PaymentFactsDocument>;
  readonly releases: Collection<PaymentReleaseDocument>;
  readonly outcomes: Collection<PaymentOutcomeDocument>;
}

/** Collections of payment runs whose documents contain events to publish. */
export const PAYMENT_RUNS = 'payment_runs';
export const PAYMENT_RELEASES = 'payment_releases';

export async function createPaymentRunIndexes({
  runs,
  lines,
  facts,
  releases,
  outcomes,
  files,
}: PaymentRunCollections): Promise<void> {
  await Promise.all([
    ensureIndexes(runs, [
      { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
      { key: { organizationId: 1, companyId: 1, ...NEWEST_FIRST }, name: 'newest_of_company' },
      { key: { organizationId: 1, companyId: 1, messageId: 1 }, name: 'message_id' },
    ]),
    ensureIndexes(files, [{ key: { organizationId: 1, _id: 1 }, name: 'of_organization' }]),
    ensureIndexes(lines, [
      { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
      { key: { organizationId: 1, runId: 1, checkId: 1, position: 1 }, name: 'order' },
      { key: { organizationId: 1, runId: 1, checkId: 1, verdict: 1, position: 1 }, name: 'order_of_verdict' },
      { key: { organizationId: 1, runId: 1, checkId: 1, lineId: 1 }, name: 'line' },
      { key: { organizationId: 1, invoiceIds: 1 }, name: 'invoices' },
    ]),
    ensureIndexes(facts, [{ key: { organizationId: 1, runId: 1, checkId: 1, bundle: 1 }, name: 'order' }]),
    ensureIndexes(releases, [
      { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
      { key: { organizationId: 1, runId: 1 }, name: 'of_run' },
    ]),
    ensureIndexes(outcomes, [
      { key: { organizationId: 1, runId: 1, position: 1 }, name: 'of_run' },
      { key: { organizationId: 1, accountKey: 1, 'outcome.reportedAt': -1 }, sparse: true, name: 'account' },
    ]),
  ]);
}

export function paymentRunStore(
  { runs, files, lines, facts, releases, outcomes }: PaymentRunCollections,
  outbox: Outbox,
  clock: Clock,
): PaymentRunStore {
  const aggregates = aggregateStore(runs, outbox, clock);
  const releaseAggregates = aggregateStore(releases, outbox, clock);
  /**
   * Returns the ids of the checks whose lines may have been paid. These are the checks from which a payment file was
   * downloaded and, if the bank has reported about the payment run, its newest check. Lines of other checks are not
   * read, because there may be many.
   */
  const effectiveChecks = async (organizationId: string, runIds: readonly string[]): Promise<readonly string[]> => {
    const found = await inBatches(runIds, LOOKUP_IDS_MAX, (some) =>
      runs
        .find<Pick<PaymentRunDocument, 'downloads' | 'checks' | 'reports'>>(
          {
            _id: { $in: [...some] },
            organizationId,
            $or: [{ 'downloads.0': { $exists: true } }, { 'reports.0': { $exists: true } }],
          },
          { projection: { 'downloads.checkId': 1, 'reports.at': 1, checks: { $slice: -1 } } },
        )
        .toArray(),
    );
    return found
      .flat()
      .flatMap(({ downloads, reports, checks }) => [
        ...downloads.map(({ checkId }) => checkId),
        ...(reports.length === 0 ? [] : checks.map(({ checkId }) => checkId)),
      ]);
  };
  return {
    async insertCheck({ organizationId, runId, checkId, facts: lineFacts, run, results }: CheckedLines) {
      const documents = results.map((result, index): PaymentLineDocument => {
        const line = lineFacts[index]?.line as PaymentLine;
        return {
          _id: `${runId}|${checkId}|${String(line.position).padStart(POSITION_DIGITS, '0')}`,
          organizationId,
          runId,
          checkId,
          position: line.position,
          lineId: line.lineId,
          verdict: result.verdict,
          invoiceIds: result.invoices.map(({ invoiceId }) => invoiceId),
          line,
          result,
        };
      });
      await inBatches(documents, WRITE_LINES_MAX, (batch) => insertMissing(lines, batch));
      const bundles = Array.from({ length: Math.ceil(lineFacts.length / FACTS_BUNDLE_LINES) }, (_, bundle) => bundle);
      await inBatches(bundles, WRITE_BUNDLES_MAX, async (some) => {
        const packed: PaymentFactsDocument[] = [];
        for (const bundle of some) {
          const from = bundle * FACTS_BUNDLE_LINES;
          packed.push({
            _id: `${runId}|${checkId}|${bundle}`,
            organizationId,
            runId,
            checkId,
            bundle,
            facts: await pack({ run, facts: lineFacts.slice(from, from + FACTS_BUNDLE_LINES) }),
          });
        }
        await insertMissing(facts, packed);
      });
    },
    async removeCheck(organizationId, { runId, checkId }) {
      const ofCheck = { organizationId, runId, checkId };
      await Promise.all([lines.deleteMany(ofCheck), facts.deleteMany(ofCheck)]);
    },
    async insert({ runId, bytes, version: _, downloads, ...run }, events) {
      if (bytes !== undefined) {
        const file = { _id: runId, organizationId: run.organizationId, bytes: new Binary(await deflate(bytes)) };
        await insertMissing(files, [file]);
      }
      try {
        await aggregates.insert({ _id: runId, ...run, downloads: downloads.map(toStoredDownload) }, { events });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, runId) {
      const document = await runs.findOne({ _id: runId, organizationId });
      return document === null ? undefined : toRun(document);
    },
    async list(organizationId, { companyId, ...page }) {
      const filter = { organizationId, ...(companyId === undefined ? {} : { companyId }) };
      const { items, nextPageToken } = await findPage(runs, filter, page);
      return { items: items.map(toRun), nextPageToken };
    },
    async hasMessageId(organizationId, { companyId, messageId, exceptRunId }) {
      const found = await runs.findOne(
        { organizationId, companyId, messageId, _id: { $ne: exceptRunId } },
        { projection: { _id: 1 } },
      );
      return found !== null;
    },
    async change({ runId, organizationId, version }, { downloads, ...change }, events) {
      const $set = { ...change, ...(downloads === undefined ? {} : { downloads: downloads.map(toStoredDownload) }) };
      const saved = await aggregates.save({ id: runId, organizationId, version }, { $set } as UpdateFilter<never>, {
        events,
      });
      return toRun(saved);
    },
    async bytesOf(organizationId, runId) {
      const file = await files.findOne({ _id: runId, organizationId });
      return file === null ? undefined : inflate(file.bytes.buffer);
    },
    async lines(organizationId, { runId, checkId }, { size, after, verdict }) {
      const found = await lines
        .find(
          { organizationId, runId, checkId, ...(verdict === undefined ? {} : { verdict }), position: { $gt: after } },
          { projection: LINE, sort: { position: 1 }, limit: size },
        )
        .toArray();
      return found.map(toLine);
    },
    async line(organizationId, { runId, checkId }, lineId) {
      const found = await lines.findOne({ organizationId, runId, checkId, lineId }, { projection: LINE });
      return found === null ? undefined : toLine(found);
    },
    async allLines(organizationId, { runId, checkId }) {
      const found = await lines
        .find({ organizationId, runId, checkId }, { projection: LINE, sort: { position: 1 }, batchSize: 1_000 })
        .toArray();
      return found.map(toLine);
    },
    async factsOf(organizationId, { runId, checkId }) {
      const bundles = await facts.find({ organizationId, runId, checkId }, { sort: { bundle: 1 } }).toArray();
      const read = bundles.map((bundle) => unpacked(bundle.facts));
      const [first] = read;
      return first === undefined ? undefined : { run: first.run, facts: read.flatMap((bundle) => bundle.facts) };
    },
    async releases(organizationId, runId, lineIds) {
      const filter = { organizationId, runId, ...(lineIds === undefined ? {} : { lineId: { $in: [...lineIds] } }) };
      const found = await releases.find(filter as Filter<PaymentReleaseDocument>).toArray();
      return new Map(found.map(({ lineId, release, version }) => [lineId, { ...release, version }]));
    },
    async writeRelease(organizationId, { runId, lineId, version }, release, events) {
      const id = `${runId}|${lineId}`;
      try {
        if (version === 0) {
          await releaseAggregates.insert({ _id: id, organizationId, runId, lineId, release } as never, { events });
        } else {
          await releaseAggregates.commit({ id, organizationId, version }, { $set: { release } } as never, { events });
        }
        return true;
      } catch (error) {
        if (isDuplicateKey(error) || error instanceof VersionConflict) return false;
        throw error;
      }
    },
    async outcomes(organizationId, runId, positions) {
      const filter = {
        organizationId,
        runId,
        ...(positions === undefined ? {} : { position: { $in: [...positions] } }),
      };
      const found = await outcomes.find(filter as Filter<PaymentOutcomeDocument>).toArray();
      return new Map(found.map(({ position, outcome }) => [position, outcome]));
    },
    async writeOutcomes(organizationId, runId, reported) {
      await inBatches([...reported], WRITE_LINES_MAX, (batch) =>
        outcomes.bulkWrite(
          batch.map(([position, { accountKey, ...outcome }]) => ({
            updateOne: {
              filter: { _id: `${runId}|${position}`, organizationId },
              update: {
                $set: { runId, position, outcome, ...(accountKey === undefined ? {} : { accountKey }) },
              } as UpdateFilter<PaymentOutcomeDocument>,
              upsert: true,
            },
          })),
          { ordered: false },
        ),
      );
    },
    async linesOfInvoices(organizationId, invoiceIds, ofCheck) {
      const found = await inBatches(invoiceIds, LOOKUP_IDS_MAX, async (some) => {
        const ofInvoices = { organizationId, invoiceIds: { $in: [...some] } };
        const runIds = await lines.distinct('runId', ofInvoices);
        const checkIds = [
          ...(await effectiveChecks(organizationId, runIds)),
          ...(ofCheck === undefined ? [] : [ofCheck]),
        ];
        return lines
          .find<Pick<PaymentLineDocument, 'runId' | 'checkId' | 'position' | 'lineId' | 'result'>>(
            { ...ofInvoices, checkId: { $in: checkIds } },
            {
              projection: { runId: 1, checkId: 1, position: 1, lineId: 1, 'result.invoices': 1 },
              limit: LINES_PER_INVOICE_MAX * some.length,
            },
          )
          .toArray();
      });
      return found.flat().flatMap(({ result, ...line }): LineOfInvoice[] =>
        result.invoices.map(({ invoiceId, amountMinor, currency }) => ({
          runId: line.runId,
          checkId: line.checkId,
          position: line.position,
          lineId: line.lineId,
          invoiceId,
          amountMinor,
          currency,
        })),
      );
    },
    async givenLines(organizationId, runIds) {
      const found = await inBatches(runIds, LOOKUP_IDS_MAX, (some) =>
        runs
          .find<Pick<PaymentRunDocument, '_id' | 'downloads'>>(
            { _id: { $in: [...some] }, organizationId },
            { projection: { downloads: 1 } },
          )
          .toArray(),
      );
      return new Map(found.flat().map(({ _id, downloads }) => [_id, downloads.map(toDownload)]));
    },
    async linesCreated(organizationId, month, { from, to }) {
      const [counted] = await runs
        .aggregate<{ lines: number }>([
          {
            $match: {
              organizationId,
              createdAt: { $gte: from ?? new Date(`${month}-01`), $lt: earlier(to, endOfMonth(month)) },
            },
          },
          { $group: { _id: null, lines: { $sum: '$lineCount' } } },
        ])
        .toArray();
      return counted?.lines ?? 0;
    },
    async payeeChecks(organizationId, accountKeys) {
      const found = await inBatches(accountKeys, LOOKUP_IDS_MAX, (some) =>
        outcomes
          .find(
            { organizationId, accountKey: { $in: [...some] } },
            { projection: { accountKey: 1, outcome: 1 }, sort: { 'outcome.reportedAt': 1 } },
          )
          .toArray(),
      );
      return new Map(
        found
          .flat()
          .flatMap(({ accountKey, outcome: { payeeCheck } }) =>
            accountKey === undefined || payeeCheck === undefined ? [] : [[accountKey, payeeCheck] as const],
          ),
      );
    },
  };
}

/** Files and facts of payment runs are compressed in the thread pool of Node.js. */
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const LINE = { line: 1, result: 1 } as const;

function toLine({ line, result }: Pick<PaymentLineDocument, 'line' | 'result'>): CheckedLine {
  return { line, result };
}

function toRun({ _id: runId, downloads, messageId, executionDate, ...document }: PaymentRunDocument): PaymentRun {
  const { organizationId, version, companyId, source, lineCount, fingerprint, createdAt, counts, checks, reports } =
    document;
  return {
    runId,
    organizationId,
    version,
    companyId,
    source,
    messageId,
    lineCount,
    executionDate,
    fingerprint,
    createdAt,
    counts,
    checks: checks.map(toCheck),
    downloads: downloads.map(toDownload),
    reports,
  };
}

/** Reads a stored check of a payment run. */
export function toCheck({
  rulesVersion = RULES_VERSION_UNNAMED,
  ...check
}: PaymentRunDocument['checks'][number]): RunCheck {
  return { ...check, rulesVersion };
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

function toStoredDownload({ lines, ...download }: GivenLines): PaymentRunDocument['downloads'][number] {
  return { ...download, lines: new Binary(lines) };
}

function toDownload({ lines, ...download }: PaymentRunDocument['downloads'][number]): GivenLines {
  return { ...download, lines: lines.buffer };
}

interface Bundle {
  readonly run: RunFacts;
  readonly facts: readonly LineFacts[];
}

async function pack(bundle: Bundle): Promise<Binary> {
  return new Binary(await deflate(JSON.stringify(bundle)));
}

function unpacked({ buffer }: Binary): Bundle {
  return JSON.parse(inflateRawSync(buffer).toString('utf8')) as Bundle;
}
