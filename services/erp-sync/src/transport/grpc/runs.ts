import {
  RunMode as WireMode,
  RunServiceDefinition,
  RunStatus,
  RunTrigger,
} from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run as WireRun } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { notFound } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { StartRun } from '../../application/sync-start.js';
import type { RunStore, SyncedConnections } from '../../application/sync-stores.js';
import type { Run } from '../../domain/run.js';

interface Deps {
  readonly connections: Pick<SyncedConnections, 'find'>;
  readonly runs: RunStore;
  readonly startRun: StartRun;
}

/** Implements the gRPC service invoicecontrol.erp_sync.v1.RunService. */
export function runService({ connections, runs, startRun: start }: Deps): Binding {
  return bind(RunServiceDefinition, {
    async startRun({ organizationId, connectionId, mode }, context) {
      const wanted = mode === WireMode.FULL ? 'FULL' : 'INCREMENTAL';
      return { run: encodeRun(await start(organizationId, connectionId, wanted, context)) };
    },
    async listRuns({ organizationId, connectionId, ...page }) {
      const connection = await connections.find(organizationId, connectionId);
      if (connection === undefined) throw notFound('ERP connection');
      const { items, nextPageToken } = await runs.list(organizationId, connectionId, readPageRequest(page));
      const { runningRunId } = connection;
      return { runs: items.map((run) => untilReleased(encodeRun(run), runningRunId)), nextPageToken };
    },
  });
}

/**
 * Shows an import run as running until its ERP connection is updated too. A run is completed first in its own record
 * and then in the record of its connection. Callers who see a completed run therefore also see its effect on the
 * connection. The connection must be read before the run.
 */
export function untilReleased(run: WireRun, runningRunId: string | undefined): WireRun {
  return run.runId === runningRunId ? { ...run, status: RunStatus.RUNNING, finishedTime: undefined } : run;
}

export function encodeRun(run: Run): WireRun {
  const { id: runId, trigger, mode, status, startedAt, finishedAt, streams, errors, httpCalls, throttledMs } = run;
  return {
    runId,
    trigger: RunTrigger[trigger],
    mode: WireMode[mode],
    status: RunStatus[status],
    startedTime: startedAt,
    finishedTime: finishedAt,
    streams: { ...streams },
    errors: [...errors],
    httpCalls,
    throttledMs,
  };
}
