import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { RowAnalysis } from '../application/row-analysis.js';

/** 5000 rows take seconds; this is for a database in trouble. */
const ANALYZE_MS_MAX = 120_000;

/** Rows decided by the analysis service, all in one call. */
export function rowsByAnalysis(channel: Channel): RowAnalysis {
  const analysis = client(RowAnalysisServiceDefinition, channel);
  return {
    analyze({ organizationId, scanId, companyId, baseCurrency, receivedAt, rows }, worker) {
      return analysis.analyzeRows(
        {
          organizationId,
          scanId,
          companyId,
          baseCurrency,
          receivedTime: receivedAt,
          rows: [...rows],
        },
        { ...worker, timeoutMs: ANALYZE_MS_MAX },
      );
    },
  };
}
