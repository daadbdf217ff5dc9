import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type { Connection as WireConnection } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type { Run as WireRun } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Connection } from '../../domain/connection.js';
import { untilReleased } from './runs.js';
import { productOf } from '../../providers/registry.js';

/** Encodes ERP connections for responses, with their recent import runs. */
export type EncodeConnections = (connections: readonly Connection[]) => Promise<WireConnection[]>;

/** Reads import runs of any ERP connections by their ids. Runs that do not exist are left out. */
export type ReadRuns = (organizationId: string, runIds: readonly string[]) => Promise<readonly WireRun[]>;

/**
 * Creates the function that encodes ERP connections.
 * @param names form of ERP names in responses: `codes` or `products`
 */
export function encodeConnections(names: 'codes' | 'products', readRuns: ReadRuns): EncodeConnections {
  return async (connections) => {
    const [{ organizationId } = { organizationId: '' }] = connections;
    const runIds = connections.flatMap(({ recentRunIds }) => recentRunIds);
    const runs = runIds.length === 0 ? [] : await readRuns(organizationId, runIds);
    const byId = new Map(runs.map((run) => [run.runId, run]));
    return connections.map((connection) => {
      const newestFirst = connection.recentRunIds.toReversed();
      return {
        ...encodeConnection(connection),
        provider: names === 'codes' ? connection.provider : productOf(connection.provider).product,
        recentRuns: newestFirst.flatMap((id) => {
          const run = byId.get(id);
          return run === undefined ? [] : [untilReleased(run, connection.runningRunId)];
        }),
      };
    });
  };
}

function encodeConnection(connection: Connection): Omit<WireConnection, 'provider' | 'recentRuns'> {
  const { id, companyId, status, config, isPaused, importFrom, version, createdAt } = connection;
  const { lastSyncAt, lastSuccessAt, lastError, nextSyncAt, streamSuccesses } = connection;
  return {
    connectionId: id,
    companyId,
    status: ConnectionStatus[status],
    configJson: JSON.stringify(config),
    isPaused,
    importFrom,
    lastSyncTime: lastSyncAt,
    lastSuccessTime: lastSuccessAt,
    lastErrorCode: lastError?.code,
    lastErrorMessage: lastError?.message,
    nextSyncTime: nextSyncAt,
    streamSuccessTimes: { ...streamSuccesses },
    version,
    createdTime: createdAt,
  };
}
