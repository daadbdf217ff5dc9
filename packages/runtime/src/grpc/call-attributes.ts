import { status } from '@grpc/grpc-js';
import type { AttributesOf } from '../telemetry/schema.js';

type CallAttributes = AttributesOf<'rpc.server.call.duration'>;

const known = new Map<string, CallAttributes[]>();

/**
 * Returns the attributes of a call for traces and metrics, according to the semantic conventions for rpc. They are
 * created once for each rpc and status.
 * @param name full method name, such as `invoicecontrol.operations.v1.OperatorService/ListStuckWork`
 */
export function callAttributes(name: string, code: status): CallAttributes {
  let ofName = known.get(name);
  if (ofName === undefined) {
    ofName = [];
    known.set(name, ofName);
  }
  return (ofName[code] ??= {
    'rpc.system.name': 'grpc',
    'rpc.method': name,
    'rpc.response.status_code': status[code] as CallAttributes['rpc.response.status_code'],
  });
}
