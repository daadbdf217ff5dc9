import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { v7 as uuidV7 } from 'uuid';
import type { RunMode, RunOutcome, RunTrigger } from '../domain/run.js';
import { toRunError } from '../domain/run.js';
import { nextSlot, retryRunId, scheduledRunId } from '../domain/schedule.js';
import { Stopped } from './sync-run.js';
import type { BeginningOfRun } from './sync-run.js';
import type { ConnectionClaim, DueConnection, RunStore, SyncedConnections } from './sync-stores.js';

/**
 * Maximum number of concurrent import runs in one replica. If this number is reached, a requested import run waits in
 * the replica, which keeps renewing its lease.
 */
export const RUNS_MAX = 8;
/** Maximum number of requested import runs that wait in one replica. */
export const RUNS_WAITING_MAX = 100;
/**
 * Maximum number of consecutive import runs of an ERP connection that are continued immediately after their worker
 * stopped responding. Once this number is reached, the next run begins only at the regular time of the ERP connection.
 */
const ABANDONED_RUNS_MAX = 3;
const ABANDONED = {
  code: 'RUN_ABANDONED',
  message: 'The import run was abandoned because its process ended. The next run continues.',
} as const;

interface Deps {
  readonly connections: SyncedConnections;
  readonly runs: RunStore;
  readonly tenants: Tenants;
  /** Executes a claimed import run and stores its outcome. */
  readonly syncRun: (
    claim: ConnectionClaim,
    begin: BeginningOfRun,
    signal: AbortSignal,
  ) => Promise<RunOutcome | undefined>;
  readonly intervalSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface SyncWorker {
  /** Number of import runs in this process, including those that wait. */
  readonly underWay: number;
  /** Claims due ERP connections while there is capacity, and starts their runs. */
  poll(): Promise<void>;
  /**
   * Starts an import run for an ERP connection now.
   * @returns the id of the run
   * @throws DomainError not_found, wrong_state, in_progress, rate_limited
   */
  start(organizationId: string, connectionId: string, mode: RunMode): Promise<string>;
  /** Interrupts the import runs of this process, so that other replicas continue them immediately. */
  stop(): Promise<void>;
}

/** An import run that this process executes. */
interface OwnRun {
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** Claims ERP connections and executes their import runs. Every replica has one worker, and there is no leader. */
export function syncWorker(deps: Deps): SyncWorker {
  const { connections, runs, tenants, clock, logger, intervalSeconds } = deps;
  const own = new Map<string, OwnRun>();
  const waiting: (() => void)[] = [];
  let active = 0;
  let isStopped = false;
  const slotOf = (connectionId: string): Date => nextSlot(connectionId, clock.now(), intervalSeconds);

  /** Executes a claimed import run in the background. */
  function begin(claim: ConnectionClaim, beginning: BeginningOfRun): void {
    const stopping = new AbortController();
    const lease = claim.keepAlive(() => stopping.abort(new Stopped('LEASE_LOST')));
    const ended = (async () => {
      try {
        await turn(stopping.signal);
        try {
          const outcome = await deps.syncRun(claim, beginning, stopping.signal);
          if (outcome !== undefined) await finish(claim, outcome, 0);
        } finally {
          active--;
          for (const wake of waiting.splice(0)) wake();
        }
      } catch (error) {
        // The lease of the ERP import run will expire, and another worker will then find the run abandoned.
        logger.error({ error, runId: claim.runId, connectionId: claim.connection.id }, 'a run could not be ended');
      } finally {
        lease.stop();
        own.delete(claim.runId);
      }
    })();
    own.set(claim.runId, { stopping, ended });
  }

  async function turn(signal: AbortSignal): Promise<void> {
    while (active >= RUNS_MAX && !signal.aborted) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    active++;
  }

  function finish(claim: ConnectionClaim, outcome: RunOutcome, abandonedRuns: number): Promise<void> {
    return claim.release({ outcome, finishedAt: clock.now(), nextSlot: slotOf(claim.connection.id), abandonedRuns });
  }

  async function insertRun(
    { connection, runId }: ConnectionClaim,
    run: { readonly trigger: RunTrigger; readonly mode: RunMode; readonly startedAt: Date },
  ): Promise<boolean> {
    const { id: connectionId, organizationId, provider } = connection;
    return runs.insert({ id: runId, organizationId, connectionId, provider, ...run });
  }

  /** Executes the import run of an ERP connection that is due. */
  async function runDue(due: DueConnection): Promise<void> {
    const { nextSyncAt } = due;
    if (nextSyncAt === undefined) return;
    const claim = await connections.claimDue(due, scheduledRunId(due.id, nextSyncAt, intervalSeconds));
    if (claim === undefined) return;
    const startedAt = clock.now();
    const trigger = due.isFirst ? 'INITIAL' : due.isContinued ? 'RETRY' : 'SCHEDULED';
    const isNew = await insertRun(claim, { trigger, mode: due.isFirst ? 'FULL' : 'INCREMENTAL', startedAt });
    if (isNew) begin(claim, { startedAt, startsOver: false });
    // Another process has already executed the import run that was due at this time.
    else await claim.giveBack(slotOf(due.id));
  }

  /**
   * Handles an import run whose worker stopped responding. If the run had been completed, its outcome is applied to the
   * ERP connection. Otherwise the run is continued immediately, unless too many runs of the connection were abandoned
   * in a row.
   * @param mayContinue checks whether the organization exists and has an active subscription
   */
  async function resolveSilent(
    {
      id: connectionId,
      organizationId,
      runningRunId = '',
    }: Pick<DueConnection, 'id' | 'organizationId' | 'runningRunId'>,
    mayContinue: boolean,
  ): Promise<void> {
    const claim = await connections.takeOver(organizationId, connectionId, runningRunId);
    if (claim === undefined) return;
    const abandoned: RunOutcome = {
      status: 'FAILED',
      error: ABANDONED,
      needsAPerson: false,
      isInterrupted: false,
    };
    const finishedAt = clock.now();
    const end = { outcome: abandoned, finishedAt, error: toRunError(ABANDONED) };
    const outcome = await runs.finish(organizationId, runningRunId, end);
    const isAbandoned = outcome === undefined || outcome.error?.code === 'RUN_ABANDONED';
    if (!isAbandoned) return finish(claim, outcome, 0);
    logger.warn({ runId: runningRunId, connectionId, organizationId }, 'a run was abandoned by its worker');
    const abandonedRuns = claim.connection.abandonedRuns + 1;
    if (!mayContinue || abandonedRuns > ABANDONED_RUNS_MAX) return finish(claim, abandoned, abandonedRuns);
    const continued = await claim.continueAs(retryRunId(connectionId, runningRunId), abandonedRuns);
    const startedAt = clock.now();
    const isNew = await insertRun(continued, { trigger: 'RETRY', mode: 'INCREMENTAL', startedAt });
    if (isNew) begin(continued, { startedAt, startsOver: false });
    else await finish(continued, abandoned, abandonedRuns);
  }

  /** Checks whether the organization of an import run exists and has an active subscription. */
  async function isServed(organizationId: string): Promise<boolean> {
    try {
      return (await tenants.factsOf(organizationId, systemContext('erp sync'))).hasActiveSubscription;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return false;
      throw error;
    }
  }

  async function take(due: DueConnection): Promise<void> {
    const mayRun = await isServed(due.organizationId);
    if (due.runningRunId !== undefined) await resolveSilent(due, mayRun);
    else if (mayRun) await runDue(due);
    else await connections.postpone(due, slotOf(due.id));
  }

  return {
    get underWay() {
      return own.size;
    },
    async poll() {
      // The worker claims runs until its capacity is used. Import runs of organizations without a subscription end at
      // once and use no capacity.
      for (;;) {
        const room = RUNS_MAX - own.size;
        if (isStopped || room <= 0) return;
        const found = await connections.due(room);
        let failures = 0;
        for (const due of found) {
          if (isStopped) return;
          await take(due).catch((error: unknown) => {
            failures++;
            logger.warn({ error, connectionId: due.id }, 'a due connection could not be run');
          });
        }
        if (found.length < room || failures > 0) return;
      }
    },
    async start(organizationId, connectionId, mode) {
      const found = await connections.find(organizationId, connectionId);
      if (found === undefined) throw notFound('ERP connection');
      if (found.status === 'DISABLED') {
        throw new DomainError(
          'wrong_state',
          'The ERP is disconnected, so nothing can be imported. Connect the ERP again.',
        );
      }
      if (found.runningRunId !== undefined && !found.isSilent) throw running();
      if (isStopped || own.size >= RUNS_MAX + RUNS_WAITING_MAX) {
        throw new DomainError(
          'rate_limited',
          'Too many import runs are waiting to start. Retry the request in a minute.',
          {
            retryAfterSeconds: 60,
          },
        );
      }
      if (found.runningRunId !== undefined) {
        await resolveSilent({ id: connectionId, organizationId, runningRunId: found.runningRunId }, false);
      }
      const runId = uuidV7();
      const claim = await connections.claimNow(organizationId, connectionId, runId);
      if (claim === undefined) throw running();
      const startedAt = clock.now();
      await insertRun(claim, { trigger: 'MANUAL', mode, startedAt });
      begin(claim, { startedAt, startsOver: mode === 'FULL' });
      return runId;
    },
    async stop() {
      isStopped = true;
      for (const { stopping } of own.values()) stopping.abort(new Stopped('STOPPING'));
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}

function running(): DomainError {
  return new DomainError(
    'in_progress',
    'An import run of this ERP connection is in progress. Wait until that run has finished, then start another run.',
  );
}
