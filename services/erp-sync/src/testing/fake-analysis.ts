import { ErpImportServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { DomainError } from '@invoicecontrol/errors';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { importLedger } from './import-ledger.js';
import type { ImportLedger } from './import-ledger.js';

/** A fake of the analysis service for imports. */
export interface FakeAnalysis extends GrpcServer {
  /** ERP connections whose vendors the caller has declared as no longer known, in the order of the calls. */
  readonly endedMasters: readonly string[];
  /** Records that import runs have sent to the fake analysis service. */
  readonly imports: ImportLedger;
  /**
   * Determines whether the fake analysis service refuses calls that end the use of an ERP connection's vendors as known
   * vendors.
   */
  setAvailable(isAvailable: boolean): void;
}

export async function startFakeAnalysis(logger: Logger): Promise<FakeAnalysis> {
  const endedMasters: string[] = [];
  const imports = importLedger();
  let isAvailable = true;
  const refuse = (): Promise<never> => Promise.reject(new DomainError('unavailable', 'Not now.'));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('analysis'),
    logger,
    bindings: [
      bind(ErpImportServiceDefinition, {
        async endMaster({ connectionId }) {
          if (!isAvailable) return refuse();
          endedMasters.push(connectionId);
          return {};
        },
        ...imports.rpcs,
      }),
    ],
  });
  return { ...server, endedMasters, imports, setAvailable: (value) => void (isAvailable = value) };
}
