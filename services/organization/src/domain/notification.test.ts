import { describe, expect, test } from '@jest/globals';
import { judge, nextTry, TRIES_MAX } from './notification.js';
import type { Notification } from './notification.js';
import type { Organization } from './organization.js';
import type { Member } from './roster.js';

const now = new Date('2026-03-01T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const DAY_MS = 24 * 3_600_000;
const organization = { keySeriesId: 's', deletion: undefined } as Organization;
const gone = { ...organization, deletion: { at: now, recoveryTokenHash: 'h', recoveryExpiresAt: now } };
const active = { userId: 'u', invitation: undefined } as Member;
const invited = {
  ...active,
  invitation: { tokenHash: 'h', pepperId: 'p', seriesId: 's', expiresAt: new Date(now.getTime() + 1) },
};
const invitation: Notification = {
  id: 'n',
  organizationId: 'o',
  userId: 'u',
  subject: 's',
  occasion: { kind: 'INVITATION' },
  createdAt: now,
};
const assignment: Notification = {
  ...invitation,
  occasion: {
    kind: 'FINDING_ASSIGNED',
    findingId: 'f',
    invoiceId: undefined,
    type: 'DUPLICATE_EXACT',
    severity: 'HIGH',
    summary: 'Paid before',
  },
};

test('the pauses between tries grow threefold from a minute, and end after the last try', () => {
  const pausesMinutes = Array.from({ length: TRIES_MAX }, (_, count) => {
    const again = nextTry(count + 1, now);
    return again === undefined ? undefined : (again.getTime() - now.getTime()) / 60_000;
  });
  expect(pausesMinutes).toEqual([1, 3, 9, 27, 81, undefined]);
});

describe('a mail about a finding', () => {
  test('is owed to a member', () => {
    expect(judge(assignment, { organization, member: active, now })).toBe('OWED');
  });

  test('is not owed in a deleted organization, to somebody only invited, or after a week', () => {
    expect(judge(assignment, { organization: gone, member: active, now })).toBe('RECIPIENT_GONE');
    expect(judge(assignment, { organization, member: invited, now })).toBe('RECIPIENT_GONE');
    const old = { ...assignment, createdAt: ago(7 * DAY_MS + 1) };
    expect(judge(old, { organization, member: active, now })).toBe('TOO_OLD');
    expect(judge({ ...old, createdAt: ago(7 * DAY_MS) }, { organization, member: active, now })).toBe('OWED');
  });
});

describe('the mail of an invitation', () => {
  test('is owed while the invitation can be accepted', () => {
    expect(judge(invitation, { organization, member: invited, now })).toBe('OWED');
    expect(judge(invitation, { organization: gone, member: invited, now })).toBe('RECIPIENT_GONE');
    const expired = { ...invited, invitation: { ...invited.invitation, expiresAt: now } };
    expect(judge(invitation, { organization, member: expired, now })).toBe('RECIPIENT_GONE');
  });

  test('has evidently arrived when the invitation was accepted', () => {
    expect(judge(invitation, { organization, member: active, now })).toBe('DONE');
  });
});
