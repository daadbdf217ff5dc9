import { RunMode } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { z } from 'zod';
import { examples } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import { run, runMode } from './run-record.js';

const connectionParams = z.object({ connectionId: pathId('connection', 'ERP connection') });

export const startErpRun = route({
  operation: 'startErpRun',
  method: 'post',
  path: '/erp-connections/:connectionId/sync',
  summary: 'Start a synchronisation run of an ERP connection',
  description:
    'Starts a synchronisation run of the ERP connection at once. A connection in ERROR becomes CONNECTED again if the run succeeds. The request is refused with 409 while a run is in progress, or if the connection is DISABLED. The body may be omitted.',
  rpc: 'invoicecontrol.erp_sync.v1.RunService/StartRun',
  access: { minimumRole: 'ADMIN', scope: 'erp:write', needsSubscription: true, refusesTestKeys: true },
  params: connectionParams,
  isBodyOptional: true,
  body: z
    .strictObject({
      mode: runMode
        .optional()
        .describe(
          'The mode of the synchronisation run: INCREMENTAL (the default) reads changes; FULL reads everything and also finds deleted records.',
        ),
    })
    .meta({ id: 'ErpRunRequest' })
    .register(examples, { example: { mode: 'FULL' } }),
  responses: { 202: { description: 'The synchronisation run that this request started.', schema: run.schema } },
  refusals: [409],
  async handle({ params, body }, { erpRuns }) {
    const reply = await erpRuns.startRun({
      connectionId: params.connectionId,
      mode: RunMode[body.mode ?? 'INCREMENTAL'],
    });
    return { status: 202, body: run.present(stated(reply.run)) };
  },
});

export const listErpRuns = route({
  operation: 'listErpRuns',
  method: 'get',
  path: '/erp-connections/:connectionId/runs',
  summary: 'List the synchronisation runs of an ERP connection, newest first',
  rpc: 'invoicecontrol.erp_sync.v1.RunService/ListRuns',
  access: { minimumRole: 'ADMIN', scope: 'erp:read', refusesTestKeys: true },
  params: connectionParams,
  query: pageQuery,
  responses: {
    200: {
      description: 'A page of synchronisation runs of the ERP connection.',
      schema: pageOf('synchronisation runs', run.schema),
    },
  },
  async handle({ params, query }, { erpRuns }) {
    const { connectionId } = params;
    const list = listRequest(`listErpRuns:${connectionId}`, query);
    const reply = await erpRuns.listRuns({ connectionId, ...list.request });
    return { status: 200, body: list.page(reply.runs.map(run.present), reply.nextPageToken) };
  },
});
