import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { Members } from './members.js';
import { requireFinding } from './require-finding.js';
import type { ChangedFinding } from './review-finding.js';

interface Deps {
  readonly findings: FindingStore;
  readonly invoices: InvoiceStore;
  readonly members: Members;
  readonly clock: Clock;
}

export interface AssignFindingInput {
  readonly organizationId: string;
  readonly findingId: string;
  /** Id of the member to whom the finding is assigned, or undefined to remove the assignment. */
  readonly assigneeUserId: string | undefined;
}

/**
 * Assigns a finding to a member, or removes its assignment. Assigning the same member again succeeds without a second
 * event.
 * @throws DomainError unavailable; not_found for an unknown finding, or for an assignee who is not an active member
 */
export type AssignFinding = (input: AssignFindingInput, context: RequestContext) => Promise<ChangedFinding>;

export const assignFinding =
  ({ findings, invoices, members, clock }: Deps): AssignFinding =>
  async ({ organizationId, findingId, assigneeUserId }, context) => {
    const [, isActive] = await Promise.all([
      requireFinding({ findings, invoices }, organizationId, findingId),
      assigneeUserId === undefined || members.isActive(organizationId, assigneeUserId, context),
    ]);
    if (!isActive) throw notFound('member');
    return retryOnConflict(async (): Promise<ChangedFinding> => {
      const current = await requireFinding({ findings, invoices }, organizationId, findingId);
      const before = current.assigneeUserId;
      if (before === assigneeUserId) return { finding: current, isChanged: false };
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
      const finding = await findings.change(
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
      return { finding, isChanged: true };
    });
  };
