import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { startKillableSystem } from './crash/killable-system.js';
import type { KillableSystem } from './crash/killable-system.js';
import { reached } from './crash/reached.js';

const IBAN = 'DE89370400440532013000';
const NAME = 'Hafenlogistik Brandt GmbH';
const PAID = 'HB-2210';
const RELEASED = 'HB-9999';
const MESSAGE_ID = 'RUN-1';

/** The client's request during which the service is killed. */
const actions = ['create', 'release', 'recheck', 'download', 'report'] as const;
type Action = (typeof actions)[number];

interface Step {
  readonly command: string;
  readonly of: Action;
  readonly occurrence?: number;
}

/** Writes in the order in which the service sends them. */
const steps: readonly Step[] = [
  { command: 'insert payment_lines', of: 'create' },
  { command: 'insert payment_facts', of: 'create' },
  { command: 'findAndModify usage', of: 'create' },
  { command: 'update usage', of: 'create' },
  { command: 'insert payment_files', of: 'create' },
  { command: 'insert payment_runs', of: 'create' },
  { command: 'insert payment_releases', of: 'release' },
  { command: 'insert payment_lines', of: 'recheck' },
  { command: 'findAndModify payment_runs', of: 'recheck' },
  // The first command creates the turn of the organization, and the last one ends it.
  { command: 'update payment_turns', of: 'download' },
  { command: 'findAndModify payment_turns', of: 'download' },
  { command: 'update payment_turns', of: 'download', occurrence: 2 },
  { command: 'findAndModify payment_runs', of: 'download' },
  { command: 'update payment_turns', of: 'download', occurrence: 3 },
  { command: 'update payment_outcomes', of: 'report' },
  { command: 'findAndModify payment_runs', of: 'report' },
];

/** Commands that empty the outbox after an event was published. Their kill points are in crash-points.e2e.test.ts. */
const ofTheOutbox = ['update payment_runs', 'update payment_releases'];

interface KillPoint extends Step {
  readonly side: HoldOptions['side'];
  readonly client: Client;
}

let system: KillableSystem;
let analysis: MongoConnection;
beforeAll(async () => {
  system = await startKillableSystem();
  analysis = await connectMongo({ url: system.mongodbUrl, databaseName: 'analysis', appName: 'audit' });
}, 120_000);
afterAll(async () => {
  await analysis.close();
  await system.stop();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A treasurer who checks one run, and repeats each request until it is answered. */
interface Client {
  readonly tenant: Tenant;
  readonly file: string;
  runId: string;
  given: string;
}

async function newClient(name: string): Promise<Client> {
  const tenant = await system.newTenant(name);
  const file = paymentRunText(
    [PAID, RELEASED].map((number) => ({ amount: '580.00', name: NAME, account: IBAN, texts: [number] })),
    { messageId: MESSAGE_ID },
  );
  const client = { tenant, file, runId: '', given: '' };
  const invoice = {
    supplier: { name: NAME, tax_id: 'DE994175284', bank_account: { iban: IBAN } },
    invoice_number: PAID,
    issue_date: '2026-03-02',
    currency: 'EUR',
    gross_amount: '580.00',
  };
  expect((await send(client, 'POST', '/invoices', JSON.stringify(invoice), 'application/json')).status).toBe(202);
  return client;
}

/** Sends a request until it has an answer that is no outage. */
async function send(
  { tenant }: Client,
  method: string,
  path: string,
  body?: string,
  contentType = 'application/xml',
): Promise<Answer> {
  for (;;) {
    try {
      const response = await fetch(`${system.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tenant.keys.owner}`,
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (response.status < 500) return { status: response.status, text };
    } catch {
      // The connection was lost: the client does not know what happened, and repeats the request.
    }
    await delay(200);
  }
}

const doing: Readonly<Record<Action, (client: Client) => Promise<void>>> = {
  async create(client) {
    const { status, text } = await send(client, 'POST', '/payment-runs', client.file);
    expect([200, 201]).toContain(status);
    client.runId = (JSON.parse(text) as { id: string }).id;
  },
  async release(client) {
    const path = `/payment-runs/${client.runId}/lines/1.2/release`;
    const { status, text } = await send(client, 'POST', path, '{"note":"A deposit."}', 'application/json');
    expect([status, text]).toEqual([200, expect.any(String)]);
  },
  async recheck(client) {
    expect((await send(client, 'POST', `/payment-runs/${client.runId}/recheck`)).status).toBe(200);
  },
  async download(client) {
    const path = `/payment-runs/${client.runId}/file`;
    const first = await send(client, 'GET', path);
    // The answer to an earlier attempt was lost if nothing is left. Its bytes can be read again.
    const { status, text } = first.status === 409 ? await send(client, 'GET', `${path}?repeat=1`) : first;
    expect(status).toBe(200);
    client.given = text;
  },
  async report(client) {
    const report = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt><GrpHdr><MsgId>R-1</MsgId><CreDtTm>2026-11-02T10:00:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${MESSAGE_ID}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>ACSC</GrpSts></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`;
    expect((await send(client, 'POST', `/payment-runs/${client.runId}/reports`, report)).status).toBe(200);
  },
};

describe('a payment run whose service is killed', () => {
  test('sends no write that has no kill point here', async () => {
    const proxy = system.proxyOf('analysis');
    const client = await newClient('Uninterrupted');
    const before = new Set(proxy.commandNames());
    for (const action of actions) await doing[action](client);
    const writes = proxy
      .commandNames()
      .filter((name) => /^(insert|update|delete|findAndModify) payment/.test(name) && !before.has(name));
    expect([...steps.map(({ command }) => command), ...ofTheOutbox]).toEqual(expect.arrayContaining(writes));
  });

  test('before or after any write loses nothing, repeats nothing, and gives each transaction out once', async () => {
    const points: KillPoint[] = await Promise.all(
      steps.flatMap((step, index) =>
        (['before', 'after'] as const).map(async (side) => ({
          ...step,
          side,
          client: await newClient(`Killed ${index} ${side}`),
        })),
      ),
    );
    const holds: Hold[] = [];
    const interrupted: Promise<void>[] = [];
    for (const { command, of, side, client, occurrence } of points) {
      for (const action of actions.slice(0, actions.indexOf(of))) await doing[action](client);
      const hold = system.proxyOf('analysis').hold({
        command,
        side,
        mentioning: [client.tenant.organizationId],
        ...(occurrence === undefined ? {} : { occurrence }),
      });
      holds.push(hold);
      const answered = doing[of](client);
      answered.catch(() => {});
      interrupted.push(answered);
      await reached(hold, `${side} "${command}" of ${of} was not reached`);
    }
    await system.analysis.kill();
    for (const hold of holds) hold.drop();
    await system.restartLater('analysis');
    await Promise.all(interrupted);
    for (const { of, client } of points) {
      for (const action of actions.slice(actions.indexOf(of) + 1)) await doing[action](client);
    }

    for (const { client, command, side, of } of points) {
      const about = `${side} ${command} of ${of}`;
      const { runId, given, tenant } = client;
      const { organizationId } = tenant;
      // One run, with one download that gave both lines out, and one report.
      const stored = await analysis.db.collection('payment_runs').find({ organizationId }).toArray();
      expect([
        about,
        stored.map(({ _id, downloads, reports }) => [String(_id), downloads.length, reports.length]),
      ]).toEqual([about, [[runId, 1, 1]]]);
      for (const number of [PAID, RELEASED]) expect([about, given.split(number).length]).toEqual([about, 2]);
      expect([about, (await send(client, 'GET', `/payment-runs/${runId}/file`)).status]).toEqual([about, 409]);
      expect([about, (await send(client, 'GET', `/payment-runs/${runId}/file?repeat=1`)).text]).toEqual([about, given]);
      const { items } = JSON.parse((await send(client, 'GET', `/payment-runs/${runId}/lines`)).text) as {
        items: { givenAt: string | null; outcome: { status: string } | null }[];
      };
      expect([about, items.map(({ givenAt, outcome }) => [givenAt !== null, outcome?.status])]).toEqual([
        about,
        [
          [true, 'ACSC'],
          [true, 'ACSC'],
        ],
      ]);
      expect([about, await analysis.db.collection('payment_releases').countDocuments({ organizationId })]).toEqual([
        about,
        1,
      ]);
    }
    // Each act has one audit line, and the lines of each run are counted once.
    await eventually(
      async () => {
        for (const { client, command, side, of } of points) {
          const about = `${side} ${command} of ${of}`;
          const { items } = JSON.parse((await send(client, 'GET', '/audit-events?limit=100')).text) as {
            items: { action: string }[];
          };
          const acts = (action: string): number =>
            items.filter((item) => item.action === `payment_run.${action}`).length;
          expect([about, acts('checked'), acts('line_released'), acts('reported')]).toEqual([about, 1, 1, 1]);
        }
      },
      { timeoutMs: 30_000 },
    );
    system.letTimePass();
    await eventually(
      async () => {
        for (const { client, command, side, of } of points) {
          const { items } = JSON.parse((await send(client, 'GET', '/organizations/current/usage')).text) as {
            items: { meter: string; used: number }[];
          };
          const used = items.find(({ meter }) => meter === 'payment_lines')?.used;
          expect([`${side} ${command} of ${of}`, used]).toEqual([`${side} ${command} of ${of}`, 2]);
        }
      },
      { timeoutMs: 60_000 },
    );
    expect(system.unexpected).toEqual([]);
  }, 300_000);
});
