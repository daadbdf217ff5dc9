import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../client.js';
import type { Invoice } from '../../client.js';
import { useList } from '../../lists.js';

export type Decision = NonNullable<Invoice['decision']>;
export const decisions = ['BLOCK', 'REVIEW', 'PASS'] as const satisfies readonly Decision[];

const INVOICES = 'invoices';

export interface InvoiceFilters {
  readonly decision?: Decision;
  /** Search text: the beginning of an invoice number or of a supplier name, or a tax id. */
  readonly q?: string;
  readonly supplier_id?: string;
}

export function useInvoices(filters: InvoiceFilters) {
  return useList([INVOICES, 'list', filters], (page, signal) =>
    client.get('/invoices', { query: { ...page, ...filters }, signal }),
  );
}

export function useInvoice(invoiceId: string) {
  return useQuery({
    queryKey: [INVOICES, invoiceId],
    queryFn: async ({ signal }) => (await client.get('/invoices/{invoiceId}', { path: { invoiceId }, signal })).data,
  });
}

/** Reads the latest analysis of a decided invoice, with its findings. */
export function useAnalysis({ id: invoiceId, status }: Invoice) {
  return useQuery({
    queryKey: [INVOICES, invoiceId, 'analysis'],
    queryFn: async ({ signal }) =>
      (await client.get('/invoices/{invoiceId}/analysis/latest', { path: { invoiceId }, signal })).data,
    enabled: status === 'ANALYZED',
  });
}

/** Reads the events in the life of an invoice. */
export function useTimeline(invoiceId: string) {
  return useQuery({
    queryKey: [INVOICES, invoiceId, 'timeline'],
    queryFn: async ({ signal }) =>
      (await client.get('/invoices/{invoiceId}/timeline', { path: { invoiceId }, signal })).data,
  });
}

/** Reads where the fields of an invoice are in its document. */
export function useDocumentFields(invoiceId: string) {
  return useQuery({
    queryKey: [INVOICES, invoiceId, 'fields'],
    queryFn: async ({ signal }) =>
      (await client.get('/invoices/{invoiceId}/document/fields', { path: { invoiceId }, signal })).data,
    // The document of an invoice never changes, so the positions of its fields are read only once.
    staleTime: Infinity,
  });
}

/** Analyzes an invoice again with the data that is known now, and shows the new decision. */
export function useReanalyze(invoiceId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => (await client.post('/invoices/{invoiceId}/reanalyze', { path: { invoiceId } })).data,
    onSuccess: () => void queries.invalidateQueries({ queryKey: [INVOICES] }),
  });
}
