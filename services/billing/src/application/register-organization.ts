import type { Accounts } from './stores.js';

export interface RegisteringDeps {
  readonly accounts: Pick<Accounts, 'ensure'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/**
 * Records that an organization exists, so that the operator can link a subscription to it. An event that is repeated
 * after a purge, from a backup or after data loss of the broker, does not recreate the organization.
 */
export const registerOrganization =
  ({ accounts, wasPurged }: RegisteringDeps) =>
  async (organizationId: string): Promise<void> => {
    if (await wasPurged(organizationId)) return;
    await accounts.ensure(organizationId);
  };
