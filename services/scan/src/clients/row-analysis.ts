import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { RowAnalysis } from '../application/row-analysis.js';

/**
 * Timeout of the analysis of a history scan. The analysis of 5000 rows normally takes seconds. The remaining time
 * allows for a slow database.
 */
const ANALYZE_MS_MAX = 120_000;

/** Requests decisions on history scan rows from the analysis service in one call. */
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
