import {
  AnalyzeRowsRequest,
  AnalyzeRowsResponse,
  RowAnalysisServiceDefinition,
} from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { ReceiveUploadRequest, UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { CreateScanRequest, ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
import { testGrant, testIdentity } from '../testing/test-identities.js';
import { client, openChannel } from './client.js';
import type { Channel } from './client.js';
import { issueGrant } from './grants.js';
import { limitOf, requirePrincipal } from './principal.js';
import { requestHash, sealRequest } from './seals.js';
import { bind, startGrpcServer } from './server.js';
import type { GrpcServer } from './server.js';

const ORGANIZATION = 'organization-1';
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => lines.push(line) } });
const refuse = (): never => {
  throw new Error('not called in these tests');
};

let server: GrpcServer;
/** Context of the last call that reached a handler. */
let seen: RequestContext | undefined;
/** Limit that applied to the last scan. */
let limit: number | undefined;
const channels: Channel[] = [];

beforeAll(async () => {
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger,
    bindings: [
      bind(ApiKeyServiceDefinition, {
        async listApiKeys(_, context) {
          seen = context;
          return { apiKeys: [], nextPageToken: '' };
        },
        async createApiKey(_, context) {
          seen = context;
          return { apiKey: undefined, key: requirePrincipal(context).role };
        },
        getApiKey: refuse,
        updateApiKey: refuse,
        revokeApiKey: refuse,
      }),
      bind(ScanServiceDefinition, {
        async createScan(_, context) {
          limit = limitOf(context, 'scanRowsPerMonth');
          return { scan: undefined, replayed: false };
        },
        getScan: refuse,
        listScans: refuse,
      }),
      bind(UploadServiceDefinition, {
        reserveUpload: refuse,
        authorizeUpload: refuse,
        receiveUpload: refuse,
        getUpload: refuse,
        keepUpload: refuse,
        storeChannelDocument: refuse,
      }),
      bind(RowAnalysisServiceDefinition, {
        async analyzeRows(_, context) {
          seen = context;
          return AnalyzeRowsResponse.fromPartial({});
        },
      }),
    ],
  });
});
beforeEach(() => {
  seen = undefined;
  lines.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  for (const channel of channels) channel.close();
  await server.stop(1_000);
});

function channelOf(caller: string): Channel {
  const channel = openChannel(server.address, { service: 'organization', identity: testIdentity(caller) });
  channels.push(channel);
  return channel;
}

const callWith = (grant?: Buffer, context: Partial<RequestContext> = {}) => ({
  context: { requestId: 'r', actor: { type: 'OPERATOR', id: 'impostor' } as const, grant, ...context },
  timeoutMs: 60_000,
});
const list = { organizationId: ORGANIZATION, pageSize: 1, pageToken: '' };

describe('a request of the gateway', () => {
  const keysOf = () => client(ApiKeyServiceDefinition, channelOf('gateway'));

  test('acts as the actor, person and organization of its grant, whatever its metadata says', async () => {
    const grant = testGrant(ORGANIZATION, { actorId: 'key-1', person: 'USER:ann', role: 'ADMIN' });
    await keysOf().listApiKeys(list, callWith(grant, { ip: '192.0.2.1' }));
    expect(seen).toMatchObject({
      actor: { type: 'API_KEY', id: 'key-1' },
      person: 'USER:ann',
      ip: '192.0.2.1',
      principal: { organizationId: ORGANIZATION, role: 'ADMIN' },
    });
  });

  test.each([
    ['without a grant', undefined],
    ['with the grant of another organization', () => testGrant('organization-2')],
    ['with bytes that are no grant', () => Buffer.from('grant')],
    [
      'with a grant that the gateway has signed',
      () => issueGrant(testIdentity('gateway'), Grant.fromPartial({ organizationId: ORGANIZATION })),
    ],
  ])('is refused %s', async (_, grant) => {
    await expect(keysOf().listApiKeys(list, callWith(grant?.()))).rejects.toMatchObject({ kind: 'forbidden' });
    expect(seen).toBeUndefined();
  });

  test.each([
    ['role', { role: 'ANALYST' }, 'grant_role'],
    ['scope', { scopes: ['organization:write'] }, 'grant_scope'],
  ])('is refused with a grant that has not the necessary %s, with the reason in the log', async (_, facts, reason) => {
    const request = keysOf().listApiKeys(list, callWith(testGrant(ORGANIZATION, facts)));
    await expect(request).rejects.toMatchObject({
      kind: 'forbidden',
      message: 'The caller of the request does not have the rights that this call requires.',
    });
    expect(seen).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ reason, caller: 'gateway', msg: 'a caller was refused' }),
    ]);
  });

  test('is refused without the rights also if it names no organization in its first message', async () => {
    const uploads = client(UploadServiceDefinition, channelOf('gateway'));
    const grant = testGrant(ORGANIZATION, { scopes: ['documents:read'] });
    const parts = async function* (): AsyncIterable<ReceiveUploadRequest> {
      yield ReceiveUploadRequest.fromPartial({});
    };
    await expect(uploads.receiveUpload(parts(), callWith(grant))).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('does not have the rights') as string,
    });
  });

  test('is refused with a grant that has ended, so that a repetition gets a new one', async () => {
    const grant = testGrant(ORGANIZATION);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 75_000 });
    await expect(keysOf().listApiKeys(list, callWith(grant))).rejects.toMatchObject({ kind: 'unavailable' });
    expect(seen).toBeUndefined();
  });

  test('that was refused is logged once a minute with the reason', async () => {
    const keys = keysOf();
    for (let times = 0; times < 3; times += 1)
      await expect(keys.getApiKey({ organizationId: ORGANIZATION, apiKeyId: 'k' }, callWith())).rejects.toThrow(
        'proved',
      );
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ reason: 'grant_missing', caller: 'gateway', msg: 'a caller was refused' }),
    ]);
  });

  test.each([10, undefined])('has the limit of its grant: %s', async (scanRowsPerMonth) => {
    const scans = client(ScanServiceDefinition, channelOf('gateway'));
    const grant = testGrant(ORGANIZATION, { limits: scanRowsPerMonth === undefined ? {} : { scanRowsPerMonth } });
    await scans.createScan(CreateScanRequest.fromPartial({ organizationId: ORGANIZATION }), callWith(grant));
    expect(limit).toBe(scanRowsPerMonth);
  });
});

describe('a request that gives rights', () => {
  const PATH = '/invoicecontrol.organization.v1.ApiKeyService/CreateApiKey';
  const request = { organizationId: ORGANIZATION, name: 'k', role: 'VIEWER', scopes: [] };
  const createWith = (seal: Channel['seal'], part: object = {}) =>
    client(ApiKeyServiceDefinition, { ...channelOf('gateway'), seal }).createApiKey(
      { ...request, ...part },
      callWith(testGrant(ORGANIZATION, { role: 'ADMIN' })),
    );
  const own: Channel['seal'] = (path, bytes) => sealRequest(testIdentity('gateway'), path, requestHash(bytes));

  test('is carried out with the seal of the gateway, within the rights of the grant', async () => {
    expect(await createWith(own)).toMatchObject({ key: 'ADMIN' });
  });

  test('is carried out once for each seal', async () => {
    let kept: Buffer | undefined;
    const keeping: Channel['seal'] = (path, bytes) => (kept ??= own(path, bytes));
    await createWith(keeping);
    seen = undefined;
    await expect(createWith(keeping)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(seen).toBeUndefined();
  });

  test('is refused with the seal of another request, of another rpc, of another service, and of earlier', async () => {
    const another = own(PATH, Buffer.from('another request'));
    const seals: readonly Channel['seal'][] = [
      () => another,
      (_, bytes) => own(PATH.replace('Create', 'Update'), bytes),
      (path, bytes) => sealRequest(testIdentity('webhooks'), path, requestHash(bytes)),
      (path, bytes) => sealRequest(testIdentity('gateway'), path, requestHash(bytes), new Date(Date.now() - 30_000)),
      () => Buffer.from('no seal'),
    ];
    for (const seal of seals) await expect(createWith(seal)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(seen).toBeUndefined();
  });
});

describe('a request of another service', () => {
  const analyze = (grant?: Buffer, context: Partial<RequestContext> = {}) =>
    client(RowAnalysisServiceDefinition, channelOf('scan')).analyzeRows(
      AnalyzeRowsRequest.fromPartial({ organizationId: ORGANIZATION }),
      callWith(grant, context),
    );

  test('for work that a user has started acts for that user, also long after the start', async () => {
    const grant = testGrant(ORGANIZATION, { actorId: 'key-1' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 });
    await analyze(grant, { ip: '192.0.2.1' });
    expect(seen).toMatchObject({ actor: { type: 'API_KEY', id: 'key-1' } });
    expect(seen?.ip).toBeUndefined();
  });

  test.each([
    ['without the grant of that user', undefined],
    ['with a grant of another organization', () => testGrant('organization-2')],
  ])('is refused %s', async (_, grant) => {
    await expect(analyze(grant?.())).rejects.toMatchObject({ kind: 'forbidden' });
    expect(seen).toBeUndefined();
  });
});
