import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AnalysisDifference, AnalysisSummary } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { decision, latestAnalysis, riskScore, versions } from './analysis-record.js';

const difference = shown.record<AnalysisDifference>()({
  field: shown.text(
    'decision',
    'The part of the analysis that differs from the previous analysis: `decision`, `risk_score`, a version, or `findings`.',
  ),
  from: shown.textOrNull(
    'PASS',
    'The value of the differing part in the previous analysis of the invoice, or null if there was none.',
  ),
  to: shown.textOrNull(
    'REVIEW',
    'The value of the differing part in this analysis of the invoice, or null if the part no longer exists.',
  ),
  findingType: shown.optional(
    z.string(),
    undefined,
    'The type of the finding that differs. Present only for a difference in `findings`.',
  ),
  evidenceKey: shown.optional(
    z.string(),
    undefined,
    'The `evidence.key` of the finding that differs, which distinguishes findings of the same type. Present only for a difference in `findings`.',
  ),
});

const reason = z
  .enum(['INITIAL', 'REANALYSIS'])
  .describe('The reason for the analysis: INITIAL (the invoice was received) or REANALYSIS.');

const analysisSummary = shown.record<AnalysisSummary>('AnalysisSummary')({
  id: shown.id(EXAMPLE_IDS.analysis, 'The id of the analysis.', 'analysisId'),
  decision: shown.name(decision, Decision, 'REVIEW'),
  risk_score: shown.field(riskScore, 58, 'riskScore'),
  versions: shown.part(versions),
  reason: shown.word(reason, 'REANALYSIS'),
  differences: shown.made(
    z.array(difference.schema).optional().meta({
      description:
        'The differences from the previous analysis of the invoice. Present only if the reason is REANALYSIS.',
    }),
    ({ reason: why, differences }: AnalysisSummary) =>
      why === 'REANALYSIS' ? differences.map(difference.present) : undefined,
    [exampleOf(difference.schema)],
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the analysis of the invoice was made.', 'createdTime'),
});

const invoiceParams = z.object({ invoiceId: pathId('invoice') });

export const listAnalyses = route({
  operation: 'listAnalyses',
  method: 'get',
  path: '/invoices/:invoiceId/analyses',
  summary: 'List the analyses of an invoice, newest first',
  rpc: 'invoicecontrol.analysis.v1.AnalysisService/ListAnalyses',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  query: pageQuery.omit({ created_from: true, created_to: true }),
  responses: {
    200: {
      description: 'A page of analyses of the invoice.',
      schema: pageOf('analyses of the invoice', analysisSummary.schema),
    },
  },
  async handle({ params, query }, { analyses }) {
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
  summary: 'Analyze an invoice again',
  description:
    'Analyzes a stored invoice with the current engine, policy and history, and returns the new analysis, usually within a second. The earlier analyses are kept. A repeated request adds another analysis and changes nothing else, so the request can be retried.',
  rpc: 'invoicecontrol.analysis.v1.AnalysisService/ReanalyzeInvoice',
  access: { minimumRole: 'ANALYST', scope: 'invoices:write' },
  timeoutMs: 10_000,
  params: invoiceParams,
  responses: { 200: { description: 'The new analysis of the invoice.', schema: latestAnalysis.schema } },
  refusals: [409],
  async handle({ params }, { analyses }) {
    const { analysis } = await analyses.reanalyzeInvoice({ invoiceId: params.invoiceId });
    return { status: 200, body: latestAnalysis.present(stated(analysis)) };
  },
});
