import type { Accounts } from './stores.js';

export interface RegisteringDeps {
  readonly accounts: Pick<Accounts, 'ensure'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/**
 * Takes note that an organization exists, so that the operator can link a subscription to it. What is told again after a
 * purge, from a backup or for a broker that lost its data, revives nothing.
 */
export const registerOrganization =
  ({ accounts, wasPurged }: RegisteringDeps) =>
  async (organizationId: string): Promise<void> => {
    if (await wasPurged(organizationId)) return;
    await accounts.ensure(organizationId);
  };
