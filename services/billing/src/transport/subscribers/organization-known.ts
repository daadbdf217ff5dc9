import type { EventHeader } from '@invoicecontrol/contracts/events';
import type { Accounts, Notifications } from '../../application/stores.js';

/**
 * Handles `organization_created` and `organization_changed`: an organization exists. Notifications that named it before are
 * applied now. An event that is published again after a purge, from a backup or for a broker that lost its data, revives nothing.
 */
export function onOrganizationKnown({
  accounts,
  notifications,
  wasPurged,
}: {
  accounts: Pick<Accounts, 'ensure'>;
  notifications: Pick<Notifications, 'reopenUnknown'>;
  wasPurged: (organizationId: string) => Promise<boolean>;
}): (event: EventHeader) => Promise<void> {
  return async ({ organizationId }) => {
    if (await wasPurged(organizationId)) return;
    await accounts.ensure(organizationId);
    await notifications.reopenUnknown(organizationId);
  };
}
