import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import type { PaymentLine, PaymentRun } from '../../client.js';
import { cursorPages } from '../../cursor-pages.js';
import { saveFile } from '../../files.js';
import { useList, useRefresh } from '../../lists.js';

export type Verdict = PaymentLine['verdict'];

const RUNS = 'payment-runs';
/** Number of payment lines that one request reads. */
const PAGE_SIZE = 50;

export function useRuns() {
  return useList([RUNS, 'list'], (query, signal) => client.get('/payment-runs', { query, signal }));
}

export function useRun(runId: string) {
  return useQuery({
    queryKey: [RUNS, runId],
    queryFn: async ({ signal }) => (await client.get('/payment-runs/{runId}', { path: { runId }, signal })).data,
  });
}

export function useLines(runId: string, verdict: Verdict) {
  return useInfiniteQuery({
    queryKey: [RUNS, runId, 'lines', verdict],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, verdict, ...pageParam };
      return (await client.get('/payment-runs/{runId}/lines', { path: { runId }, query, signal })).data;
    },
    ...cursorPages,
  });
}

/** Reads whether the organization requires a second person for each release of a payment. */
export function useFourEyes(isAllowed: boolean) {
  return useQuery({
    queryKey: ['organization'],
    queryFn: async ({ signal }) => (await client.get('/organizations/current', { signal })).data,
    select: ({ fourEyes }) => fourEyes,
    enabled: isAllowed,
  });
}

/** Checks a payment file as a payment run. `isNew` is false if the same file was checked before. */
export function useCheckFile() {
  const refresh = useRefresh([RUNS]);
  return useMutation({
    async mutationFn({ file, companyId }: { readonly file: File; readonly companyId: string | undefined }) {
      const query = companyId === undefined ? {} : { company_id: companyId };
      const { data, status } = await client.postXml('/payment-runs', file, { query });
      return { run: data, isNew: status === 201 };
    },
    onSuccess: refresh,
  });
}

export function useRecheck(runId: string) {
  const refresh = useRefresh([RUNS]);
  return useMutation({
    mutationFn: async () => (await client.post('/payment-runs/{runId}/recheck', { path: { runId } })).data,
    onSuccess: refresh,
  });
}

/** Sends the status report of the bank about a payment run. */
export function useReport(runId: string) {
  const refresh = useRefresh([RUNS]);
  return useMutation({
    mutationFn: async (file: File) =>
      (await client.postXml('/payment-runs/{runId}/reports', file, { path: { runId } })).data,
    onSuccess: refresh,
  });
}

/**
 * Releases a payment line, or confirms the release of another person. `isPending` is true if a second person must
 * confirm.
 */
export function useRelease(runId: string, lineId: string) {
  const refresh = useRefresh([RUNS]);
  return useMutation({
    async mutationFn(note: string) {
      const { status } = await client.post('/payment-runs/{runId}/lines/{lineId}/release', {
        path: { runId, lineId },
        body: { note },
      });
      return { isPending: status === 202 };
    },
    onSuccess: refresh,
  });
}

/**
 * Selects the file of a payment run to download. By default, the file contains the payments that may be paid. With
 * `verdict`, it contains the payments with that verdict. With `repeat`, it has the same bytes as the earlier download
 * with that id.
 */
export type FileChoice = { readonly verdict?: 'HOLD' | 'UNKNOWN'; readonly repeat?: string };

/** Downloads a file of a payment run and returns its name. */
export function useDownload(run: PaymentRun) {
  const refresh = useRefresh([RUNS]);
  return useMutation({
    async mutationFn(choice: FileChoice) {
      const { data, headers } = await client.file('/payment-runs/{runId}/file', {
        path: { runId: run.id },
        query: choice as Record<string, string>,
      });
      return saveFile(data, headers, `${run.id}.xml`);
    },
    // The API checks the payment lines again even when it refuses the download of the file, so they are always
    // reloaded.
    onSettled: refresh,
  });
}
