import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection } from '../../domain/connection.js';
import { disabled, enabled, faultOfFrom, INBOX_RUNS_MAX, newInbox } from '../../domain/inbox.js';
import type { Inbox, InboxRun } from '../../domain/inbox.js';
import { shownRun, stoppedRuns } from '../../domain/inbox-steps.js';
import { dismissed } from '../../domain/kept-refusals.js';
import { polishDayOf } from '../../domain/preconditions.js';
import { requireConnection } from '../connections/disable-connection.js';
import type { ConnectionStore } from '../connections/stores.js';
import { inboxAudit, inboxChanged } from './inbox-events.js';
import type { InboxEnvironments, InboxStore } from './stores.js';

export interface InboxDeps {
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly inboxes: InboxStore;
  readonly environments: InboxEnvironments;
  readonly clock: Clock;
}

interface InboxWish {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly isEnabled: boolean;
  /**
   * First day from which a KSeF inbox receives invoices. If undefined, the stored day applies, or today if none is
   * stored.
   */
  readonly from: string | undefined;
}

/** A KSeF connection and its inbox, if the inbox was ever enabled. */
export interface ConnectionWithInbox {
  readonly connection: Connection;
  readonly inbox: Inbox | undefined;
}

/**
 * Enables or disables an inbox (KSeF reference, section 19). Repeating a request changes nothing.
 * @throws DomainError not_found; invalid for a wrong day; wrong_state for a disabled connection, or when the
 * organization receives from another environment
 */
export const updateInbox =
  (deps: InboxDeps) =>
  (
    { organizationId, connectionId, isEnabled, from }: InboxWish,
    context: RequestContext,
  ): Promise<ConnectionWithInbox> =>
    retryOnConflict(async () => {
      const { connections, inboxes, environments, clock } = deps;
      const now = clock.now();
      const today = polishDayOf(now);
      const connection = await requireConnection(connections, organizationId, connectionId);
      const fault = from === undefined ? undefined : faultOfFrom(from, today);
      if (fault !== undefined) throw invalidField('inbox.from', fault);
      if (!isEnabled) {
        const events = [inboxAudit('inbox_disabled', connectionId, context)];
        return { connection, inbox: await disable(deps, connection, 'The KSeF inbox was disabled.', events) };
      }
      if (connection.status === 'DISABLED') {
        throw new DomainError(
          'wrong_state',
          'The KSeF connection is disabled and cannot receive invoices. Save the connection again with a token or a certificate, then enable its inbox.',
        );
      }
      // The KSeF inbox is read before the organization reserves its environment for receiving. If another request
      // disables the inbox after this read, the write of the inbox below fails. If the other request disabled the inbox
      // before this read, it does not release the reservation made below, because that reservation names a later
      // version of the inbox (ADR 0126).
      const stored = await inboxes.find(organizationId, connectionId);
      const day = from ?? stored?.from ?? today;
      const before = stored ?? newInbox(connection, day, now);
      const next = enabled(before, { from: day, contextNip: connection.contextNip }, now);
      if (next === stored) return { connection, inbox: stored };
      const version = before.version + 1;
      const other = await environments.take(organizationId, connection.environment, connectionId, version);
      if (other !== undefined) {
        throw new DomainError(
          'wrong_state',
          `The organization already receives invoices from the ${other} environment, and only one environment can be enabled at a time. Disable the inboxes of the ${other} connections first.`,
        );
      }
      const events = [inboxChanged(next), inboxAudit('inbox_enabled', connectionId, context)];
      if (stored === undefined) return { connection, inbox: await insert(inboxes, next, events) };
      const stopped = stoppedRuns(stored, 'The settings of the inbox were changed.', now);
      return { connection, inbox: await inboxes.save(stored, next, stopped, events) };
    });

/**
 * Disables the inbox of a KSeF connection that is being disabled. Its keys are removed, and the organization may
 * receive from another environment.
 */
export type EndInbox = (connection: Connection) => Promise<void>;

export const endInbox =
  (deps: InboxDeps): EndInbox =>
  async (connection) => {
    await retryOnConflict(() => disable(deps, connection, 'The KSeF connection was disabled.', []));
  };

async function disable(
  { inboxes, environments, clock }: Omit<InboxDeps, 'connections'>,
  connection: Connection,
  message: string,
  audit: readonly Announcement[],
): Promise<Inbox | undefined> {
  const { organizationId, id: connectionId } = connection;
  const now = clock.now();
  const stored = await inboxes.find(organizationId, connectionId);
  const isEnabled = stored?.isEnabled === true;
  // A disabled KSeF inbox has reserved its environment only while a request that enables it is in progress, or after
  // such a request was interrupted.
  if (!isEnabled && !(await environments.hasTaken(organizationId, connectionId))) return stored;
  // The KSeF inbox gets a new version before its environment is released, even if the inbox is already disabled. A
  // request that has reserved the environment for the previous version can then no longer enable the inbox.
  const next = disabled(stored ?? newInbox(connection, polishDayOf(now), now));
  const inbox =
    stored === undefined
      ? await insert(inboxes, next, [])
      : await inboxes.save(
          stored,
          next,
          stoppedRuns(stored, message, now),
          isEnabled ? [inboxChanged(next), ...audit] : [],
        );
  await environments.release(organizationId, connectionId, inbox.version);
  return inbox;
}

/**
 * Stores the first version of a KSeF inbox.
 * @throws VersionConflict if another request has stored it
 */
async function insert(inboxes: InboxStore, first: Inbox, events: readonly Announcement[]): Promise<Inbox> {
  const inbox = { ...first, version: 1 };
  if (!(await inboxes.insert(inbox, events))) throw new VersionConflict();
  return inbox;
}

/**
 * Starts the inbox runs of all roles now, within the KSeF limits. Runs in progress continue.
 * @throws DomainError not_found; wrong_state if the inbox is not enabled or the connection is not CONNECTED
 */
export const startRuns =
  ({ connections, inboxes }: Pick<InboxDeps, 'connections' | 'inboxes'>) =>
  async (organizationId: string, connectionId: string): Promise<void> => {
    const connection = await requireConnection(connections, organizationId, connectionId);
    const inbox = await inboxes.find(organizationId, connectionId);
    if (inbox?.isEnabled !== true) {
      throw new DomainError(
        'wrong_state',
        'The inbox of the KSeF connection is not enabled. Enable the inbox with PATCH /v1/ksef-connections/{id}, then start its runs.',
      );
    }
    if (connection.status !== 'CONNECTED') {
      throw new DomainError(
        'wrong_state',
        `The KSeF connection is ${connection.status}. Test the connection (POST .../test), and start the inbox runs when its status is CONNECTED.`,
      );
    }
    await inboxes.request(organizationId, connectionId);
  };

/**
 * Dismisses a refused invoice: it is neither shown nor requested again, and no longer counts against the limit of the
 * KSeF inbox.
 * @throws DomainError not_found
 */
export const dismissRefusal =
  ({ connections, inboxes, clock }: Pick<InboxDeps, 'connections' | 'inboxes' | 'clock'>) =>
  (
    { organizationId, connectionId, ksefNumber }: Record<'organizationId' | 'connectionId' | 'ksefNumber', string>,
    context: RequestContext,
  ): Promise<void> =>
    retryOnConflict(async () => {
      await requireConnection(connections, organizationId, connectionId);
      const stored = await inboxes.find(organizationId, connectionId);
      const next = stored === undefined ? undefined : dismissed(stored, ksefNumber, clock.now());
      if (stored === undefined || next === undefined) {
        throw new DomainError(
          'not_found',
          'The KSeF inbox has no refused invoice with this KSeF number. GET the KSeF connection to see its refused invoices.',
        );
      }
      await inboxes.save(stored, next, [], [inboxAudit('refused_invoice_dismissed', connectionId, context)]);
    });

/**
 * Returns the runs of a KSeF inbox that are in progress and the newest completed runs, at most 100, newest first.
 * @throws DomainError not_found
 */
export const listRuns =
  ({ connections, inboxes }: Pick<InboxDeps, 'connections' | 'inboxes'>) =>
  async (organizationId: string, connectionId: string): Promise<readonly InboxRun[]> => {
    await requireConnection(connections, organizationId, connectionId);
    // The inbox runs in progress are read before the completed runs. Otherwise a run that completes between the two
    // reads could be missing.
    const inbox = await inboxes.find(organizationId, connectionId);
    const over = await inboxes.endedRuns(organizationId, connectionId);
    const running = (inbox?.roles ?? []).flatMap((role) => (role.run === undefined ? [] : [shownRun(role, role.run)]));
    const ended = new Set(over.map(({ id }) => id));
    return [...running.filter(({ id }) => !ended.has(id)), ...over]
      .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
      .slice(0, INBOX_RUNS_MAX);
  };
