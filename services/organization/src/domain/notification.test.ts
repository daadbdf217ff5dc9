import { describe, expect, test } from 'vitest';
import { checkDelivery, nextRetryAt, TRIES_MAX } from './notification.js';
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

test('the backoff triples from one minute and ends after the last try', () => {
  const pausesMinutes = Array.from({ length: TRIES_MAX }, (_, count) => {
    const again = nextRetryAt(count + 1, now);
    return again === undefined ? undefined : (again.getTime() - now.getTime()) / 60_000;
  });
  expect(pausesMinutes).toEqual([1, 3, 9, 27, 81, undefined]);
});

describe('a mail about a finding', () => {
  test('is sent to a member', () => {
    expect(checkDelivery(assignment, { organization, member: active, now })).toBe('SEND');
  });

  test('is not sent in a deleted organization, to an invited person, or after a week', () => {
    expect(checkDelivery(assignment, { organization: gone, member: active, now })).toBe('RECIPIENT_GONE');
    expect(checkDelivery(assignment, { organization, member: invited, now })).toBe('RECIPIENT_GONE');
    const old = { ...assignment, createdAt: ago(7 * DAY_MS + 1) };
    expect(checkDelivery(old, { organization, member: active, now })).toBe('TOO_OLD');
    expect(checkDelivery({ ...old, createdAt: ago(7 * DAY_MS) }, { organization, member: active, now })).toBe('SEND');
  });
});

describe('the mail of an invitation', () => {
  test('is sent while the invitation can be accepted', () => {
    expect(checkDelivery(invitation, { organization, member: invited, now })).toBe('SEND');
    expect(checkDelivery(invitation, { organization: gone, member: invited, now })).toBe('RECIPIENT_GONE');
    const expired = { ...invited, invitation: { ...invited.invitation, expiresAt: now } };
    expect(checkDelivery(invitation, { organization, member: expired, now })).toBe('RECIPIENT_GONE');
  });

  test('counts as sent when the invitation was accepted', () => {
    expect(checkDelivery(invitation, { organization, member: active, now })).toBe('ALREADY_SENT');
  });
});
