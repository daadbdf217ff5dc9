import { ErpImportServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { unbounded } from '@invoicecontrol/runtime/request-context';
import type { VendorMaster } from '../application/change-connections.js';

const END_MASTER_MS_MAX = 5_000;

/** Creates the client for the vendor master of ERP connections. The analysis service owns the vendor master. */
export function vendorMaster(channel: Channel): VendorMaster {
  const imports = client(ErpImportServiceDefinition, channel);
  return {
    async end(organizationId, connectionId, context) {
      await imports.endMaster(
        { organizationId, connectionId },
        { context: unbounded(context), timeoutMs: END_MASTER_MS_MAX },
      );
    },
  };
}
