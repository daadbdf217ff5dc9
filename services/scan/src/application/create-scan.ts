import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { createCounted } from '@invoicecontrol/metering/counted-create';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { firstInProgress, requireSameRequest } from '@invoicecontrol/runtime/idempotency-key';
import { systemContext, unbounded } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { stages } from '@invoicecontrol/runtime/stages';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { SCAN_ROWS_METER, wayToResult } from './finish-scan.js';
import type { FinishScan } from './finish-scan.js';
import { packRows } from './packed-rows.js';
import type { RowBudget } from './row-budget.js';
import { scanIdFor } from './scan-ids.js';
import type { CompleteScan, NewScan, ScanReference, ScanStore } from './scan-store.js';
import { turnEnded } from '../telemetry.js';

/** Maximum time that a history scan waits for another running history scan of its organization. */
const TURN_WAIT_MS_MAX = 20_000;
const TURN_POLL_EACH_MS = 100;
/** Safety margin in milliseconds: the scan service responds at least this long before its caller stops waiting. */
const ANSWER_MS = 1_000;
/** Seconds after which a caller should retry if the history scan could not start. */
const TURN_RETRY_SECONDS = 5;

interface Deps {
  readonly scans: ScanStore;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
  readonly finish: FinishScan;
  readonly withinBudget: RowBudget;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface CreateScanInput {
  readonly organizationId: string;
  /** Id of the company to which the rows of the history scan belong. Undefined for the default company. */
  readonly companyId: string | undefined;
  readonly rows: readonly Row[];
  readonly idempotencyKey: string | undefined;
  /** SHA-256 hash of the body of a request for a history scan, as canonical JSON. */
  readonly fingerprint: string;
  /** Maximum number of history scan rows in a month, or undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
}

export interface CreatedScan {
  readonly scan: CompleteScan;
  /** True if the response about a history scan repeats the response to an earlier request. */
  readonly isReplayed: boolean;
}

interface Caller {
  readonly context: RequestContext;
  /**
   * Deadline of the response about a history scan in milliseconds since the epoch, or Infinity for a caller without a
   * deadline.
   */
  readonly answerBy: number;
  /**
   * Function that is called when the history scan is stored. From then on, the scan is completed even if the caller
   * disconnects.
   */
  onStored(): void;
}

/** The checked values of a request before its history scan is stored. */
type Accepted = Omit<NewScan, 'createdAt' | 'usage'>;

/**
 * Stores the rows of a history scan and has them analyzed (architecture section 7). The id of the scan is derived from
 * the idempotency key, so every step can be repeated. One history scan of an organization runs at a time, and further
 * history scans wait (ADR 0016). Rows of one file are therefore never analyzed twice, and the history of each supplier
 * grows in order.
 *
 * A caller gets a response before its deadline. A history scan that is stored by then continues under its lease without
 * the caller. A history scan that is not stored by then is refused, and nothing of it remains (ADR 0032).
 * @throws DomainError idempotency_mismatch for other rows under the same key; in_progress while the first request with
 * the key is running, its history scan waits for a retry, or another history scan runs for too long; the errors of
 * {@link RowBudget} for too many rows at once; deadline if the history scan is stored and continues without the caller,
 * or if another worker took over a history scan that has no idempotency key; usage_exceeded; invalid for an unknown
 * company; and the errors of {@link FinishScan}
 */
export type CreateScan = (input: CreateScanInput, context: RequestContext) => Promise<CreatedScan>;

export const createScan = (deps: Deps): CreateScan => {
  const { scans, tenants, finish, withinBudget, clock, logger } = deps;

  /**
   * Returns the response to a request whose history scan is being processed by another worker or is waiting for a
   * retry.
   */
  const answerOfOther = async (
    { organizationId, scanId }: ScanReference,
    { isKeyed, isReplayed }: { isKeyed: boolean; isReplayed: boolean },
  ): Promise<CreatedScan> => {
    const scan = await scans.find(organizationId, scanId);
    if (scan?.status === 'COMPLETE') return { scan, isReplayed };
    if (scan?.status === 'FAILED') throw abandoned(isKeyed);
    if (!isKeyed) throw goesOn(isKeyed);
    const waitMs = (scan?.nextTryAt?.getTime() ?? 0) - clock.now().getTime();
    throw waitMs > 0 ? waits(Math.ceil(waitMs / 1_000)) : firstInProgress();
  };

  /** Returns the response to a request whose history scan is already stored, or undefined if there is none. */
  const repeat = async (
    reference: ScanReference,
    fingerprint: string,
    { context, onStored }: Caller,
  ): Promise<CreatedScan | undefined> => {
    const earlier = await scans.find(reference.organizationId, reference.scanId);
    if (earlier === undefined) return undefined;
    requireSameRequest(fingerprint, earlier.fingerprint, 'scan');
    if (earlier.status === 'COMPLETE') return { scan: earlier, isReplayed: true };
    if (earlier.status === 'FAILED') throw abandoned(true);
    const taken = await scans.takeOver(reference);
    if (taken === undefined) return answerOfOther(reference, { isKeyed: true, isReplayed: true });
    onStored();
    return { scan: await finish(taken, unbounded(context)), isReplayed: true };
  };

  /**
   * Completes a history scan that its worker abandoned. Until then, the next scan of the organization cannot begin, and
   * its caller may be refused because the wait is too long.
   */
  const takeUpAbandoned = async (reference: ScanReference): Promise<void> => {
    const taken = await scans.takeOver(reference);
    if (taken === undefined) return;
    finish(taken, systemContext(`takeover-${reference.scanId}`)).catch((error: unknown) => {
      logger.warn({ error, ...reference }, 'a scan that its worker had abandoned did not complete');
    });
  };

  const create = async (input: CreateScanInput, reference: ScanReference, caller: Caller): Promise<CreatedScan> => {
    const { context, answerBy } = caller;
    const { organizationId, rows, idempotencyKey, fingerprint, monthlyLimit } = input;
    const isKeyed = idempotencyKey !== undefined;
    const watch = stages();
    const answerOfFirst = async (): Promise<CreatedScan | undefined> =>
      isKeyed ? repeat(reference, fingerprint, caller) : undefined;

    // A repeated request for a history scan succeeds even if the quota is used up, or if the company of the scan was
    // deleted in the meantime.
    const known = await answerOfFirst();
    if (known !== undefined) return known;
    const tenant = await tenants.factsOf(organizationId, context, input.companyId);
    const companyId = input.companyId ?? tenant.defaultCompanyId;
    if (!hasCompany(tenant, companyId)) {
      throw invalidField(
        'companyId',
        'must be the id of a company in this organization. Omit it to use the default company.',
      );
    }
    const accepted: Accepted = {
      ...reference,
      companyId,
      baseCurrency: tenant.baseCurrency,
      packedRows: await watch.during('pack', () => packRows(rows)),
      ...(context.grant === undefined ? {} : { grant: context.grant }),
      ...(isKeyed ? { fingerprint } : {}),
    };
    const waitedSince = clock.now().getTime();
    let hasWaited = false;
    const waitEnded = (outcome: 'BEGUN' | 'REFUSED'): void => {
      if (hasWaited) turnEnded(outcome, (clock.now().getTime() - waitedSince) / 1_000);
    };
    /**
     * Counts the rows towards the quota, stores the history scan and completes it. Returns undefined if another history
     * scan is running.
     */
    const begin = async (): Promise<CreatedScan | undefined> => {
      const now = clock.now();
      const counted = { month: usageMonth(now), rows: rows.length };
      const { created, first } = await watch.during('store', () =>
        createCounted(deps, {
          mark: { organizationId, month: counted.month, meter: SCAN_ROWS_METER, amount: counted.rows, at: now },
          limit: monthlyLimit,
          insert: () => scans.insert({ ...accepted, createdAt: now, usage: counted }),
          findFirst: isKeyed ? answerOfFirst : undefined,
        }),
      );
      if (created === undefined) return first;
      caller.onStored();
      waitEnded('BEGUN');
      return { scan: await finish(created, unbounded(context), watch), isReplayed: false };
    };

    const waitUntil = waitedSince + TURN_WAIT_MS_MAX;
    const isLate = (): boolean => clock.now().getTime() > waitUntil || Date.now() > answerBy;
    for (;;) {
      const running = await scans.running(organizationId);
      if (running === undefined) {
        const begun = await begin();
        if (begun !== undefined) return begun;
      } else {
        const isAnother = running.scanId !== reference.scanId;
        if (running.isAbandoned && isAnother) await takeUpAbandoned({ organizationId, scanId: running.scanId });
        const first = await answerOfFirst();
        if (first !== undefined) return first;
      }
      if (isLate()) {
        waitEnded('REFUSED');
        throw noTurn();
      }
      hasWaited = true;
      await delay(TURN_POLL_EACH_MS);
    }
  };

  return async (input, context) => {
    const { organizationId, rows, idempotencyKey } = input;
    const reference = { organizationId, scanId: scanIdFor(organizationId, idempotencyKey) };
    const isKeyed = idempotencyKey !== undefined;
    const work = async (caller: Caller): Promise<CreatedScan> => {
      try {
        return await withinBudget(organizationId, rows.length, () => create(input, reference, caller));
      } catch (error) {
        if (!(error instanceof VersionConflict)) throw error;
        // The worker that began the history scan was so slow that another worker took over the history scan. The result
        // of the other worker is returned.
        return answerOfOther(reference, { isKeyed, isReplayed: false });
      }
    };
    const answerBy = (context.deadline ?? Infinity) - ANSWER_MS;
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      let inTime: NodeJS.Timeout | undefined;
      const answerGoesOn = (): void => {
        isAnswered = true;
        reject(goesOn(isKeyed));
      };
      const onStored = (): void => {
        if (answerBy === Infinity) return;
        inTime = setTimeout(answerGoesOn, answerBy - Date.now());
      };
      work({ context, answerBy, onStored })
        .finally(() => clearTimeout(inTime))
        .then(resolve, (error: unknown) => {
          if (isAnswered)
            logger.warn({ error, ...reference }, 'a scan did not complete after its caller had received a response');
          else reject(error as Error);
        });
    });
  };
};

/**
 * Returns the refusal for a history scan that the operator ended. The caller must send a new Idempotency-Key: with the
 * same key, the analysis would continue with the rows that the ended scan stored.
 */
function abandoned(isKeyed: boolean): DomainError {
  const again = isKeyed ? 'Send its rows again with a new Idempotency-Key.' : 'Send its rows again.';
  return new DomainError(
    'wrong_state',
    `The operator of the service abandoned this history scan, so it has no result. ${again}`,
  );
}

function waits(retryAfterSeconds: number): DomainError {
  return new DomainError(
    'in_progress',
    'The history scan of the first request with this Idempotency-Key is stored, but not complete yet. ' +
      `The service keeps trying; retry the request in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

function goesOn(isKeyed: boolean): DomainError {
  return new DomainError('deadline', `The history scan is stored and continues. ${wayToResult(isKeyed)}`);
}

function noTurn(): DomainError {
  return new DomainError(
    'in_progress',
    'Another history scan of this organization is in progress, and only one runs at a time. Retry the request in a moment.',
    { retryAfterSeconds: TURN_RETRY_SECONDS },
  );
}
