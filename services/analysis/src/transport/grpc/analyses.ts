import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { invalidField } from '@invoicecontrol/errors';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { AnalysisReader } from '../../application/read-analyses.js';
import type { InvoiceReader } from '../../application/read-invoices.js';
import type { reanalyzeInvoice } from '../../application/reanalyze-invoice.js';
import type { dryRunPolicy, replayAnalyses } from '../../application/replay-analyses.js';
import { readPolicy } from '../../domain/policy-document.js';
import { encodeAnalysis } from './encode-invoice.js';

/** Analyses that one call replays. */
const REPLAYED_MAX = 1_000;

interface Deps {
  readonly reader: AnalysisReader;
  readonly invoices: InvoiceReader;
  readonly reanalyzeInvoice: ReturnType<typeof reanalyzeInvoice>;
  readonly replayAnalyses: ReturnType<typeof replayAnalyses>;
  readonly dryRunPolicy: ReturnType<typeof dryRunPolicy>;
  /** Refuses whoever is not the operator: replays walk an organization's whole history. */
  readonly asOperator: (context: RequestContext) => void;
}

/** invoicecontrol.analysis.v1.AnalysisService */
export function analysisService(deps: Deps): Binding {
  return bind(AnalysisServiceDefinition, {
    async listAnalyses({ organizationId, invoiceId, ...page }) {
      const { items, nextPageToken } = await deps.reader.list(organizationId, invoiceId, readPageRequest(page));
      return {
        analyses: items.map((analysis) => ({
          analysisId: analysis.analysisId,
          number: analysis.number,
          decision: Decision[analysis.decision],
          riskScore: analysis.riskScore,
          versions: { ...analysis.versions, compliance: undefined },
          reason: analysis.previous === undefined ? 'INITIAL' : 'REANALYSIS',
          differences: (analysis.previous?.differences ?? []).map((difference) => ({ ...noDifference, ...difference })),
          createdTime: analysis.createdAt,
        })),
        nextPageToken,
      };
    },
    async reanalyzeInvoice({ organizationId, invoiceId }, context) {
      await deps.reanalyzeInvoice({ organizationId, invoiceId }, context);
      const { analysis, findings, verdict } = await deps.invoices.latestAnalysis(organizationId, invoiceId);
      return { analysis: encodeAnalysis(invoiceId, analysis, findings, verdict) };
    },
    async replayAnalyses({ organizationId, limit, pageToken }, context) {
      deps.asOperator(context);
      const page = { organizationId, pageToken, limit: replayLimit(limit) };
      const { replayed, identical, differentAnalysisIds, nextPageToken } = await deps.replayAnalyses(page);
      return {
        replayed,
        identical,
        differentAnalysisIds: [...differentAnalysisIds],
        nextPageToken,
      };
    },
    async dryRunPolicy({ organizationId, policyJson, limit, pageToken }, context) {
      deps.asOperator(context);
      const page = { organizationId, pageToken, limit: replayLimit(limit) };
      const { replayed, changed, nextPageToken } = await deps.dryRunPolicy(page, readPolicy(policyJson));
      return {
        replayed,
        changed: changed.map(({ from, to, ...change }) => ({ ...change, from: Decision[from], to: Decision[to] })),
        nextPageToken,
      };
    },
  });
}

const noDifference = { from: undefined, to: undefined, findingType: undefined, evidenceKey: undefined };

function replayLimit(asked: number): number {
  if (asked >= 1 && asked <= REPLAYED_MAX) return asked;
  throw invalidField('limit', `must be between 1 and ${REPLAYED_MAX}.`);
}
