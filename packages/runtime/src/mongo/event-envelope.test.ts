import { expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { announce, envelopes, eventId } from './event-envelope.js';

const at = new Date('2026-03-01T12:00:00.000Z');

test('the same change always has the same event id', () => {
  expect(eventId({ id: 'aggregate', version: 3 }, at, 'api_keys_revoked', 0)).toBe('evt_etdln65h4ohuligc4yzuxg7mjt');
});

test('aggregate, version, time, event and place in the change each give another id', () => {
  const a1 = { id: 'a', version: 1 };
  const ids = [
    eventId(a1, at, 'x', 0),
    eventId({ id: 'a', version: 2 }, at, 'x', 0),
    eventId({ id: 'b', version: 1 }, at, 'x', 0),
    eventId(a1, new Date(at.getTime() + 1), 'x', 0),
    eventId(a1, at, 'y', 0),
    eventId(a1, at, 'x', 1),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^evt_[a-z2-7]{26}$/);
});

test('an event carries its id, its time and its organization', () => {
  const body = { version: 4, apiKeyIds: ['k1'] };
  const aggregate = { id: 'o1', organizationId: 'o1', version: 4 };
  const [stored] = envelopes(aggregate, [announce(events.apiKeysRevoked, body)], at);
  expect(stored?.subject).toBe('invoicecontrol.organization.v1.api_keys_revoked');
  expect(JSON.parse(stored?.payload ?? '')).toEqual({
    eventId: stored?.id,
    eventTime: '2026-03-01T12:00:00.000Z',
    organizationId: 'o1',
    version: 4,
    apiKeyIds: ['k1'],
  });
});
