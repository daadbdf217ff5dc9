import { pageOf } from '@invoicecontrol/runtime/page';
import type { Page } from '@invoicecontrol/runtime/page';
import { currentCheck, hasBit } from '../domain/run.js';
import type { Outcome, PaymentRun, Release } from '../domain/run.js';
import { mayBePaid } from './change-run.js';
import { requireRun } from './require-run.js';
import type { CheckedLine, LineQuery, PaymentRunStore, RunQuery } from './payment-run-store.js';

/** A line with everything that is shown about it. */
export interface ShownLine extends CheckedLine {
  readonly release: (Release & { readonly isInForce: boolean }) | undefined;
  readonly outcome: Outcome | undefined;
  readonly givenAt: Date | undefined;
}

export interface RunReader {
  /** @throws DomainError not_found */
  get(organizationId: string, runId: string): Promise<PaymentRun>;
  list(organizationId: string, query: RunQuery): Promise<Page<PaymentRun>>;
  /**
   * Lists the lines of a run as the check in force judged them.
   * @throws DomainError not_found
   */
  lines(organizationId: string, runId: string, query: LineQuery): Promise<Page<ShownLine>>;
  /** Adds to one line what is shown about it. */
  shown(run: PaymentRun, line: CheckedLine): Promise<ShownLine>;
}

/** Reads payment runs and their lines. */
export function runReader({ runs }: { readonly runs: PaymentRunStore }): RunReader {
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
    return lines.map(({ line, result }): ShownLine => {
      const release = releases.get(line.lineId);
      return {
        line,
        result,
        release: release && { ...release, isInForce: mayBePaid(result, release) },
        outcome: outcomes.get(line.position),
        givenAt: downloads.find((download) => hasBit(download.lines, line.position))?.at,
      };
    });
  };
  return {
    get: (organizationId, runId) => requireRun(runs, organizationId, runId),
    list: (organizationId, query) => runs.list(organizationId, query),
    async lines(organizationId, runId, query) {
      const run = await requireRun(runs, organizationId, runId);
      const of = { runId, checkId: currentCheck(run).checkId };
      const found = await runs.lines(organizationId, of, { ...query, size: query.size + 1 });
      // A position in the list is that of the line in its file. The id only completes the token.
      const page = pageOf(found, query.size, ({ line }) => ({ order: line.position, id: runId }));
      return { ...page, items: await withStates(run, page.items) };
    },
    async shown(run, line) {
      const [shown] = await withStates(run, [line]);
      return shown ?? { ...line, release: undefined, outcome: undefined, givenAt: undefined };
    },
  };
}
