import { ScanServiceDefinition, SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type { Scan } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { CreateScan } from '../../application/create-scan.js';
import type { ScanReader } from '../../application/read-scans.js';
import type { CompleteScan } from '../../application/scan-store.js';
import { decodeRows } from './decode-rows.js';

interface Deps {
  readonly createScan: CreateScan;
  readonly reader: ScanReader;
}

/** Implements the gRPC service invoicecontrol.scan.v1.ScanService. */
export function scanService({ createScan, reader }: Deps): Binding {
  return bind(ScanServiceDefinition, {
    async createScan(request, context) {
      const { scan, isReplayed } = await createScan(
        {
          organizationId: request.organizationId,
          companyId: request.companyId,
          rows: decodeRows(request.invoiceRows),
          idempotencyKey: request.idempotencyKey === '' ? undefined : request.idempotencyKey,
          fingerprint: request.fingerprint,
          monthlyLimit: limitOf(context, 'scanRowsPerMonth'),
        },
        context,
      );
      return { scan: encodeScan(scan), replayed: isReplayed };
    },
    async getScan({ organizationId, scanId }) {
      return { scan: encodeScan(await reader.get(organizationId, scanId)) };
    },
    async listScans(request) {
      const { items, nextPageToken } = await reader.list(request.organizationId, {
        companyId: request.companyId,
        ...readPageRequest(request),
      });
      return { scans: items.map(encodeScan), nextPageToken };
    },
  });
}

function encodeScan({ scanId, companyId, createdAt, result, skippedRows = [] }: CompleteScan): Scan {
  return {
    scanId,
    companyId,
    ...result,
    decisionCounts: { ...result.decisionCounts },
    findingCounts: { ...result.findingCounts },
    skippedRows: skippedRows.map((row) => ({ ...row, reason: SkipReason[row.reason] })),
    createdTime: createdAt,
  };
}
