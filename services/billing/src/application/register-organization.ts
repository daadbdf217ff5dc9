import type { Accounts, Notifications } from './stores.js';

export interface RegisteringDeps {
  readonly accounts: Pick<Accounts, 'ensure'>;
  readonly notifications: Pick<Notifications, 'reopenUnknown'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/**
 * Takes note that an organization exists; notifications that named it before are applied now. What is told again after a
 * purge, from a backup or for a broker that lost its data, revives nothing.
 */
export const registerOrganization =
  ({ accounts, notifications, wasPurged }: RegisteringDeps) =>
  async (organizationId: string): Promise<void> => {
    if (await wasPurged(organizationId)) return;
    await accounts.ensure(organizationId);
    await notifications.reopenUnknown(organizationId);
  };
