import { isDeepStrictEqual } from 'node:util';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { paymentLineReleased } from '../../telemetry.js';
import { currentCheck, isGiven } from '../domain/run.js';
import type { PaymentRun, Release } from '../domain/run.js';
import type { LineResult } from '../domain/verdict.js';
import type { CheckLines } from './check-lines.js';
import { INVOICES_PER_LINE_MAX } from '../domain/join.js';
import type { PayableStore } from './payable-store.js';
import type { CheckedLine, PaymentRunStore } from './payment-run-store.js';
import { recordedAct } from './recorded-acts.js';

/** Returns the people who have set a disposition on a finding of an invoice, as `<actor type>:<actor id>`. */
export interface Reviewers {
  of(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
}

interface Deps {
  readonly runs: PaymentRunStore;
  readonly payables: Pick<PayableStore, 'byIds'>;
  readonly check: CheckLines;
  readonly tenants: Tenants;
  readonly reviewers: Reviewers;
  readonly clock: Clock;
}

export interface ReleaseInput {
  readonly organizationId: string;
  readonly runId: string;
  readonly lineId: string;
  readonly note: string;
  readonly invoiceIds: readonly string[];
}

export interface ReleasedLine {
  readonly run: PaymentRun;
  readonly line: CheckedLine;
  readonly release: Release;
  /** True while another person must confirm the release of the payment. */
  readonly isPending: boolean;
}

const NOTE_LENGTH_MAX = 2_000;

/**
 * Releases a held or unknown line of a payment run, so that the next download gives it out. If four eyes are required,
 * the release waits until a second person confirms it, and neither person may have reviewed a finding of an invoice
 * that the line pays. A line to an account with confirmed fraud is never released. A release covers only the reasons
 * that hold the line now: if a new reason arises, the line is held again.
 * @throws DomainError not_found, invalid, wrong_state, forbidden
 */
export type ReleaseLine = (input: ReleaseInput, context: RequestContext) => Promise<ReleasedLine>;

export const releaseLine =
  (deps: Deps): ReleaseLine =>
  ({ organizationId, runId, lineId, note, invoiceIds }, context) =>
    retryOnConflict(async () => {
      const { runs, payables, tenants, reviewers, clock } = deps;
      if (note.trim() === '') throw invalidField('note', 'must state why the line is paid.');
      if (note.length > NOTE_LENGTH_MAX) throw invalidField('note', `must have at most ${NOTE_LENGTH_MAX} characters.`);
      if (invoiceIds.length > INVOICES_PER_LINE_MAX) {
        throw invalidField('invoice_ids', `must have at most ${INVOICES_PER_LINE_MAX} items.`);
      }
      const run = await runs.find(organizationId, runId);
      const of = run === undefined ? undefined : { runId, checkId: currentCheck(run).checkId };
      const line = of === undefined ? undefined : await runs.line(organizationId, of, lineId);
      if (run === undefined || line === undefined) throw notFound('payment line');
      if (isGiven(run, line.line.position)) {
        throw new DomainError(
          'wrong_state',
          'This line of the payment run was already downloaded, so it needs no release.',
        );
      }
      if (line.result.verdict === 'PAY') {
        throw new DomainError('wrong_state', 'The verdict of this payment line is PAY, so the line needs no release.');
      }
      const [tenant, earlier] = await Promise.all([
        tenants.factsOf(organizationId, context),
        runs.releases(organizationId, runId, [lineId]),
      ]);
      const release = earlier.get(lineId);
      const result = await judged(
        deps,
        run,
        line,
        invoiceIds.length > 0 ? invoiceIds : (release?.invoiceIds ?? []),
        tenant,
      );
      refuseFraud(result);
      if (invoiceIds.length > 0) {
        const known = new Set((await payables.byIds(organizationId, invoiceIds)).map(({ invoiceId }) => invoiceId));
        const unknown = invoiceIds.findIndex((id) => !known.has(id));
        if (unknown >= 0)
          throw invalidField(`invoice_ids[${unknown}]`, 'must be the id of an invoice in this organization.');
      }
      const person = personOf(context);
      const at = clock.now();
      // People who reviewed an invoice that earlier checks joined to the payment line may not release the line either.
      // Otherwise a person could hide a reviewed invoice by naming another one.
      const paid = [
        ...new Set([
          ...[...line.result.invoices, ...result.invoices].map(({ invoiceId }) => invoiceId),
          ...(release?.invoiceIds ?? []),
          ...invoiceIds,
        ]),
      ];
      const reviewed = tenant.fourEyes ? await reviewers.of(organizationId, paid) : new Set<string>();
      // Older reviews of findings name only the API key, because the person behind a key was not stored.
      if (reviewed.has(person) || reviewed.has(`${context.actor.type}:${context.actor.id}`)) {
        throw new DomainError(
          'forbidden',
          'You reviewed a finding of an invoice that this payment line pays. Another person must release the payment line.',
        );
      }
      const reasons = result.reasons.map(({ code }) => code);
      const waits =
        release !== undefined &&
        release.needsConfirmation &&
        release.confirmedBy === undefined &&
        covers(release, reasons);
      if (waits && invoiceIds.length > 0 && !hasSame(invoiceIds, release.invoiceIds)) {
        throw new DomainError(
          'wrong_state',
          'The release that waits for confirmation names other invoices. Omit `invoice_ids` to confirm the release unchanged.',
        );
      }
      if (waits && release.by === person) return { run, line, release, isPending: true };
      if (release !== undefined && !waits && covers(release, reasons)) return { run, line, release, isPending: false };
      const next: Omit<Release, 'version'> = waits
        ? { ...withoutVersion(release), confirmedBy: person, confirmedAt: at }
        : {
            by: person,
            at,
            note: note.trim(),
            reasons,
            invoiceIds,
            confirmedBy: undefined,
            confirmedAt: undefined,
            needsConfirmation: tenant.fourEyes,
          };
      const recorded = recordedAct(runId, 'line_released', context);
      const version = release?.version ?? 0;
      if (!(await runs.writeRelease(organizationId, { runId, lineId, version }, next, [recorded]))) {
        throw new VersionConflict();
      }
      const stored = { ...next, version: version + 1 };
      paymentLineReleased(waits ? 'CONFIRMED' : stored.needsConfirmation ? 'PENDING' : 'COMPLETE');
      return { run, line, release: stored, isPending: stored.needsConfirmation && stored.confirmedBy === undefined };
    });

/**
 * Checks a payment line with the current facts, with the invoices that a person names and with the amounts that earlier
 * lines of the run pay, so that the release covers every reason that the person could see.
 */
async function judged(
  { check, runs }: Deps,
  run: PaymentRun,
  { line, result }: CheckedLine,
  invoiceIds: readonly string[],
  tenant: TenantFacts,
): Promise<LineResult> {
  const { organizationId, runId } = run;
  const { checkId } = currentCheck(run);
  const paid = [...new Set([...result.invoices.map(({ invoiceId }) => invoiceId), ...invoiceIds])];
  const lines = await runs.linesOfInvoices(organizationId, paid, checkId);
  const used = new Map<string, bigint>();
  for (const other of lines) {
    if (other.runId !== runId || other.checkId !== checkId || other.position >= line.position) continue;
    used.set(other.invoiceId, (used.get(other.invoiceId) ?? 0n) + BigInt(other.amountMinor));
  }
  const named = new Map(invoiceIds.length === 0 ? [] : [[line.lineId, invoiceIds] as const]);
  const { results } = await check(run, [line], tenant, named, used);
  return results[0] ?? result;
}

function refuseFraud({ reasons }: LineResult): void {
  if (!reasons.some(({ code }) => code === 'ACCOUNT_CONFIRMED_FRAUD')) return;
  throw new DomainError(
    'wrong_state',
    'Fraud with this bank account was confirmed, so no payment to the account can be released. To lift the block, review the finding that confirmed the fraud.',
  );
}

function covers({ reasons }: Release, now: readonly string[]): boolean {
  return now.every((code) => reasons.includes(code));
}

function hasSame(left: readonly string[], right: readonly string[]): boolean {
  return isDeepStrictEqual(new Set(left), new Set(right));
}

function withoutVersion({ version: _, ...release }: Release): Omit<Release, 'version'> {
  return release;
}
