import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { Organization } from '../domain/organization.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';

/** An organization as the operator of the installation sees it. */
export interface ListedOrganization extends Pick<
  Organization,
  'id' | 'name' | 'plan' | 'subscriptionStatus' | 'createdAt' | 'testOf'
> {
  readonly deletedAt: Date | undefined;
  /** Number of members who have accepted their invitation. */
  readonly members: number;
  readonly companies: number;
}

interface Deps {
  readonly organizations: Pick<Organizations, 'listAll'>;
  readonly rosters: Pick<Rosters, 'countMembers'>;
}

/** Lists the organizations of the whole installation, deleted ones included, newest first. */
export const listOrganizations =
  ({ organizations, rosters }: Deps) =>
  async (request: PageRequest): Promise<Page<ListedOrganization>> => {
    const { items, nextPageToken } = await organizations.listAll(request);
    const members = await rosters.countMembers(items.map(({ id }) => id));
    return {
      items: items.map(({ id, name, plan, subscriptionStatus, createdAt, testOf, deletion, companies }) => ({
        id,
        name,
        plan,
        subscriptionStatus,
        createdAt,
        testOf,
        deletedAt: deletion?.at,
        members: members.get(id) ?? 0,
        companies: companies.length,
      })),
      nextPageToken,
    };
  };
