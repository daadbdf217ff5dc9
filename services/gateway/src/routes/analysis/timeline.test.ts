import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TimelineEntry } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import type { AuditEvent, ListAuditEventsRequest } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { NameActorsRequest } from '@invoicecontrol/contracts/organization/v1/member_service';
import { notFound } from '@invoicecontrol/errors';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const KEY = keyNamed('viewer');
const ID = '0198a000-0000-7000-8000-00000000000a';
const FINDING = '0198a000-0000-7000-8000-00000000000f';

const entryAt = (second: number, part: Partial<TimelineEntry> = {}): TimelineEntry => ({
  entryTime: new Date(second * 1_000),
  kind: 'FINDING_REVIEWED',
  actorType: 'SYSTEM',
  actorId: 'system',
  refType: 'finding',
  refId: FINDING,
  ...part,
});
const exportAt = (second: number): AuditEvent => ({
  auditEventId: 'e1',
  eventTime: new Date(second * 1_000),
  actorType: 'API_KEY',
  actorId: 'k1',
  action: 'invoice.exported',
  target: `invoice:${ID}`,
  outcome: 'SUCCEEDED',
  requestId: 'req_1',
  ip: '',
  actorName: 'Ann',
});

let entries: TimelineEntry[];
let exports: AuditEvent[];
let more: { isTruncated: boolean; nextPageToken: string };
const asked: { audit?: ListAuditEventsRequest; names?: NameActorsRequest } = {};
let gateway: RunningGateway;
beforeAll(async () => {
  const viewer = principal({ role: 'VIEWER', scopes: ['invoices:read'] });
  gateway = await startGateway({
    access: accessFor(new Map([[KEY, viewer]])),
    invoices: {
      listInvoiceTimeline: ({ invoiceId }) =>
        invoiceId === ID
          ? Promise.resolve({ entries, isTruncated: more.isTruncated })
          : Promise.reject(notFound('invoice')),
    },
    audit: {
      listAuditEvents(request) {
        asked.audit = request;
        return Promise.resolve({ auditEvents: exports, nextPageToken: more.nextPageToken });
      },
    },
    members: {
      nameActors(request) {
        asked.names = request;
        return Promise.resolve({ names: request.actors.map(({ actorId }) => `name of ${actorId}`) });
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  entries = [];
  exports = [];
  more = { isTruncated: false, nextPageToken: '' };
  delete asked.names;
});

async function read(id = ID) {
  const response = await fetch(`${gateway.origin}/v1/invoices/${id}/timeline`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const body = (await response.json()) as {
    items: { at: string; kind: string; actor: { name: string | null } }[];
    isTruncated: boolean;
  };
  return { status: response.status, body };
}

test('entries and exports are one list by time, with the names of people and keys', async () => {
  entries = [
    entryAt(1, { kind: 'RECEIVED', refType: 'invoice', refId: ID }),
    entryAt(3, { actorType: 'USER', actorId: 'u1', from: 'OPEN', to: 'CONFIRMED', note: 'as agreed' }),
  ];
  exports = [exportAt(2)];
  const empty = { from: null, to: null, note: null };
  expect(await read()).toEqual({
    status: 200,
    body: {
      items: [
        {
          at: '1970-01-01T00:00:01.000Z',
          kind: 'RECEIVED',
          actor: { type: 'SYSTEM', id: 'system', name: null },
          ref: { type: 'invoice', id: ID },
          ...empty,
        },
        {
          at: '1970-01-01T00:00:02.000Z',
          kind: 'EXPORTED',
          actor: { type: 'API_KEY', id: 'k1', name: 'Ann' },
          ref: { type: 'invoice', id: ID },
          ...empty,
        },
        {
          at: '1970-01-01T00:00:03.000Z',
          kind: 'FINDING_REVIEWED',
          actor: { type: 'USER', id: 'u1', name: 'name of u1' },
          ref: { type: 'finding', id: FINDING },
          from: 'OPEN',
          to: 'CONFIRMED',
          note: 'as agreed',
        },
      ],
      isTruncated: false,
    },
  });
  expect(asked.audit).toMatchObject({
    organizationId: ORGANIZATION_ID,
    action: 'invoice.exported',
    target: `invoice:${ID}`,
    outcome: 'SUCCEEDED',
    pageSize: 100,
  });
});

test('a missing invoice is 404', async () => {
  expect((await read(FINDING)).status).toBe(404);
});

test('at most 1,000 entries are returned, the newest, and the response says when others are missing', async () => {
  entries = Array.from({ length: 999 }, (_, second) => entryAt(second));
  exports = [exportAt(2_000)];
  const whole = await read();
  expect([whole.body.items.length, whole.body.isTruncated]).toEqual([1_000, false]);
  entries = Array.from({ length: 1_000 }, (_, second) => entryAt(second));
  const cut = await read();
  expect([cut.body.items.length, cut.body.isTruncated]).toEqual([1_000, true]);
  expect([cut.body.items[0]?.at, cut.body.items.at(-1)?.kind]).toEqual(['1970-01-01T00:00:01.000Z', 'EXPORTED']);
  entries = [];
  more = { isTruncated: true, nextPageToken: '' };
  expect((await read()).body.isTruncated).toBe(true);
  more = { isTruncated: false, nextPageToken: 'next' };
  expect((await read()).body.isTruncated).toBe(true);
});

test('200 actors are named, and of one more the actor of the oldest entries is not', async () => {
  entries = Array.from({ length: 201 }, (_, at) => entryAt(at, { actorType: 'USER', actorId: `u${String(at)}` }));
  const { body } = await read();
  expect(asked.names?.actors).toHaveLength(200);
  expect(body.items.map(({ actor }) => actor.name)).toEqual([
    null,
    ...Array.from({ length: 200 }, (_, at) => `name of u${String(at + 1)}`),
  ]);
});
