import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type KsefConnection = Schemas['KsefConnection'];
export type KsefSubmission = Schemas['KsefSubmission'];

export const KSEF = 'ksef';
/** Pause between two requests for the state of a submission that KSeF has not decided. */
const POLL_MS = 3_000;
const open: readonly KsefSubmission['status'][] = ['QUEUED', 'SENDING', 'PROCESSING'];

/**
 * Checks whether KSeF has not decided about a submission yet, or has accepted it and not confirmed it yet. KSeF
 * confirms an accepted submission some time later.
 */
function isOpen({ status, upoReferenceNumber }: KsefSubmission): boolean {
  return open.includes(status) || (status === 'ACCEPTED' && upoReferenceNumber === null);
}

export function useKsefConnections() {
  return useList([KSEF, 'list'], (query, signal) => client.get('/ksef-connections', { query, signal }));
}

export function useKsefConnection(connectionId: string) {
  return useQuery({
    queryKey: [KSEF, connectionId],
    queryFn: async ({ signal }) =>
      (await client.get('/ksef-connections/{connectionId}', { path: { connectionId }, signal })).data,
  });
}

export function useInboxRuns(connectionId: string) {
  return useQuery({
    queryKey: [KSEF, connectionId, 'runs'],
    queryFn: async ({ signal }) =>
      (await client.get('/ksef-connections/{connectionId}/inbox/runs', { path: { connectionId }, signal })).data.items,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === 'RUNNING') === true ? POLL_MS : false,
  });
}

export function useSubmissions(connectionId: string) {
  return useList([KSEF, connectionId, 'submissions'], (query, signal) =>
    client.get('/ksef-connections/{connectionId}/submissions', { path: { connectionId }, query, signal }),
  );
}

export const submissionStatuses = [
  'QUEUED',
  'SENDING',
  'PROCESSING',
  'ACCEPTED',
  'REJECTED',
  'FAILED',
] as const satisfies readonly KsefSubmission['status'][];

/**
 * Reads the submissions of all connections, newest first.
 * @param invoiceId the only invoice whose submissions are read, or an empty text for those of all invoices
 */
export function useAllSubmissions(status: KsefSubmission['status'] | undefined, invoiceId: string) {
  return useList([KSEF, 'submissions', status, invoiceId], (page, signal) => {
    const query = {
      ...page,
      ...(status === undefined ? {} : { status }),
      ...(invoiceId === '' ? {} : { invoice_id: invoiceId }),
    };
    return client.get('/ksef-submissions', { query, signal });
  });
}

export interface SubmissionPath {
  readonly connectionId: string;
  readonly submissionId: string;
}

export function useSubmission(path: SubmissionPath) {
  return useQuery({
    queryKey: [KSEF, path.connectionId, 'submissions', path.submissionId],
    queryFn: async ({ signal }) =>
      (await client.get('/ksef-connections/{connectionId}/submissions/{submissionId}', { path, signal })).data,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOpen(data) ? POLL_MS : false),
  });
}

/** @param status state of the submission; the attempts are read again whenever it changes */
export function useAttempts(path: SubmissionPath, status: KsefSubmission['status']) {
  return useQuery({
    queryKey: [KSEF, path.connectionId, 'submissions', path.submissionId, 'attempts', status],
    queryFn: async ({ signal }) =>
      (await client.get('/ksef-connections/{connectionId}/submissions/{submissionId}/attempts', { path, signal })).data
        .items,
  });
}
