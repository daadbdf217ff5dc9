import { z } from 'zod';
import { examples, exampleOf } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import { inboxRun } from './inbox-record.js';
import { ksefConnection } from './ksef-connections.js';

const RUNS_MAX = 100;

const connectionParams = z.object({ connectionId: pathId('connection', 'KSeF connection') });

export const startKsefInboxRuns = route({
  operation: 'startKsefInboxRuns',
  method: 'post',
  path: '/ksef-connections/:connectionId/inbox/runs',
  summary: 'Start the inbox runs of a KSeF connection',
  description:
    'Starts one inbox run of a KSeF connection for each role of the company as soon as the KSeF limits allow it. A run that is in progress continues, so a repeated request starts no second run of a role. The request is refused with 409 if the inbox is not enabled or the connection is not CONNECTED.',
  rpc: 'invoicecontrol.ksef.v1.InboxService/StartInboxRuns',
  alsoAsks: ['invoicecontrol.ksef.v1.ConnectionService/GetConnection'],
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', refusesTestKeys: true },
  params: connectionParams,
  responses: {
    202: {
      description:
        'The KSeF connection whose inbox runs are due. `GET .../inbox/runs` lists the runs once they have started.',
      schema: ksefConnection.schema,
    },
  },
  refusals: [409],
  async handle({ params }, { ksefConnections, ksefInbox }) {
    const { connectionId } = params;
    // The KSeF connection is read before its inbox runs are started. If reading the connection failed after the start,
    // the caller would think that no run was started.
    const { connection } = await ksefConnections.getConnection({ connectionId });
    await ksefInbox.startInboxRuns({ connectionId });
    return { status: 202, body: ksefConnection.present(stated(connection)) };
  },
});

const runList = z
  .object({
    items: z
      .array(inboxRun.schema)
      .max(RUNS_MAX)
      .describe('The newest 100 inbox runs of the KSeF connection, newest first.'),
  })
  .meta({ id: 'KsefInboxRuns' })
  .register(examples, { example: { items: [exampleOf(inboxRun.schema)] } });

export const listKsefInboxRuns = route({
  operation: 'listKsefInboxRuns',
  method: 'get',
  path: '/ksef-connections/:connectionId/inbox/runs',
  summary: 'List the inbox runs of a KSeF connection, newest first',
  description: 'Returns the newest 100 inbox runs of a KSeF connection, in all roles of the company.',
  rpc: 'invoicecontrol.ksef.v1.InboxService/ListInboxRuns',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: connectionParams,
  responses: { 200: { description: 'The inbox runs of the KSeF connection.', schema: runList } },
  async handle({ params }, { ksefInbox }) {
    const { runs } = await ksefInbox.listInboxRuns({ connectionId: params.connectionId });
    return { status: 200, body: { items: runs.map(inboxRun.present) } };
  },
});

/**
 * Maximum length of the identifier of a refused KSeF invoice, which is a KSeF number or a file name as the inbox shows
 * it.
 */
const NAME_MAX = 80;

export const dismissKsefRefusedInvoice = route({
  operation: 'dismissKsefRefusedInvoice',
  method: 'delete',
  path: '/ksef-connections/:connectionId/inbox/refused/:ksefNumber',
  summary: 'Dismiss a refused invoice of a KSeF inbox',
  description:
    'Removes an invoice from `inbox.refused` of the KSeF connection, so that the inbox no longer requests it. Use this request when you have handled the invoice in another way, for example by downloading it in the KSeF application and uploading it.',
  rpc: 'invoicecontrol.ksef.v1.InboxService/DismissRefusedInvoice',
  resourceName: 'refused invoice',
  access: { minimumRole: 'ADMIN', scope: 'ksef:write', refusesTestKeys: true },
  params: connectionParams.extend({
    ksefNumber: z
      .string()
      .max(NAME_MAX)
      .meta({
        description: 'The `ksefNumber` of the refused invoice, as `inbox.refused` shows it.',
        param: { example: '5265877635-20260314-0A1B2C3D4E5F-7C' },
      }),
  }),
  responses: { 204: { description: 'The refused invoice of the KSeF inbox has been dismissed.' } },
  async handle({ params }, { ksefInbox }) {
    await ksefInbox.dismissRefusedInvoice(params);
    return { status: 204 };
  },
});
