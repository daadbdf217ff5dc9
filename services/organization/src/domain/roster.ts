import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role } from '@invoicecontrol/api-key/rights';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Organization } from './organization.js';
import { entitlements } from './plans.js';
import type { Contract } from './plans.js';
import { readRights, requireGrantable } from './rights.js';
import type { Rights } from './rights.js';

/** A member of an organization, or an invited person. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly createdAt: Date;
  /** Pending invitation of the person to the organization. Undefined once the person has accepted it. */
  readonly invitation: Invitation | undefined;
}

/**
 * Invitation to join an organization. It becomes invalid when it expires or when its key series ends, so that one write
 * that deletes the organization revokes all keys and invitations.
 */
export interface Invitation {
  readonly tokenHash: string;
  /** Id of the pepper with which the invitation token was made. The token itself is never stored. */
  readonly pepperId: string;
  readonly seriesId: string;
  readonly expiresAt: Date;
}

/**
 * Members and invitations of an organization. They are stored together, because some rules concern all of them:
 * addresses are unique, the plan limits the number of members, and the last OWNER must remain.
 */
export interface Roster {
  readonly organizationId: string;
  readonly version: number;
  readonly members: readonly Member[];
}

/** The fields of an organization that the rules about members need. */
type RosterOrganization = Pick<Organization, 'keySeriesId' | 'deletion' | keyof Contract>;

/**
 * Maximum number of members of an organization whose plan has no limit. This maximum limits the size of the database
 * document that contains all members.
 */
export const MEMBERS_MAX = 1_000;
const INVITATION_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** Checks whether an invitation to an organization can still be accepted. */
export function isPending(invitation: Invitation, { keySeriesId, deletion }: RosterOrganization, now: Date): boolean {
  return invitation.seriesId === keySeriesId && now < invitation.expiresAt && deletion === undefined;
}

export function isActive(member: Member): boolean {
  return member.invitation === undefined;
}

/** Returns the name by which colleagues know a member: an operator may have added the member without a name. */
export function shownNameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email;
}

/** Returns the ids of the members with the role OWNER. A pending invitation as OWNER does not count. */
export function activeOwnerIds({ members }: Pick<Roster, 'members'>): readonly string[] {
  return members.filter(isActiveOwner).map(({ userId }) => userId);
}

function isActiveOwner(member: Member): boolean {
  return member.role === 'OWNER' && isActive(member);
}

/** Returns members and pending invitations. Expired and revoked invitations are left out. */
export function currentMembers(roster: Roster, organization: RosterOrganization, now: Date): readonly Member[] {
  return roster.members.filter(
    ({ invitation }) => invitation === undefined || isPending(invitation, organization, now),
  );
}

/**
 * Finds a member or a pending invitation.
 * @throws DomainError not_found
 */
export function requireMember(roster: Roster, organization: RosterOrganization, userId: string, now: Date): Member {
  const member = currentMembers(roster, organization, now).find((one) => one.userId === userId);
  if (member === undefined) throw notFound('member');
  return member;
}

/**
 * Adds a person to the list of members (roster) of an organization and removes expired and revoked invitations.
 * @param membersMax limit of the plan, or {@link MEMBERS_MAX} for the operator
 * @throws DomainError already_exists for a known address, ignoring case; usage_exceeded
 */
export function addMember(
  roster: Roster,
  organization: RosterOrganization,
  member: Member,
  { now, membersMax }: { now: Date; membersMax: number },
): Roster {
  const others = currentMembers(roster, organization, now);
  if (others.some(({ email }) => email.toLowerCase() === member.email.toLowerCase())) {
    throw new DomainError(
      'already_exists',
      'A member or a pending invitation already has this e-mail address. Use another address.',
    );
  }
  if (others.length >= membersMax) {
    throw new DomainError(
      'usage_exceeded',
      `The limit of ${membersMax} ${membersMax === 1 ? 'member' : 'members'}, pending invitations included, is reached. Remove a member, or change the plan.`,
    );
  }
  return { ...roster, members: [...others, member] };
}

/**
 * Adds an invited person to the list of members (roster) of an organization.
 * @param token stored part of the token that accepts the invitation
 * @throws DomainError as {@link addMember}, and forbidden for a role above the grantor's rights
 */
export function inviteMember(
  roster: Roster,
  organization: RosterOrganization,
  { person, token }: { person: Member; token: Pick<Invitation, 'tokenHash' | 'pepperId'> },
  { now, grantor }: { now: Date; grantor: Rights },
): Roster {
  requireGrantableRole(person.role, grantor);
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  const invited = { ...person, invitation: { ...token, seriesId: organization.keySeriesId, expiresAt } };
  const membersMax = entitlements(organization).limits.members ?? MEMBERS_MAX;
  return addMember(roster, organization, invited, { now, membersMax });
}

/**
 * Turns an invited person into a member.
 * @returns undefined if the invitation is unknown, expired, revoked or already accepted
 */
export function acceptInvitation(
  roster: Roster,
  organization: RosterOrganization,
  { tokenHash, name, now }: { tokenHash: string; name: string; now: Date },
): { roster: Roster; member: Member } | undefined {
  const invited = currentMembers(roster, organization, now).find(
    ({ invitation }) => invitation?.tokenHash === tokenHash,
  );
  if (invited === undefined) return undefined;
  const member = { ...invited, name, invitation: undefined };
  return { roster: replaceMember(roster, member), member };
}

/**
 * Changes the role of a member or of an invited person in an organization.
 * @throws DomainError not_found; forbidden if the old or the new role is above the grantor's rights; wrong_state for
 * the last OWNER
 */
export function changeRole(
  roster: Roster,
  organization: RosterOrganization,
  { userId, role }: { userId: string; role: Role },
  { now, grantor }: { now: Date; grantor: Rights },
): Roster {
  const member = requireMember(roster, organization, userId, now);
  requireRoleOver(member, grantor);
  requireGrantableRole(role, grantor);
  if (role !== 'OWNER') requireAnotherOwner(roster, member);
  return replaceMember(roster, { ...member, role });
}

/**
 * Removes a member or an invitation from the organization.
 * @throws DomainError not_found; forbidden for a person above the grantor; wrong_state for the last OWNER
 */
export function removeMember(
  roster: Roster,
  organization: RosterOrganization,
  userId: string,
  { now, grantor }: { now: Date; grantor: Rights },
): Roster {
  const member = requireMember(roster, organization, userId, now);
  requireRoleOver(member, grantor);
  requireAnotherOwner(roster, member);
  return { ...roster, members: roster.members.filter((other) => other.userId !== userId) };
}

/**
 * Checks that the caller may grant a role to a member. A member has all default rights of the role, so the grantor must
 * have all of them.
 */
function requireGrantableRole(role: Role, grantor: Rights): void {
  requireGrantable(readRights(role, []), grantor);
}

function requireRoleOver({ role }: Member, grantor: Rights): void {
  if (!isRoleAtLeast(grantor.role, role)) {
    throw new DomainError(
      'forbidden',
      `An API key with the role ${grantor.role} cannot change or remove a member with the role ${role}. Use a key with the role ${role} or higher.`,
    );
  }
}

/** Checks that another OWNER of the organization remains. */
function requireAnotherOwner(roster: Roster, leaving: Member): void {
  if (isActiveOwner(leaving) && activeOwnerIds(roster).every((userId) => userId === leaving.userId)) {
    throw new DomainError(
      'wrong_state',
      'An organization must keep at least one member with the role OWNER. Give another member the role OWNER first.',
    );
  }
}

function replaceMember(roster: Roster, member: Member): Roster {
  return { ...roster, members: roster.members.map((other) => (other.userId === member.userId ? member : other)) };
}
