import { ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type { Connection, TestConnectionResponse } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, secret, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

const TOKEN_LENGTH_MIN = 20;
const TOKEN_LENGTH_MAX = 4_096;

/** A test authenticates: several calls to KSeF, of which one is repeated until it has decided. */
const TEST_TIMEOUT_MS = 150_000;

const environment = z.enum(['TEST', 'DEMO', 'PRODUCTION']);
const status = z.enum(['PENDING', 'CONNECTED', 'ERROR', 'DISABLED']);

export const ksefConnection = shown.record<Connection>('KsefConnection')({
  id: shown.id('connectionId', EXAMPLE_IDS.connection, 'The id of the connection.'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company whose invoices are submitted.'),
  companyName: shown.optional(
    z.string(),
    'companyName',
    'Norton & Sons sp. z o.o.',
    'Its name now. Absent when the company was removed.',
  ),
  environment: shown.name(
    environment.describe('The environment of KSeF that the token belongs to.'),
    Environment,
    'environment',
    'TEST',
  ),
  contextNipMasked: shown.text(
    'contextNipMasked',
    '******7635',
    'The last four digits of the NIP behind six asterisks.',
  ),
  status: shown.name(
    status.describe(
      'PENDING until a test, CONNECTED after a good one, ERROR while a person has to act, DISABLED after its end.',
    ),
    ConnectionStatus,
    'status',
    'CONNECTED',
  ),
  lastTestedAt: shown.instantOrNull(
    'lastTestedTime',
    EXAMPLE_INSTANT,
    'The last test of the stored token. Null: not tested yet.',
  ),
  lastErrorMessage: shown.textOrNull('lastErrorMessage', null, 'Why the last test failed. Null after a good one.'),
  createdAt: shown.instant('createdTime', '2026-03-13T08:00:00.000Z', 'When it was created.'),
});

const newConnection = z
  .strictObject({
    company_id: uuid().optional().describe('The company whose invoices are submitted; the default company without it.'),
    environment: environment.describe('The environment of KSeF that the token belongs to.'),
    context_nip: z
      .string()
      .regex(/^[0-9]{10}$/, 'Must be exactly ten digits, 0 to 9.')
      .describe('The NIP in whose name KSeF is called; ten digits.'),
    ksef_token: secret(TOKEN_LENGTH_MIN, TOKEN_LENGTH_MAX).describe(
      'The token that KSeF gave. Stored encrypted, never shown again.',
    ),
  })
  .meta({ id: 'NewKsefConnection' })
  .register(examples, {
    example: { environment: 'TEST', context_nip: '5265877635', ksef_token: '<token of KSeF>.....' },
  });

const testResult = shown.record<TestConnectionResponse>('KsefConnectionTest')({
  status: shown.name(
    z.enum(['CONNECTED', 'ERROR']).describe('ERROR: `lastErrorMessage` of the connection says what to change.'),
    ConnectionStatus,
    'status',
    'CONNECTED',
  ),
  testedAt: shown.instant('testedTime', EXAMPLE_INSTANT, 'When KSeF answered.'),
});

const connectionParams = z.object({ connectionId: pathId('connection', 'KSeF connection') });

export const saveKsefConnection = route({
  operation: 'saveKsefConnection',
  method: 'post',
  path: '/ksef-connections',
  summary: 'Store the token of a company, or replace it',
  description:
    'A company has one connection for each environment: the same again replaces the token, also of a disabled connection, and the connection is PENDING until it is tested. ' +
    '409 when `context_nip` is another one and submissions of the connection are under way.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/SaveConnection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', needsSubscription: true },
  body: newConnection,
  responses: {
    200: { description: 'The connection with its new token.', schema: ksefConnection.schema },
    201: { description: 'The new connection.', schema: ksefConnection.schema, headers: ['Location'] },
  },
  refusals: [409],
  async handle({ body }, { ksefConnections }): Promise<Reply> {
    const reply = await ksefConnections.saveConnection({
      companyId: body.company_id,
      environment: Environment[body.environment],
      contextNip: body.context_nip,
      ksefToken: body.ksef_token,
    });
    const saved = ksefConnection.present(stated(reply.connection));
    if (!reply.created) return { status: 200, body: saved };
    return { status: 201, body: saved, headers: { Location: `/v1/ksef-connections/${saved.id}` } };
  },
});

export const listKsefConnections = route({
  operation: 'listKsefConnections',
  method: 'get',
  path: '/ksef-connections',
  summary: 'List KSeF connections, newest first',
  description: 'Disabled connections are listed as DISABLED.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/ListConnections',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Only connections of this company.'),
    environment: environment.optional().describe('Only connections of this environment.'),
    status: status.optional().describe('Only connections in this status.'),
  }),
  responses: { 200: { description: 'A page of connections.', schema: pageOf(ksefConnection.schema) } },
  async handle({ query }, { ksefConnections }): Promise<Reply> {
    const list = listRequest('listKsefConnections', query);
    const reply = await ksefConnections.listConnections({
      ...list.request,
      companyId: query.company_id,
      environment: query.environment === undefined ? Environment.UNSPECIFIED : Environment[query.environment],
      status: query.status === undefined ? ConnectionStatus.UNSPECIFIED : ConnectionStatus[query.status],
    });
    return { status: 200, body: list.page(reply.connections.map(ksefConnection.present), reply.nextPageToken) };
  },
});

export const getKsefConnection = route({
  operation: 'getKsefConnection',
  method: 'get',
  path: '/ksef-connections/:connectionId',
  summary: 'Read a KSeF connection',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/GetConnection',
  resourceName: 'KSeF connection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  params: connectionParams,
  responses: { 200: { description: 'The connection.', schema: ksefConnection.schema } },
  async handle({ params }, { ksefConnections }): Promise<Reply> {
    const reply = await ksefConnections.getConnection({ connectionId: params.connectionId });
    return { status: 200, body: ksefConnection.present(stated(reply.connection)) };
  },
});

export const testKsefConnection = route({
  operation: 'testKsefConnection',
  method: 'post',
  path: '/ksef-connections/:connectionId/test',
  summary: 'Authenticate with the stored token',
  description:
    'CONNECTED allows submissions. A token that KSeF refuses is a result, ERROR. A KSeF that does not answer, or answers wrongly, is 502; the status stays. ' +
    'Callers that come while a test runs get its answer.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/TestConnection',
  timeoutMs: TEST_TIMEOUT_MS,
  resourceName: 'KSeF connection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write' },
  params: connectionParams,
  responses: { 200: { description: 'What KSeF said.', schema: testResult.schema } },
  refusals: [409, 502],
  async handle({ params }, { ksefConnections }): Promise<Reply> {
    const reply = await ksefConnections.testConnection({ connectionId: params.connectionId });
    return { status: 200, body: testResult.present(reply) };
  },
});

export const disableKsefConnection = route({
  operation: 'disableKsefConnection',
  method: 'delete',
  path: '/ksef-connections/:connectionId',
  summary: 'Disable a KSeF connection',
  description:
    'What was not sent yet is not sent any more; what was sent is followed to its end, then the token is removed. The record stays as DISABLED.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/DisableConnection',
  resourceName: 'KSeF connection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write' },
  params: connectionParams,
  responses: { 204: { description: 'Disabled, now or before.' } },
  refusals: [409],
  async handle({ params }, { ksefConnections }): Promise<Reply> {
    await ksefConnections.disableConnection({ connectionId: params.connectionId });
    return { status: 204 };
  },
});
