import { randomUUID } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { Connection } from '../../domain/connection.js';
import { createSessionKey, decodeSessionKey, encodeSessionKey } from '../../domain/encryption.js';
import type { SessionKey } from '../../domain/encryption.js';
import { PackageFault } from '../../domain/export-package.js';
import { enabled } from '../../domain/inbox.js';
import type { Inbox, RoleInbox } from '../../domain/inbox.js';
import {
  begun,
  ended,
  exporting,
  exportOf,
  exportStarted,
  followed,
  interrupted,
  isUncounted,
  nextStep,
  packageReady,
  receiving,
  REPAIR_WAIT_MS_MAX,
  repaired,
  repairPostponed,
  requested,
  restarted,
  runOf,
  stepFailed,
  stoppedRuns,
  windowReceived,
} from '../../domain/inbox-steps.js';
import type { InboxChange, InboxTiming } from '../../domain/inbox-steps.js';
import { waitingRefusals } from '../../domain/kept-refusals.js';
import type { Reception } from '../../domain/kept-refusals.js';
import { KsefRefusal } from '../../domain/ksef-refusal.js';
import { inboxRunEnded } from '../../telemetry.js';
import type { FailConnection } from '../connections/fail-connection.js';
import type { ConnectionStore } from '../connections/stores.js';
import { credentialsOf } from '../ksef-calls.js';
import type { DownloadedInvoice, ExportedPackage, Ksef, KsefCalls } from '../ksef-calls.js';
import type { EndInbox } from './change-inbox.js';
import { stepEvents } from './inbox-events.js';
import { receiveAgain, receivePackage } from './receive-package.js';
import type { ReceiveDeps } from './receive-package.js';
import type { ExportPackages, InboxClaim, InboxQueue, MonthlyLimits, TenantPlans } from './stores.js';

/**
 * Maximum number of KSeF inboxes that a replica processes at the same time. At most `RECEIVING_MAX` of them receive an
 * invoice package at the same time, because a package needs disk space and much memory.
 */
export const AT_ONCE_MAX = 16;
const RECEIVING_MAX = 2;
/** Time to wait for a free slot for receiving an invoice package from KSeF. */
const PLACE_WAIT_MS = 10_000;
/** Time to wait while the KSeF connection is not CONNECTED or the organization is deleted. */
const CONNECTION_WAIT_MS = 5 * 60_000;
/** Time to wait after an error of the ksef service, or of a service that it needs, outside of an inbox run. */
const FAULT_WAIT_MS = 5_000;
/**
 * Minimum time before a KSeF inbox is processed again, even if KSEF_WAIT_FACTOR is very small, so that other inboxes
 * are processed in between.
 */
const POSTPONED_MS_MIN = 50;

const NOTHING: Reception = { received: 0, repeated: 0, refused: [], stored: new Set() };

interface Deps extends ReceiveDeps {
  readonly queue: InboxQueue;
  /** Makes the worker look for due KSeF inboxes at the given time. */
  readonly onDue: (dueAt: Date) => void;
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly failConnection: FailConnection;
  readonly endInbox: EndInbox;
  readonly plans: TenantPlans;
  readonly ksef: Pick<Ksef, 'callsOf'>;
  readonly packages: ExportPackages;
  readonly secrets: Pick<SealedField, 'open'>;
  readonly exportKeys: Pick<SealedField, 'seal' | 'open'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface InboxWorker {
  /** Claims due KSeF inboxes while slots are free, and processes them. */
  poll(): Promise<void>;
  /**
   * Stops the KSeF inbox runs of this process, and resolves when they have stopped. The next worker continues from the
   * stored state.
   */
  stop(): Promise<void>;
}

/** Receives purchase invoices from KSeF. Every replica runs one worker, and there is no leader. */
export function inboxWorker(deps: Deps): InboxWorker {
  const { queue, connections, clock, logger, waitFactor } = deps;
  const own = new Map<string, { readonly ended: Promise<void>; readonly abort: AbortController }>();
  let isStopped = false;
  /** True if the last poll may have left due KSeF inboxes, because slots were occupied. */
  let isShort = false;
  let packagesAtOnce = 0;
  const timing = (): InboxTiming => ({ now: clock.now(), waitFactor, random: Math.random() });

  function begin(claim: InboxClaim): void {
    const { id } = claim.inbox;
    const abort = new AbortController();
    let isLost = false;
    const lease = claim.keepAlive(() => {
      isLost = true;
      abort.abort();
    });
    const over = (async () => {
      let now: InboxClaim | undefined = claim;
      try {
        try {
          let isRunOver = false;
          while (now !== undefined && !isRunOver && !abort.signal.aborted && isDue(now.inbox, clock)) {
            const before: Inbox = now.inbox;
            now = await advance(now, abort.signal);
            // A worker claims a KSeF inbox for at most one whole run. If the inbox is due again, it waits behind the
            // inboxes that have been due longer, because slow runs would otherwise keep all slots and other inboxes
            // would never run.
            isRunOver = now !== undefined && hasEndedRun(before, now.inbox);
          }
        } finally {
          // Releasing the claim on a KSeF inbox has no effect if another worker holds the claim.
          if (!isLost) await now?.release();
        }
      } catch (error) {
        if (!(error instanceof VersionConflict) && !abort.signal.aborted) {
          logger.warn({ error, connectionId: id }, 'an inbox step failed; the inbox is retried');
        }
      } finally {
        lease.stop();
        own.delete(id);
        if (isShort) deps.onDue(clock.now());
      }
    })();
    own.set(id, { ended: over, abort });
  }

  /**
   * Performs one KSeF inbox step. The intent and the outcome of a step are stored in one write each.
   * @returns undefined if the claim was released because the inbox has to wait
   */
  async function advance(claim: InboxClaim, signal: AbortSignal): Promise<InboxClaim | undefined> {
    const { inbox } = claim;
    if (inbox.requestedAt !== undefined) return store(claim, { inbox: requested(inbox, clock.now()) });
    const connection = await connections.find(inbox.organizationId, inbox.id);
    const secret = connection?.secret;
    if (connection === undefined || connection.status === 'DISABLED') {
      if (connection !== undefined) await deps.endInbox(connection);
      return wait(claim, CONNECTION_WAIT_MS);
    }
    if (secret === undefined || connection.status !== 'CONNECTED') return wait(claim, CONNECTION_WAIT_MS);
    if (connection.contextNip !== inbox.contextNip) {
      // The KSeF connection now belongs to another taxpayer, so the inbox must not continue from the times up to which
      // it has received invoices.
      const { contextNip } = connection;
      const now = clock.now();
      const stopped = stoppedRuns(inbox, 'The KSeF connection was saved with another NIP.', now);
      const next = enabled(inbox, { from: inbox.from, contextNip }, now);
      return store(claim, { inbox: next, ended: stopped, hasNews: true });
    }
    const { kind, role } = nextStep(inbox);
    try {
      const limits = await deps.plans.limitsOf(inbox.organizationId);
      if (limits === undefined) return await wait(claim, CONNECTION_WAIT_MS);
      const calls = deps.ksef.callsOf(credentialsOf(connection, secret, deps.secrets));
      switch (kind) {
        case 'BEGIN':
          return await store(claim, { inbox: begun(inbox, role, randomUUID(), timing()) });
        case 'REPAIR':
          return await store(claim, await repair(inbox, role, { calls, limits, signal }));
        case 'EXPORT':
          return await startExport(claim, role, { connection, calls });
        case 'FOLLOW':
          return await follow(claim, role, { connection, calls, limits, signal });
      }
    } catch (error) {
      if (error instanceof VersionConflict || signal.aborted) throw error;
      if (role.run === undefined) {
        logger.warn({ error, connectionId: inbox.id }, 'an inbox run could not start; the start is retried');
        return wait(claim, FAULT_WAIT_MS);
      }
      return failed(claim, role, connection, error);
    }
  }

  /**
   * Downloads one refused invoice by its KSeF number (call R5) and receives it. If KSeF does not deliver the invoice,
   * it stays refused until the next attempt.
   */
  async function repair(
    inbox: Inbox,
    role: RoleInbox,
    more: { readonly calls: KsefCalls; readonly limits: MonthlyLimits; readonly signal: AbortSignal },
  ): Promise<InboxChange> {
    const run = runOf(role);
    const refusal = waitingRefusals(inbox).find(({ ksefNumber }) => ksefNumber === run.again?.[0]);
    if (refusal === undefined) return repaired(inbox, role, NOTHING, false, timing());
    const { ksefNumber, reason } = refusal;
    let file: DownloadedInvoice;
    try {
      file = await more.calls.invoice(ksefNumber);
    } catch (error) {
      // A KSeF refusal about the connection or a permission would also end the export that follows. Any other refusal
      // of a download concerns only the one invoice.
      if (!(error instanceof KsefRefusal) || error.isAboutConnection || error.isAboutPermission) throw error;
      const { kind, retryAfterMs = Infinity, isAboutLimits, message } = error;
      if (isAboutLimits && retryAfterMs <= REPAIR_WAIT_MS_MAX) {
        return repairPostponed(inbox, role, retryAfterMs, timing());
      }
      if (isAboutLimits) return repaired(inbox, role, NOTHING, true, timing());
      const isLasting = kind === 'PERMANENT';
      const refused = [{ ksefNumber, reason: isLasting ? message : reason }];
      return repaired(inbox, role, { ...NOTHING, refused }, !isLasting, timing());
    }
    const options = { isNew: newDocuments(inbox, role), limits: more.limits, signal: more.signal };
    const { reception, exceeded } = await receiveAgain(deps, inbox, { refusal, file }, options);
    if (exceeded === undefined) return repaired(inbox, role, reception, false, timing());
    return paused(inbox, role, exceeded, reception);
  }

  /**
   * Stores the key of a new KSeF export, and then requests the export (R1). If the process is killed before the
   * response is stored, the export is requested again. KSeF drops exports that are not fetched.
   */
  async function startExport(
    claim: InboxClaim,
    before: RoleInbox,
    { connection, calls }: { readonly connection: Connection; readonly calls: KsefCalls },
  ): Promise<InboxClaim> {
    const key = createSessionKey();
    const sealed = deps.exportKeys.seal(claim.inbox, encodeSessionKey(key));
    const intended = await store(claim, { inbox: exporting(claim.inbox, before, sealed, timing()) });
    const { inbox } = intended;
    const role = roleOf(inbox, before.role);
    const run = runOf(role);
    let referenceNumber: string;
    try {
      const window = { role: role.role, from: run.cursor, to: exportOf(run).to };
      ({ referenceNumber } = await calls.startExport(key, window, { hasFreshKeys: run.restarts > 0 }));
    } catch (error) {
      return failed(intended, role, connection, error);
    }
    return store(intended, { inbox: exportStarted(inbox, role, referenceNumber, timing()) });
  }

  /**
   * Fetches the status of a KSeF export (R2). If the package is ready, downloads it (R3) and receives everything in it.
   */
  async function follow(
    claim: InboxClaim,
    role: RoleInbox,
    more: {
      readonly connection: Connection;
      readonly calls: KsefCalls;
      readonly limits: MonthlyLimits;
      readonly signal: AbortSignal;
    },
  ): Promise<InboxClaim | undefined> {
    const { inbox } = claim;
    const { referenceNumber = '', key: sealed, isReady } = exportOf(runOf(role));
    // If the process already receives the maximum number of invoice packages, the status of a finished KSeF export is
    // not polled, because KSeF limits these calls for all software of the company together.
    if (isReady === true && packagesAtOnce >= RECEIVING_MAX) return wait(claim, PLACE_WAIT_MS);
    const key = openKey(inbox, sealed);
    // The key that encrypted the KSeF export key has been removed, so another export with a new key is requested.
    if (key === undefined)
      return store(claim, restarted(inbox, role, 'The key of the KSeF export has been lost.', timing()));
    const { status, package: made } = await more.calls.exportStatus(referenceNumber);
    const said = [status.description, ...status.details].join(' ');
    const next = followed(inbox, role, { code: status.code, said }, timing());
    if (next !== 'RECEIVE') return store(claim, next);
    if (made === undefined) throw new TypeError('The KSeF export is finished but has no package.');
    // An empty invoice package of KSeF has no parts, so nothing is downloaded.
    if (made.parts.length > 0 && packagesAtOnce >= RECEIVING_MAX) {
      return wait(await store(claim, packageReady(inbox, role)), PLACE_WAIT_MS);
    }
    packagesAtOnce++;
    try {
      return await receive(claim, role, { ...more, made, key });
    } finally {
      packagesAtOnce--;
    }
  }

  async function receive(
    claim: InboxClaim,
    role: RoleInbox,
    {
      connection,
      made,
      key,
      limits,
      signal,
    }: {
      readonly connection: Connection;
      readonly made: ExportedPackage;
      readonly key: SessionKey;
      readonly limits: MonthlyLimits;
      readonly signal: AbortSignal;
    },
  ): Promise<InboxClaim> {
    const { environment } = claim.inbox;
    const { parts } = made;
    if (parts.length === 0) return store(claim, windowReceived(claim.inbox, role, made, NOTHING, timing()));
    let started = claim;
    const { reception, exceeded, failure } = await deps.packages.reading(
      { environment, parts, key },
      signal,
      async (opened) => {
        started = await store(claim, receiving(claim.inbox, role, timing()));
        const { inbox } = started;
        const options = { isNew: newDocuments(inbox, role), limits, signal };
        return receivePackage(deps, inbox, opened, options);
      },
    );
    const { inbox } = started;
    const own = roleOf(inbox, role.role);
    if (failure !== undefined) {
      const counted = await store(started, interrupted(inbox, own, reception, timing()));
      return failed(counted, roleOf(counted.inbox, role.role), connection, failure);
    }
    if (exceeded !== undefined) return store(started, paused(inbox, own, exceeded, reception));
    return store(started, windowReceived(inbox, own, made, reception, timing()));
  }

  /** Ends an inbox run because the plan of the organization allows no more invoices. */
  function paused(inbox: Inbox, role: RoleInbox, exceeded: string, reception: Reception): InboxChange {
    const message = `Receiving invoices is paused; no invoice is lost. ${exceeded}`;
    return ended(inbox, role, { message, isPaused: true, reception }, timing());
  }

  /** Decides what follows a failed step of a KSeF inbox run. */
  async function failed(
    claim: InboxClaim,
    role: RoleInbox,
    connection: Connection,
    error: unknown,
  ): Promise<InboxClaim> {
    const { inbox } = claim;
    if (!(error instanceof KsefRefusal && error.isAboutLimits)) {
      logger.warn({ error, connectionId: inbox.id, role: role.role }, 'a step of an inbox run failed');
    }
    if (error instanceof PackageFault) return store(claim, restarted(inbox, role, error.message, timing()));
    if (!(error instanceof KsefRefusal)) {
      const message = error instanceof DomainError ? error.publicMessage : 'An internal error ended the inbox run.';
      return store(claim, stepFailed(inbox, role, { message, isAboutLimits: false }, timing()));
    }
    const { message, kind, code, concerns, retryAfterMs } = error;
    if (error.isAboutConnection) {
      const stored = await store(claim, ended(inbox, role, { message }, timing()));
      await deps.failConnection(connection, error);
      return stored;
    }
    if (kind !== 'PERMANENT') {
      const isAboutLimits = error.isAboutLimits || kind === 'BLOCKED';
      return store(claim, stepFailed(inbox, role, { message, retryAfterMs, isAboutLimits }, timing()));
    }
    // A REFERENCE refusal means that KSeF no longer has the export. A refusal with HTTP status 403, however, means that
    // the permission to view invoices is missing.
    const isGone = concerns === 'REFERENCE' && code !== 'KSEF_HTTP_403';
    if (isGone && role.run?.export?.referenceNumber !== undefined) {
      return store(claim, restarted(inbox, role, message, timing()));
    }
    const isPaused = code === 'KSEF_HTTP_403';
    return store(claim, ended(inbox, role, { message, isPaused }, timing()));
  }

  async function store(claim: InboxClaim, change: InboxChange): Promise<InboxClaim> {
    const stored = await claim.save(change, stepEvents(claim.inbox, change));
    for (const { id: runId, role, status, received, repeated, refused } of change.ended ?? []) {
      inboxRunEnded(stored.inbox.environment, role, status);
      logger.info(
        { connectionId: stored.inbox.id, runId, role, status, received, repeated, refused: refused.length },
        'an inbox run ended',
      );
    }
    return stored;
  }

  /** Releases the claim on a KSeF inbox until a later time. No other field of the inbox changes. */
  async function wait(claim: InboxClaim, waitMs: number): Promise<undefined> {
    await claim.wait(new Date(clock.now().getTime() + Math.max(POSTPONED_MS_MIN, waitMs * waitFactor)));
  }

  function openKey(inbox: Inbox, sealed: Parameters<typeof deps.exportKeys.open>[1]): SessionKey | undefined {
    try {
      return decodeSessionKey(deps.exportKeys.open(inbox, sealed));
    } catch (error) {
      logger.warn(
        { error, connectionId: inbox.id },
        'the key of an export cannot be decrypted; a new export is started',
      );
      return undefined;
    }
  }

  return {
    async poll() {
      isShort = own.size >= AT_ONCE_MAX;
      if (isStopped || isShort) return;
      const room = AT_ONCE_MAX - own.size;
      const found = await queue.due(room, [...own.keys()]);
      isShort = found.length >= room;
      for (const due of found) {
        if (isStopped) return;
        if (own.has(due.id)) continue;
        const claim = await queue.claim(due);
        if (claim !== undefined) begin(claim);
      }
    },
    async stop() {
      isStopped = true;
      for (const { abort } of own.values()) abort.abort();
      await Promise.all([...own.values()].map(({ ended: over }) => over));
    },
  };
}

function roleOf({ roles }: Inbox, name: RoleInbox['role']): RoleInbox {
  const role = roles.find((one) => one.role === name);
  if (role === undefined)
    throw new TypeError(`The KSeF inbox does not receive invoices for the role ${name} of the company.`);
  return role;
}

function newDocuments(inbox: Inbox, { role }: RoleInbox): (storedAt: Date) => boolean {
  const own = roleOf(inbox, role);
  return (storedAt) => isUncounted(inbox, own, storedAt);
}

function hasEndedRun(before: Inbox, { lastRunAt }: Inbox): boolean {
  return lastRunAt?.getTime() !== before.lastRunAt?.getTime();
}

function isDue({ isEnabled, roles, requestedAt }: Inbox, clock: Clock): boolean {
  if (requestedAt !== undefined) return true;
  return isEnabled && roles.some(({ dueAt }) => dueAt <= clock.now());
}
