import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { UsageCounters, UsageMark } from '@invoicecontrol/runtime/mongo/usage';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { stages } from '@invoicecontrol/runtime/stages';
import { printTotal } from '../domain/analyzed-value.js';
import type { ScanRow, Skip } from '../domain/scan.js';
import { describeSkips, firstPositions, skipsOf } from '../domain/skipped-rows.js';
import type { ImportedRows } from './imported-rows.js';
import { unpackRows } from './packed-rows.js';
import type { RowAnalysis, RowOutcome } from './row-analysis.js';
import type { CompleteScan, HeldScan, ScanStore } from './scan-store.js';

/** What the counter of the month is called. */
export const SCAN_ROWS_METER = 'scan_rows';
/** A scan that analysis could not take is left alone for this long; then the sweep or a repeat tries again. */
const RETRY_PAUSE_MS = 10_000;
/** A scan of an organization that was deleted meanwhile waits for the day on which it is restored. */
const DELETED_PAUSE_MS = 5 * 60_000;

interface Deps {
  readonly scans: ScanStore;
  readonly importedRows: ImportedRows;
  readonly rowAnalysis: RowAnalysis;
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type FinishScan = ReturnType<typeof finishScan>;

/**
 * Brings a running scan that we hold to its end: external ids, skipped rows, analysis, result (architecture section 7).
 * Every step may be repeated, so whoever takes over a scan begins here; `watch` has the time of what came before.
 * @throws DomainError already_exists when no row is left, and what analysis refuses the rows with: then nothing of the
 * scan remains; unavailable when analysis did not answer: then the sweep finishes it
 * @throws VersionConflict when another worker has taken over meanwhile
 */
export const finishScan = ({ scans, importedRows, rowAnalysis, usage, clock, logger }: Deps) => {
  const markOf = ({ organizationId, usage: { month } }: HeldScan, amount: number): UsageMark => ({
    organizationId,
    month,
    meter: SCAN_ROWS_METER,
    amount,
  });

  /** To be asked before a mark is lowered. @returns since when it may be given back */
  const moveCounter = async (scan: HeldScan): Promise<Date> => {
    const since = clock.now();
    // The reconciling job leaves a counter alone that moves, so it does not sum the lowered mark before the giving back.
    await usage.reserve(markOf(scan, 0), undefined);
    return since;
  };

  /** Ends a scan of which nothing remains. */
  const withdraw = async (scan: HeldScan): Promise<void> => {
    const since = await moveCounter(scan);
    if (!(await scans.remove(scan))) throw new VersionConflict();
    await usage.giveBack(markOf(scan, scan.usage.rows), since);
  };

  /** Takes the external ids, and notes once which rows are skipped. They stop counting with that write, not before. */
  const noteSkips = async (scan: HeldScan, rows: readonly ScanRow[]): Promise<HeldScan> => {
    const imported = await importedRows.take(scan, firstPositions(rows));
    const skips = skipsOf(rows, imported);
    if (skips.length === 0) return scan;
    if (skips.length === rows.length) {
      await withdraw(scan);
      throw new DomainError(
        'already_exists',
        'There is nothing new to analyze: earlier scans have imported every externalId of this file.',
      );
    }
    const since = await moveCounter(scan);
    const noted = await scans.noteSkips(scan, skips, { ...scan.usage, rows: rows.length - skips.length });
    await usage.giveBack(markOf(scan, skips.length), since);
    return noted;
  };

  const analyze = async (
    scan: HeldScan,
    rows: readonly ScanRow[],
    skips: readonly Skip[],
    context: RequestContext,
  ): Promise<RowOutcome> => {
    const skipped = new Set(skips.map(({ position }) => position));
    const toAnalyze = rows.map((row, position) => ({ row, position })).filter(({ position }) => !skipped.has(position));
    const { organizationId, scanId, companyId, baseCurrency, createdAt: receivedAt } = scan;
    try {
      return await rowAnalysis.analyze(
        { organizationId, scanId, companyId, baseCurrency, receivedAt, rows: toAnalyze },
        context,
      );
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'invalid') {
        logger.warn({ error, organizationId, scanId }, 'analysis refuses the rows of a scan; it is withdrawn');
        // Whoever still holds the scan now holds it for a whole lease: nobody else is using the ids.
        if (!(await scan.renew())) throw new VersionConflict();
        await importedRows.release(scan);
        await withdraw(scan);
        throw error;
      }
      logger.warn({ error, organizationId, scanId }, 'a scan waits for analysis; the sweep tries again');
      const isDeleted = error instanceof DomainError && error.kind === 'not_found';
      await scans.leave(scan, isDeleted ? DELETED_PAUSE_MS : RETRY_PAUSE_MS);
      throw new DomainError(
        'unavailable',
        'The scan is stored and completes by itself. Repeating the request with the same Idempotency-Key gives its ' +
          'result; so does the list of scans.',
        { cause: error, retryAfterSeconds: RETRY_PAUSE_MS / 1_000 },
      );
    }
  };

  return async (held: HeldScan, context: RequestContext, watch = stages()): Promise<CompleteScan> => {
    const keeping = held.keepAlive();
    try {
      const rows = await watch.during('unpack', () => unpackRows(held.packedRows));
      const scan = held.skips === undefined ? await watch.during('claim', () => noteSkips(held, rows)) : held;
      const skips = scan.skips ?? [];
      const { convertedTotal, ...counts } = await watch.during('analyze', () => analyze(scan, rows, skips, context));
      const result = {
        ...counts,
        rowsSkipped: skips.length,
        analyzedValue: printTotal(convertedTotal, scan.baseCurrency),
        analyzedValueCurrency: scan.baseCurrency,
      };
      const complete = await watch.during('complete', () => scans.complete(scan, result, describeSkips(rows, skips)));
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
    } finally {
      keeping.stop();
    }
  };
};
