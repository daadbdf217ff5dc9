import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type ErpConnection = Schemas['ErpConnection'];
export type ErpRun = Schemas['ErpRun'];

export const ERP = 'erp-connections';
/** Pause between two requests for the import runs of an ERP connection while an import run is in progress. */
const POLL_MS = 3_000;

export function useErpConnections() {
  return useList([ERP, 'list'], (query, signal) => client.get('/erp-connections', { query, signal }));
}

/** Reads an ERP connection, and reads it again and again while an import run is in progress. */
export function useErpConnection(connectionId: string) {
  return useQuery({
    queryKey: [ERP, connectionId],
    queryFn: async ({ signal }) =>
      (await client.get('/erp-connections/{connectionId}', { path: { connectionId }, signal })).data,
    refetchInterval: ({ state: { data } }) =>
      data?.recentRuns.some(({ status }) => status === 'RUNNING') === true ? POLL_MS : false,
  });
}

export function useErpRuns(connectionId: string, latest: string | undefined) {
  return useList([ERP, connectionId, 'runs', latest], (query, signal) =>
    client.get('/erp-connections/{connectionId}/runs', { path: { connectionId }, query, signal }),
  );
}
