import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import {
  UploadAnalysisServiceDefinition,
  UploadAnalysisStatus,
} from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type {
  AnalyzeUploadRequest,
  FieldProvenance,
  GetUploadAnalysisResponse,
  UploadAnalysis,
} from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { limitOf, limitOfWork } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { channels, parseOrigin } from '@invoicecontrol/values/channel-origin';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { UploadAnalyzer } from '../../application/analyze-upload.js';
import type { Provenance } from '../../../reading/application/invoice-from-reading.js';
import type { InvoiceReader } from '../../../decisions/application/read-invoices.js';
import type { DecidedUpload, UploadReader, UploadStatus } from '../../application/read-uploads.js';
import { encodeAnalysis, encodeStoredInvoice } from '../../../records/transport/grpc/encode-invoice.js';

interface Deps {
  readonly analyzer: UploadAnalyzer;
  readonly reader: UploadReader;
  readonly invoices: InvoiceReader;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.UploadAnalysisService. */
export function uploadAnalysisService({ analyzer, reader, invoices }: Deps): Binding {
  const latest = async (organizationId: string, invoiceId: string) => {
    const { analysis, findings, verdict } = await invoices.latestAnalysis(organizationId, invoiceId);
    return encodeAnalysis(invoiceId, analysis, findings, verdict);
  };
  return bind(UploadAnalysisServiceDefinition, {
    async analyzeUpload(request, context) {
      const { organizationId, uploadId, purchaseOrderRef, companyId } = request;
      const { invoiceId, isDecided, isReplayed } = await analyzer.analyze(
        {
          organizationId,
          uploadId,
          request: {
            ...(purchaseOrderRef === undefined ? {} : { purchaseOrderRef: purchaseOrderRef.trim() }),
            ...(companyId === undefined ? {} : { companyId }),
          },
          origin: readOrigin(request.origin),
          monthlyLimit: limitOfWork(context, 'analysesPerMonth', request.analysesPerMonthLimit),
          respondAsync: request.respondAsync,
          waitMs: (request.waitSeconds ?? 0) * 1_000,
        },
        context,
      );
      return {
        invoiceId,
        analysis: isDecided ? await latest(organizationId, invoiceId) : undefined,
        replayed: isReplayed,
      };
    },
    async getUploadAnalysis({ organizationId, uploadId }) {
      return encodeStatus(await reader.status(organizationId, uploadId));
    },
    async listUploadAnalyses({ organizationId, status, companyId, ...request }) {
      const state = optionalEnumName(UploadAnalysisStatus, status);
      const query = { state, companyId, ...readPageRequest(request) };
      const { items, nextPageToken } = await reader.list(organizationId, query);
      return { uploads: items.map(encodeListed), nextPageToken };
    },
    async correctUpload({ organizationId, uploadId, fields }, context) {
      const monthlyLimit = limitOf(context, 'analysesPerMonth');
      const input = { organizationId, uploadId, fields, monthlyLimit };
      const { invoiceId } = await analyzer.correct(input, context);
      return { invoiceId, analysis: await latest(organizationId, invoiceId) };
    },
    async getDocumentFields({ organizationId, invoiceId }, context) {
      const { pages, fields } = await reader.documentFields({ organizationId, invoiceId }, context);
      return { pages, fields: fields.map(encodeProvenance) };
    },
    async exportInvoice({ organizationId, invoiceId, includeUnready }, context) {
      const exported = await reader.exportInvoice({ organizationId, invoiceId }, { includeUnready }, context);
      const { analysis, findings, verdict } = exported.latest;
      const { document: read } = exported;
      return {
        invoice: encodeStoredInvoice(exported.record),
        analysis: encodeAnalysis(invoiceId, analysis, findings, verdict),
        document:
          read === undefined
            ? undefined
            : {
                document: read.document,
                reading: { ...read.reading, fields: [] },
                fields: read.fields.map(encodeProvenance),
                validation: read.validation,
              },
      };
    },
  });
}

/**
 * Reads the origin of a document from the request to analyze it.
 * @throws DomainError invalid if the channel is unknown
 */
function readOrigin(stated: AnalyzeUploadRequest['origin']): ChannelOrigin | undefined {
  if (stated === undefined) return undefined;
  const origin = parseOrigin(stated);
  if (origin !== undefined) return origin;
  throw invalidField('origin', `Must name a channel (${channels.join(', ')}) and the id of the document in it.`);
}

function encodeStatus(status: UploadStatus): GetUploadAnalysisResponse {
  const none = { invoiceId: undefined, decision: Decision.UNSPECIFIED, riskScore: undefined, failure: undefined };
  switch (status.state) {
    case 'NONE':
      return { ...none, status: UploadAnalysisStatus.UNSPECIFIED };
    case 'QUEUED':
    case 'PROCESSING':
      return { ...none, status: UploadAnalysisStatus[status.state], invoiceId: status.invoiceId };
    case 'COMPLETED':
      return {
        ...none,
        status: UploadAnalysisStatus.COMPLETED,
        invoiceId: status.invoiceId,
        decision: Decision[status.verdict.decision],
        riskScore: status.verdict.riskScore,
      };
    case 'FAILED':
      return {
        ...none,
        status: UploadAnalysisStatus.FAILED,
        invoiceId: status.invoiceId,
        failure: {
          reason: status.failure.reason,
          message: status.failure.message,
          missingFields: [...status.failure.missingFields],
          fields: status.fields.map(encodeProvenance),
        },
      };
  }
}

function encodeListed({ state, verdict, failure, createdAt, ...upload }: DecidedUpload): UploadAnalysis {
  return {
    ...upload,
    status: UploadAnalysisStatus[state],
    decision: verdict === undefined ? Decision.UNSPECIFIED : Decision[verdict.decision],
    riskScore: verdict?.riskScore,
    failure: failure === undefined ? undefined : { ...failure, missingFields: [...failure.missingFields], fields: [] },
    createdTime: createdAt,
  };
}

function encodeProvenance({ correctedAt, box, ...field }: Provenance): FieldProvenance {
  return {
    raw: undefined,
    page: undefined,
    xpath: undefined,
    correctedBy: undefined,
    ...field,
    box: [...box],
    correctedTime: correctedAt,
  };
}
