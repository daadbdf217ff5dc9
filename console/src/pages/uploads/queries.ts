import { ApiError } from '@invoicecontrol/client/browser';
import type { Schemas } from '@invoicecontrol/client/browser';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type UploadStatus = Schemas['UploadStatus'];
export type ListedUpload = Schemas['ListedUpload'];
export type PageWord = Schemas['DocumentPageWords']['words'][number];

export const UPLOADS = 'uploads';
/** Name of the lists of uploads, one for each filter. */
const LISTS = [UPLOADS, 'list'];
/** Name of the list of sent files. It is not below UPLOADS, because reading the uploads again must not empty it. */
const SENT = ['sent-files'];
/** Number of files that the app sends at the same time. */
const SENT_AT_ONCE = 4;
/**
 * Time in seconds for which the app waits for a decision. If the analysis takes longer, the API continues it without
 * the app.
 */
const WAIT_SECONDS = 20;
/** Pause between two requests for the state of a document that is being read. */
const POLL_MS = 3_000;

/** The media types of files by the ending of their name, because browsers know no type for some of them. */
const mediaTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  xml: 'application/xml',
  p7m: 'application/pkcs7-mime',
};
/** File name extensions, such as `.pdf`, of the files that the app sends. */
export const endings: readonly string[] = Object.keys(mediaTypes).map((ending) => `.${ending}`);

/** A file of a batch. `uploadId` is known once the API has reserved the upload. */
export interface SentFile {
  readonly key: string;
  readonly name: string;
  readonly state: 'WAITING' | 'SENDING' | 'REFUSED' | 'SENT';
  readonly uploadId?: string;
  /** Error that the API returned for the file. Undefined for a file of a type that the app does not send. */
  readonly error?: Error;
}

function statusQuery(uploadId: string) {
  return {
    queryKey: [UPLOADS, uploadId],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await client.get('/uploads/{uploadId}/status', { path: { uploadId }, signal })).data,
    refetchInterval: ({ state: { data } }: { readonly state: { readonly data: UploadStatus | undefined } }) =>
      data?.status === 'QUEUED' || data?.status === 'PROCESSING' ? POLL_MS : false,
  } as const;
}

export const uploadStatuses = [
  'QUEUED',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
] as const satisfies readonly ListedUpload['status'][];

/** Reads the uploads of the organization whose analysis was requested, newest first. */
export function useUploads(status: ListedUpload['status'] | undefined) {
  return useList([...LISTS, status], (page, signal) =>
    client.get('/uploads', { query: { ...page, ...(status === undefined ? {} : { status }) }, signal }),
  );
}

/**
 * Reads the lists of uploads again whenever another of the sent files is done, so that they show its outcome.
 * @param done number of the sent files that are done
 */
export function useUploadsReadAgain(done: number): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (done > 0) void queries.invalidateQueries({ queryKey: LISTS });
  }, [queries, done]);
}

export function useUpload(uploadId: string) {
  return useQuery(statusQuery(uploadId));
}

/** Reads the words on a page of a document. A page of a document never changes. */
export function usePageWords(invoiceId: string, page: number) {
  return useQuery({
    queryKey: ['invoices', invoiceId, 'words', page],
    queryFn: async ({ signal }) => {
      const path = { invoiceId, page };
      return (await client.get('/invoices/{invoiceId}/document/pages/{page}/words', { path, signal })).data;
    },
    staleTime: Infinity,
  });
}

/** Returns the files that were sent since the sign-in, each with its state at the API. A sign-out forgets them. */
export function useSentFiles(): readonly { readonly file: SentFile; readonly status: UploadStatus | undefined }[] {
  const { data: files = [] } = useQuery<readonly SentFile[]>({
    queryKey: SENT,
    queryFn: () => [],
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const statuses = useQueries({
    queries: files.map(({ uploadId = '', state }) => ({ ...statusQuery(uploadId), enabled: state === 'SENT' })),
  });
  return files.map((file, index) => ({ file, status: statuses[index]?.data }));
}

/** Sends files to the API, a few at a time. `useSentFiles` returns the state of each file. */
export function useSendFiles() {
  const queries = useQueryClient();
  const change = (key: string, changed: Partial<SentFile>): void => {
    queries.setQueryData<readonly SentFile[]>(SENT, (files = []) =>
      files.map((file) => (file.key === key ? { ...file, ...changed } : file)),
    );
  };
  return useMutation({
    async mutationFn({ files, companyId }: { readonly files: readonly File[]; readonly companyId: string }) {
      const batch = files.map((file) => ({ file, key: crypto.randomUUID() }));
      const waiting = batch.map(({ file, key }): SentFile => ({ key, name: file.name, state: 'WAITING' }));
      queries.setQueryData<readonly SentFile[]>(SENT, (before = []) => [...waiting, ...before]);
      const rest = [...batch];
      const sendNext = async (): Promise<void> => {
        for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
          const { key, file } = next;
          await send(file, companyId, (changed) => change(key, changed));
          void queries.invalidateQueries({ queryKey: [UPLOADS] });
        }
      };
      await Promise.all(Array.from({ length: SENT_AT_ONCE }, sendNext));
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['invoices'] }),
  });
}

async function send(file: File, companyId: string, change: (changed: Partial<SentFile>) => void): Promise<void> {
  const mediaType = mediaTypes[file.name.split('.').at(-1)?.toLowerCase() ?? ''];
  if (mediaType === undefined) return change({ state: 'REFUSED' });
  change({ state: 'SENDING' });
  try {
    const { data } = await client.post('/uploads', { body: { mediaType, byteSize: file.size } });
    const uploadId = data.upload_id;
    change({ uploadId });
    await client.sendFile(uploadId, file, { mediaType });
    await analyze(uploadId, companyId);
    change({ state: 'SENT' });
  } catch (error) {
    change({ state: 'REFUSED', error: error as Error });
    // The session has ended: the remaining files would be refused as well, and the app asks to sign in.
    if (error instanceof ApiError && error.status === 401) throw error;
  }
}

/**
 * Requests the analysis of an uploaded document. A document that cannot be read causes no error here, because its state
 * shows the reason.
 */
async function analyze(uploadId: string, companyId: string): Promise<void> {
  try {
    await client.post('/invoices/from-upload', {
      body: { upload_id: uploadId, ...(companyId === '' ? {} : { company_id: companyId }) },
      headers: { prefer: `respond-async, wait=${WAIT_SECONDS}` },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 422)) throw error;
  }
}
