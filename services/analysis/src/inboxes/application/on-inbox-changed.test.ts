import { expect, test } from 'vitest';
import type { Inbox } from './inbox-store.js';
import { onInboxChanged } from './on-inbox-changed.js';

const event = {
  eventId: 'event-1',
  eventTime: new Date('2026-05-20T10:00:00Z'),
  organizationId: 'organization-1',
  connectionId: 'connection-1',
  companyId: 'company-1',
  environment: 'PRODUCTION',
  enabled: true,
  fromDate: '2026-04-01',
  receivedThroughTime: new Date('2026-05-20T09:00:00Z'),
};

function handled(isPurged = false) {
  const saved: Inbox[] = [];
  const added: string[] = [];
  const handle = onInboxChanged({
    inboxes: {
      save: (inbox) => Promise.resolve(void saved.push(inbox)),
      of: () => Promise.resolve([]),
      companies: () => Promise.resolve([]),
    },
    known: {
      refresh: () => Promise.resolve(),
      add: ({ companyId }) => void added.push(companyId),
      factsOf: () => Promise.resolve(undefined),
    },
    wasPurged: () => Promise.resolve(isPurged),
  });
  return { handle, saved, added };
}

test('what an inbox has received is stored, and its company is known at once', async () => {
  const { handle, saved, added } = handled();
  await handle(event);
  expect(saved).toMatchObject([{ connectionId: 'connection-1', receivedThrough: event.receivedThroughTime }]);
  expect(added).toEqual(['company-1']);
});

test('an inbox that begins again has received nothing, whatever was stored before', async () => {
  const { handle, saved } = handled();
  await handle({ ...event, receivedThroughTime: undefined });
  expect(saved).toMatchObject([{ receivedThrough: new Date(0) }]);
});

test('nothing is stored about an organization that was purged', async () => {
  const { handle, saved, added } = handled(true);
  await handle(event);
  expect([saved, added]).toEqual([[], []]);
});
