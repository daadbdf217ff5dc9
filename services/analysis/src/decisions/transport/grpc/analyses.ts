import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AnalysisReader } from '../../application/read-analyses.js';
import type { InvoiceReader } from '../../application/read-invoices.js';
import type { ReanalyzeInvoice } from '../../application/reanalyze-invoice.js';
import { encodeAnalysis } from '../../../records/transport/grpc/encode-invoice.js';

interface Deps {
  readonly reader: AnalysisReader;
  readonly invoices: InvoiceReader;
  readonly reanalyzeInvoice: ReanalyzeInvoice;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.AnalysisService. */
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
          versions: { compliance: undefined, ...analysis.versions },
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
  });
}

const noDifference = { from: undefined, to: undefined, findingType: undefined, evidenceKey: undefined };
