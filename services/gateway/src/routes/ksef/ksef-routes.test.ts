import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type {
  Connection,
  ListConnectionsRequest,
  SaveConnectionRequest,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const ID = '0198a000-0000-7000-8000-00000000e001';
const OTHER = '0198a000-0000-7000-8000-00000000e002';
const at = new Date('2026-03-14T09:30:00.000Z');
const owner = keyNamed('owner');
const unpaid = keyNamed('unpaid');
const token = 'a-token-of-nobody-at-all';

const connection: Connection = {
  connectionId: ID,
  companyId: ID,
  companyName: 'Norton',
  environment: Environment.DEMO,
  contextNipMasked: '******7635',
  status: ConnectionStatus.PENDING,
  lastTestedTime: undefined,
  lastErrorMessage: undefined,
  createdTime: at,
};

let gateway: RunningGateway;
const saved: SaveConnectionRequest[] = [];
const connectionLists: ListConnectionsRequest[] = [];
/** Whether the next calls make something new. */
let isNew = true;
beforeAll(async () => {
  const keys = new Map([
    [owner, principal({})],
    [unpaid, principal({ hasActiveSubscription: false, apiKeyId: 'unpaid' })],
  ]);
  gateway = await startGateway({
    access: accessFor(keys),
    ksefConnections: {
      async saveConnection(request) {
        saved.push(request);
        return { connection, created: isNew };
      },
      async listConnections(request) {
        connectionLists.push(request);
        return { connections: [connection], nextPageToken: '' };
      },
      async getConnection({ connectionId }) {
        if (connectionId !== ID) throw notFound('KSeF connection');
        return { connection: { ...connection, companyName: undefined } };
      },
      async testConnection({ connectionId }) {
        if (connectionId === ID) return { status: ConnectionStatus.ERROR, testedTime: at };
        throw new DomainError('foreign_failure', 'KSeF did not answer.');
      },
      async disableConnection() {
        return {};
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  isNew = true;
  saved.length = 0;
  connectionLists.length = 0;
});

const send = async (method: string, path: string, { body, key = owner }: { body?: unknown; key?: string } = {}) => {
  const response = await fetch(`${gateway.origin}/v1/ksef-connections${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};
const json = ({ text }: { text: string }): unknown => JSON.parse(text);

describe('a connection', () => {
  const body = { environment: 'DEMO', context_nip: '5265877635', ksef_token: token };

  test('is 201 with its place when it is new, and 200 when its token was replaced', async () => {
    const created = await send('POST', '', { body: { ...body, company_id: ID.toUpperCase() } });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/v1/ksef-connections/${ID}`);
    const record = {
      id: ID,
      companyId: ID,
      companyName: 'Norton',
      environment: 'DEMO',
      contextNipMasked: '******7635',
      status: 'PENDING',
      lastTestedAt: null,
      lastErrorMessage: null,
      createdAt: '2026-03-14T09:30:00.000Z',
    };
    expect(json(created)).toEqual(record);
    expect(saved).toMatchObject([
      { companyId: ID, environment: Environment.DEMO, contextNip: '5265877635', ksefToken: token },
    ]);
    isNew = false;
    const rotated = await send('POST', '', { body });
    expect({ status: rotated.status, location: rotated.headers.get('location'), record: json(rotated) }).toEqual({
      status: 200,
      location: null,
      record,
    });
  });

  test('needs an active subscription to be stored, and nothing else does', async () => {
    expect((await send('POST', '', { body, key: unpaid })).status).toBe(403);
    expect(saved).toEqual([]);
    expect((await send('GET', `/${ID}`, { key: unpaid })).status).toBe(200);
    expect((await send('DELETE', `/${ID}`, { key: unpaid })).status).toBe(204);
  });

  test.each([
    [{ context_nip: '526587763' }],
    [{ context_nip: '٥٢٦٥٨٧٧٦٣٥' }],
    [{ context_nip: 5_265_877_635 }],
    [{ ksef_token: 'x'.repeat(19) }],
    [{ ksef_token: 'x'.repeat(4_097) }],
    [{ environment: 'test' }],
    [{ company_id: 'main' }],
    [{ extra: 1 }],
  ])('is refused with %j, and the owner is not asked', async (part) => {
    const { status, text } = await send('POST', '', { body: { ...body, ...part } });
    expect({ status, code: (JSON.parse(text) as { error: { code: string } }).error.code }).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect(text).not.toContain(token);
    expect(saved).toEqual([]);
  });

  test('of a removed company has no name', async () => {
    expect(json(await send('GET', `/${ID}`))).not.toHaveProperty('companyName');
  });

  test('is listed by company, environment and status', async () => {
    const { status } = await send('GET', `?company_id=${ID}&environment=TEST&status=DISABLED&limit=7`);
    expect(status).toBe(200);
    expect(connectionLists).toMatchObject([
      { companyId: ID, environment: Environment.TEST, status: ConnectionStatus.DISABLED, pageSize: 7 },
    ]);
    expect((await send('GET', '?status=OK')).status).toBe(400);
  });

  test('is tested: what KSeF says of the token is a result, a KSeF that does not answer is 502', async () => {
    const refused = await send('POST', `/${ID}/test`);
    expect({ status: refused.status, body: json(refused) }).toEqual({
      status: 200,
      body: { status: 'ERROR', testedAt: '2026-03-14T09:30:00.000Z' },
    });
    const failed = await send('POST', `/${OTHER}/test`);
    expect({ status: failed.status, body: json(failed) }).toMatchObject({
      status: 502,
      body: { error: { code: 'PROCESSING_FAILED', message: 'KSeF did not answer.' } },
    });
  });
});
