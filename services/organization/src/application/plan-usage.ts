import { listMembers } from './members.js';
import type { MemberDeps } from './members.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

/** Counts the companies of an organization, including the default company. The plan limits this number. */
export const countCompanies =
  ({ organizations }: { organizations: Pick<Organizations, 'find'> }) =>
  async (organizationId: string): Promise<number> =>
    (await requireOrganization(organizations, organizationId)).companies.length;

/** Counts the people of an organization: members and pending invitations. The plan limits this number. */
export const countMembers =
  (deps: MemberDeps) =>
  async (organizationId: string): Promise<number> =>
    (await listMembers(deps)(organizationId)).length;
