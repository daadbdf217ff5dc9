import { DomainError } from '@invoicecontrol/errors';
import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { createKeyLock } from '@invoicecontrol/runtime/key-lock';
import { pace } from '@invoicecontrol/runtime/pace';
import type { Pace } from '@invoicecontrol/runtime/pace';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { stages } from '@invoicecontrol/runtime/stages';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import pLimit from 'p-limit';
import { runEngineOnScan } from '@invoicecontrol/engine/run-engine';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import { HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { isReimport, nearestScan } from '../../records/domain/reimport.js';
import type { EarlierScan, ReimportedRow } from '../../records/domain/reimport.js';
import { ruleForScan } from '../../reviews/domain/routing.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { rowsDecided } from '../../telemetry.js';
import { raisedAnnouncements } from '../../records/application/announcements.js';
import type { CountRows } from './count-rows.js';
import type { BankLinkStore, OrderLinkStore, SupplierStore } from '../../records/application/counted-records.js';
import { decideRows } from './decide-rows.js';
import type { RowResult } from './decide-rows.js';
import { findingIdFor } from '../../records/application/derived-ids.js';
import type { LoadErpRecords } from '../../books/application/load-erp-records.js';
import type { FindingStore, FindingWithoutInvoice } from '../../records/application/finding-store.js';
import type { HighAmounts } from '../../facts/application/high-amounts.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { loadKnown, searchCandidates, withArrivals } from './load-rows.js';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';
import { readRows, receivedAt } from './read-rows.js';
import type { RowInput } from './read-rows.js';
import type { ReviewStore } from '../../reviews/application/review-store.js';
import { hitsByKey, rowHistory } from './row-history.js';
import type { ReadRow } from './row-history.js';
import { outcomeOf } from './rows-outcome.js';
import type { RowsReference, RowStore } from '../../records/application/row-store.js';
import type { RowsOutcome, ScanRunStore } from '../../records/application/scan-run-store.js';

/** Maximum number of history scans that one process analyzes at the same time, because their rows are in memory. */
const SCANS_AT_ONCE_MAX = 2;
const SCANS_WAITING_MAX = 8;
/** Maximum time in milliseconds for which a history scan delays other requests. */
const TURN_MS_MAX = 2;

interface Deps {
  readonly runs: ScanRunStore;
  readonly rows: RowStore;
  readonly invoices: InvoiceStore;
  readonly findings: FindingStore;
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly erpRecords: LoadErpRecords;
  readonly countRows: CountRows;
  readonly reviews: ReviewStore;
  readonly tenants: Tenants;
  readonly policies: Cache<OrganizationPolicy>;
  readonly routingRules: Cache<readonly RoutingRule[]>;
  /**
   * Detection policy. It determines which names and tax ids belong to the same supplier, for history scan rows as for
   * single invoices.
   */
  readonly policy: Policy;
  readonly publishedRates: PublishedRates;
  readonly highAmounts: HighAmounts;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface AnalyzeRowsInput extends RowsReference {
  readonly baseCurrency: string;
  /** Time when the history scan was accepted, which is the same in every repeated call. */
  readonly receivedAt: Date;
  readonly rows: readonly RowInput[];
}

/**
 * Decides the rows of a history scan one after another, sorted by issue date, source row number and position in the
 * scan. Each row is compared with the history up to that row (detection reference, section 4). If the caller stops
 * waiting, the work stops at its next step, and no other worker continues it. A repeated call with the same scan id
 * then completes the work: rows that have an analysis keep it, the others are analyzed, and all derived records are
 * stored once. A repeated call begins only when the previous one has ended, so that a history scan is never analyzed
 * twice at the same time (ADR 0032).
 * @throws DomainError unavailable if too many history scans are waiting; deadline if the caller has stopped waiting
 */
export type AnalyzeRows = (input: AnalyzeRowsInput, context: RequestContext) => Promise<RowsOutcome>;

export const analyzeRows = (deps: Deps): AnalyzeRows => {
  const inTurn = pLimit(SCANS_AT_ONCE_MAX);
  const oneAfterTheOther = createKeyLock();
  let waiting = 0;
  return async (input, context) => {
    if (waiting >= SCANS_WAITING_MAX) {
      throw new DomainError(
        'unavailable',
        'Too many history scans are being analyzed right now. Retry the request in a few seconds.',
      );
    }
    waiting++;
    const begin = (): Promise<RowsOutcome> => {
      waiting--;
      return analyzeScan(deps, input, context);
    };
    return oneAfterTheOther(`${input.organizationId}|${input.scanId}`, () => inTurn(begin));
  };
};

/**
 * Stops analyzing the rows of a history scan if the caller no longer waits.
 * @throws DomainError deadline if the caller has stopped waiting
 */
function requireCaller({ signal }: RequestContext): void {
  if (signal?.aborted === true)
    throw new DomainError(
      'deadline',
      'The history scan was abandoned: the client disconnected or timed out before the rows were analyzed.',
    );
}

async function analyzeScan(deps: Deps, input: AnalyzeRowsInput, context: RequestContext): Promise<RowsOutcome> {
  const { runs, policies, routingRules, tenants, countRows: count } = deps;
  const { organizationId, scanId, companyId, baseCurrency } = input;
  const of: RowsReference = { organizationId, scanId, companyId };
  const watch = stages();
  requireCaller(context);
  const { run, isRepeat } = await runs.begin(of, input.receivedAt, deps.clock.now());
  if (run.outcome !== undefined) return run.outcome;

  const turn = pace(TURN_MS_MAX);
  const turns: Pace = () => {
    requireCaller(context);
    return turn();
  };
  const since = deps.clock.now();
  const search = searchCandidates(deps, of);
  const reading = { receivedAtMs: run.receivedAtMs, pace: turns, onRow: search.add };
  const read = await watch.during('read', () => readRows(of, input.rows, reading));
  const [tenant, policy, rules, known, found, highAmount] = await Promise.all([
    tenants.factsOf(organizationId, context, companyId),
    policies.get(organizationId),
    routingRules.get(organizationId),
    watch.during('lookup', () => loadKnown(deps, organizationId, read)),
    watch.during('lookup', () => search.found()),
    watch.during('lookup', () => deps.highAmounts.of(organizationId, baseCurrency)),
  ]);
  requireCaller(context);
  await watch.during('receive', () => deps.rows.receive(of, read.map(newRow), input.receivedAt));
  const arrived = await watch.during('lookup', () =>
    withArrivals(deps, of, read, { candidates: found, keys: search.keys, since }),
  );
  const { receivedAtMs } = arrived;
  const candidates = await watch.during('lookup', () => withoutOpenScans(runs, of, arrived.candidates));
  const isLater = receivedAtMs > run.receivedAtMs;
  if (isLater) await runs.receiveLater(of, receivedAtMs);
  const rows = isLater ? receivedAt(read, receivedAtMs) : read;
  const hits = hitsByKey(candidates);
  const earlier = earlierScan(rows, candidates, policy.policy);
  const reimported = reimportedRows(earlier, rows.length, policy.policy);
  const statingAccounts = rows.filter(({ invoice }) => invoice.bankKey !== undefined).length;
  const history = rowHistory(
    { ...known, hits },
    {
      organizationId,
      tenant: { ...tenant, baseCurrency },
      policy: deps.policy,
      publishedRates: deps.publishedRates,
      highAmount,
      statesAccounts: statingAccounts * 2 >= rows.length,
      isFirstScan: run.isFirstScan,
      reimported,
    },
  );
  const invoiceIds = rows.map(({ invoice }) => invoice.invoiceId);
  const decidedBefore = isRepeat ? await deps.rows.decided(organizationId, invoiceIds) : new Map();
  const decisions = { organizationId, rows, history, policy, rules, decidedBefore, reimported, pace: turns, watch };
  const results = await watch.during('decide', () => decideRows(deps, decisions));
  requireCaller(context);
  const [findings] = await Promise.all([
    storeScanFindings(deps, of, results, { policy: policy.policy, earlier, rules }),
    watch.during('count', () => count(organizationId, scanId, history)),
  ]);
  const outcome = outcomeOf(results, findings);
  await runs.finish(of, outcome);
  rowsDecided(outcome);
  deps.logger.info(
    {
      organizationId,
      scanId,
      rows: rows.length,
      decisions: outcome.decisionCounts,
      findings: Object.values(outcome.findingCounts).reduce((sum, findings) => sum + findings, 0),
      ...results[0]?.analysis.versions,
      candidates: candidates.length,
      durationMs: watch.durationMs(),
      stagesMs: watch.ms(),
    },
    'rows analyzed',
  );
  return outcome;
}

function newRow({ invoice, canonical, part }: ReadRow): Parameters<RowStore['receive']>[1][number] {
  return { invoiceId: invoice.invoiceId, invoice: canonical, match: part };
}

/**
 * Removes candidates that are rows of an unfinished history scan other than this one. The operator abandoned that scan,
 * so no supplier profile counts its rows. If the file is sent again, its rows count in the new scan.
 */
async function withoutOpenScans(
  runs: Pick<ScanRunStore, 'unfinalized'>,
  { organizationId, scanId }: RowsReference,
  candidates: readonly MatchPart[],
): Promise<readonly MatchPart[]> {
  const others = new Set(candidates.flatMap((candidate) => candidate.scanId ?? []));
  others.delete(scanId);
  if (others.size === 0) return candidates;
  const open = await runs.unfinalized(organizationId, [...others]);
  return open.size === 0 ? candidates : candidates.filter((one) => one.scanId === undefined || !open.has(one.scanId));
}

/** Checks if a large history scan was already imported from the same file. Smaller scans are not checked. */
function earlierScan(
  rows: readonly ReadRow[],
  candidates: readonly MatchPart[],
  { scans }: Policy,
): EarlierScan | undefined {
  if (rows.length < scans.reimportedRowsMin) return undefined;
  return nearestScan(
    rows.map(({ invoice }) => invoice),
    candidates,
    HITS_PER_KEY_MAX,
  );
}

/**
 * Returns the rows that an earlier history scan already imported, if so many rows are identical that this history scan
 * counts as a repetition of the earlier one.
 */
function reimportedRows(
  earlier: EarlierScan | undefined,
  rows: number,
  { scans }: Policy,
): ReadonlyMap<string, ReimportedRow> {
  if (earlier === undefined || !isReimport(rows, earlier.identical.size, scans)) return new Map();
  const { scanId, identical } = earlier;
  return new Map([...identical].map(([rowId, invoiceId]) => [rowId, { scanId, invoiceId }]));
}

/**
 * Stores findings about the history scan as a whole. Each finding is committed separately under an id that is derived
 * from the scan and the finding.
 */
async function storeScanFindings(
  { findings, clock }: Pick<Deps, 'findings' | 'clock'>,
  { organizationId, scanId, companyId }: RowsReference,
  results: readonly RowResult[],
  context: {
    readonly policy: Policy;
    readonly earlier: EarlierScan | undefined;
    readonly rules: readonly RoutingRule[];
  },
): Promise<readonly FindingWithoutInvoice[]> {
  const { policy, earlier, rules } = context;
  const raised = runEngineOnScan(
    {
      scanId,
      companyId,
      rows: results.map(({ subject: { supplierName, amountMinor, currency }, analysis }) => ({
        supplierId: analysis.supplierId,
        supplierName,
        amountMinor,
        currency,
      })),
      ...(earlier === undefined ? {} : { earlier: { scanId: earlier.scanId, identicalRows: earlier.identical.size } }),
    },
    policy,
  );
  const createdAt = clock.now();
  const scanFindings = raised.map((finding): FindingWithoutInvoice => {
    const rule = ruleForScan(rules, finding, companyId);
    return {
      ...finding,
      disposition: 'OPEN',
      findingId: findingIdFor(scanId, finding.evidence.key),
      scanId,
      companyId,
      createdAt,
      ...(rule === undefined ? {} : { assignment: { ruleId: rule.ruleId, assigneeUserId: rule.assignTo } }),
    };
  });
  await Promise.all(
    scanFindings.map((finding) =>
      findings.insertWithoutInvoice(
        organizationId,
        finding,
        raisedAnnouncements(finding, { companyId, invoiceId: undefined, scanId }),
      ),
    ),
  );
  return scanFindings;
}
