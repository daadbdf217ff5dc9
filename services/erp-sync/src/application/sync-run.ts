import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { DomainError, isTemporary } from '@invoicecontrol/errors';
import { BudgetSpent, ErpFault } from '../domain/faults.js';
import { streamNames } from '../domain/streams.js';
import type { StreamName } from '../domain/streams.js';
import { outcomeOf, runLog, statusOf, toRunError } from '../domain/run.js';
import type { EndOfRun, RunLog, RunOutcome } from '../domain/run.js';
import { faultMet, rowsImported, runEnded } from '../telemetry.js';
import type { CallableConnection, CallBudget, CountedCalls, OpenedErp } from './open-erp.js';
import type { Imports, ImportSource } from './sync-imports.js';
import { NOT_BEGUN, reconcileStream } from './sync-reconcile.js';
import type { RunUnderWay } from './sync-run-under-way.js';
import { ClaimEnded } from './sync-stores.js';
import type { ConnectionClaim, IdList, ListedIdStore, OfStreams, RunProgress, RunStore } from './sync-stores.js';
import { firstDay, readStream } from './sync-stream.js';

export interface SyncRunDeps {
  readonly runs: RunStore;
  readonly imports: Imports;
  readonly listedIds: ListedIdStore;
  readonly openErp: (connection: CallableConnection, budget: CallBudget) => OpenedErp;
  /** Maximum number of calls to the ERP in one import run. */
  readonly callsMax: number;
  readonly runMs: number;
  readonly reconcileMs: number;
  readonly initialMonths: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface BeginningOfRun {
  readonly startedAt: Date;
  /** True if the import run reads every record from the beginning and compares all record ids. */
  readonly startsOver: boolean;
}

/** Error that is thrown in an import run that was stopped from outside. */
export class Stopped extends Error {
  readonly reason: 'LEASE_LOST' | 'STOPPING';

  constructor(reason: 'LEASE_LOST' | 'STOPPING') {
    super(reason === 'LEASE_LOST' ? 'the lease is lost' : 'the service stops');
    this.name = 'Stopped';
    this.reason = reason;
  }
}

/** Streams of ERP records that are left out without an error if the permission to read them is missing. */
const LEFT_OUT_WITHOUT_RIGHT: ReadonlySet<StreamName> = new Set(['payments', 'orders']);

/**
 * Executes a claimed import run of an ERP connection: reads its streams one after another, compares ids if a comparison
 * is due, and raises the findings that need no invoice. The outcome of the run is stored with the run, and the caller
 * applies it to the ERP connection.
 * @returns undefined if another worker has taken over the run; nothing more may be written then
 */
export const syncRun =
  (deps: SyncRunDeps) =>
  async (claim: ConnectionClaim, begin: BeginningOfRun, signal: AbortSignal): Promise<RunOutcome | undefined> => {
    const { runs, callsMax, runMs, clock, logger } = deps;
    const { connection, runId } = claim;
    const { organizationId } = connection;
    const log = runLog();
    const startedAt = performance.now();
    let calls: Pick<CountedCalls, 'callsCount' | 'throttledMs'> = { callsCount: 0, throttledMs: 0 };
    const progress = (): RunProgress => ({
      streams: log.streams,
      errors: log.errors,
      httpCalls: calls.callsCount,
      throttledMs: calls.throttledMs,
    });
    let end: EndOfRun = {};
    try {
      const { provider, session, calls: counted } = deps.openErp(connection, { callsMax, runMs, signal });
      calls = counted;
      const run: RunUnderWay = {
        claim,
        source: sourceOf(claim),
        session,
        provider,
        imports: deps.imports,
        call: { context: systemContext(`run-${runId}`), signal },
        log,
        clock,
        listedIds: deps.listedIds,
        lists: new Map(Object.entries(connection.lists) as [StreamName, IdList][]),
        saveProgress: () => runs.saveProgress(organizationId, runId, progress()),
      };
      end = await readAll(deps, run, begin);
    } catch (error) {
      end = endOf(await causeOf(error, claim), signal, log);
      if (end.broken === 'DEFECT') logger.error({ error, runId, connectionId: connection.id }, 'a run failed');
    }
    if (end.broken === 'TAKEN') return undefined;
    if (end.broken === 'DISCONNECTED') await endMasterAgain(deps, claim, signal);
    const outcome = outcomeOf(log, end, clock.now());
    const stored = await runs.finish(organizationId, runId, { outcome, finishedAt: clock.now(), progress: progress() });
    const seconds = (performance.now() - startedAt) / 1_000;
    runEnded(connection.provider, outcome.status, { seconds, throttledMs: calls.throttledMs });
    for (const stream of streamNames) {
      const counts = log.streams[stream];
      if (counts !== undefined) rowsImported(connection.provider, stream, counts);
    }
    for (const { code } of log.errors) faultMet(connection.provider, code);
    logger.info(
      {
        runId,
        connectionId: connection.id,
        organizationId,
        status: outcome.status,
        durationMs: Math.round(seconds * 1_000),
        ...progress(),
      },
      'a run ended',
    );
    return stored ?? outcome;
  };

/**
 * Tells the analysis service a second time that the vendors of a deleted ERP connection no longer count as known. A
 * page of vendors may have reached the analysis service after it was told this for the first time.
 */
async function endMasterAgain(
  { imports, logger }: SyncRunDeps,
  claim: ConnectionClaim,
  signal: AbortSignal,
): Promise<void> {
  const context = systemContext(`run-${claim.runId}`);
  await imports.endMaster(sourceOf(claim), { context, signal }).catch((error: unknown) => {
    logger.warn(
      { error, connectionId: claim.connection.id },
      'the master of a deleted connection could not be ended again',
    );
  });
}

/** State of the import run at the end of reading the ERP. */
interface EndOfReading {
  readonly fault?: ErpFault;
  /** ERP stream at which the call budget of an import run was used up. The next import run continues there. */
  readonly spentAt?: StreamName | 'ids';
}

async function readAll(
  deps: SyncRunDeps,
  run: RunUnderWay,
  { startsOver, startedAt }: BeginningOfRun,
): Promise<EndOfReading> {
  const { claim, provider, log, clock, source, imports, call } = run;
  const { connection } = claim;
  const first = firstDay(connection.importFrom, clock.now(), deps.initialMonths);
  if (startsOver) {
    const compared = [...provider.withoutDeletions, ...(provider.reportsDeletions ?? [])];
    await claim.startOver(clock.now(), ofEach(compared, NOT_BEGUN), ofEach(provider.streams, {}));
    for (const stream of compared) run.lists.set(stream, NOT_BEGUN);
  }
  const incompleteSince = connection.incompleteSince ?? startedAt;
  if (connection.incompleteSince === undefined) await claim.saveIncomplete(startedAt);

  // An import run first reads the ERP streams that an earlier run did not reach because it had used up its call budget.
  // Otherwise these streams would never be read.
  const pass = startsOver ? undefined : connection.pass;
  const complete = new Set<StreamName>();
  const failed = new Set<StreamName>();
  let end: EndOfReading = {};
  for (const stream of streamsFrom(provider.streams, pass?.at)) {
    const { cursor, window } = connection.streams[stream] ?? {};
    const fault = await faultOf(readStream(run, stream, { cursor, window: startsOver ? {} : window }, first));
    if (fault === undefined) {
      complete.add(stream);
      continue;
    }
    failed.add(stream);
    if (isLeftOut(stream, fault)) {
      log.drop(stream);
      continue;
    }
    log.failed(toRunError(fault, stream));
    if (!endsRun(fault)) continue;
    end = { fault, ...(fault instanceof BudgetSpent ? { spentAt: stream } : {}) };
    break;
  }
  if (end.fault === undefined) end = await reconcileWhereDue(deps, run, failed);
  const read = [...new Set([...(pass?.read ?? []), ...complete])];
  // If an import run began with the lists of record ids and used up its call budget on them, the next run begins with
  // the ERP streams. Otherwise the lists could keep the streams from ever being read.
  if (end.spentAt !== undefined && !(end.spentAt === 'ids' && pass?.at === 'ids')) {
    await claim.savePass({ at: end.spentAt, read });
  } else if (connection.pass !== undefined && (end.fault === undefined || end.spentAt !== undefined)) {
    await claim.savePass(undefined);
  }
  if (statusOf(log, end.fault?.needsAPerson === true) === 'FAILED') return end;

  // An import run reports the complete vendor list only if it read the last part of the list itself. Later runs do not
  // report the list, because its records may have changed since they were read.
  const isRead = (stream: StreamName): boolean => !provider.streams.includes(stream) || read.includes(stream);
  const isReadNow = complete.has('vendors') || complete.has('bankAccounts');
  const hasVendorList = isReadNow && isRead('vendors') && isRead('bankAccounts');
  await imports.complete(source, { startedAt: incompleteSince, finishedAt: clock.now(), hasVendorList }, call);
  await claim.saveIncomplete(undefined);
  return end;
}

/**
 * Returns the ERP streams that this import run must read: all streams or, if the previous run used up its call budget,
 * those that remained.
 */
function streamsFrom(streams: readonly StreamName[], at: StreamName | 'ids' | undefined): readonly StreamName[] {
  if (at === 'ids') return [];
  return streams.slice(at === undefined ? 0 : Math.max(0, streams.indexOf(at)));
}

function ofEach<T>(streams: readonly StreamName[], value: T): OfStreams<T> {
  return Object.fromEntries(streams.map((stream) => [stream, value]));
}

/**
 * Compares all record ids in those ERP streams whose deletions cannot be detected otherwise. It does so at intervals,
 * and whenever an import run starts from the beginning.
 */
async function reconcileWhereDue(
  { reconcileMs }: SyncRunDeps,
  run: RunUnderWay,
  failed: ReadonlySet<StreamName>,
): Promise<EndOfReading> {
  const { claim, provider, log, clock } = run;
  const { reconciledAt } = claim.connection;
  // The first import run compares no ids, because no records were stored before it that could have been deleted.
  const isFirst = reconciledAt === undefined;
  const now = clock.now();
  if (isFirst || now.getTime() - reconciledAt.getTime() >= reconcileMs) {
    // If an earlier import run has begun to list the record ids of an ERP stream, this run continues that list.
    const begun = isFirst ? [] : provider.withoutDeletions.filter((stream) => !run.lists.has(stream));
    await claim.saveReconciled(now, ofEach(begun, NOT_BEGUN));
    for (const stream of begun) run.lists.set(stream, NOT_BEGUN);
  }
  for (const stream of provider.streams) {
    if (failed.has(stream) || !run.lists.has(stream)) continue;
    const fault = await faultOf(reconcileStream(run, stream));
    if (fault === undefined || isLeftOut(stream, fault)) continue;
    log.failed(toRunError(fault, stream));
    if (endsRun(fault)) return { fault, ...(fault instanceof BudgetSpent ? { spentAt: 'ids' } : {}) };
  }
  return {};
}

function isLeftOut(stream: StreamName, { code }: ErpFault): boolean {
  return code === 'PERMISSION_DENIED' && LEFT_OUT_WITHOUT_RIGHT.has(stream);
}

/**
 * Checks whether a fault makes it impossible to read further ERP streams: a person must act, the ERP must not be called
 * for some time, or the call budget of the import run is used up.
 */
function endsRun(fault: ErpFault): boolean {
  return fault.needsAPerson || fault.code === 'RATE_LIMITED' || fault instanceof BudgetSpent;
}

async function faultOf(work: Promise<void>): Promise<ErpFault | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ErpFault) return error;
    throw error;
  }
}

/**
 * Returns the reason why a call to the analysis service failed. The service refuses the records of an ERP connection
 * that was disconnected. Such a refusal ends the import run and is not an error.
 */
async function causeOf(error: unknown, claim: ConnectionClaim): Promise<unknown> {
  if (!(error instanceof DomainError) || error.kind !== 'wrong_state') return error;
  return claim.confirm().then(
    () => error,
    (ended: unknown) => ended,
  );
}

function endOf(error: unknown, signal: AbortSignal, log: RunLog): EndOfRun {
  if (error instanceof ErpFault) {
    log.failed(toRunError(error));
    return { fault: error };
  }
  const cause = signal.aborted ? (signal.reason as unknown) : error;
  if (cause instanceof ClaimEnded) return { broken: cause.reason };
  if (cause instanceof Stopped && cause.reason === 'LEASE_LOST') return { broken: 'TAKEN' };
  const isStopping = cause instanceof Stopped;
  const message = isStopping
    ? 'The import run was interrupted by a restart of the service. The next run continues where it stopped.'
    : 'Part of the service was unavailable. The next import run continues.';
  log.failed(toRunError({ code: 'RUN_ABANDONED', message }));
  return { broken: isStopping ? 'STOPPING' : isTemporary(cause) ? 'OUTAGE' : 'DEFECT' };
}

function sourceOf({ connection, runId }: ConnectionClaim): ImportSource {
  const { id: connectionId, organizationId, companyId, remoteCompanyId, provider } = connection;
  return { organizationId, companyId, connectionId, remoteCompanyId, runId, provider };
}
