import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role } from '@invoicecontrol/api-key/rights';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Organization } from './organization.js';
import { entitlements } from './plans.js';
import { readRights, requireGrantable } from './rights.js';
import type { Rights } from './rights.js';

/** A person of an organization, or one who was invited to become that. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly createdAt: Date;
  /** There until it is accepted. */
  readonly invitation: Invitation | undefined;
}

/** Dead once it expires, and dead with the keys of its series: deleting the organization revokes both with one write. */
export interface Invitation {
  readonly tokenHash: string;
  /** The pepper that the token was made with; the token itself is kept by nobody. */
  readonly pepperId: string;
  readonly seriesId: string;
  readonly expiresAt: Date;
}

/**
 * The people of an organization: one aggregate, because unique addresses, the plan's number of members and the last
 * OWNER are rules about all of them at once.
 */
export interface Roster {
  readonly organizationId: string;
  readonly version: number;
  readonly members: readonly Member[];
}

/** What the rules about members ask of their organization. */
type Standing = Pick<
  Organization,
  'keySeriesId' | 'deletion' | 'plan' | 'subscriptionStatus' | 'additionalLegalEntities'
>;

/** Keeps the document that holds the members small, whatever the plan allows. */
export const MEMBERS_MAX = 1_000;
const INVITATION_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** Whether the invitation can still be accepted. */
export function isPending(invitation: Invitation, { keySeriesId, deletion }: Standing, now: Date): boolean {
  return invitation.seriesId === keySeriesId && now < invitation.expiresAt && deletion === undefined;
}

export function isActive(member: Member): boolean {
  return member.invitation === undefined;
}

/** Members and those who can still become that. An invitation that expired or was revoked is as if it had never been. */
export function present(roster: Roster, organization: Standing, now: Date): readonly Member[] {
  return roster.members.filter(
    ({ invitation }) => invitation === undefined || isPending(invitation, organization, now),
  );
}

/** @throws DomainError not_found */
export function requireMember(roster: Roster, organization: Standing, userId: string, now: Date): Member {
  const member = present(roster, organization, now).find((one) => one.userId === userId);
  if (member === undefined) throw notFound('member');
  return member;
}

/**
 * The roster with one person more, without the invitations that are dead.
 * @param membersMax by the plan, or {@link MEMBERS_MAX} on the operator's word
 * @throws DomainError already_exists for an address that is there in whatever case, usage_exceeded
 */
export function addMember(
  roster: Roster,
  organization: Standing,
  member: Member,
  { now, membersMax }: { now: Date; membersMax: number },
): Roster {
  const others = present(roster, organization, now);
  if (others.some(({ email }) => email.toLowerCase() === member.email.toLowerCase())) {
    throw new DomainError(
      'already_exists',
      'A member of the organization, or somebody invited, has this e-mail address.',
    );
  }
  if (others.length >= membersMax) {
    throw new DomainError('usage_exceeded', `The limit of ${membersMax} members, invited ones included, is reached.`);
  }
  return { ...roster, members: [...others, member] };
}

/**
 * The roster with one person invited.
 * @param token what is stored of the token that the invitation is accepted with
 * @throws DomainError as {@link addMember}, and forbidden for a role above the grantor's rights
 */
export function inviteMember(
  roster: Roster,
  organization: Standing,
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
 * The roster with an invitation turned into a membership.
 * @returns undefined when the invitation is not there, dead or accepted already
 */
export function acceptInvitation(
  roster: Roster,
  organization: Standing,
  { tokenHash, name, now }: { tokenHash: string; name: string; now: Date },
): { roster: Roster; member: Member } | undefined {
  const invited = present(roster, organization, now).find(({ invitation }) => invitation?.tokenHash === tokenHash);
  if (invited === undefined) return undefined;
  const member = { ...invited, name, invitation: undefined };
  return { roster: replaceMember(roster, member), member };
}

/**
 * The roster with another role for one person.
 * @throws DomainError not_found; forbidden for a role above the grantor's rights, from or to; wrong_state for the last OWNER
 */
export function changeRole(
  roster: Roster,
  organization: Standing,
  { userId, role }: { userId: string; role: Role },
  { now, grantor }: { now: Date; grantor: Rights },
): Roster {
  const member = requireMember(roster, organization, userId, now);
  requireRoleOver(member, grantor);
  requireGrantableRole(role, grantor);
  if (role !== 'OWNER') keepAnOwner(roster, member);
  return replaceMember(roster, { ...member, role });
}

/**
 * The roster without one person, or without an invitation that is thereby revoked.
 * @throws DomainError not_found; forbidden for a person above the grantor; wrong_state for the last OWNER
 */
export function removeMember(
  roster: Roster,
  organization: Standing,
  userId: string,
  { now, grantor }: { now: Date; grantor: Rights },
): Roster {
  const member = requireMember(roster, organization, userId, now);
  requireRoleOver(member, grantor);
  keepAnOwner(roster, member);
  return { ...roster, members: roster.members.filter((other) => other.userId !== userId) };
}

/** A person has all that the role allows, so whoever makes one an ADMIN must have all of it, too. */
function requireGrantableRole(role: Role, grantor: Rights): void {
  requireGrantable(readRights(role, []), grantor);
}

function requireRoleOver({ role }: Member, grantor: Rights): void {
  if (!isRoleAtLeast(grantor.role, role)) {
    throw new DomainError(
      'forbidden',
      `A key of role ${grantor.role} cannot change or remove a member of role ${role}.`,
    );
  }
}

/** Somebody who was invited is no owner yet. */
function keepAnOwner({ members }: Roster, leaving: Member): void {
  const isOwner = (member: Member): boolean => member.role === 'OWNER' && isActive(member);
  if (isOwner(leaving) && !members.some((member) => member.userId !== leaving.userId && isOwner(member))) {
    throw new DomainError('wrong_state', 'The last OWNER must stay one. Make another member an OWNER first.');
  }
}

function replaceMember(roster: Roster, member: Member): Roster {
  return { ...roster, members: roster.members.map((other) => (other.userId === member.userId ? member : other)) };
}
