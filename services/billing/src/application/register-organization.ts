import type { Accounts } from './stores.js';

export interface RegisteringDeps {
  readonly accounts: Pick<Accounts, 'ensure'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/**
 * Records that an organization exists, so that the operator can link a subscription to it. An event that is delivered
 * again after the purge of the organization, for example from a restored backup, does not recreate the organization.
 */
export const registerOrganization =
  ({ accounts, wasPurged }: RegisteringDeps) =>
  async (organizationId: string): Promise<void> => {
    if (await wasPurged(organizationId)) return;
    await accounts.ensure(organizationId);
  };
