import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type { Connection, TestConnectionResponse } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { calendarDay, pathId, secret, shownInstant, showInstant, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';
import { erpProvider, refusalOfProvider, spellings } from './erp-providers.js';
import { FAULT_CODES, run, RUNS_SHOWN_MAX } from './run-record.js';

const SECRET_LENGTH_MAX = 512;
/** Longer than the check of a name that no server answers for. */
const CHECK_TIMEOUT_MS = 10_000;
/** A test makes a few calls to the ERP. */
const TEST_TIMEOUT_MS = 60_000;

const status = z.enum(['PENDING', 'CONNECTED', 'ERROR', 'DISABLED']);

const exampleConfig = {
  tenantId: '72f988bf-86f1-41af-91ab-2d7cd011db47',
  environmentName: 'Production',
  companyId: 'f7a5738a-44e3-ea11-bb43-000d3a2feca1',
  clientId: '6731de76-14a6-49ae-97bc-6eba6914391e',
};

export const connection = shown.record<Connection>('ErpConnection')({
  id: shown.id('connectionId', EXAMPLE_IDS.connection, 'The id of the connection.'),
  provider: shown.text('provider', 'PROVIDER_A', 'The ERP: PROVIDER_A to PROVIDER_D, or the names of the products.'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company that vendors and bills belong to.'),
  status: shown.name(
    status.describe(
      'PENDING before the first run, CONNECTED, ERROR while a person has to act, DISABLED after its deletion.',
    ),
    ConnectionStatus,
    'status',
    'CONNECTED',
  ),
  config: shown.made(
    z.record(z.string(), z.unknown()).describe('The configuration as it is stored, without secrets.'),
    ({ configJson }: Connection) => JSON.parse(configJson) as Record<string, unknown>,
    exampleConfig,
  ),
  isPaused: shown.flag('isPaused', false, 'Whether it is not synchronised by the hour because somebody paused it.'),
  importFrom: shown.orNull(
    z.string().meta({ format: 'date' }),
    'importFrom',
    null,
    'Bills from this day on. Null: as usual.',
  ),
  lastSyncAt: shown.instantOrNull('lastSyncTime', EXAMPLE_INSTANT, 'The end of the last run.'),
  lastSuccessAt: shown.instantOrNull(
    'lastSuccessTime',
    EXAMPLE_INSTANT,
    'The end of the last run that read something.',
  ),
  lastErrorCode: shown.textOrNull(
    'lastErrorCode',
    null,
    `Why the last run failed. ${FAULT_CODES} Null after a good one.`,
  ),
  lastErrorMessage: shown.textOrNull('lastErrorMessage', null, 'What has to be changed.'),
  nextSyncAt: shown.instantOrNull(
    'nextSyncTime',
    '2026-03-14T10:30:00.000Z',
    'When the next run is due. Null while it is not scheduled.',
  ),
  streamSuccesses: shown.made(
    z
      .record(z.string(), shownInstant())
      .describe('When each stream was last read without a fault; one that never was is absent.'),
    ({ streamSuccessTimes }: Connection) =>
      Object.fromEntries(Object.entries(streamSuccessTimes).map(([name, at]) => [name, showInstant(at)])),
    { vendors: EXAMPLE_INSTANT, bills: EXAMPLE_INSTANT },
  ),
  recentRuns: shown.list(run, 'recentRuns', 'The ten newest runs, newest first.', { itemsMax: RUNS_SHOWN_MAX }),
  version: shown.field(z.int().min(1).describe('Raised by every change.'), 'version', 3),
  createdAt: shown.instant('createdTime', '2026-03-13T08:00:00.000Z', 'When it was created.'),
});

const testResult = shown.record<TestConnectionResponse>('ErpConnectionTest')({
  status: shown.name(
    z.enum(['CONNECTED', 'ERROR']).describe('Whether a run would work.'),
    ConnectionStatus,
    'status',
    'ERROR',
  ),
  testedAt: shown.instant('testedTime', EXAMPLE_INSTANT, 'When the ERP answered.'),
  errorCode: shown.textOrNull(
    'errorCode',
    'AUTH_FAILED',
    'AUTH_FAILED, REAUTH_REQUIRED, PERMISSION_DENIED, TENANT_NOT_FOUND or DATABASE_REQUIRED. Null when nothing is wrong.',
  ),
  errorMessage: shown.textOrNull(
    'errorMessage',
    'The client secret has expired. Make a new one in Microsoft Entra and send it with PATCH.',
    'What has to be changed.',
  ),
});

const clientSecret = secret(1, SECRET_LENGTH_MAX).describe(
  'The secret of the application registration. Never shown again.',
);
const apiKey = secret(1, SECRET_LENGTH_MAX).describe('The API key of an Odoo user. Never shown again.');
const importFrom = calendarDay().describe('Bills from this day on are imported, at the earliest 2000-01-01.');
const companyId = uuid().describe('The company that vendors and bills belong to; the default company without it.');

const newBusinessCentral = z
  .strictObject({
    provider: z.enum(spellings.businessCentral).describe('Dynamics 365 Business Central.'),
    config: z
      .strictObject({
        tenantId: z.string().describe('The Microsoft Entra tenant: its id, or its domain name.'),
        environmentName: z.string().describe('The environment, such as Production.'),
        companyId: z.string().describe('The id of the company in Business Central.'),
        clientId: z.string().describe('The client id of the application registration.'),
        bankAccountEndpoint: z
          .string()
          .optional()
          .describe('A custom API page with bank accounts of vendors; `{companyId}` stands for the company.'),
        bankAccountVendorIdField: z.string().optional().describe('Its field with the number or id of the vendor.'),
        bankAccountIbanField: z.string().optional().describe('Its field with the IBAN.'),
      })
      .describe('Where the company is.'),
    client_secret: clientSecret,
    company_id: companyId.optional(),
    import_from: importFrom.optional(),
  })
  .meta({ id: 'NewBusinessCentralConnection' });

const newOdoo = z
  .strictObject({
    provider: z.enum(spellings.odoo).describe('Odoo.'),
    config: z
      .strictObject({
        baseUrl: z.string().describe('The https URL of the instance, without /jsonrpc or /json/2.'),
        database: z.string().optional().describe('Needed where the host serves several databases.'),
        erpCompanyId: z
          .int()
          .optional()
          .describe('The id of the company in Odoo; without it the first one of the user.'),
        login: z.string().optional().describe('The login of the user: needed before Odoo 19.'),
      })
      .describe('Where the company is.'),
    api_key: apiKey,
    company_id: companyId.optional(),
    import_from: importFrom.optional(),
  })
  .meta({ id: 'NewOdooConnection' });

const newConnection = z
  .discriminatedUnion('provider', [newBusinessCentral, newOdoo], {
    error: ({ code, input }) =>
      code === 'invalid_union' ? refusalOfProvider((input as { provider?: unknown }).provider) : undefined,
  })
  .meta({ id: 'NewErpConnection' })
  .register(examples, {
    example: { provider: 'PROVIDER_A', config: exampleConfig, client_secret: '<client secret>' },
  });

const connectionParams = z.object({ connectionId: pathId('connection', 'ERP connection') });

export const createErpConnection = route({
  operation: 'createErpConnection',
  method: 'post',
  path: '/erp-connections',
  summary: 'Connect an ERP with credentials',
  description:
    'For Business Central and Odoo. Saved as PENDING; the first run is queued, and a later read shows CONNECTED or ERROR. 409 when the organization has connected this company of the ERP already; 403 when the plan has no connection left.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/CreateConnection',
  timeoutMs: CHECK_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'erp:write', needsSubscription: true },
  body: newConnection,
  responses: { 201: { description: 'The new connection.', schema: connection.schema, headers: ['Location'] } },
  refusals: [409],
  async handle({ body, principal }, { erpConnections }): Promise<Reply> {
    const reply = await erpConnections.createConnection({
      provider: body.provider,
      companyId: body.company_id,
      configJson: JSON.stringify(body.config),
      ...('client_secret' in body
        ? { secretName: 'client_secret', secret: body.client_secret }
        : { secretName: 'api_key', secret: body.api_key }),
      importFrom: body.import_from,
      connectionsLimit: principal.limits?.erpConnections,
    });
    const created = connection.present(stated(reply.connection));
    return { status: 201, body: created, headers: { Location: `/v1/erp-connections/${created.id}` } };
  },
});

export const listErpConnections = route({
  operation: 'listErpConnections',
  method: 'get',
  path: '/erp-connections',
  summary: 'List ERP connections, newest first',
  description: 'Deleted connections are listed as DISABLED.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/ListConnections',
  access: { minimumRole: 'ADMIN', scope: 'erp:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Only connections of this company.'),
    provider: erpProvider.optional(),
    status: status.optional().describe('Only connections in this status.'),
  }),
  responses: { 200: { description: 'A page of connections.', schema: pageOf(connection.schema) } },
  async handle({ query }, { erpConnections }): Promise<Reply> {
    const list = listRequest('listErpConnections', query);
    const reply = await erpConnections.listConnections({
      ...list.request,
      companyId: query.company_id,
      provider: query.provider,
      status: query.status === undefined ? ConnectionStatus.UNSPECIFIED : ConnectionStatus[query.status],
    });
    return { status: 200, body: list.page(reply.connections.map(connection.present), reply.nextPageToken) };
  },
});

export const getErpConnection = route({
  operation: 'getErpConnection',
  method: 'get',
  path: '/erp-connections/:connectionId',
  summary: 'Read an ERP connection',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/GetConnection',
  resourceName: 'ERP connection',
  access: { minimumRole: 'ADMIN', scope: 'erp:read' },
  params: connectionParams,
  responses: { 200: { description: 'The connection.', schema: connection.schema } },
  async handle({ params }, { erpConnections }): Promise<Reply> {
    const reply = await erpConnections.getConnection({ connectionId: params.connectionId });
    return { status: 200, body: connection.present(stated(reply.connection)) };
  },
});

export const updateErpConnection = route({
  operation: 'updateErpConnection',
  method: 'patch',
  path: '/erp-connections/:connectionId',
  summary: 'Give new credentials, pause or resume',
  description:
    'New credentials, and resuming, queue a run. An earlier or later `import_from` has bills, credit notes and payments read from that day; refused while a run is on.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/UpdateConnection',
  resourceName: 'ERP connection',
  access: { minimumRole: 'ADMIN', scope: 'erp:write' },
  params: connectionParams,
  body: z
    .strictObject({
      client_secret: clientSecret.optional(),
      api_key: apiKey.optional(),
      paused: z.boolean().optional().describe('True ends the hourly runs, false begins them again.'),
      import_from: importFrom.optional(),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .refine(({ client_secret, api_key }) => client_secret === undefined || api_key === undefined, {
      path: ['api_key'],
      message: 'Must not be sent together with client_secret: a connection has one of the two.',
    })
    .meta({
      id: 'ErpConnectionChange',
      minProperties: 1,
      not: {
        type: 'object',
        properties: {
          client_secret: { description: 'Not together with api_key.' },
          api_key: { description: 'Not together with client_secret.' },
        },
        required: ['client_secret', 'api_key'],
      },
    })
    .register(examples, { example: { paused: true } }),
  responses: { 200: { description: 'The connection after the change.', schema: connection.schema } },
  refusals: [409],
  async handle({ params, body }, { erpConnections }): Promise<Reply> {
    const reply = await erpConnections.updateConnection({
      connectionId: params.connectionId,
      secret: body.client_secret ?? body.api_key,
      secretName: body.client_secret === undefined ? 'api_key' : 'client_secret',
      isPaused: body.paused,
      importFrom: body.import_from,
    });
    return { status: 200, body: connection.present(stated(reply.connection)) };
  },
});

export const testErpConnection = route({
  operation: 'testErpConnection',
  method: 'post',
  path: '/erp-connections/:connectionId/test',
  summary: 'Call the ERP and say whether a run would work',
  description:
    'Wrong credentials, permissions and configuration are a result. An ERP that does not answer, or answers wrongly, is 502. The connection is not changed. 409 for a DISABLED one.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/TestConnection',
  timeoutMs: TEST_TIMEOUT_MS,
  resourceName: 'ERP connection',
  access: { minimumRole: 'ADMIN', scope: 'erp:write' },
  params: connectionParams,
  responses: { 200: { description: 'What the ERP said.', schema: testResult.schema } },
  refusals: [409, 502],
  async handle({ params }, { erpConnections }): Promise<Reply> {
    const reply = await erpConnections.testConnection({ connectionId: params.connectionId });
    return { status: 200, body: testResult.present(reply) };
  },
});

export const deleteErpConnection = route({
  operation: 'deleteErpConnection',
  method: 'delete',
  path: '/erp-connections/:connectionId',
  summary: 'Disconnect an ERP',
  description:
    'Credentials are revoked and removed. Imported bills stay; vendors no longer count as the list of known vendors. The record stays as DISABLED.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/DeleteConnection',
  resourceName: 'ERP connection',
  access: { minimumRole: 'ADMIN', scope: 'erp:write' },
  params: connectionParams,
  responses: { 204: { description: 'Disconnected, now or before.' } },
  refusals: [409],
  async handle({ params }, { erpConnections }): Promise<Reply> {
    await erpConnections.deleteConnection({ connectionId: params.connectionId });
    return { status: 204 };
  },
});
