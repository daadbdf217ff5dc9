import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { connectApi, startRunningSystem } from './running-system.js';
import type { Api, ErrorBody, RunningSystem } from './running-system.js';

/**
 * The limits in silence.ts promise a response within three seconds. An overloaded machine needs longer; the timeouts of
 * the driver add up to more than this value.
 */
const ANSWERED_MS_MAX = 8_000;
/** Time limit in milliseconds for the recovery, which is promised within five seconds. */
const RECOVERED_MS_MAX = 20_000;
const TEST_MS_MAX = 120_000;

const owners = ['organization', 'analysis', 'documents', 'scan', 'webhooks', 'billing', 'erp-sync', 'ksef'] as const;
type Owner = (typeof owners)[number];

let proxies: Record<Owner, MongoProxy>;
let running: RunningSystem;
/** A client of the API without the retries of the client that the other tests use. */
let api: Api;

beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  const started = await Promise.all(
    owners.map(async (owner): Promise<[Owner, MongoProxy]> => [owner, await startMongoProxy(mongodbUrl)]),
  );
  proxies = Object.fromEntries(started) as Record<Owner, MongoProxy>;
  const mongodbUrlFor = (service: string): string => proxies[service as Owner].url;
  running = await startRunningSystem({}, { mongodbUrlFor });
  api = await connectApi(running.system.baseUrl);
});
afterEach(() => owners.forEach((owner) => proxies[owner].heal()));
afterAll(async () => {
  await running.stop();
  for (const owner of owners) await proxies[owner].close();
});

interface Case {
  readonly target: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The advice about a retry that the error message must contain. */
  readonly says: RegExp;
}

const REPEAT = /Retry the request in a moment\.$/;
const WITH_KEY = /Retry the request in a moment with the same Idempotency-Key/;
const CHECK = /Check whether it did before you send the request again\./;
const STORED = /stored and will be completed automatically\./;
const rows = [
  { supplierName: 'A', invoiceNumber: '1', issueDate: '2024-03-05', grossAmount: '10.00', sourceRowNumber: 2 },
];

const invoice = {
  supplier: { name: 'Nordlicht Energie GmbH' },
  invoice_number: 'RE-1',
  issue_date: '2026-03-05',
  currency: 'EUR',
  gross_amount: '1166.20',
};

const cases: Readonly<Record<Owner, readonly Case[]>> = {
  organization: [
    { target: 'GET /members', says: REPEAT },
    { target: 'GET /companies', says: REPEAT },
    { target: 'POST /companies', body: { name: 'Second' }, says: CHECK },
  ],
  analysis: [
    { target: 'GET /invoices', says: REPEAT },
    { target: 'GET /findings', says: REPEAT },
    { target: 'POST /invoices', body: invoice, idempotencyKey: 'silent', says: WITH_KEY },
    { target: 'POST /invoices', body: invoice, says: CHECK },
    { target: 'POST /scans', body: { rows }, idempotencyKey: 'silent-analysis', says: STORED },
  ],
  documents: [
    { target: 'GET /organizations/current/usage', says: REPEAT },
    { target: 'POST /uploads', body: { mediaType: 'application/pdf', byteSize: 9 }, says: CHECK },
  ],
  scan: [
    { target: 'GET /scans', says: REPEAT },
    { target: 'POST /scans', body: { rows }, idempotencyKey: 'silent', says: WITH_KEY },
    { target: 'POST /scans', body: { rows }, says: CHECK },
  ],
  webhooks: [
    { target: 'GET /webhooks', says: REPEAT },
    { target: 'GET /webhooks/deliveries', says: REPEAT },
    { target: 'POST /webhooks', body: { url: 'https://8.8.8.8/', events: ['finding.created'] }, says: CHECK },
  ],
  billing: [
    { target: 'GET /billing/subscription', says: REPEAT },
    { target: 'POST /billing/checkout', body: {}, says: CHECK },
  ],
  'erp-sync': [
    { target: 'GET /erp-connections', says: REPEAT },
    {
      target: 'POST /erp-connections',
      body: { provider: 'ODOO', config: { baseUrl: 'https://8.8.8.8' }, api_key: 'key' },
      says: CHECK,
    },
  ],
  ksef: [
    { target: 'GET /ksef-connections', says: REPEAT },
    {
      target: 'POST /ksef-connections',
      body: { environment: 'TEST', context_nip: '5265877635', ksef_token: 'x'.repeat(20) },
      says: CHECK,
    },
  ],
};

describe.each(owners)('while the database of %s', (owner) => {
  test.each(['stall', 'cut'] as const)(
    'is silent (%s), requests that need it get a 503 in time with a true message, and succeed again afterwards',
    async (how) => {
      const { keys } = await running.newTenant();
      const key = keys.owner;
      await eventually(async () => {
        expect(await api.request('GET /organizations/current', { key })).toMatchObject({ status: 200 });
      });
      proxies[owner][how]();
      const answers = await Promise.all(
        cases[owner].map(async ({ target, body, idempotencyKey, says }) => {
          const sentAt = performance.now();
          const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
          const answer = await api.request<ErrorBody>(target, { key, body, headers });
          const elapsedMs = Math.round(performance.now() - sentAt);
          return { target, status: answer.status, message: answer.body.error?.message, says, elapsedMs };
        }),
      );
      for (const { target, status, message, says, elapsedMs } of answers) {
        expect({ target, status, message }).toEqual({ target, status: 503, message: expect.stringMatching(says) });
        expect({ target, elapsedMs, isInTime: elapsedMs < ANSWERED_MS_MAX }).toMatchObject({ isInTime: true });
      }
      proxies[owner].heal();
      const [{ target } = { target: 'GET /members' }] = cases[owner];
      await eventually(async () => expect(await api.request(target, { key })).toMatchObject({ status: 200 }), {
        timeoutMs: RECOVERED_MS_MAX,
      });
    },
    TEST_MS_MAX,
  );
});

test(
  'a key that cannot be checked gets a 503 in time, and one that was valid a moment ago still reads invoices',
  async () => {
    const { keys } = await running.newTenant();
    const known = keys.owner;
    await eventually(async () => expect((await api.request('GET /invoices', { key: known })).status).toBe(200));
    proxies.organization.stall();
    const sentAt = performance.now();
    const [unknown, stale] = await Promise.all([
      api.request<ErrorBody>('GET /invoices', { key: keys.viewer }),
      api.request('GET /invoices', { key: known }),
    ]);
    expect(performance.now() - sentAt).toBeLessThan(ANSWERED_MS_MAX);
    expect(unknown).toMatchObject({ status: 503, body: { error: { message: expect.stringMatching(REPEAT) } } });
    expect(stale.status).toBe(200);
  },
  TEST_MS_MAX,
);
