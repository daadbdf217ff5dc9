import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type { Connection, TestConnectionResponse } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { calendarDay, pathId, secret, shownInstant, showInstant, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';
import { erpProduct, erpProvider, productOf, refusalOfProvider, spellings } from './erp-providers.js';
import { FAULT_CODES, run, RUNS_SHOWN_MAX } from './run-record.js';

const SECRET_LENGTH_MAX = 512;
/** Timeout for creating an ERP connection, longer than a DNS lookup that gets no response. */
const CHECK_TIMEOUT_MS = 10_000;
/** Timeout for an ERP connection test, which makes a few calls to the ERP. */
const TEST_TIMEOUT_MS = 60_000;

const status = z.enum(['PENDING', 'CONNECTED', 'ERROR', 'DISABLED']);

const exampleConfig = {
  tenantId: '72f988bf-86f1-41af-91ab-2d7cd011db47',
  environmentName: 'Production',
  companyId: 'f7a5738a-44e3-ea11-bb43-000d3a2feca1',
  clientId: '6731de76-14a6-49ae-97bc-6eba6914391e',
};

export const connection = shown.record<Connection>('ErpConnection')({
  id: shown.id(EXAMPLE_IDS.connection, 'The id of the ERP connection.', 'connectionId'),
  provider: shown.text(
    'PROVIDER_A',
    'The ERP as a provider code (PROVIDER_A to PROVIDER_D) or a product name, as the installation is configured and regardless of the spelling in the request. `product` always has the product name.',
  ),
  product: shown.made(
    erpProduct.describe(
      'The ERP as a product name: BUSINESS_CENTRAL (PROVIDER_A), ODOO (PROVIDER_B), QUICKBOOKS_ONLINE (PROVIDER_C) or XERO (PROVIDER_D).',
    ),
    ({ provider }: Connection) => productOf(provider),
    'BUSINESS_CENTRAL',
  ),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company that the imported vendors and bills belong to.'),
  status: shown.name(
    status.describe(
      'The status of the ERP connection: PENDING (before the first run), CONNECTED, ERROR (someone must act) or DISABLED (deleted).',
    ),
    ConnectionStatus,
    'CONNECTED',
  ),
  config: shown.made(
    z.record(z.string(), z.unknown()).describe('The stored configuration of the ERP connection, without secrets.'),
    ({ configJson }: Connection) => JSON.parse(configJson) as Record<string, unknown>,
    exampleConfig,
  ),
  isPaused: shown.flag(false, 'Whether the hourly synchronisation of the ERP connection is paused.'),
  importFrom: shown.orNull(
    z.string().meta({ format: 'date' }),
    null,
    'The earliest date of the bills to import, or null if the default applies.',
  ),
  lastSyncAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the last synchronisation run of the ERP connection ended, or null if no run has ended.',
    'lastSyncTime',
  ),
  lastSuccessAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the last synchronisation run that read data from the ERP ended, or null if no run has read data from the ERP.',
    'lastSuccessTime',
  ),
  lastErrorCode: shown.textOrNull(
    null,
    `The error code of the last synchronisation run, or null if the last run succeeded. ${FAULT_CODES}`,
  ),
  lastErrorMessage: shown.textOrNull(
    null,
    'The message that explains why the last synchronisation run failed and what must be changed, or null if the last run succeeded.',
  ),
  nextSyncAt: shown.instantOrNull(
    '2026-03-14T10:30:00.000Z',
    'The time when the next synchronisation run of the ERP connection is due, or null if no run is scheduled.',
    'nextSyncTime',
  ),
  streamSuccesses: shown.made(
    z
      .record(z.string(), shownInstant())
      .describe(
        'The time when each stream of ERP records was last read without an error, by the name of the stream. A stream that was never read completely is absent.',
      ),
    ({ streamSuccessTimes }: Connection) =>
      Object.fromEntries(Object.entries(streamSuccessTimes).map(([name, at]) => [name, showInstant(at)])),
    { vendors: EXAMPLE_INSTANT, bills: EXAMPLE_INSTANT },
  ),
  recentRuns: shown.list(run, 'The ten newest synchronisation runs of the ERP connection, newest first.', {
    itemsMax: RUNS_SHOWN_MAX,
  }),
  version: shown.field(z.int().min(1).describe('The version of the ERP connection, which every change increases.'), 3),
  createdAt: shown.instant('2026-03-13T08:00:00.000Z', 'The time when the ERP connection was created.', 'createdTime'),
});

const testResult = shown.record<TestConnectionResponse>('ErpConnectionTest')({
  status: shown.name(
    z
      .enum(['CONNECTED', 'ERROR'])
      .describe('The result of testing the ERP connection: CONNECTED (a synchronisation run would succeed) or ERROR.'),
    ConnectionStatus,
    'ERROR',
  ),
  testedAt: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the ERP responded to the test of the connection.',
    'testedTime',
  ),
  errorCode: shown.textOrNull(
    'AUTH_FAILED',
    'The error code of the failed test of the ERP connection: AUTH_FAILED, REAUTH_REQUIRED, PERMISSION_DENIED, TENANT_NOT_FOUND or DATABASE_REQUIRED. Null if the test succeeded.',
  ),
  errorMessage: shown.textOrNull(
    'The client secret has expired. Create a new client secret in Microsoft Entra and send it with PATCH.',
    'The message that explains what must be changed before a synchronisation run can succeed, or null if the test succeeded.',
  ),
});

const clientSecret = secret(1, SECRET_LENGTH_MAX).describe(
  'The client secret of the application registration in Microsoft Entra. The secret is never shown again.',
);
const apiKey = secret(1, SECRET_LENGTH_MAX).describe('The API key of an Odoo user. The key is never shown again.');
const importFrom = calendarDay().describe('The earliest date of the bills to import, not before 2000-01-01.');
const companyId = uuid().describe(
  'The id of the company that the imported vendors and bills belong to. If absent, the default company is used.',
);

const newBusinessCentral = z
  .strictObject({
    provider: z
      .enum(spellings.businessCentral)
      .describe('The ERP to connect: Microsoft Dynamics 365 Business Central.'),
    config: z
      .strictObject({
        tenantId: z.string().describe('The id or domain name of the Microsoft Entra tenant.'),
        environmentName: z.string().describe('The name of the Business Central environment, such as Production.'),
        companyId: z.string().describe('The id of the company in Business Central.'),
        clientId: z.string().describe('The client id of the application registration in Microsoft Entra.'),
        bankAccountEndpoint: z
          .string()
          .optional()
          .describe(
            'The URL of a custom API page that lists the bank accounts of vendors. The placeholder `{companyId}` is replaced by the id of the company.',
          ),
        bankAccountVendorIdField: z
          .string()
          .optional()
          .describe(
            'The name of the field that holds the number or id of the vendor on the custom API page of bank accounts. Required with bankAccountEndpoint.',
          ),
        bankAccountIbanField: z
          .string()
          .optional()
          .describe(
            'The name of the field with the IBAN on the custom API page of bank accounts. Required with bankAccountEndpoint.',
          ),
      })
      .describe('The environment and the company in Business Central from which records are imported.'),
    client_secret: clientSecret,
    company_id: companyId.optional(),
    import_from: importFrom.optional(),
  })
  .meta({ id: 'BusinessCentralConnectionCreation' });

const newOdoo = z
  .strictObject({
    provider: z.enum(spellings.odoo).describe('The ERP to connect: Odoo.'),
    config: z
      .strictObject({
        baseUrl: z.string().describe('The https URL of the Odoo instance, without /jsonrpc or /json/2.'),
        database: z
          .string()
          .optional()
          .describe('The name of the Odoo database. Required if the host serves several databases.'),
        erpCompanyId: z
          .int()
          .optional()
          .describe('The id of the company in Odoo. If absent, the first company of the Odoo user is imported.'),
        login: z.string().optional().describe('The login of the Odoo user. Required before Odoo 19.'),
      })
      .describe('The Odoo server, the database and the company from which records are imported.'),
    api_key: apiKey,
    company_id: companyId.optional(),
    import_from: importFrom.optional(),
  })
  .meta({ id: 'OdooConnectionCreation' });

const newConnection = z
  .discriminatedUnion('provider', [newBusinessCentral, newOdoo], {
    error: ({ code, input }) =>
      code === 'invalid_union' ? refusalOfProvider((input as { provider?: unknown }).provider) : undefined,
  })
  .meta({ id: 'ErpConnectionCreation' })
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
    'Connects Business Central or Odoo. The connection is saved as PENDING and its first run is queued; after the run, its status is CONNECTED or ERROR. The request is refused with 409 if the organization has already connected this company of the ERP, and with 403 if the plan allows no further connection.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/CreateConnection',
  timeoutMs: CHECK_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'erp:write', needsSubscription: true, refusesTestKeys: true },
  body: newConnection,
  responses: { 201: { description: 'The new ERP connection.', schema: connection.schema, headers: ['Location'] } },
  refusals: [409],
  async handle({ body }, { erpConnections }) {
    const reply = await erpConnections.createConnection({
      provider: body.provider,
      companyId: body.company_id,
      configJson: JSON.stringify(body.config),
      ...('client_secret' in body
        ? { secretName: 'client_secret', secret: body.client_secret }
        : { secretName: 'api_key', secret: body.api_key }),
      importFrom: body.import_from,
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
  description: 'Returns all ERP connections. Deleted connections are listed as DISABLED.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/ListConnections',
  access: { minimumRole: 'ADMIN', scope: 'erp:read', refusesTestKeys: true },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Return only ERP connections of the company with this id.'),
    provider: erpProvider.optional(),
    status: status.optional().describe('Return only ERP connections with this status.'),
  }),
  responses: {
    200: { description: 'A page of ERP connections.', schema: pageOf('ERP connections', connection.schema) },
  },
  async handle({ query }, { erpConnections }) {
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
  access: { minimumRole: 'ADMIN', scope: 'erp:read', refusesTestKeys: true },
  params: connectionParams,
  responses: { 200: { description: 'The ERP connection that was requested.', schema: connection.schema } },
  async handle({ params }, { erpConnections }) {
    const reply = await erpConnections.getConnection({ connectionId: params.connectionId });
    return { status: 200, body: connection.present(stated(reply.connection)) };
  },
});

export const updateErpConnection = route({
  operation: 'updateErpConnection',
  method: 'patch',
  path: '/erp-connections/:connectionId',
  summary: 'Update, pause or resume an ERP connection',
  description:
    'Changes the credentials or the first import date of an ERP connection, or pauses or resumes the connection. Sending new credentials or resuming the connection queues a run. A different `import_from` causes bills, credit notes and payments to be read from that day; the change is refused while a run is in progress.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/UpdateConnection',
  access: { minimumRole: 'ADMIN', scope: 'erp:write', refusesTestKeys: true },
  params: connectionParams,
  body: z
    .strictObject({
      client_secret: clientSecret.optional(),
      api_key: apiKey.optional(),
      paused: z.boolean().optional().describe('Whether the hourly synchronisation of the ERP connection is paused.'),
      import_from: importFrom.optional(),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .refine(({ client_secret, api_key }) => client_secret === undefined || api_key === undefined, {
      path: ['api_key'],
      message: 'Must not be sent together with client_secret. Send only the credential that the connection uses.',
    })
    .meta({
      id: 'ErpConnectionChange',
      minProperties: 1,
      not: {
        type: 'object',
        properties: {
          client_secret: {
            description:
              'The client secret of the application registration in Microsoft Entra, which must not be sent together with api_key.',
          },
          api_key: { description: 'The API key of an Odoo user, which must not be sent together with client_secret.' },
        },
        required: ['client_secret', 'api_key'],
      },
    })
    .register(examples, { example: { paused: true } }),
  responses: { 200: { description: 'The updated ERP connection.', schema: connection.schema } },
  refusals: [409],
  async handle({ params, body }, { erpConnections }) {
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
  summary: 'Test an ERP connection',
  description:
    'Calls the ERP and reports whether a synchronisation run would succeed, without changing the ERP connection. Wrong credentials, permissions or configuration are reported as a result. If the ERP does not respond, or responds incorrectly, the status is 502. For a DISABLED connection the status is 409.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/TestConnection',
  timeoutMs: TEST_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'erp:write', refusesTestKeys: true },
  params: connectionParams,
  responses: { 200: { description: 'The result of testing the ERP connection.', schema: testResult.schema } },
  refusals: [409, 502],
  async handle({ params }, { erpConnections }) {
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
    'Revokes and removes the credentials of the ERP connection. Imported bills are kept; the imported vendors are no longer treated as known vendors. The record of the connection is kept as DISABLED.',
  rpc: 'invoicecontrol.erp_sync.v1.ConnectionService/DeleteConnection',
  access: { minimumRole: 'ADMIN', scope: 'erp:write', refusesTestKeys: true },
  params: connectionParams,
  responses: { 204: { description: 'The ERP has been disconnected by this or an earlier request.' } },
  refusals: [409],
  async handle({ params }, { erpConnections }) {
    await erpConnections.deleteConnection({ connectionId: params.connectionId });
    return { status: 204 };
  },
});
