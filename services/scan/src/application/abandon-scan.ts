import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { scanAbandoned } from '../telemetry.js';
import { SCAN_ROWS_METER } from './finish-scan.js';
import type { ImportedRows } from './imported-rows.js';
import type { FailedScan, ScanReference, ScanStore } from './scan-store.js';

const REASON_LENGTH_MAX = 500;

interface Deps {
  readonly scans: Pick<ScanStore, 'find' | 'abandon'>;
  readonly importedRows: Pick<ImportedRows, 'release'>;
  readonly usage: UsageCounters;
  readonly logger: Logger;
}

interface AbandonedScan {
  readonly scan: FailedScan;
  /** True if an earlier call has already abandoned the history scan. */
  readonly wasAbandoned: boolean;
}

/**
 * Ends a running history scan without a result, for the operator. The call can be repeated. One write to the document
 * of the history scan ends everything at once: afterwards the worker of the scan can write nothing, the rows no longer
 * count towards the quota, and other scans may use the external ids, even if the worker still reserves some of them.
 * @throws DomainError invalid without a reason; not_found; wrong_state for a completed history scan
 */
export type AbandonScan = (
  input: ScanReference & { readonly reason: string },
  context: RequestContext,
) => Promise<AbandonedScan>;

export const abandonScan =
  ({ scans, importedRows, usage, logger }: Deps): AbandonScan =>
  async ({ reason, ...reference }, context) => {
    const { organizationId, scanId } = reference;
    const words = reason.trim();
    if (words.length < 1 || words.length > REASON_LENGTH_MAX) {
      throw invalidField('reason', `must have 1 to ${REASON_LENGTH_MAX} characters.`);
    }

    const end = async (): Promise<AbandonedScan> => {
      const scan = await scans.find(organizationId, scanId);
      if (scan === undefined) throw notFound('scan');
      if (scan.status === 'COMPLETE') {
        throw new DomainError(
          'wrong_state',
          'The history scan is already complete and has a result, so it was not abandoned.',
        );
      }
      if (scan.status === 'FAILED') return { scan, wasAbandoned: true };
      const { month, rows } = scan.usage;
      const mark = { organizationId, month, meter: SCAN_ROWS_METER, amount: rows, at: scan.createdAt };
      const failed = await usage.lower(mark, () => scans.abandon(scan, words, context));
      return { scan: failed, wasAbandoned: false };
    };

    const abandoned = await retryOnConflict(end);
    // The external ids are released again, because an earlier call may have crashed before it released them. Even
    // external ids that are not released do not block another history scan.
    await importedRows.release(reference);
    const { actor, requestId } = context;
    const { wasAbandoned, scan } = abandoned;
    logger.warn(
      { ...reference, actor, requestId, reason: words, wasAbandoned, rows: scan.failure.rows },
      'a scan was abandoned',
    );
    if (!wasAbandoned) scanAbandoned();
    return abandoned;
  };
