import { DomainError } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { v7 as uuidV7 } from 'uuid';
import { paymentFileGiven, paymentRunChecked } from '../../telemetry.js';
import type { LineFacts } from '../domain/join.js';
import { bitsOf, CHECKS_MAX, currentCheck, DOWNLOADS_MAX, isGiven, isReleased } from '../domain/run.js';
import type { GivenLines, PaymentRun, Release, RunCheck } from '../domain/run.js';
import { RULES_VERSION } from '../domain/verdict.js';
import type { LineResult } from '../domain/verdict.js';
import { countsOf } from './check-lines.js';
import type { CheckLines } from './check-lines.js';
import { checkedAnnouncement } from './create-run.js';
import type { DownloadTurns } from './download-turns.js';
import type { PaymentFiles } from './payment-files.js';
import type { CheckedLine, PaymentRunStore } from './payment-run-store.js';
import { actOn, recordedAct } from './recorded-acts.js';
import { requireRun } from './require-run.js';

interface Deps {
  readonly runs: PaymentRunStore;
  readonly files: Pick<PaymentFiles, 'part'>;
  readonly turns: DownloadTurns;
  readonly check: CheckLines;
  readonly tenants: Tenants;
  readonly audit: Pick<AuditBuffer, 'record'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface RunReference {
  readonly organizationId: string;
  readonly runId: string;
}

/** Bytes of the payment file that a download of a payment run returns. */
export interface PaymentFileContent {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly fileName: string;
}

export interface RunChanges {
  /**
   * Checks all lines of a payment run again.
   * @throws DomainError not_found; wrong_state after too many checks
   */
  recheck(of: RunReference, context: RequestContext): Promise<PaymentRun>;
  /**
   * Returns a payment file with the lines of a payment run that may be paid: lines with the verdict PAY, and released
   * lines. Each line is given out only once. All lines are checked again first, and a line with a worse verdict than
   * before is left out.
   * @throws DomainError not_found; wrong_state if no line is left to give out, or for a run without a file; in_progress
   * if another download of the organization takes too long
   */
  download(of: RunReference, context: RequestContext): Promise<PaymentFileContent>;
  /** Returns the bytes of an earlier download of a payment run again. */
  repeat(of: RunReference, number: number, context: RequestContext): Promise<PaymentFileContent>;
  /** Returns a payment file with the lines of a payment run that have the given verdict. */
  withheld(of: RunReference, verdict: 'HOLD' | 'UNKNOWN', context: RequestContext): Promise<PaymentFileContent>;
}

/** Creates the use cases that change stored payment runs and check the lines of the runs again. */
export function runChanges({ runs, files, turns, check, tenants, audit, clock, logger }: Deps): RunChanges {
  const requireBytes = async ({ organizationId, runId, source }: PaymentRun): Promise<Uint8Array> => {
    const bytes = source === 'JSON' ? undefined : await runs.bytesOf(organizationId, runId);
    if (bytes !== undefined) return bytes;
    throw new DomainError('wrong_state', 'This payment run was sent as JSON and has no file. Read its lines instead.');
  };
  /** Loads the lines and the releases of a payment run, and checks the lines with the current facts. */
  const judgedNow = async (run: PaymentRun, context: RequestContext) => {
    const { organizationId, runId } = run;
    const [before, releases, tenant] = await Promise.all([
      runs.allLines(organizationId, { runId, checkId: currentCheck(run).checkId }),
      runs.releases(organizationId, runId),
      tenants.factsOf(organizationId, context),
    ]);
    const named = new Map(
      [...releases].flatMap(([lineId, release]) =>
        release.invoiceIds.length > 0 && isReleased(release) ? [[lineId, release.invoiceIds] as const] : [],
      ),
    );
    const lines = before.map(({ line }) => line);
    return { before, releases, named, lines, checked: await check(run, lines, tenant, named) };
  };
  const storeCheck = async (
    run: PaymentRun,
    trigger: RunCheck['trigger'],
    lines: readonly CheckedLine['line'][],
    of: {
      readonly facts: readonly LineFacts[];
      readonly run: Parameters<PaymentRunStore['insertCheck']>[0]['run'];
      readonly results: readonly LineResult[];
    },
    context: RequestContext,
  ): Promise<RunCheck> => {
    const { organizationId, runId } = run;
    const checkId = uuidV7();
    await runs.insertCheck({ organizationId, runId, checkId, ...of });
    return {
      checkId,
      trigger,
      at: clock.now(),
      by: personOf(context),
      rulesVersion: RULES_VERSION,
      counts: countsOf(lines, of.results),
    };
  };
  /**
   * Logs that the lines of a payment run were checked.
   * @param begun time at which the request for the check arrived, as `performance.now()`
   */
  const tellChecked = ({ organizationId, runId }: PaymentRun, { trigger, counts }: RunCheck, begun: number): void =>
    paymentRunChecked(logger, { organizationId, runId, trigger, counts, durationMs: performance.now() - begun });
  const contentOf = async (
    { runId }: PaymentRun,
    bytes: Uint8Array,
    lines: Uint8Array,
    { part, name = String(part) }: { readonly part: number; readonly name?: string },
  ): Promise<PaymentFileContent> => ({
    ...(await files.part(bytes, lines, part)),
    fileName: `payment-run-${runId}-${name}.xml`,
  });
  return {
    recheck: (of, context) =>
      retryOnConflict(async () => {
        const begun = performance.now();
        const run = await requireRun(runs, of.organizationId, of.runId);
        if (run.checks.length >= CHECKS_MAX) {
          throw new DomainError(
            'wrong_state',
            `The limit of ${CHECKS_MAX} checks of a payment run is reached. Send the payments as a new run.`,
          );
        }
        const { before, lines, checked: now } = await judgedNow(run, context);
        // A payment line that an earlier download gave out keeps the verdict that it had in that download.
        const results = before.map(({ line, result }, index) =>
          isGiven(run, line.position) ? result : (now.results[index] ?? result),
        );
        const next = await storeCheck(run, 'RECHECK', lines, { ...now, results }, context);
        const changed = { ...run, checks: [...run.checks, next], counts: next.counts };
        const stored = await runs.change(run, { checks: changed.checks, counts: changed.counts }, [
          checkedAnnouncement(changed),
          recordedAct(run.runId, 'rechecked', context),
        ]);
        tellChecked(run, next, begun);
        return stored;
      }),
    async download(of, context) {
      await requireRun(runs, of.organizationId, of.runId);
      return turns.within(of.organizationId, (requireTurn) =>
        retryOnConflict(async () => {
          const begun = performance.now();
          const run = await requireRun(runs, of.organizationId, of.runId);
          const bytes = await requireBytes(run);
          if (run.downloads.length >= DOWNLOADS_MAX) {
            throw new DomainError(
              'wrong_state',
              `The limit of ${DOWNLOADS_MAX} downloads of a payment run is reached. Send the remaining payments as a new payment run.`,
            );
          }
          const { before, releases, named, lines, checked } = await judgedNow(run, context);
          const results = before.map(({ line, result }, index) => {
            const now = checked.results[index] ?? result;
            if (isGiven(run, line.position)) return result;
            // A released payment line pays the invoices that a person named when releasing it.
            return named.has(line.lineId) ? now : worse(result, now);
          });
          const isChanged = results.some((result, index) => result !== before[index]?.result);
          const current = isChanged
            ? await storeCheck(run, 'DOWNLOAD', lines, { ...checked, results }, context)
            : currentCheck(run);
          const given = lines.flatMap(({ position, lineId }, index) =>
            !isGiven(run, position) && mayBePaid(results[index], releases.get(lineId)) ? [position] : [],
          );
          const checks = isChanged ? [...run.checks, current].slice(-CHECKS_MAX) : run.checks;
          if (given.length === 0) {
            if (isChanged) {
              await runs.change(run, { checks, counts: current.counts }, []);
              tellChecked(run, current, begun);
            }
            throw new DomainError(
              'wrong_state',
              'No payment is left to download: every line of the payment run was downloaded before, or has the verdict HOLD or UNKNOWN. Read the lines of the payment run to see why.',
            );
          }
          const download: GivenLines = {
            number: run.downloads.length + 1,
            checkId: current.checkId,
            at: clock.now(),
            by: personOf(context),
            count: given.length,
            lines: bitsOf(given, run.lineCount),
          };
          const content = await contentOf(run, bytes, download.lines, { part: download.number });
          await requireTurn();
          await runs.change(run, { checks, counts: current.counts, downloads: [...run.downloads, download] }, [
            recordedAct(run.runId, 'downloaded', context),
          ]);
          if (isChanged) tellChecked(run, current, begun);
          paymentFileGiven('PAY');
          return content;
        }),
      );
    },
    async repeat(of, number, context) {
      const run = await requireRun(runs, of.organizationId, of.runId);
      const bytes = await requireBytes(run);
      const download = run.downloads.find((one) => one.number === number);
      if (download === undefined) {
        throw new DomainError(
          'wrong_state',
          `This payment run has no download number ${number}. Omit repeat to download the lines that were not downloaded yet.`,
        );
      }
      audit.record(run.organizationId, context, actOn(run.runId, 'downloaded'));
      paymentFileGiven('REPEAT');
      return contentOf(run, bytes, download.lines, { part: number });
    },
    async withheld(of, verdict, context) {
      const run = await requireRun(runs, of.organizationId, of.runId);
      const bytes = await requireBytes(run);
      const { organizationId, runId } = run;
      const [lines, releases] = await Promise.all([
        runs.allLines(organizationId, { runId, checkId: currentCheck(run).checkId }),
        runs.releases(organizationId, runId),
      ]);
      const kept = lines.flatMap(({ line, result }) =>
        result.verdict === verdict && !isGiven(run, line.position) && !mayBePaid(result, releases.get(line.lineId))
          ? [line.position]
          : [],
      );
      if (kept.length === 0)
        throw new DomainError('wrong_state', `This payment run has no line with the verdict ${verdict}.`);
      audit.record(organizationId, context, actOn(run.runId, 'downloaded'));
      paymentFileGiven(verdict);
      // A payment file with lines that must not be paid never gets the name of a file for the bank.
      return contentOf(run, bytes, bitsOf(kept, run.lineCount), { part: 1, name: verdict.toLowerCase() });
    },
  };
}

/**
 * Returns the worse of two verdicts on a line of a payment run. A download never improves a verdict; only a new check
 * does.
 */
function worse(before: LineResult, now: LineResult): LineResult {
  if (before.verdict === 'PAY') return now.verdict === 'PAY' ? before : now;
  const known = new Set<string>(before.reasons.map(({ code }) => code));
  return now.reasons.some(({ code }) => !known.has(code)) ? now : before;
}

/**
 * Checks whether a payment line may be given to the bank: its verdict is PAY, or a person released the line with
 * exactly the current reasons.
 */
export function mayBePaid(result: LineResult | undefined, release: Release | undefined): boolean {
  if (result === undefined) return false;
  if (result.verdict === 'PAY') return true;
  if (release === undefined || !isReleased(release)) return false;
  if (result.reasons.some(({ code }) => code === 'ACCOUNT_CONFIRMED_FRAUD')) return false;
  return result.reasons.every(({ code }) => release.reasons.includes(code));
}
