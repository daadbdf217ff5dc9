import { AnalyzeInvoiceRequest, AnalyzeInvoiceResponse } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import type { MethodDefinition } from '@grpc/grpc-js';

export type CeilingRequest = AnalyzeInvoiceRequest;
export type CeilingReply = AnalyzeInvoiceResponse;

/** The RPC of the product, defined by hand for grpc-js. It sends the same bytes without using code of the product. */
export const analyzeInvoiceMethod: MethodDefinition<CeilingRequest, CeilingReply> = {
  path: '/bench.Ceiling/AnalyzeInvoice',
  requestStream: false,
  responseStream: false,
  requestSerialize: (message) => Buffer.from(AnalyzeInvoiceRequest.encode(message).finish()),
  requestDeserialize: (bytes) => AnalyzeInvoiceRequest.decode(bytes),
  responseSerialize: (message) => Buffer.from(AnalyzeInvoiceResponse.encode(message).finish()),
  responseDeserialize: (bytes) => AnalyzeInvoiceResponse.decode(bytes),
};
