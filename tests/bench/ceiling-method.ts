import { AnalyzeInvoiceRequest, AnalyzeInvoiceResponse } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import type { MethodDefinition } from '@grpc/grpc-js';

export type CeilingRequest = AnalyzeInvoiceRequest;
export type CeilingReply = AnalyzeInvoiceResponse;

/** The rpc of the product, bound to grpc-js by hand: the same bytes on the wire, without the product's code around them. */
export const analyzeInvoiceMethod: MethodDefinition<CeilingRequest, CeilingReply> = {
  path: '/bench.Ceiling/AnalyzeInvoice',
  requestStream: false,
  responseStream: false,
  requestSerialize: (message) => Buffer.from(AnalyzeInvoiceRequest.encode(message).finish()),
  requestDeserialize: (bytes) => AnalyzeInvoiceRequest.decode(bytes),
  responseSerialize: (message) => Buffer.from(AnalyzeInvoiceResponse.encode(message).finish()),
  responseDeserialize: (bytes) => AnalyzeInvoiceResponse.decode(bytes),
};
