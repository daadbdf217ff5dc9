import { listMembers } from './members.js';
import type { MemberDeps } from './members.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

/** Companies that count against the plan: all of them, the default one included. */
export const countCompanies =
  ({ organizations }: { organizations: Pick<Organizations, 'find'> }) =>
  async (organizationId: string): Promise<number> =>
    (await requireOrganization(organizations, organizationId)).companies.length;

/** People who count against the plan: members and pending invitations. */
export const countMembers =
  (deps: MemberDeps) =>
  async (organizationId: string): Promise<number> =>
    (await listMembers(deps)(organizationId)).length;
