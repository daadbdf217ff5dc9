import { isDeepStrictEqual } from 'node:util';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import type { Pepper } from '../domain/api-key.js';
import type { Notification } from '../domain/notification.js';
import type { Organization } from '../domain/organization.js';
import { readRole } from '../domain/rights.js';
import type { Rights } from '../domain/rights.js';
import {
  acceptInvitation as acceptInRoster,
  addMember,
  changeRole,
  inviteMember as inviteToRoster,
  MEMBERS_MAX,
  currentMembers,
  removeMember as removeFromRoster,
  requireMember,
} from '../domain/roster.js';
import type { Member, Roster } from '../domain/roster.js';
import { readEmail, readName } from '../domain/text.js';
import type { AuditAction } from './change.js';
import { toInvitationNotification } from './notifications.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { hashToken, deriveInvitationToken, isInvitationToken } from './secrets.js';
import type { ViewLists } from './views.js';

export interface MemberDeps {
  readonly organizations: Pick<Organizations, 'find'>;
  readonly rosters: Rosters;
  /** Secret value that is mixed into the hashes of new invitation tokens. */
  readonly pepper: Pepper;
  readonly clock: Clock;
}

/** Lists members and pending invitations in no particular order. */
export const listMembers =
  (deps: MemberDeps) =>
  async (organizationId: string): Promise<readonly Member[]> => {
    const { organization, roster } = await requireRoster(deps, organizationId);
    return currentMembers(roster, organization, deps.clock.now());
  };

/**
 * Finds a member or a pending invitation.
 * @throws DomainError not_found if the person is unknown, removed or belongs to another organization
 */
export const getMember =
  (deps: MemberDeps) =>
  async ({ organizationId, userId }: { organizationId: string; userId: string }): Promise<Member> => {
    const { organization, roster } = await requireRoster(deps, organizationId);
    return requireMember(roster, organization, userId, deps.clock.now());
  };

/** Adds an active member to an organization for the operator. The limit of the plan does not apply. */
export const createMember =
  (deps: MemberDeps) =>
  async (
    input: { organizationId: string; email: string; name: string; role: string },
    context: RequestContext,
  ): Promise<Member> => {
    const now = deps.clock.now();
    const member = newMember({
      email: readEmail('email', input.email),
      name: input.name === '' ? undefined : readName('name', input.name),
      role: readRole(input.role),
      createdAt: now,
    });
    return changeMember(deps, {
      organizationId: input.organizationId,
      userId: member.userId,
      action: 'member.created',
      context,
      apply: (roster, organization) => addMember(roster, organization, member, { now, membersMax: MEMBERS_MAX }),
    });
  };

export function newMember(own: Pick<Member, 'email' | 'name' | 'role' | 'createdAt'>): Member {
  return { ...own, userId: uuidv7(), invitation: undefined };
}

/**
 * Invites a person to an organization. The same write queues the mail, which alone contains the token.
 * @throws DomainError invalid, forbidden, already_exists, usage_exceeded
 */
export const inviteMember =
  (deps: MemberDeps) =>
  async (
    input: { organizationId: string; email: string; role: string },
    { grantor, context }: { grantor: Rights; context: RequestContext },
  ): Promise<Member> => {
    const { pepper } = deps;
    const now = deps.clock.now();
    const person = newMember({
      email: readEmail('email', input.email),
      name: undefined,
      role: readRole(input.role),
      createdAt: now,
    });
    const token = { tokenHash: hashToken(deriveInvitationToken(person.userId, pepper)), pepperId: pepper.id };
    return changeMember(deps, {
      organizationId: input.organizationId,
      userId: person.userId,
      action: 'member.invited',
      context,
      notify: (organization) => toInvitationNotification(organization, person),
      apply: (roster, organization) => inviteToRoster(roster, organization, { person, token }, { now, grantor }),
    });
  };

/**
 * Makes the holder of an invitation token a member. Each token works once.
 * @throws DomainError invalid for the name; unauthenticated, always with the same message, for a token that is unknown,
 * used, expired or revoked
 */
export const acceptInvitation =
  ({ organizations, rosters, clock }: MemberDeps) =>
  (input: { token: string; name: string }, context: RequestContext): Promise<Member> => {
    const name = readName('name', input.name);
    const tokenHash = hashToken(input.token);
    return retryOnConflict(async () => {
      const roster = isInvitationToken(input.token) ? await rosters.findByInvitation(tokenHash) : undefined;
      const organization = roster === undefined ? undefined : await organizations.find(roster.organizationId);
      const accepted =
        roster === undefined || organization === undefined
          ? undefined
          : acceptInRoster(roster, organization, { tokenHash, name, now: clock.now() });
      if (accepted === undefined) {
        throw new DomainError(
          'unauthenticated',
          'The invitation token is unknown, already used or expired. Ask an administrator for a new invitation.',
        );
      }
      const { userId } = accepted.member;
      await rosters.save(accepted.roster, {
        context: { ...context, actor: { type: 'USER', id: userId } },
        audit: [{ action: 'member.accepted', target: `member:${userId}` }],
      });
      return accepted.member;
    });
  };

/** Changes the role of a member or of an invited person in an organization. */
export const updateMember =
  (deps: MemberDeps) =>
  async (
    { organizationId, userId, role: named }: { organizationId: string; userId: string; role: string },
    { grantor, context }: { grantor: Rights; context: RequestContext },
  ): Promise<Member> => {
    const role = readRole(named);
    const now = deps.clock.now();
    return changeMember(deps, {
      organizationId,
      userId,
      action: 'member.updated',
      context,
      apply: (roster, organization) => changeRole(roster, organization, { userId, role }, { now, grantor }),
    });
  };

/** Removes a member of an organization with the saved views of the member, or revokes an invitation. */
export const removeMember =
  (deps: MemberDeps & { readonly views: Pick<ViewLists, 'remove'> }) =>
  async (
    { organizationId, userId }: { organizationId: string; userId: string },
    { grantor, context }: { grantor: Rights; context: RequestContext },
  ): Promise<void> => {
    const now = deps.clock.now();
    await changeRoster(deps, {
      organizationId,
      userId,
      action: 'member.removed',
      context,
      apply: (roster, organization) => removeFromRoster(roster, organization, userId, { now, grantor }),
    });
    await deps.views.remove(organizationId, userId);
  };

/** A change to the roster of an organization that concerns one person. */
interface RosterChange {
  readonly organizationId: string;
  readonly userId: string;
  readonly action: AuditAction;
  readonly context: RequestContext;
  /** Builds the mail about the change of a member. */
  readonly notify?: (organization: Organization) => Notification;
  /**
   * Pure function that applies the change to the members of the organization. After a conflict with another write, it
   * runs again on the newer list of members.
   */
  readonly apply: (roster: Roster, organization: Organization) => Roster;
}

/**
 * Changes the list of members of an organization (roster) like {@link changeRoster}, and returns the changed member.
 */
async function changeMember(deps: MemberDeps, change: RosterChange): Promise<Member> {
  const { roster, organization } = await changeRoster(deps, change);
  return requireMember(roster, organization, change.userId, deps.clock.now());
}

/**
 * Reads and changes the list of members of an organization (roster), and stores it with the audit entry and the mail in
 * one write. If nothing changes, nothing is written.
 */
function changeRoster(
  deps: MemberDeps,
  { organizationId, userId, action, context, notify, apply }: RosterChange,
): Promise<{ roster: Roster; organization: Organization }> {
  return retryOnConflict(async () => {
    const { roster: before, organization } = await requireRoster(deps, organizationId);
    const roster = apply(before, organization);
    if (!isDeepStrictEqual(roster, before)) {
      await deps.rosters.save(roster, {
        context,
        audit: [{ action, target: `member:${userId}` }],
        notifications: notify === undefined ? [] : [notify(organization)],
      });
    }
    return { roster, organization };
  });
}

async function requireRoster(
  { organizations, rosters }: Pick<MemberDeps, 'organizations' | 'rosters'>,
  organizationId: string,
): Promise<{ organization: Organization; roster: Roster }> {
  const organization = await requireOrganization(organizations, organizationId);
  const roster = await rosters.find(organizationId);
  if (roster === undefined) throw notFound('organization');
  return { organization, roster };
}
