import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type {
  Connection,
  CreateConnectionRequest,
  UpdateConnectionRequest,
} from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { RunMode, RunStatus, RunTrigger } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run, StartRunRequest } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const ID = '0198a000-0000-7000-8000-00000000e001';
const at = new Date('2026-03-14T09:30:00.000Z');
const owner = keyNamed('owner');
const unpaid = keyNamed('unpaid');
const run: Run = {
  runId: ID,
  trigger: RunTrigger.MANUAL,
  mode: RunMode.FULL,
  status: RunStatus.RUNNING,
  startedTime: at,
  finishedTime: undefined,
  streams: {
    vendors: {
      fetched: 1,
      created: 1,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      failed: 0,
      cursorFrom: undefined,
      cursorTo: 'x',
    },
  },
  errors: [{ stream: undefined, code: 'TIMEOUT', message: 'Too slow.', externalId: undefined, retryable: true }],
  httpCalls: 2,
  throttledMs: 0,
};
const connection: Connection = {
  connectionId: ID,
  provider: 'PROVIDER_B',
  companyId: ID,
  status: ConnectionStatus.PENDING,
  configJson: '{"baseUrl":"https://erp.example.com","erpCompanyId":3}',
  isPaused: false,
  importFrom: undefined,
  lastSyncTime: undefined,
  lastSuccessTime: undefined,
  lastErrorCode: undefined,
  lastErrorMessage: undefined,
  nextSyncTime: at,
  recentRuns: [run],
  streamSuccessTimes: { vendors: at },
  version: 1,
  createdTime: at,
};

let gateway: RunningGateway;
const created: CreateConnectionRequest[] = [];
const updated: UpdateConnectionRequest[] = [];
const started: StartRunRequest[] = [];
beforeAll(async () => {
  const keys = new Map([
    [owner, principal({ limits: { erpConnections: 3 } as never })],
    [unpaid, principal({ hasActiveSubscription: false, apiKeyId: 'unpaid' })],
  ]);
  gateway = await startGateway({
    access: accessFor(keys),
    erpConnections: {
      async createConnection(request) {
        created.push(request);
        return { connection };
      },
      async updateConnection(request) {
        updated.push(request);
        return { connection };
      },
      async testConnection() {
        return {
          status: ConnectionStatus.ERROR,
          testedTime: at,
          errorCode: 'AUTH_FAILED',
          errorMessage: 'The key is not accepted.',
        };
      },
    },
    erpRuns: {
      async startRun(request) {
        started.push(request);
        return { run };
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  created.length = 0;
  updated.length = 0;
});

const send = async (method: string, path: string, body: unknown, key = owner) => {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
};
const shownRun = {
  id: ID,
  trigger: 'MANUAL',
  mode: 'FULL',
  status: 'RUNNING',
  startedAt: at.toISOString(),
  finishedAt: null,
  streams: {
    vendors: {
      fetched: 1,
      created: 1,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      failed: 0,
      cursorFrom: null,
      cursorTo: 'x',
    },
  },
  errors: [{ stream: null, code: 'TIMEOUT', message: 'Too slow.', externalId: null, retryable: true }],
  httpCalls: 2,
  throttledMs: 0,
};
const odoo = { provider: 'ODOO', config: { baseUrl: 'https://erp.example.com', erpCompanyId: 3 }, api_key: 'key' };

describe('POST /erp-connections', () => {
  test('hands configuration and secret to the owner, and shows every field of the record', async () => {
    const answer = await send('POST', '/erp-connections', { ...odoo, company_id: ID.toUpperCase() });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/erp-connections/${ID}`);
    expect(answer.body).toEqual({
      id: ID,
      provider: 'PROVIDER_B',
      product: 'ODOO',
      companyId: ID,
      status: 'PENDING',
      config: { baseUrl: 'https://erp.example.com', erpCompanyId: 3 },
      isPaused: false,
      importFrom: null,
      lastSyncAt: null,
      lastSuccessAt: null,
      lastErrorCode: null,
      lastErrorMessage: null,
      nextSyncAt: at.toISOString(),
      streamSuccesses: { vendors: at.toISOString() },
      recentRuns: [shownRun],
      version: 1,
      createdAt: at.toISOString(),
    });
    expect(created).toEqual([
      expect.objectContaining({
        provider: 'ODOO',
        companyId: ID,
        configJson: JSON.stringify(odoo.config),
        secretName: 'api_key',
        secret: 'key',
      }),
    ]);
  });

  test.each([
    ['a provider that needs consent', { provider: 'PROVIDER_C' }, 'provider', 'POST /v1/erp-connections/oauth/start'],
    ['a provider that needs consent, by its name', { provider: 'XERO' }, 'provider', 'oauth/start'],
    ['an unknown provider', { provider: 'odoo' }, 'provider', 'Must be one of PROVIDER_A, BUSINESS_CENTRAL'],
    ['no provider', { provider: undefined }, 'provider', 'Required.'],
    ['the secret of another provider', { client_secret: 'x' }, 'client_secret', 'This field is not supported'],
    ['no secret', { api_key: undefined }, 'api_key', 'Required.'],
    ['an unknown field', { apiKey: 'x' }, 'apiKey', 'This field is not supported'],
    [
      'an unknown field of the configuration',
      { config: { ...odoo.config, url: '' } },
      'config.url',
      'This field is not supported',
    ],
    [
      'a company id that is text',
      { config: { ...odoo.config, erpCompanyId: '3' } },
      'config.erpCompanyId',
      'Must be a number.',
    ],
    ['a day that is none', { import_from: '2026-02-30' }, 'import_from', ''],
  ])('refuses %s', async (_, part, path, sentence) => {
    const { status, body } = await send('POST', '/erp-connections', { ...odoo, ...part });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        code: 'INVALID_REQUEST',
        details: [{ path, message: expect.stringContaining(sentence) }],
      },
    });
    expect(created).toEqual([]);
  });

  test('needs an active subscription, before anything else is looked at', async () => {
    for (const [path, body] of [
      ['/erp-connections', {}],
      [`/erp-connections/${ID}/sync`, { mode: 'EVERYTHING' }],
    ] as const) {
      const answer = await send('POST', path, body, unpaid);
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN', message: expect.stringContaining('active subscription') } },
      });
    }
    const allowed = await send('PATCH', `/erp-connections/${ID}`, { paused: true }, unpaid);
    expect(allowed.status).toBe(200);
  });
});

describe('PATCH /erp-connections/{id}', () => {
  test('names the field of a new secret', async () => {
    await send('PATCH', `/erp-connections/${ID}`, { client_secret: 's', paused: false, import_from: '2026-01-01' });
    expect(updated).toEqual([
      expect.objectContaining({
        secret: 's',
        secretName: 'client_secret',
        isPaused: false,
        importFrom: '2026-01-01',
      }),
    ]);
  });

  test.each([
    ['nothing', {}, 'body'],
    ['two secrets', { client_secret: 's', api_key: 'k' }, 'api_key'],
    ['a status', { paused: true, status: 'CONNECTED' }, 'status'],
    ['null', { paused: null }, 'paused'],
  ])('refuses %s', async (_, body, path) => {
    const answer = await send('PATCH', `/erp-connections/${ID}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path }] } } });
    expect(updated).toEqual([]);
  });
});

test('POST .../test shows what is wrong as a result', async () => {
  const answer = await send('POST', `/erp-connections/${ID}/test`, undefined);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: 'ERROR',
      testedAt: at.toISOString(),
      errorCode: 'AUTH_FAILED',
      errorMessage: 'The key is not accepted.',
    },
  });
});

test('POST .../sync starts a run, without a body an incremental one', async () => {
  expect(await send('POST', `/erp-connections/${ID}/sync`, undefined)).toMatchObject({ status: 202, body: shownRun });
  await send('POST', `/erp-connections/${ID}/sync`, { mode: 'FULL' });
  expect(started.map(({ mode }) => mode)).toEqual([RunMode.INCREMENTAL, RunMode.FULL]);
});
