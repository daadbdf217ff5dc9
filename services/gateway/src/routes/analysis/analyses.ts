import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AnalysisDifference, AnalysisSummary } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import {
  decision,
  exampleVersions,
  latestAnalysis,
  presentAnalysis,
  presentVersions,
  riskScore,
  versions,
} from './analysis-record.js';

const difference = z.object({
  field: z.string().describe('What differs: `decision`, `risk_score`, a version, or `findings`.'),
  from: z.string().nullable().describe('What it was. Null: it was not there.'),
  to: z.string().nullable().describe('What it is. Null: it is not there any more.'),
  findingType: z.string().optional().describe('The type of the finding, where a finding differs.'),
  evidenceKey: z.string().optional().describe('Tells findings of one type apart, as `evidence.key`.'),
});

const analysisSummary = z
  .object({
    id: shownId().describe('The id of the analysis.'),
    decision,
    risk_score: riskScore,
    versions,
    reason: z.enum(['INITIAL', 'REANALYSIS']).describe('INITIAL: the invoice arrived.'),
    differences: z.array(difference).optional().meta({ description: 'From the analysis before; on a reanalysis.' }),
    createdAt: shownInstant().describe('When it was decided.'),
  })
  .meta({ id: 'AnalysisSummary' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.analysis,
      decision: 'REVIEW',
      risk_score: 58,
      versions: exampleVersions,
      reason: 'REANALYSIS',
      differences: [{ field: 'decision', from: 'PASS', to: 'REVIEW' }],
      createdAt: EXAMPLE_INSTANT,
    },
  });

const invoiceParams = z.object({ invoiceId: pathId('invoice') });

export const listAnalyses = route({
  operation: 'listAnalyses',
  method: 'get',
  path: '/invoices/:invoiceId/analyses',
  summary: 'List the analyses of an invoice, newest first',
  rpc: 'invoicecontrol.analysis.v1.AnalysisService/ListAnalyses',
  resourceName: 'invoice',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  query: pageQuery.omit({ created_from: true, created_to: true }),
  responses: { 200: { description: 'A page of analyses.', schema: pageOf(analysisSummary) } },
  async handle({ params, query }, { analyses }): Promise<Reply> {
    const list = listRequest(`listAnalyses ${params.invoiceId}`, query);
    const reply = await analyses.listAnalyses({
      invoiceId: params.invoiceId,
      ...list.request,
    });
    return { status: 200, body: list.page(reply.analyses.map(presentSummary), reply.nextPageToken) };
  },
});

export const reanalyzeInvoice = route({
  operation: 'reanalyzeInvoice',
  method: 'post',
  path: '/invoices/:invoiceId/reanalyze',
  summary: 'Analyze an invoice again after reviews or changed settings',
  rpc: 'invoicecontrol.analysis.v1.AnalysisService/ReanalyzeInvoice',
  resourceName: 'invoice',
  access: { minimumRole: 'ANALYST', scope: 'invoices:write' },
  timeoutMs: 10_000,
  params: invoiceParams,
  responses: { 200: { description: 'The new analysis.', schema: latestAnalysis } },
  refusals: [409],
  async handle({ params }, { analyses }): Promise<Reply> {
    const { analysis } = await analyses.reanalyzeInvoice({ invoiceId: params.invoiceId });
    return { status: 200, body: presentAnalysis(stated(analysis)) };
  },
});

function presentSummary(summary: AnalysisSummary): z.infer<typeof analysisSummary> {
  const reason = analysisSummary.shape.reason.parse(summary.reason);
  return {
    id: summary.analysisId,
    decision: enumName(Decision, summary.decision),
    risk_score: summary.riskScore,
    versions: presentVersions(stated(summary.versions)),
    reason,
    ...(reason === 'REANALYSIS' ? { differences: summary.differences.map(presentDifference) } : {}),
    createdAt: showInstant(summary.createdTime),
  };
}

function presentDifference(message: AnalysisDifference): z.infer<typeof difference> {
  return {
    field: message.field,
    from: message.from ?? null,
    to: message.to ?? null,
    ...(message.findingType === undefined ? {} : { findingType: message.findingType }),
    ...(message.evidenceKey === undefined ? {} : { evidenceKey: message.evidenceKey }),
  };
}
