import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../client.js';
import type { PaymentLine, PaymentRun } from '../../client.js';
import { cursorPages } from '../../cursor-pages.js';

export type Verdict = PaymentLine['verdict'];

const RUNS = 'payment-runs';
/** Number of payment runs or payment lines that one request reads. */
const PAGE_SIZE = 50;

export function useRuns() {
  return useInfiniteQuery({
    queryKey: [RUNS, 'list'],
    queryFn: async ({ pageParam, signal }) =>
      (await client.get('/payment-runs', { query: { limit: PAGE_SIZE, ...pageParam }, signal })).data,
    ...cursorPages,
  });
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
  const refresh = useRefresh();
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
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async () => (await client.post('/payment-runs/{runId}/recheck', { path: { runId } })).data,
    onSuccess: refresh,
  });
}

/** Sends the status report of the bank about a payment run. */
export function useReport(runId: string) {
  const refresh = useRefresh();
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
  const refresh = useRefresh();
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
 * The file of a payment run to download: the payments that may be paid, the other payments with the given verdict, or
 * the same bytes as an earlier download.
 */
export type FileChoice = { readonly verdict?: 'HOLD' | 'UNKNOWN'; readonly repeat?: string };

/** Downloads a file of a payment run and returns its name. */
export function useDownload(run: PaymentRun) {
  const refresh = useRefresh();
  return useMutation({
    async mutationFn(choice: FileChoice) {
      const { data, headers } = await client.file('/payment-runs/{runId}/file', {
        path: { runId: run.id },
        query: choice as Record<string, string>,
      });
      const name = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? `${run.id}.xml`;
      save(data, name);
      return name;
    },
    // The API checks the payment lines again even when it refuses the download of the file.
    onSettled: refresh,
  });
}

/**
 * Returns a function that reads payment runs and their lines again. Callers do not wait for the reading, because the
 * change is already stored.
 */
function useRefresh(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: [RUNS] });
}

/** Hands a downloaded file to the browser, which asks where to save it or saves it. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers read the address of a downloaded file a moment after the click, so the address is released later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
