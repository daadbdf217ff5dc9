import { createLogger } from '@invoicecontrol/runtime/logger';
import { expect, test } from 'vitest';
import type { Inbox, InboxStore } from './inbox-store.js';
import { COMPANIES_MAX, knownInboxes } from './known-inboxes.js';

const invoice = { companyId: 'company-1', issueDate: '2026-05-11' };
const inbox: Inbox = {
  connectionId: 'connection-1',
  organizationId: 'organization-1',
  companyId: 'company-1',
  enabled: true,
  from: '2026-04-01',
  receivedThrough: new Date('2026-05-20T10:00:00Z'),
  changedAt: new Date('2026-05-20T10:00:01Z'),
};

function knownOf(
  stored: readonly Inbox[],
  { undecided = false, failurePeriods = [{ from: '2026-06-01', to: '2026-06-02' }], companies = stored.length } = {},
) {
  const calls: string[] = [];
  const lines: string[] = [];
  const inboxes: InboxStore = {
    save: () => Promise.resolve(),
    of(organizationId, companyId) {
      calls.push('of');
      return Promise.resolve(
        stored.filter((one) => one.organizationId === organizationId && one.companyId === companyId),
      );
    },
    companies: (countMax) =>
      Promise.resolve([
        ...stored,
        ...Array.from({ length: Math.max(0, Math.min(countMax, companies) - stored.length) }, (_, index) => ({
          organizationId: 'organization-2',
          companyId: `company-${index}`,
        })),
      ]),
  };
  const known = knownInboxes({
    inboxes,
    hasUndecided() {
      calls.push('undecided');
      return Promise.resolve(undecided);
    },
    failurePeriods,
    logger: createLogger({
      service: 'test',
      level: 'error',
      destination: { write: (line: string) => lines.push(line) },
    }),
  });
  return { known, calls, lines };
}

test('an invoice of a company without an inbox costs no command', async () => {
  const { known, calls } = knownOf([inbox]);
  await known.refresh();
  expect(await known.factsOf('organization-1', { ...invoice, companyId: 'company-2' })).toBeUndefined();
  expect(await known.factsOf('organization-2', invoice)).toBeUndefined();
  expect(calls).toEqual([]);
});

test('the mark of an inbox is read for each invoice of its company', async () => {
  const { known, calls } = knownOf([inbox]);
  await known.refresh();
  expect(await known.factsOf('organization-1', invoice)).toEqual({
    from: '2026-04-01',
    receivedThrough: '2026-05-20T10:00:00.000Z',
  });
  expect(calls).toEqual(['of', 'undecided']);
});

test('a company is known at once where its event was handled', async () => {
  const { known } = knownOf([inbox]);
  expect(await known.factsOf('organization-1', invoice)).toBeUndefined();
  known.add(inbox);
  expect(await known.factsOf('organization-1', invoice)).toBeDefined();
});

test('nothing is known while a document that KSeF delivered waits for its decision', async () => {
  const { known } = knownOf([inbox], { undecided: true });
  await known.refresh();
  expect(await known.factsOf('organization-1', invoice)).toBeUndefined();
});

test('of two environments the enabled one counts, and one that was disabled keeps what it received', async () => {
  const disabled = {
    ...inbox,
    connectionId: 'connection-2',
    enabled: false,
    from: '2026-02-01',
    changedAt: new Date('2026-09-01T00:00:00Z'),
  };
  const both = knownOf([disabled, inbox]);
  await both.known.refresh();
  expect(await both.known.factsOf('organization-1', invoice)).toMatchObject({ from: '2026-04-01' });
  const one = knownOf([disabled]);
  await one.known.refresh();
  expect(await one.known.factsOf('organization-1', invoice)).toMatchObject({ from: '2026-02-01' });
});

test.each([
  ['2026-05-31', undefined],
  ['2026-06-01', { from: '2026-06-01', to: '2026-06-02' }],
  ['2026-06-02', { from: '2026-06-01', to: '2026-06-02' }],
  ['2026-06-03', undefined],
])('an announced failure of KSeF covers its first and its last day: %s', async (issueDate, failure) => {
  const { known } = knownOf([inbox]);
  await known.refresh();
  expect((await known.factsOf('organization-1', { ...invoice, issueDate }))?.failure).toEqual(failure);
});

test.each([
  [COMPANIES_MAX, 0],
  [COMPANIES_MAX + 1, 1],
])('of %i companies with an inbox, those over the limit are named in the log', async (companies, logged) => {
  const { known, lines } = knownOf([inbox], { companies });
  await known.refresh();
  expect(lines).toHaveLength(logged);
});
