import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { notFound } from '@invoicecontrol/errors';
import type { Run, RunMode } from '../domain/run.js';
import { auditLine } from './connection-events.js';
import type { RunStore } from './sync-stores.js';
import type { SyncWorker } from './sync-worker.js';

interface Deps {
  readonly worker: Pick<SyncWorker, 'start'>;
  readonly runs: Pick<RunStore, 'find'>;
  readonly audit: Pick<AuditBuffer, 'record'>;
}

/**
 * Starts an import run on request.
 * @throws DomainError not_found, wrong_state, in_progress, rate_limited
 */
export type StartRun = (
  organizationId: string,
  connectionId: string,
  mode: RunMode,
  context: RequestContext,
) => Promise<Run>;

export const startRun =
  ({ worker, runs, audit }: Deps): StartRun =>
  async (organizationId, connectionId, mode, context) => {
    const runId = await worker.start(organizationId, connectionId, mode);
    audit.record(organizationId, context, auditLine('sync_started', connectionId));
    const run = await runs.find(organizationId, runId);
    // An import run that has just begun is missing only if a purge of its organization removed it.
    if (run === undefined) throw notFound('ERP connection');
    return run;
  };
