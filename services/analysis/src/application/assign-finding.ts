import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { FindingStore, WorkedFinding } from './finding-store.js';
import type { Members } from './members.js';

interface Deps {
  readonly findings: FindingStore;
  readonly members: Members;
  readonly clock: Clock;
}

export interface AssignFindingInput {
  readonly organizationId: string;
  readonly findingId: string;
  /** Undefined: unassigned. */
  readonly assigneeUserId: string | undefined;
}

/**
 * Assigns a finding to a member, or unassigns it. The present assignee again succeeds without a second event.
 * @throws DomainError not_found for an unknown finding, or an assignee who is not an active member
 */
export const assignFinding =
  ({ findings, members, clock }: Deps) =>
  async ({ organizationId, findingId, assigneeUserId }: AssignFindingInput, context: RequestContext) => {
    const [finding, isActive] = await Promise.all([
      findings.find(organizationId, findingId),
      assigneeUserId === undefined || members.isActive(organizationId, assigneeUserId, context),
    ]);
    if (finding === undefined) throw notFound('finding');
    if (!isActive) throw notFound('member');
    return retryOnConflict(async (): Promise<WorkedFinding> => {
      const current = await findings.find(organizationId, findingId);
      if (current === undefined) throw notFound('finding');
      const before = current.assigneeUserId;
      if (before === assigneeUserId) return current;
      const { actor } = context;
      const { type, summary, severity, invoiceId } = current;
      const assigned = announce(events.findingAssigned, {
        findingId,
        invoiceId,
        assigneeUserId,
        assignedBy: `${actor.type}:${actor.id}`,
        summary,
        type,
        severity: Severity[severity],
      });
      return findings.change(
        current,
        {
          assigneeUserId: assigneeUserId ?? null,
          entry: {
            at: clock.now(),
            actor,
            action: 'ASSIGNED',
            ...(before === undefined ? {} : { from: before }),
            ...(assigneeUserId === undefined ? {} : { to: assigneeUserId }),
          },
        },
        { events: [assigned] },
      );
    });
  };
