import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AnalysisDifference, AnalysisSummary } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { decision, latestAnalysis, riskScore, versions } from './analysis-record.js';

const difference = shown.record<AnalysisDifference>()({
  field: shown.text('field', 'decision', 'What differs: `decision`, `risk_score`, a version, or `findings`.'),
  from: shown.textOrNull('from', 'PASS', 'What it was. Null: it was not there.'),
  to: shown.textOrNull('to', 'REVIEW', 'What it is. Null: it is not there any more.'),
  findingType: shown.optional(
    z.string(),
    'findingType',
    undefined,
    'The type of the finding, where a finding differs.',
  ),
  evidenceKey: shown.optional(
    z.string(),
    'evidenceKey',
    undefined,
    'Tells findings of one type apart, as `evidence.key`.',
  ),
});

const reason = z.enum(['INITIAL', 'REANALYSIS']).describe('INITIAL: the invoice arrived.');

const analysisSummary = shown.record<AnalysisSummary>('AnalysisSummary')({
  id: shown.id('analysisId', EXAMPLE_IDS.analysis, 'The id of the analysis.'),
  decision: shown.name(decision, Decision, 'decision', 'REVIEW'),
  risk_score: shown.field(riskScore, 'riskScore', 58),
  versions: shown.part(versions, 'versions'),
  reason: shown.word(reason, 'reason', 'REANALYSIS'),
  differences: shown.made(
    z.array(difference.schema).optional().meta({ description: 'From the analysis before; on a reanalysis.' }),
    ({ reason: why, differences }: AnalysisSummary) =>
      why === 'REANALYSIS' ? differences.map(difference.present) : undefined,
    [exampleOf(difference.schema)],
  ),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it was decided.'),
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
  responses: { 200: { description: 'A page of analyses.', schema: pageOf(analysisSummary.schema) } },
  async handle({ params, query }, { analyses }): Promise<Reply> {
    const list = listRequest(`listAnalyses ${params.invoiceId}`, query);
    const reply = await analyses.listAnalyses({
      invoiceId: params.invoiceId,
      ...list.request,
    });
    return { status: 200, body: list.page(reply.analyses.map(analysisSummary.present), reply.nextPageToken) };
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
  responses: { 200: { description: 'The new analysis.', schema: latestAnalysis.schema } },
  refusals: [409],
  async handle({ params }, { analyses }): Promise<Reply> {
    const { analysis } = await analyses.reanalyzeInvoice({ invoiceId: params.invoiceId });
    return { status: 200, body: latestAnalysis.present(stated(analysis)) };
  },
});
