import type { Role } from '@invoicecontrol/api-key/rights';
import { describe, expect, test } from 'vitest';
import { ALL_RIGHTS, readRights } from './rights.js';
import {
  acceptInvitation,
  addMember,
  changeRole,
  inviteMember,
  isActive,
  isPending,
  MEMBERS_MAX,
  currentMembers,
  removeMember,
} from './roster.js';
import type { Member, Roster } from './roster.js';

const now = new Date('2026-03-01T12:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const WEEK_MS = 7 * 24 * 3_600_000;
const organization = {
  keySeriesId: 'series-1',
  deletion: undefined,
  plan: 'CORE',
  subscriptionStatus: 'active',
  additionalLegalEntities: 0,
} as const;
const restored = { ...organization, keySeriesId: 'series-2' };
const owner = ALL_RIGHTS;
const rightsOf = (role: Role) => readRights(role, []);

function member(userId: string, role: Role = 'ANALYST'): Member {
  return { userId, email: `${userId}@example.com`, name: userId, role, createdAt: now, invitation: undefined };
}
function rosterOf(...members: Member[]): Roster {
  return { organizationId: 'o', version: 1, members };
}
function invite(roster: Roster, person: Member, grantor = owner, at = now): Roster {
  const token = { tokenHash: `hash of ${person.userId}`, pepperId: 'p1' };
  return inviteMember(roster, organization, { person, token }, { now: at, grantor });
}
const names = (roster: Roster) => roster.members.map(({ userId }) => userId);

describe('inviting', () => {
  test('adds a person who becomes a member by accepting', () => {
    const roster = invite(rosterOf(member('ann', 'OWNER')), member('bob'));
    const [, bob] = roster.members;
    expect(bob?.invitation).toEqual({
      tokenHash: 'hash of bob',
      pepperId: 'p1',
      seriesId: 'series-1',
      expiresAt: later(WEEK_MS),
    });
    expect(bob !== undefined && isActive(bob)).toBe(false);
  });

  test('refuses the address of a member or invited person, ignoring case', () => {
    const roster = invite(rosterOf(member('ann', 'OWNER')), member('bob'));
    for (const email of ['ann@example.com', 'BOB@Example.com']) {
      expect(() => invite(roster, { ...member('other'), email })).toThrow(/has this e-mail address/);
    }
  });

  test('accepts an address again after its invitation expired or was revoked, and removes the old one', () => {
    const roster = invite(rosterOf(member('ann', 'OWNER')), member('bob'));
    const again = { ...member('second'), email: 'bob@example.com' };
    expect(names(invite(roster, again, owner, later(WEEK_MS)))).toEqual(['ann', 'second']);
    const token = { tokenHash: 'h', pepperId: 'p1' };
    expect(names(inviteMember(roster, restored, { person: again, token }, { now, grantor: owner }))).toEqual([
      'ann',
      'second',
    ]);
  });

  test.each<[Role, Role, boolean]>([
    ['OWNER', 'OWNER', true],
    ['ADMIN', 'OWNER', false],
    ['ADMIN', 'ADMIN', true],
    ['ANALYST', 'ADMIN', false],
    ['ANALYST', 'VIEWER', true],
  ])('%s may invite %s: %s', (granting, role, isAllowed) => {
    const call = () => invite(rosterOf(member('ann', 'OWNER')), member('bob', role), rightsOf(granting));
    if (isAllowed) expect(call).not.toThrow();
    else expect(call).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });

  test('needs all default rights of the role, not only its name', () => {
    const narrow = readRights('ADMIN', ['organization:read', 'organization:write']);
    expect(() => invite(rosterOf(member('ann', 'OWNER')), member('bob', 'ADMIN'), narrow)).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });

  test('counts only pending invitations against the plan', () => {
    let roster = rosterOf(member('ann', 'OWNER'));
    for (const name of ['b', 'c', 'd', 'e']) roster = invite(roster, member(name));
    expect(() => invite(roster, member('f'))).toThrow(expect.objectContaining({ kind: 'usage_exceeded' }));
    expect(names(invite(roster, member('f'), owner, later(WEEK_MS)))).toEqual(['ann', 'f']);
  });

  test('by the operator ignores the plan, up to the bound of all rosters', () => {
    const five = rosterOf(...['a', 'b', 'c', 'd', 'e'].map((name) => member(name)));
    expect(addMember(five, organization, member('f'), { now, membersMax: MEMBERS_MAX }).members).toHaveLength(6);
    const full = rosterOf(...Array.from({ length: MEMBERS_MAX }, (_, count) => member(`m${count}`)));
    expect(() => addMember(full, organization, member('f'), { now, membersMax: MEMBERS_MAX })).toThrow(
      expect.objectContaining({ kind: 'usage_exceeded' }),
    );
  });
});

describe('an invitation', () => {
  const roster = invite(rosterOf(member('ann', 'OWNER')), member('bob'));
  const accept = (from: Roster, current: typeof organization | typeof restored, at: Date, tokenHash = 'hash of bob') =>
    acceptInvitation(from, current, { tokenHash, name: 'Bob', now: at });

  test('makes an active member with the given name, once', () => {
    const accepted = accept(roster, organization, later(WEEK_MS - 1));
    expect(accepted?.member).toEqual({ ...member('bob'), name: 'Bob', invitation: undefined });
    expect(accepted && accept(accepted.roster, organization, now)).toBeUndefined();
  });

  test('is refused once it expires, after a deletion, and for every other token', () => {
    expect(accept(roster, organization, later(WEEK_MS))).toBeUndefined();
    expect(accept(roster, restored, now)).toBeUndefined();
    expect(accept(roster, organization, now, 'another hash')).toBeUndefined();
    const [, bob] = roster.members;
    const deletion = { at: now, recoveryTokenHash: 'h', recoveryExpiresAt: later(1) };
    expect(bob?.invitation && isPending(bob.invitation, { ...organization, deletion }, now)).toBe(false);
  });

  test('that expired or was revoked is not found, changed or removed', () => {
    expect(currentMembers(roster, organization, later(WEEK_MS)).map(({ userId }) => userId)).toEqual(['ann']);
    for (const change of [
      () => changeRole(roster, restored, { userId: 'bob', role: 'VIEWER' }, { now, grantor: owner }),
      () => removeMember(roster, restored, 'bob', { now, grantor: owner }),
    ]) {
      expect(change).toThrow(expect.objectContaining({ kind: 'not_found' }));
    }
  });
});

describe('the last OWNER', () => {
  test('cannot be removed or lowered, whatever invitations are pending', () => {
    const roster = invite(rosterOf(member('ann', 'OWNER'), member('bob', 'ADMIN')), member('carl', 'OWNER'));
    for (const change of [
      () => removeMember(roster, organization, 'ann', { now, grantor: owner }),
      () => changeRole(roster, organization, { userId: 'ann', role: 'ADMIN' }, { now, grantor: owner }),
    ]) {
      expect(change).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    }
    expect(changeRole(roster, organization, { userId: 'ann', role: 'OWNER' }, { now, grantor: owner })).toEqual(roster);
  });

  test('can be removed once there is another', () => {
    const roster = rosterOf(member('ann', 'OWNER'), member('bob', 'OWNER'));
    expect(names(removeMember(roster, organization, 'ann', { now, grantor: owner }))).toEqual(['bob']);
    const lowered = changeRole(roster, organization, { userId: 'ann', role: 'VIEWER' }, { now, grantor: owner });
    expect(lowered.members[0]?.role).toBe('VIEWER');
  });
});

describe('a key without the rights of an OWNER', () => {
  test.each<Role>(['ADMIN', 'ANALYST', 'VIEWER'])('of role %s cannot change or remove a member above it', (role) => {
    const roster = rosterOf(member('ann', 'OWNER'), member('bob', 'OWNER'));
    const asker = { now, grantor: rightsOf(role) };
    for (const change of [
      () => removeMember(roster, organization, 'bob', asker),
      () => changeRole(roster, organization, { userId: 'bob', role: 'VIEWER' }, asker),
    ]) {
      expect(change).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    }
  });

  test('cannot raise a member above itself', () => {
    const roster = rosterOf(member('ann', 'OWNER'), member('bob', 'VIEWER'));
    const asker = { now, grantor: rightsOf('ADMIN') };
    expect(changeRole(roster, organization, { userId: 'bob', role: 'ADMIN' }, asker).members[1]?.role).toBe('ADMIN');
    expect(() => changeRole(roster, organization, { userId: 'bob', role: 'OWNER' }, asker)).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });
});
