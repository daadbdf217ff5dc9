import { OperatorServiceDefinition } from '@invoicecontrol/contracts/scan/v1/operator_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AbandonScan } from '../../application/abandon-scan.js';

/** Implements the gRPC service invoicecontrol.scan.v1.OperatorService. */
export function operatorService(deps: { readonly abandonScan: AbandonScan }): Binding {
  return bind(OperatorServiceDefinition, {
    async abandonScan(request, context) {
      const { scan, wasAbandoned } = await deps.abandonScan(request, context);
      const { at: abandonedTime, reason, rows } = scan.failure;
      return { abandonedTime, reason, rowsGivenBack: rows, alreadyAbandoned: wasAbandoned };
    },
  });
}
