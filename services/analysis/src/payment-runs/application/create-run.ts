import { createHash } from 'node:crypto';
import { events } from '@invoicecontrol/contracts/events';
import type { PaymentList } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { hasTaxId } from '@invoicecontrol/engine/facts/companies';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { createCounted, firstOfRefused } from '@invoicecontrol/metering/counted-create';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { requireSameRequest } from '@invoicecontrol/runtime/idempotency-key';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { parseTaxId } from '@invoicecontrol/values/tax-id';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { paymentRunChecked } from '../../telemetry.js';
import type { PaymentRun } from '../domain/run.js';
import { RULES_VERSION } from '../domain/verdict.js';
import { countsOf } from './check-lines.js';
import type { CheckLines } from './check-lines.js';
import { linesOfList } from './lines-of-list.js';
import type { PaymentFiles, SentPayments } from './payment-files.js';
import type { PaymentRunStore } from './payment-run-store.js';
import { recordedAct } from './recorded-acts.js';

/** Namespaces of the ids of payment runs. A namespace must never change, because the ids would change too. */
const namespaces = {
  keyed: '5b0d1a4e-6e0b-4f6e-9a43-2f1c7d9e8b01',
  unkeyed: '5b0d1a4e-6e0b-4f6e-9a43-2f1c7d9e8b02',
} as const;

/** Name of the usage counter that counts the checked payment lines of a month. */
export const PAYMENT_LINES_METER = 'payment_lines';

interface Deps {
  readonly runs: PaymentRunStore;
  readonly files: Pick<PaymentFiles, 'read'>;
  readonly usage: UsageCounters;
  readonly check: CheckLines;
  readonly tenants: Tenants;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface CreateRunInput {
  readonly organizationId: string;
  /** Company that pays a payment run. Undefined to take the company of the debtor, or the default company. */
  readonly companyId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly fingerprint: string;
  /** Maximum number of payment lines in a month that the plan allows, or undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
  readonly payments:
    | { readonly source: 'PAIN_001'; readonly bytes: Uint8Array }
    | { readonly source: 'JSON'; readonly list: PaymentList };
}

export interface CreatedRun {
  readonly run: PaymentRun;
  /** True if the payment run was stored by an earlier request. */
  readonly isReplayed: boolean;
}

/**
 * Checks the payments of a file or a list, and stores the payment run. The run is stored last, and names its check. The
 * lines that a check has stored are read only if a stored run names the check, so lines without a run have no effect.
 * The id of the run is derived from the idempotency key or from the content, so a repeated request finds the stored run
 * and uses no quota.
 * @throws DomainError invalid, too_large, idempotency_mismatch, usage_exceeded; unavailable if too many files are being
 *   read
 */
export type CreateRun = (input: CreateRunInput, context: RequestContext) => Promise<CreatedRun>;

export const createRun =
  ({ runs, files, usage, check, tenants, clock, logger }: Deps): CreateRun =>
  async (input, context) => {
    const { organizationId, payments, idempotencyKey, fingerprint, monthlyLimit: limit } = input;
    const begun = performance.now();
    const tenant = await tenants.factsOf(organizationId, context, input.companyId);
    const sent: SentPayments =
      payments.source === 'JSON'
        ? { lines: linesOfList(payments.list), messageId: undefined, debtorTaxIds: [] }
        : await files.read(payments.bytes);
    const companyId = companyOf(input.companyId, sent.debtorTaxIds, tenant);
    const runId =
      idempotencyKey === undefined
        ? uuidV5(`${organizationId}|${companyId}|${fingerprint}`, namespaces.unkeyed)
        : uuidV5(`${organizationId}|${idempotencyKey}`, namespaces.keyed);
    const known = async (): Promise<CreatedRun | undefined> => {
      const run = await runs.find(organizationId, runId);
      if (run === undefined) return undefined;
      requireSameRequest(requestOf(companyId, fingerprint), run.fingerprint, 'payment run');
      return { run, isReplayed: true };
    };
    const earlier = await known();
    if (earlier !== undefined) return earlier;
    const at = clock.now();
    const month = usageMonth(at);
    const mark = { organizationId, month, meter: PAYMENT_LINES_METER, amount: sent.lines.length, at };
    try {
      // If the monthly quota of payment lines is used up, no line of the payment run is checked. The units are reserved
      // when the run is stored, so a failed check costs none.
      await usage.requireRoom(mark, limit);
    } catch (error) {
      return firstOfRefused(error, known);
    }
    const checkId = uuidV7();
    const subject = { organizationId, runId, companyId, messageId: sent.messageId };
    const { facts, run: runFacts, results } = await check(subject, sent.lines, tenant);
    await runs.insertCheck({ organizationId, runId, checkId, facts, run: runFacts, results });
    const counts = countsOf(sent.lines, results);
    const run: PaymentRun = {
      ...subject,
      version: 1,
      source: payments.source,
      lineCount: sent.lines.length,
      executionDate: sent.lines.flatMap(({ executionDate }) => executionDate ?? []).sort()[0],
      fingerprint: requestOf(companyId, fingerprint),
      createdAt: at,
      counts,
      checks: [{ checkId, trigger: 'CREATED', at, by: personOf(context), rulesVersion: RULES_VERSION, counts }],
      downloads: [],
      reports: [],
    };
    const announced = [checkedAnnouncement(run), recordedAct(runId, 'checked', context)];
    const bytes = payments.source === 'PAIN_001' ? payments.bytes : undefined;
    const removeUnused = (): Promise<void> => runs.removeCheck(organizationId, { runId, checkId });
    try {
      const { created, first } = await createCounted(
        { usage, clock },
        {
          mark,
          limit,
          insert: async () => ((await runs.insert({ ...run, bytes }, announced)) ? run : undefined),
          findFirst: known,
        },
      );
      if (created !== undefined) {
        const durationMs = performance.now() - begun;
        paymentRunChecked(logger, { organizationId, runId, trigger: 'CREATED', counts, durationMs });
        return { run: created, isReplayed: false };
      }
      if (first === undefined) throw new Error('The payment run was stored by an earlier request, but cannot be read.');
      await removeUnused();
      return first;
    } catch (error) {
      // If other requests used up the monthly quota of payment lines during the check, the payment run is refused and
      // its stored lines are removed.
      if (error instanceof DomainError && error.kind === 'usage_exceeded') await removeUnused();
      throw error;
    }
  };

/** Builds the event for a payment run whose lines were checked. */
export function checkedAnnouncement({ runId, companyId, lineCount, counts }: PaymentRun): Announcement {
  return announce(events.paymentRunChecked, {
    runId,
    companyId,
    lineCount,
    payCount: counts.PAY.count,
    holdCount: counts.HOLD.count,
    unknownCount: counts.UNKNOWN.count,
  });
}

function companyOf(stated: string | undefined, debtorTaxIds: readonly string[], tenant: TenantFacts): string {
  if (stated !== undefined) {
    if (hasCompany(tenant, stated)) return stated;
    throw invalidField(
      'company_id',
      'must be the id of a company in this organization. Omit it to use the company of the debtor.',
    );
  }
  const debtors = debtorTaxIds.flatMap((text) => parseTaxId(text) ?? []);
  const own = tenant.companies.find((company) => debtors.some((taxId) => hasTaxId(company, taxId)));
  return own?.companyId ?? tenant.defaultCompanyId;
}

/** A request for a payment run that has the same idempotency key but names another company is a different request. */
function requestOf(companyId: string, fingerprint: string): string {
  return createHash('sha256').update(`${companyId}|${fingerprint}`).digest('hex');
}
