import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { Authentication, ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type {
  Connection,
  ConnectionWarning,
  Inbox,
  TestConnectionResponse,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf, examples } from '../../http/description/examples.js';
import { calendarDay, pathId, secret, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { inbox } from './inbox-record.js';

const TOKEN_LENGTH_MIN = 20;
const TOKEN_LENGTH_MAX = 4_096;
const CERTIFICATE_BYTES_MAX = 8 * 1_024;
const PRIVATE_KEY_BYTES_MAX = 16 * 1_024;
const PASSWORD_LENGTH_MAX = 256;
const WARNINGS_MAX = 10;

/**
 * Timeout in milliseconds for a KSeF connection test, which makes several calls to KSeF and polls one of them until
 * KSeF has decided.
 */
const TEST_TIMEOUT_MS = 150_000;

const environment = z.enum(['TEST', 'DEMO', 'PRODUCTION']);
const status = z.enum(['PENDING', 'CONNECTED', 'ERROR', 'DISABLED']);

const warning = shown.record<ConnectionWarning>('KsefConnectionWarning')({
  code: shown.text(
    'CERTIFICATE_ENDS',
    'The code of the warning: CERTIFICATE_ENDS (the certificate of the KSeF connection expires soon), TOKENS_END (KSeF will stop accepting tokens), INVOICE_WRITE_MISSING (the KSeF connection may view invoices but not issue them, so submissions are refused) or a KSeF code, such as sig-001.',
  ),
  message: shown.text(
    'The certificate expires on 2026-04-13. Request a new certificate in KSeF and save it with this connection.',
    'The message that explains the warning about the KSeF connection and what must be changed.',
  ),
  at: shown.instant(EXAMPLE_INSTANT, 'The time when the warning about the KSeF connection arose.', 'time'),
});

/** Inbox of a KSeF connection that was never enabled. */
const NO_INBOX: Inbox = {
  enabled: false,
  fromDate: undefined,
  receivedThroughTime: undefined,
  lastRunTime: undefined,
  lastErrorMessage: undefined,
  invoicesReceived: 0,
  refused: [],
};

export const ksefConnection = shown.record<Connection>('KsefConnection')({
  id: shown.id(EXAMPLE_IDS.connection, 'The id of the KSeF connection.', 'connectionId'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company whose invoices are submitted.'),
  companyName: shown.optional(
    z.string(),
    'Norton & Sons sp. z o.o.',
    'The current name of the company. Absent if the company was deleted.',
  ),
  environment: shown.name(
    environment.describe('The KSeF environment that the token or certificate belongs to.'),
    Environment,
    'TEST',
  ),
  contextNipMasked: shown.text(
    '******7635',
    'The masked NIP on whose behalf KSeF is called: six asterisks and the last four digits.',
  ),
  status: shown.name(
    status.describe(
      'The status of the KSeF connection: PENDING (not tested yet), CONNECTED (the last test succeeded), ERROR (someone must act) or DISABLED (ended).',
    ),
    ConnectionStatus,
    'CONNECTED',
  ),
  lastTestedAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time of the last test of the stored KSeF token or certificate, or null if it was not tested yet.',
    'lastTestedTime',
  ),
  lastErrorMessage: shown.textOrNull(
    null,
    'The reason why the last test of the KSeF connection failed, or null if the last test succeeded.',
  ),
  createdAt: shown.instant('2026-03-13T08:00:00.000Z', 'The time when the KSeF connection was created.', 'createdTime'),
  authentication: shown.made(
    z
      .enum(['TOKEN', 'CERTIFICATE'])
      .describe('Whether the KSeF connection logs in with a token or with a certificate.'),
    // During a deployment, a KSeF service of the previous version does not state the authentication, because it
    // supports only tokens.
    ({ authentication }: Connection) => optionalEnumName(Authentication, authentication) ?? 'TOKEN',
    'TOKEN',
  ),
  certificateExpiresAt: shown.instantOrNull(
    null,
    'The time when the certificate of the KSeF connection expires, or null for a connection with a token.',
    'certificateExpiryTime',
  ),
  certificateSubjectMasked: shown.textOrNull(
    null,
    'The taxpayer or person named in the certificate of the KSeF connection, with only the last four digits of the number. Null if the connection uses a token or the certificate names neither.',
  ),
  inbox: shown.made(
    inbox.schema.describe('The inbox of the KSeF connection, which receives the purchase invoices of the company.'),
    // During a deployment, a KSeF service of the previous version sends no data about the inbox, which then counts as
    // never enabled.
    (connection: Connection) => inbox.present(connection.inbox ?? NO_INBOX),
    exampleOf(inbox.schema),
  ),
  warnings: shown.list(
    warning,
    'The newest 10 warnings about the KSeF connection, newest first. A warning does not stop the connection.',
    { itemsMax: WARNINGS_MAX, example: [] },
  ),
});

/** Describes a request field that contains a PEM file as text, or base64. */
function pem(bytesMax: number) {
  return z
    .string()
    .min(1)
    .max(bytesMax)
    .regex(/^[ -~\t\r\n]*$/, 'Must contain only ASCII characters and line breaks, as in a PEM file.');
}

/** Checks that a request for a KSeF connection has either a token, or a certificate with its private key. */
function credentialFaults(sent: {
  readonly ksef_token?: string | undefined;
  readonly certificate?: string | undefined;
  readonly private_key?: string | undefined;
  readonly private_key_password?: string | undefined;
}): readonly { readonly field: string; readonly message: string }[] {
  const { ksef_token: token, certificate, private_key: key, private_key_password: password } = sent;
  const hasCertificate = (certificate ?? key ?? password) !== undefined;
  if (!hasCertificate) return token === undefined ? [{ field: 'ksef_token', message: 'Required.' }] : [];
  if (token !== undefined) {
    const message =
      'Must not be sent together with a certificate. Send `ksef_token`, or `certificate` and `private_key`.';
    return [{ field: 'ksef_token', message }];
  }
  return [
    ...(certificate === undefined ? [{ field: 'certificate', message: 'Required if `private_key` is sent.' }] : []),
    ...(key === undefined ? [{ field: 'private_key', message: 'Required if `certificate` is sent.' }] : []),
  ];
}

const newConnection = z
  .strictObject({
    company_id: uuid()
      .optional()
      .describe('The id of the company whose invoices are submitted. If absent, the default company is used.'),
    environment: environment.describe('The KSeF environment that the token or certificate belongs to.'),
    context_nip: z
      .string()
      .regex(/^[0-9]{10}$/, 'Must be exactly ten digits, 0 to 9.')
      .describe('The ten-digit NIP on whose behalf KSeF is called.'),
    ksef_token: secret(TOKEN_LENGTH_MIN, TOKEN_LENGTH_MAX)
      .optional()
      .describe(
        'The token that KSeF issued. The token is required unless a certificate is sent. The token is stored encrypted and is never shown again.',
      ),
    certificate: pem(CERTIFICATE_BYTES_MAX)
      .optional()
      .describe(
        'The KSeF certificate of the type Authentication that replaces the token, in PEM format, or in DER format encoded in base64. The certificate is stored encrypted and is never shown again.',
      ),
    private_key: pem(PRIVATE_KEY_BYTES_MAX)
      .optional()
      .describe(
        'The private key of the certificate in PEM format: PKCS#8 (encrypted or not), SEC1 or PKCS#1. The key is stored encrypted and is never shown again.',
      ),
    private_key_password: z
      .string()
      .min(1)
      .max(PASSWORD_LENGTH_MAX)
      .optional()
      .describe('The password of an encrypted private key. The password is used once and is never stored.'),
  })
  .superRefine((connection, context) => {
    for (const { field, message } of credentialFaults(connection)) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({
    id: 'KsefConnectionCreation',
    // The schema uses `if`, which generators of API clients treat as an annotation. With `anyOf`, they would create a
    // class for each alternative.
    if: {
      type: 'object',
      properties: { certificate: { description: 'The certificate of a KSeF connection that has no token.' } },
      required: ['certificate'],
    },
    else: {
      type: 'object',
      properties: { ksef_token: { description: 'The token of a KSeF connection that has no certificate.' } },
      required: ['ksef_token'],
    },
    dependentSchemas: {
      certificate: {
        not: {
          type: 'object',
          properties: {
            ksef_token: { description: 'The KSeF token, which must not be sent together with a certificate.' },
          },
          required: ['ksef_token'],
        },
      },
    },
    dependentRequired: {
      certificate: ['private_key'],
      private_key: ['certificate'],
      private_key_password: ['private_key'],
    },
  })
  .register(examples, {
    example: { environment: 'TEST', context_nip: '5265877635', ksef_token: '<KSeF token>..........' },
  });

const testResult = shown.record<TestConnectionResponse>('KsefConnectionTest')({
  status: shown.name(
    z
      .enum(['CONNECTED', 'ERROR'])
      .describe(
        'The result of testing the connection: CONNECTED or ERROR (`lastErrorMessage` of the connection states what to change).',
      ),
    ConnectionStatus,
    'CONNECTED',
  ),
  testedAt: shown.instant(EXAMPLE_INSTANT, 'The time when KSeF responded to the test of the connection.', 'testedTime'),
});

const connectionParams = z.object({ connectionId: pathId('connection', 'KSeF connection') });

export const saveKsefConnection = route({
  operation: 'saveKsefConnection',
  method: 'post',
  path: '/ksef-connections',
  summary: 'Create or update a KSeF connection',
  description:
    'Stores the KSeF token or certificate of a company. A company has one connection for each environment; a repeated request replaces the token or certificate, even if the connection is DISABLED. The connection is PENDING until it is tested. The request is refused with 409 if `context_nip` differs and submissions of the connection are in progress.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/SaveConnection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', needsSubscription: true, refusesTestKeys: true },
  body: newConnection,
  responses: {
    200: { description: 'The KSeF connection whose token or certificate was replaced.', schema: ksefConnection.schema },
    201: { description: 'The new KSeF connection.', schema: ksefConnection.schema, headers: ['Location'] },
  },
  refusals: [409],
  async handle({ body }, { ksefConnections }) {
    const reply = await ksefConnections.saveConnection({
      companyId: body.company_id,
      environment: Environment[body.environment],
      contextNip: body.context_nip,
      ksefToken: body.ksef_token ?? '',
      certificate:
        body.certificate === undefined
          ? undefined
          : {
              certificate: body.certificate,
              privateKey: body.private_key ?? '',
              privateKeyPassword: body.private_key_password,
            },
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
  description: 'Returns all KSeF connections, including DISABLED connections.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/ListConnections',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Return only KSeF connections of the company with this id.'),
    environment: environment.optional().describe('Return only KSeF connections to this environment.'),
    status: status.optional().describe('Return only KSeF connections with this status.'),
  }),
  responses: {
    200: { description: 'A page of KSeF connections.', schema: pageOf('KSeF connections', ksefConnection.schema) },
  },
  async handle({ query }, { ksefConnections }) {
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
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: connectionParams,
  responses: { 200: { description: 'The KSeF connection that was requested.', schema: ksefConnection.schema } },
  async handle({ params }, { ksefConnections }) {
    const reply = await ksefConnections.getConnection({ connectionId: params.connectionId });
    return { status: 200, body: ksefConnection.present(stated(reply.connection)) };
  },
});

export const updateKsefConnection = route({
  operation: 'updateKsefConnection',
  method: 'patch',
  path: '/ksef-connections/:connectionId',
  summary: 'Update the inbox settings of a KSeF connection',
  description:
    'Changes whether purchase invoices of the company are received from KSeF, and the first day from which they are received. Enabling the inbox starts its first runs at once. Disabling the inbox ends its runs and keeps the invoices that were received. The request is refused with 409 if the connection is DISABLED, or if the organization has enabled an inbox in another environment.',
  rpc: 'invoicecontrol.ksef.v1.InboxService/UpdateInbox',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', refusesTestKeys: true },
  params: connectionParams,
  body: z
    .strictObject({
      inbox: z
        .strictObject({
          enabled: z.boolean().describe('Whether purchase invoices of the company are received from KSeF.'),
          from: calendarDay()
            .optional()
            .describe(
              'The first day from which invoices are received, based on the date in Poland on which KSeF stored each invoice. The earliest day is 2026-02-01, and the day must not be in the future. If absent, the stored day is kept. If no day is stored, the current day is used.',
            ),
        })
        .describe('The inbox of the KSeF connection.'),
    })
    .meta({ id: 'KsefConnectionChange' })
    .register(examples, { example: { inbox: { enabled: true, from: '2026-03-01' } } }),
  responses: { 200: { description: 'The updated KSeF connection.', schema: ksefConnection.schema } },
  refusals: [409],
  async handle({ params, body }, { ksefInbox }) {
    const reply = await ksefInbox.updateInbox({
      connectionId: params.connectionId,
      enabled: body.inbox.enabled,
      fromDate: body.inbox.from,
    });
    return { status: 200, body: ksefConnection.present(stated(reply.connection)) };
  },
});

export const testKsefConnection = route({
  operation: 'testKsefConnection',
  method: 'post',
  path: '/ksef-connections/:connectionId/test',
  summary: 'Test a KSeF connection',
  description:
    'Authenticates with the stored token or certificate. A connection that becomes CONNECTED allows submissions, unless its `warnings` contain INVOICE_WRITE_MISSING. A token or certificate that KSeF refuses, or that may neither issue nor view invoices, is reported as the result ERROR. If KSeF does not respond, or responds incorrectly, the response is 502 and the status of the connection is not changed. Concurrent requests share the result of one test.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/TestConnection',
  timeoutMs: TEST_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', refusesTestKeys: true },
  params: connectionParams,
  responses: { 200: { description: 'The result of testing the KSeF connection.', schema: testResult.schema } },
  refusals: [409, 502],
  async handle({ params }, { ksefConnections }) {
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
    'Stops the submissions of a KSeF connection that have not been sent yet. Submissions that were already sent are completed, and then the token or certificate is removed. The record of the connection is kept as DISABLED.',
  rpc: 'invoicecontrol.ksef.v1.ConnectionService/DisableConnection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', refusesTestKeys: true },
  params: connectionParams,
  responses: { 204: { description: 'The KSeF connection has been disabled by this or an earlier request.' } },
  refusals: [409],
  async handle({ params }, { ksefConnections }) {
    await ksefConnections.disableConnection({ connectionId: params.connectionId });
    return { status: 204 };
  },
});
