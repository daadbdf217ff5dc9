import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { DomainError } from '@invoicecontrol/errors';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { UsageMark } from '@invoicecontrol/metering/usage-counter';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { isMongoUnavailable } from '@invoicecontrol/runtime/mongo/connection';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { stages } from '@invoicecontrol/runtime/stages';
import type { Stages } from '@invoicecontrol/runtime/stages';
import { printTotal } from '../domain/analyzed-value.js';
import { nextTry } from '../domain/next-try.js';
import type { Skip } from '../domain/scan.js';
import { describeSkips, firstPositions, skipsOf } from '../domain/skipped-rows.js';
import { scanCompleted, scanWithdrawn, tryFailed } from '../telemetry.js';
import type { ImportedRows } from './imported-rows.js';
import { unpackRows } from './packed-rows.js';
import type { RowAnalysis, RowOutcome, Worker } from './row-analysis.js';
import type { CompleteScan, HeldScan, ScanStore } from './scan-store.js';

/** Name of the usage counter that counts the history scan rows of a month. */
export const SCAN_ROWS_METER = 'scan_rows';

interface Deps {
  readonly scans: ScanStore;
  readonly importedRows: ImportedRows;
  readonly rowAnalysis: RowAnalysis;
  readonly usage: UsageCounters;
  readonly logger: Logger;
}

/** Reason why the history scan was withdrawn and no part of it remains. */
interface Withdrawn {
  readonly refusal: DomainError;
}

/**
 * Completes a running history scan that this worker has claimed: reserves the external ids, determines the skipped
 * rows, requests the analysis and stores the result (architecture section 7). Every step can be repeated, so a worker
 * that takes over a history scan calls this function too. After a failed attempt the history scan waits for a retry,
 * and after repeated failures it no longer blocks other history scans (ADR 0016).
 * @param watch measures the stages of the scan; if given, it already contains the durations of the stages before this
 *   call
 * @throws DomainError already_exists if no row is left. If the analysis refuses the rows, its error is thrown. In both
 *   cases the history scan is removed. After any other failure, unavailable is thrown and the sweep retries
 * @throws Error of the database driver if the database is unavailable; the sweep continues the scan when the lease has
 *   expired
 * @throws VersionConflict if another worker has taken over the history scan
 */
export type FinishScan = (held: HeldScan, context: RequestContext, watch?: Stages) => Promise<CompleteScan>;

export const finishScan = ({ scans, importedRows, rowAnalysis, usage, logger }: Deps): FinishScan => {
  const markOf = ({ organizationId, createdAt, usage: { month } }: HeldScan, amount: number): UsageMark => ({
    organizationId,
    month,
    meter: SCAN_ROWS_METER,
    amount,
    at: createdAt,
  });

  const withdraw = async (scan: HeldScan, refusal: DomainError): Promise<Withdrawn> => {
    await usage.lower(markOf(scan, scan.usage.rows), async () => {
      if (!(await scans.remove(scan))) throw new VersionConflict();
    });
    scanWithdrawn();
    return { refusal };
  };

  /**
   * Reserves the external ids of the scan rows, and stores once which rows are skipped. After this is stored, skipped
   * rows no longer count towards the quota.
   */
  const noteSkips = async (scan: HeldScan, rows: readonly Row[]): Promise<HeldScan | Withdrawn> => {
    const imported = await importedRows.take(scan, firstPositions(rows));
    const skips = skipsOf(rows, imported);
    if (skips.length === 0) return scan;
    if (skips.length === rows.length) {
      const sentence =
        'There is nothing new to analyze: earlier scans have already imported every externalId of this request.';
      return withdraw(scan, new DomainError('already_exists', sentence));
    }
    return usage.lower(markOf(scan, skips.length), () =>
      scans.noteSkips(scan, skips, { ...scan.usage, rows: rows.length - skips.length }),
    );
  };

  const analyze = async (
    scan: HeldScan,
    rows: readonly Row[],
    skips: readonly Skip[],
    worker: Worker,
  ): Promise<RowOutcome | Withdrawn> => {
    const skipped = new Set(skips.map(({ position }) => position));
    const toAnalyze = rows
      .filter(({ position }) => !skipped.has(position))
      .map((row) => inCurrency(row, scan.baseCurrency));
    const { organizationId, scanId, companyId, baseCurrency, createdAt: receivedAt } = scan;
    try {
      return await rowAnalysis.analyze(
        { organizationId, scanId, companyId, baseCurrency, receivedAt, rows: toAnalyze },
        worker,
      );
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
      logger.warn({ error, organizationId, scanId }, 'analysis refused the rows of a scan; the scan was withdrawn');
      // The lease on the history scan is renewed first, so that no other worker takes over the scan while its external
      // ids are released and the scan is removed.
      if (!(await scan.renew())) throw new VersionConflict();
      await importedRows.release(scan);
      return withdraw(scan, error);
    }
  };

  /**
   * Leaves the completion of the history scan to a later attempt.
   * @returns the error for the caller
   */
  const leave = async (scan: HeldScan, error: unknown): Promise<DomainError> => {
    const { organizationId, scanId } = scan;
    const { reason, faults, pauseMs, keepsTurn } = nextTry(error, scan.faults);
    const isFault = reason === 'FAULT';
    const retryAfterSeconds = pauseMs / 1_000;
    const fields = { error, organizationId, scanId, faults, retryAfterSeconds };
    if (!isFault) logger.warn(fields, 'a scan waits until analysis is available; the sweep retries it');
    else if (keepsTurn) logger.error(fields, 'a scan failed because of an internal error; the sweep retries it');
    else logger.error(fields, 'a scan keeps failing because of an internal error; it is set aside and retried rarely');
    if (!(await scans.leave(scan, { faults, pauseMs, keepsTurn, lastError: sentenceOf(error) })))
      throw new VersionConflict();
    tryFailed(reason, !keepsTurn);
    const what = isFault
      ? 'The history scan is stored. An error on our side has kept it from completing; it is retried automatically.'
      : 'The history scan is stored and will be completed automatically.';
    return new DomainError('unavailable', `${what} ${wayToResult(scan.isKeyed)}`, { cause: error, retryAfterSeconds });
  };

  const work = async (held: HeldScan, worker: Worker, watch: Stages): Promise<CompleteScan | Withdrawn> => {
    const rows = await watch.during('unpack', () => unpackRows(held.packedRows));
    const scan = held.skips === undefined ? await watch.during('claim', () => noteSkips(held, rows)) : held;
    if ('refusal' in scan) return scan;
    const skips = scan.skips ?? [];
    const outcome = await watch.during('analyze', () => analyze(scan, rows, skips, worker));
    if ('refusal' in outcome) return outcome;
    const { convertedTotal, ...counts } = outcome;
    const result = {
      ...counts,
      rowsSkipped: skips.length,
      analyzedValue: printTotal(convertedTotal, scan.baseCurrency),
      analyzedValueCurrency: scan.baseCurrency,
    };
    const complete = await watch.during('complete', () => scans.complete(scan, result, describeSkips(rows, skips)));
    scanCompleted(counts.invoicesAnalyzed, skips.length, (Date.now() - scan.createdAt.getTime()) / 1_000);
    const { organizationId, scanId } = scan;
    logger.info(
      {
        organizationId,
        scanId,
        rows: rows.length,
        skipped: skips.length,
        durationMs: watch.durationMs(),
        stagesMs: watch.ms(),
      },
      'a scan is complete',
    );
    return complete;
  };

  return async (held, context, watch = stages()) => {
    const losing = new AbortController();
    const keeping = held.keepAlive(() => losing.abort());
    let end: CompleteScan | Withdrawn;
    try {
      // A repeated request has a new grant, also if the stored one is no longer accepted.
      const grant = context.grant ?? held.grant;
      end = await work(held, { context: { ...context, grant }, signal: losing.signal }, watch);
    } catch (error) {
      // While the database is unavailable nothing can be written. The lease expires, and the sweep continues the
      // history scan.
      if (error instanceof VersionConflict || isMongoUnavailable(error)) throw error;
      throw await leave(held, error);
    } finally {
      keeping.stop();
    }
    if ('refusal' in end) throw end.refusal;
    return end;
  };
};

/** Returns a sentence that tells a caller without a result how to get the result of the history scan. */
export function wayToResult(isKeyed: boolean): string {
  return isKeyed
    ? 'Repeat the request with the same Idempotency-Key to get its result.'
    : 'Find its result in the list of scans, GET /v1/scans. Do not send the rows again: that would be another scan.';
}

/**
 * Returns the history scan row with a currency. A row without a currency is in the base currency (specification 2.9).
 */
function inCurrency(row: Row, baseCurrency: string): Row {
  return row.invoice === undefined || row.invoice.currency !== ''
    ? row
    : { ...row, invoice: { ...row.invoice, currency: baseCurrency } };
}

/** Maximum length of a stored error of a history scan. */
const ERROR_LENGTH_MAX = 300;

/** Returns a sentence about an error of a history scan for the operator. The log has all details. */
function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH_MAX);
}
