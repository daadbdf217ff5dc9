import { expect, test } from 'vitest';
import {
  disabled,
  dueAtOf,
  enabled,
  errorOf,
  faultOfFrom,
  markOf,
  newInbox,
  polishMidnight,
  receivedThrough,
  uploadIdOf,
} from './inbox.js';
import type { Inbox, RoleInbox } from './inbox.js';

const now = new Date('2026-11-20T10:00:00Z');
const connection = {
  id: '4f9d0d64-0000-5000-8000-000000000000',
  organizationId: 'org',
  companyId: 'company',
  environment: 'TEST',
  contextNip: '5265877635',
} as const;
const settings = { from: '2026-11-01', contextNip: connection.contextNip };
const inbox = enabled(newInbox(connection, '2026-11-01', now), settings, now);

const withRoles = (change: (role: RoleInbox) => Partial<RoleInbox>): Inbox => ({
  ...inbox,
  roles: inbox.roles.map((role) => ({ ...role, ...change(role) })),
});

test('receiving begins on 1 February 2026 at the earliest, and today in Poland at the latest', () => {
  expect(faultOfFrom('2026-02-01', '2026-11-20')).toBeUndefined();
  expect(faultOfFrom('2026-01-31', '2026-11-20')).toMatch(/2026-02-01 or later/);
  expect(faultOfFrom('2026-11-20', '2026-11-20')).toBeUndefined();
  expect(faultOfFrom('2026-11-21', '2026-11-20')).toMatch(/after today, which is 2026-11-20/);
  expect(faultOfFrom('2026-02-30', '2026-11-20')).toMatch(/YYYY-MM-DD/);
});

test('a day begins at midnight in Poland, in winter and in summer, and on the days when its clocks change', () => {
  expect(polishMidnight('2026-02-01')).toBe('2026-01-31T23:00:00.000Z');
  expect(polishMidnight('2026-07-01')).toBe('2026-06-30T22:00:00.000Z');
  expect(polishMidnight('2026-03-29')).toBe('2026-03-28T23:00:00.000Z');
  expect(polishMidnight('2026-03-30')).toBe('2026-03-29T22:00:00.000Z');
  expect(polishMidnight('2026-10-25')).toBe('2026-10-24T22:00:00.000Z');
  expect(polishMidnight('2026-10-26')).toBe('2026-10-25T23:00:00.000Z');
});

test('all roles are due when an inbox is enabled, and none while it is disabled', () => {
  expect(dueAtOf(inbox)).toEqual(now);
  expect(dueAtOf(disabled(inbox))).toBeUndefined();
  expect(receivedThrough(inbox)).toBeUndefined();
});

test('an inbox that is enabled with the same settings stays as it is', () => {
  expect(enabled(inbox, settings, new Date())).toBe(inbox);
});

test('an inbox that is enabled again goes on where it ended', () => {
  const mark = '2026-11-10T08:00:00.1234567+00:00';
  const received = withRoles(() => ({ mark, error: 'x', isPaused: true }));
  const again = enabled(disabled(received), settings, now);
  expect(again.roles.map((role) => role.mark)).toEqual([mark, mark, mark]);
  expect([errorOf(again), again.roles.some(({ isPaused }) => isPaused)]).toEqual([undefined, false]);
  expect(receivedThrough(again)).toEqual(new Date('2026-11-10T08:00:00.123Z'));
});

test('an earlier first day, or another taxpayer, has everything received from that day on', () => {
  const received = withRoles(() => ({ mark: '2026-11-10T08:00:00Z' }));
  const earlier = enabled(received, { ...settings, from: '2026-03-01' }, now);
  const other = enabled(received, { ...settings, contextNip: '1111111111' }, now);
  for (const one of [earlier, other])
    expect(one.roles.map(({ mark }) => mark)).toEqual([undefined, undefined, undefined]);
  expect(earlier.roles.map((role) => markOf(earlier, role))).toContain('2026-02-28T23:00:00.000Z');
});

test('refused invoices are kept when an inbox is enabled again, and removed for another taxpayer', () => {
  const refused = [
    { ksefNumber: '1', reason: 'r', role: 'SUBJECT2', firstAttemptAt: now, lastAttemptAt: now } as const,
  ];
  const received = { ...withRoles(() => ({})), refused };
  expect(enabled(disabled(received), settings, now).refused).toEqual(refused);
  expect(enabled(received, { ...settings, from: '2026-03-01' }, now).refused).toEqual(refused);
  expect(enabled(received, { ...settings, contextNip: '1111111111' }, now).refused).toEqual([]);
});

test('a later first day leaves out what lies before it', () => {
  const received = withRoles(() => ({ mark: '2026-11-10T08:00:00Z' }));
  const later = enabled(received, { ...settings, from: '2026-11-15' }, now);
  expect(later.roles.map((role) => markOf(later, role))).toContain('2026-11-14T23:00:00.000Z');
  const within = enabled(received, { ...settings, from: '2026-11-05' }, now);
  expect(within.roles.map((role) => markOf(within, role))).toContain('2026-11-10T08:00:00Z');
});

test('an upload has one id for each company and KSeF number', () => {
  const number = '5265877635-20261120-0123456789AB-CD';
  expect(uploadIdOf('company', number)).toBe(uploadIdOf('company', number));
  expect(uploadIdOf('other', number)).not.toBe(uploadIdOf('company', number));
  expect(uploadIdOf('company', number.replace('AB', 'AC'))).not.toBe(uploadIdOf('company', number));
});
