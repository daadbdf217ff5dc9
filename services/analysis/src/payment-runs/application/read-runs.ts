import { pageOf } from '@invoicecontrol/runtime/page';
import type { Page } from '@invoicecontrol/runtime/page';
import { bookedFor } from '../domain/booked.js';
import type { BookedPayment } from '../domain/booked.js';
import { currentCheck, hasBit, isRejected } from '../domain/run.js';
import type { Outcome, PaymentRun, Release } from '../domain/run.js';
import { mayBePaid } from './change-run.js';
import type { PayableStore } from './payable-store.js';
import { requireRun } from './require-run.js';
import type { CheckedLine, LineQuery, PaymentRunStore, RunQuery } from './payment-run-store.js';

/** A line of a payment run with all values that a response shows. */
export interface ShownLine extends CheckedLine {
  readonly release: (Release & { readonly isInForce: boolean }) | undefined;
  readonly outcome: Outcome | undefined;
  /** Payments in ERPs that record the payment line. */
  readonly booked: readonly BookedPayment[];
  readonly givenAt: Date | undefined;
}

export interface RunReader {
  /** Returns a payment run of the organization. @throws DomainError not_found */
  get(organizationId: string, runId: string): Promise<PaymentRun>;
  list(organizationId: string, query: RunQuery): Promise<Page<PaymentRun>>;
  /**
   * Lists the lines of a payment run with the verdicts of its newest check.
   * @throws DomainError not_found
   */
  lines(organizationId: string, runId: string, query: LineQuery): Promise<Page<ShownLine>>;
  /** Adds the release, the bank report and the ERP payments to one line of a payment run. */
  shown(run: PaymentRun, line: CheckedLine): Promise<ShownLine>;
}

/** Creates the use cases that read payment runs and their lines. */
export function runReader({
  runs,
  payables,
}: {
  readonly runs: PaymentRunStore;
  readonly payables: Pick<PayableStore, 'billsThatBook' | 'paymentsOf'>;
}): RunReader {
  /**
   * Returns the payments of ERPs for the invoices of a payment run, and the ids of the ERP bills that book each
   * invoice.
   */
  const bookedBills = async (organizationId: string, invoiceIds: readonly string[]) => {
    const booking = invoiceIds.length === 0 ? [] : await payables.billsThatBook(organizationId, invoiceIds);
    const ids = [...new Set([...invoiceIds, ...booking.map(({ invoiceId }) => invoiceId)])];
    const payments = ids.length === 0 ? [] : await payables.paymentsOf(organizationId, ids);
    return {
      payments,
      billsOf: (invoiceId: string): readonly string[] => [
        invoiceId,
        ...booking.flatMap(({ invoiceId: billId, match }) => (match.bookedInvoiceId === invoiceId ? [billId] : [])),
      ],
    };
  };
  const withStates = async (run: PaymentRun, lines: readonly CheckedLine[]): Promise<readonly ShownLine[]> => {
    const { organizationId, runId, downloads } = run;
    const [releases, outcomes] = await Promise.all([
      runs.releases(
        organizationId,
        runId,
        lines.map(({ line }) => line.lineId),
      ),
      runs.outcomes(
        organizationId,
        runId,
        lines.map(({ line }) => line.position),
      ),
    ]);
    const states = lines.map(({ line, result }) => {
      const givenAt = downloads.find((download) => hasBit(download.lines, line.position))?.at;
      const release = releases.get(line.lineId);
      const isInForce = mayBePaid(result, release);
      // If a payment run has no file, its lines count as given to the bank at the time when the run was created.
      const leftAt = givenAt ?? (run.source === 'JSON' && isInForce ? run.createdAt : undefined);
      const outcome = outcomes.get(line.position);
      return { line, result, release: release && { ...release, isInForce }, outcome, givenAt, leftAt };
    });
    const { payments, billsOf } = await bookedBills(organizationId, [
      ...new Set(
        states.flatMap(({ result, leftAt }) =>
          leftAt === undefined ? [] : result.invoices.map(({ invoiceId }) => invoiceId),
        ),
      ),
    ]);
    return states.map(({ leftAt, ...state }): ShownLine => ({
      ...state,
      booked:
        leftAt === undefined || isRejected(state.outcome)
          ? []
          : bookedFor(state.line, state.result, payments, { billsOf, leftOn: leftAt.toISOString().slice(0, 10) }),
    }));
  };
  return {
    get: (organizationId, runId) => requireRun(runs, organizationId, runId),
    list: (organizationId, query) => runs.list(organizationId, query),
    async lines(organizationId, runId, query) {
      const run = await requireRun(runs, organizationId, runId);
      const of = { runId, checkId: currentCheck(run).checkId };
      const found = await runs.lines(organizationId, of, { ...query, size: query.size + 1 });
      // Payment lines are listed in the order of their positions in the payment file. A page token also needs an id,
      // although the position alone identifies the line.
      const page = pageOf(found, query.size, ({ line }) => ({ order: line.position, id: runId }));
      return { ...page, items: await withStates(run, page.items) };
    },
    async shown(run, line) {
      const [shown] = await withStates(run, [line]);
      return shown ?? { ...line, release: undefined, outcome: undefined, booked: [], givenAt: undefined };
    },
  };
}
