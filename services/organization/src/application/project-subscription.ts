import { events } from '@invoicecontrol/contracts/events';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { changeSubscription, referenceValidationInForce } from '../domain/organization.js';
import type { ToldSubscription } from '../domain/organization.js';
import type { AuditLine } from './change.js';
import type { Organizations } from './organizations.js';

/**
 * Stores the state of a subscription that the billing service reported, so that the next request has the features of
 * its plan. A deleted organization stays deleted, but has the right plan if it is restored.
 */
export const projectSubscription =
  ({ organizations, logger }: { organizations: Pick<Organizations, 'find' | 'save'>; logger: Logger }) =>
  (organizationId: string, eventId: string, told: ToldSubscription): Promise<void> =>
    retryOnConflict(async () => {
      const before = await organizations.find(organizationId);
      if (before === undefined) {
        logger.error({ organizationId, eventId }, 'a subscription belongs to an unknown organization');
        return;
      }
      const after = changeSubscription(before, told);
      if (after === before) return;
      const isReduced = referenceValidationInForce(after) !== referenceValidationInForce(before);
      const target = `organization:${organizationId}`;
      const audit: AuditLine[] = [
        { action: 'organization.subscription_changed', target },
        ...(isReduced && referenceValidationInForce(after) === 'DECLARED_PROFILES'
          ? [{ action: 'organization.reference_validation_reduced', target } as const]
          : []),
      ];
      const body = { version: before.version + 1, changed: isReduced ? ['plan', 'reference_validation'] : ['plan'] };
      await organizations.save(after, {
        context: systemContext(eventId),
        audit,
        events: before.deletion === undefined ? [announce(events.organizationChanged, body)] : [],
      });
    });
