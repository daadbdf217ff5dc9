import type { Role } from '@invoicecontrol/api-key/rights';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import type { Member } from '../domain/member.js';
import { readRole } from '../domain/rights.js';
import { readEmail, readName } from '../domain/text.js';
import type { Change } from './change.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

/** Where members are kept. */
export interface Members {
  /**
   * @param change undefined where the audit trail is written with the organization that the member belongs to
   * @throws DomainError already_exists for an e-mail address that a member of the organization has
   */
  insert(member: Member, change: Change | undefined): Promise<void>;
}

/** Adds an active member. */
export async function createMember(
  { organizations, members, clock }: { organizations: Organizations; members: Members; clock: Clock },
  input: { organizationId: string; email: string; name: string; role: string },
  context: RequestContext,
): Promise<Member> {
  const member = newMember({
    organizationId: input.organizationId,
    email: readEmail('email', input.email),
    name: input.name === '' ? undefined : readName('name', input.name),
    role: readRole(input.role),
    createdAt: clock.now(),
  });
  await requireOrganization(organizations, input.organizationId);
  await members.insert(member, {
    context,
    audit: [{ action: 'member.created', target: `member:${member.userId}` }],
  });
  return member;
}

export function newMember(input: {
  organizationId: string;
  email: string;
  name: string | undefined;
  role: Role;
  createdAt: Date;
}): Member {
  return { ...input, userId: uuidv7(), status: 'ACTIVE' };
}
