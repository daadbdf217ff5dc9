import { status } from '@grpc/grpc-js';
import type { Attributes } from '@opentelemetry/api';

/**
 * Returns the attributes of a call for traces and metrics, according to the semantic conventions for rpc.
 * @param name full method name, such as `invoicecontrol.operations.v1.OperatorService/ListStuckWork`
 */
export function callAttributes(name: string, code: status): Attributes {
  return { 'rpc.system.name': 'grpc', 'rpc.method': name, 'rpc.response.status_code': status[code] };
}
