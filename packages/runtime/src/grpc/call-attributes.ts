import { status } from '@grpc/grpc-js';
import type { Attributes } from '@opentelemetry/api';

/**
 * Attributes of a call in traces and metrics, after the semantic conventions for rpc.
 * @param name `invoicecontrol.operations.v1.OperatorService/ListStuckWork`
 */
export function callAttributes(name: string, code: status): Attributes {
  return { 'rpc.system.name': 'grpc', 'rpc.method': name, 'rpc.response.status_code': status[code] };
}
