// Tests every row of the tables in docs/reference/billing.md, sections 4 and 9.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import {
  call,
  newSubscriptionId,
  notificationText,
  startBilling,
  subscriptionEntity,
} from '../testing/running-billing.js';
import type { RunningBilling } from '../testing/running-billing.js';

const page = readFileSync(new URL('../../../../docs/reference/billing.md', import.meta.url), 'utf8');

/** Returns the cells of the table whose heading begins with this text. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|') && line.slice(1).trim().startsWith(heading));
  const rest = lines.slice(begin + 2);
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('|')),
  );
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

interface Row {
  readonly status: string;
  readonly body: string;
  readonly code: string;
  readonly taken: string;
}

const answers = rowsOf('status | body').map(([status = '', body = '', code = '', taken = '']): Row => ({
  status,
  body,
  code,
  taken,
}));
const kinds = rowsOf('`event_type`').map(([types = '', , linked = '', unlinked = '']) => ({
  types: [...types.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, type = '']) => type),
  isNewStatus: types.startsWith('the same with a status'),
  linked,
  unlinked,
}));

const OVER_16_MIB = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
const HTML = '<html><body>not_found</body></html>';
const PORTAL = 'https://customer-portal.paddle.com/cpl_1';

function respond(response: ServerResponse, path: string, { status, body, code }: Row): void {
  if (status === 'none') {
    response.socket?.destroy();
    return;
  }
  const asked = path.endsWith('/portal-sessions')
    ? { data: { urls: { general: { overview: PORTAL } } } }
    : { data: [], meta: { pagination: { has_more: false, next: null } } };
  const contents: Readonly<Record<string, string | Buffer>> = {
    'as asked': JSON.stringify(asked),
    'other JSON': '{"data":null}',
    error: JSON.stringify({ error: { type: 'request_error', code, detail: 'pdl_sdbx_apikey_test was sent' } }),
    'over 16 MiB': OVER_16_MIB,
    HTML,
    empty: '',
  };
  const content = contents[body];
  if (content === undefined) throw new Error(`No test knows the body "${body}".`);
  response.writeHead(Number(status), { location: '/elsewhere' }).end(content);
}

let server: Server;
let billing: RunningBilling;
let row: Row = { status: '503', body: 'empty', code: '', taken: 'outage' };
let organizationId: string;
beforeAll(async () => {
  server = createServer((request, response) => respond(response, request.url ?? '', row));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  billing = await startBilling(startService, {
    infrastructure: testInfrastructure(),
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    until: (condition) =>
      eventually(async () => {
        if (!(await condition())) throw new Error('The condition does not hold yet.');
      }),
    databaseName: testDatabaseName(),
    overrides: { jobPauseMsMax: 200 },
  });
  organizationId = await billing.newOrganization();
  const reference = await billing.newReference(organizationId);
  const bought = subscriptionEntity({ id: newSubscriptionId(), organizationId, reference, plan: 'SCALE' });
  await billing.send(notificationText('subscription.created', bought));
});
afterAll(async () => {
  await billing.stop();
  server.closeAllConnections();
  server.close();
});

/** Returns the kind and the provider message of a refusal, or the response if there is no refusal. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(({ kind, message }: { kind: string; message: string }) => ({ kind, message }));
}

describe('an answer of the provider', () => {
  test('is in a table, with every meaning that it may have', () => {
    expect(answers.length).toBeGreaterThan(35);
    expect(new Set(answers.map(({ taken }) => taken))).toEqual(
      new Set(['answer', 'outage', 'not found', 'key refused']),
    );
  });

  test.each(answers)('$status with the body $body and the code "$code" is taken for: $taken', async (next) => {
    row = next;
    const portal = await outcomeOf(billing.subscriptions.createPortalSession({ organizationId }, call));
    const reconciled = await outcomeOf(billing.operator.reconcileSubscriptions({}, call));
    const keyAdvice = expect.stringContaining('Set PADDLE_API_KEY');
    if (next.taken === 'answer') {
      expect(portal).toEqual({ url: PORTAL });
      expect(reconciled).toEqual({ checked: 0, corrected: 0, unknown: 0 });
    } else {
      expect(portal).toEqual({
        kind: next.taken === 'not found' ? 'not_found' : 'foreign_failure',
        message: expect.stringMatching(
          next.taken === 'not found' ? /has no customer for this subscription/ : /retry the request/,
        ),
      });
      expect(reconciled).toEqual({
        kind: 'foreign_failure',
        message: next.taken === 'key refused' ? keyAdvice : expect.not.stringContaining('PADDLE_API_KEY'),
      });
    }
    // The API key is not repeated in messages, and the purchased plan stays.
    expect(JSON.stringify([portal, reconciled])).not.toContain('apikey_test');
    const { subscription } = await billing.subscriptions.getSubscription({ organizationId }, call);
    expect(subscription).toMatchObject({ plan: 'SCALE', active: true });
  });
});

describe('a notification of the provider', () => {
  test('is in a table, with all kinds of it', () => {
    expect(kinds.flatMap(({ types }) => types).length).toBeGreaterThan(25);
    expect(kinds.some(({ isNewStatus }) => isNewStatus)).toBe(true);
  });

  const rows = kinds.flatMap(({ types, isNewStatus, linked, unlinked }) =>
    (isNewStatus ? ['subscription.updated'] : types).map((type) => ({ type, isNewStatus, linked, unlinked })),
  );
  test.each(rows)('$type (a new status: $isNewStatus) ends as $linked, or $unlinked', async (kind) => {
    for (const isLinked of [true, false]) {
      const owner = await billing.newOrganization();
      const id = newSubscriptionId();
      const reference = await billing.newReference(owner);
      if (isLinked) {
        const created = subscriptionEntity({ id, organizationId: owner, reference });
        await billing.send(notificationText('subscription.created', created, { occurredAt: '2026-03-01T00:00:00Z' }));
      }
      const about = subscriptionEntity({
        id,
        organizationId: owner,
        ...(kind.isNewStatus ? { status: 'expired' } : {}),
      });
      const isSubscription = kind.type.startsWith('subscription.');
      const isBill = kind.type.startsWith('transaction.');
      const data = isSubscription ? about : { ...about, id: 'txn_1', ...(isBill ? { subscription_id: id } : {}) };
      const eventId = `evt_${id}`;
      await billing.send(notificationText(kind.type, data, { eventId }));
      const stored = billing.mongo.db.collection<{ _id: string; outcome?: string }>('notifications');
      const outcome = (await stored.findOne({ _id: eventId }))?.outcome;
      expect({ isLinked, outcome }).toEqual({ isLinked, outcome: isLinked ? kind.linked : kind.unlinked });
    }
  });
});
