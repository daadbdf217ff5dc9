import type { EventHeader } from '@invoicecontrol/contracts/events';
import type { Accounts, Notifications } from '../../application/stores.js';

/**
 * Handles `organization_created` and `organization_changed`: an organization exists. Notifications that named it before are
 * applied now.
 */
export function onOrganizationKnown({
  accounts,
  notifications,
}: {
  accounts: Pick<Accounts, 'ensure'>;
  notifications: Pick<Notifications, 'reopenUnknown'>;
}): (event: EventHeader) => Promise<void> {
  return async ({ organizationId }) => {
    await accounts.ensure(organizationId);
    await notifications.reopenUnknown(organizationId);
  };
}
