import { expect, test } from '@jest/globals';
import { events } from '@invoicecontrol/contracts/events';
import { announce, envelopes, eventId } from './event-envelope.js';

test('the same change always has the same event id', () => {
  expect(eventId('aggregate', 3, 'api_keys_revoked', 0)).toBe('evt_hlyr3vnaee2k7x56zoddd2azlv');
});

test('version, event and place in the change each give another id', () => {
  const ids = [
    eventId('a', 1, 'x', 0),
    eventId('a', 2, 'x', 0),
    eventId('a', 1, 'y', 0),
    eventId('a', 1, 'x', 1),
    eventId('b', 1, 'x', 0),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^evt_[a-z2-7]{26}$/);
});

test('an event carries its id, its time and its organization', () => {
  const at = new Date('2026-03-01T12:00:00.000Z');
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
