import { UploadAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { UploadAnalyses } from '../application/inbox/stores.js';

const REQUEST_MS_MAX = 20_000;

/** Requests analyses of received invoices. The analysis service reads the invoices and decides them later. */
export function uploadAnalysesOf(channel: Channel): UploadAnalyses {
  const analyses = client(UploadAnalysisServiceDefinition, channel);
  return {
    async request({ organizationId, companyId, uploadId, ksefNumber }, analysesPerMonthLimit, context) {
      await analyses.analyzeUpload(
        {
          organizationId,
          uploadId,
          companyId,
          analysesPerMonthLimit,
          respondAsync: true,
          origin: { channel: 'KSEF', externalId: ksefNumber },
        },
        { context, timeoutMs: REQUEST_MS_MAX },
      );
    },
  };
}
