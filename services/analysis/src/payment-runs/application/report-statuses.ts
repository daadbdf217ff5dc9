import { createHash } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { currentCheck, REPORTS_MAX } from '../domain/run.js';
import type { PaymentRun } from '../domain/run.js';
import type { PaymentFiles } from './payment-files.js';
import type { PaymentRunStore, ReportedOutcome } from './payment-run-store.js';
import { recordedAct } from './recorded-acts.js';
import { requireRun } from './require-run.js';

interface Deps {
  readonly runs: PaymentRunStore;
  readonly files: Pick<PaymentFiles, 'report'>;
  readonly clock: Clock;
}

export interface ReportedRun {
  readonly run: PaymentRun;
  readonly lines: number;
  readonly isReplayed: boolean;
}

/**
 * Stores the statuses that the bank reported for the lines of a payment run. The statuses are written first, and then
 * the report is recorded in the payment run, so that a repeated request after a crash writes the statuses again. If the
 * report is already recorded, nothing changes.
 * @throws DomainError not_found, invalid, too_large; wrong_state if the report is about another file
 */
export type ReportStatuses = (
  report: { readonly organizationId: string; readonly runId: string; readonly bytes: Uint8Array },
  context: RequestContext,
) => Promise<ReportedRun>;

export const reportStatuses =
  ({ runs, files, clock }: Deps): ReportStatuses =>
  ({ organizationId, runId, bytes }, context) =>
    retryOnConflict(async () => {
      const run = await requireRun(runs, organizationId, runId);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const earlier = run.reports.find((one) => one.sha256 === sha256);
      if (earlier !== undefined) return { run, lines: earlier.count, isReplayed: true };
      if (run.reports.length >= REPORTS_MAX) {
        throw new DomainError(
          'wrong_state',
          `The limit of ${REPORTS_MAX} status reports on a payment run is reached. No further report can be stored.`,
        );
      }
      const content = run.source === 'JSON' ? undefined : await runs.bytesOf(organizationId, runId);
      if (content === undefined) {
        throw new DomainError(
          'wrong_state',
          'This payment run was sent as JSON, so no status report of a bank can name its message id. Send reports only for payment runs that were sent as files.',
        );
      }
      const reported = await files.report(bytes, content, run.downloads);
      if (reported === undefined) {
        throw new DomainError(
          'wrong_state',
          'The status report is about another payment file: its OrgnlMsgId is not a message id of this payment run. Send the report to the payment run of that file.',
        );
      }
      const lines = await runs.allLines(organizationId, { runId, checkId: currentCheck(run).checkId });
      const at = clock.now();
      const outcomes = new Map<number, ReportedOutcome>();
      for (const { line } of lines) {
        const outcome = reported.get(line.lineId);
        if (outcome === undefined) continue;
        outcomes.set(line.position, { ...outcome, reportedAt: at, accountKey: line.creditorAccount?.key });
      }
      await runs.writeOutcomes(organizationId, runId, outcomes);
      const stored = { sha256, at, by: personOf(context), count: outcomes.size };
      const changed = await runs.change(run, { reports: [...run.reports, stored] }, [
        recordedAct(runId, 'reported', context),
      ]);
      return { run: changed, lines: outcomes.size, isReplayed: false };
    });
