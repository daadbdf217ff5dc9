import { isActive } from '../domain/roster.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';

export interface BillingContactDeps {
  readonly organizations: Pick<Organizations, 'find'>;
  readonly rosters: Pick<Rosters, 'find'>;
}

/**
 * Reads the billing contact: the billing e-mail, or the address of the oldest active OWNER if there is none.
 * @throws DomainError not_found
 */
export const readBillingContact =
  ({ organizations, rosters }: BillingContactDeps) =>
  async (organizationId: string): Promise<{ email: string | undefined; subscriptionStatus: string }> => {
    const { billingEmail, subscriptionStatus } = await requireOrganization(organizations, organizationId);
    if (billingEmail !== undefined) return { email: billingEmail, subscriptionStatus };
    const owners = ((await rosters.find(organizationId))?.members ?? []).filter(
      (member) => isActive(member) && member.role === 'OWNER',
    );
    const [oldest] = owners.toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime());
    return { email: oldest?.email, subscriptionStatus };
  };
