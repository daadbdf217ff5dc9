import { events } from '@invoicecontrol/contracts/events';
import { stuckCounters } from '@invoicecontrol/metering/stuck-counters';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { usageData } from '@invoicecontrol/metering/usage-data';
import { USAGE_NOTICES, usageNotices } from '@invoicecontrol/metering/usage-notices';
import { usageReconciliation } from '@invoicecontrol/metering/usage-reconciliation';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import { abandonScan } from './application/abandon-scan.js';
import { createScan } from './application/create-scan.js';
import { finishScan, SCAN_ROWS_METER } from './application/finish-scan.js';
import { scanReader } from './application/read-scans.js';
import { rowBudget } from './application/row-budget.js';
import { stuckScans } from './application/stuck-scans.js';
import { sweepScans } from './application/sweep-scans.js';
import { rowsByAnalysis } from './clients/row-analysis.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { createImportedRowIndexes, importedRowStore } from './storage/imported-rows.js';
import type { ImportedRowDocument } from './storage/imported-rows.js';
import { createScanIndexes, scanStore } from './storage/scans.js';
import type { ScanDocument } from './storage/scans.js';
import { reportScans } from './telemetry.js';
import { operatorService } from './transport/grpc/operator.js';
import { scanService } from './transport/grpc/scans.js';

/** Starts the scan service and resolves when the service accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'scan',
      schema: configSchema,
      config,
      callsEndMsMax: 20_000,
      messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, bus, identity, clock, logger, openOutbox, onStop }: TenantConnections,
): Promise<TenantParts> {
  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS, { service: 'organization', identity });
  onStop('organization', () => organizationChannel.close());
  const analysisChannel = openChannel(config.ANALYSIS_ADDRESS, {
    service: 'analysis',
    identity,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
  });
  onStop('analysis', () => analysisChannel.close());
  const scanCollection = db.collection<ScanDocument>('scans');
  const importedRowCollection = db.collection<ImportedRowDocument>('imported_rows');
  await Promise.all([createScanIndexes(scanCollection), createImportedRowIndexes(importedRowCollection)]);
  const outbox = await openOutbox(['scans', USAGE_NOTICES]);

  const due = dueWork(clock);
  const scans = scanStore(scanCollection, { outbox, clock, onDue: due.note });
  onStop('metrics of scans', reportScans(scans.countRunning));
  const importedRows = importedRowStore(importedRowCollection, scans.failedAmong);
  const usage = usageCounters(db, clock, await usageNotices(events.scanUsageReached, { db, outbox, clock, logger }));
  onStop('usage', () => usage.close());
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const rowAnalysis = rowsByAnalysis(analysisChannel);
  const finish = finishScan({ scans, importedRows, rowAnalysis, usage, logger });
  return {
    rpcGroups: [
      scanService({
        createScan: createScan({ scans, usage, tenants, finish, withinBudget: rowBudget(), clock, logger }),
        reader: scanReader(scans),
      }),
      operatorService({ abandonScan: abandonScan({ scans, importedRows, usage, logger }) }),
      usageService(
        {
          monthly: {
            [SCAN_ROWS_METER]: (organizationId, month) => usage.used({ organizationId, month, meter: SCAN_ROWS_METER }),
          },
        },
        clock,
      ),
    ],
    tenantData: [ownedDocuments(scanCollection), ownedDocuments(importedRowCollection), ...usageData(db)],
    stuckWork: [stuckScans({ scans }), stuckCounters(db, 'scan')],
    jobs: [
      { name: 'sweep of scans', ...due.schedule, run: sweepScans({ scans, finish, logger }) },
      await usageReconciliation({ db, clock, logger, marks: { [SCAN_ROWS_METER]: scans.countedRows } }),
    ],
  };
}
