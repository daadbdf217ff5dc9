import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type Summary = Schemas['FindingsSummary'];
export type Scan = Schemas['Scan'];
export type ScanReport = Schemas['ScanReport'];
export type ScanSummary = Schemas['ScanSummary'];

/** Filters for the findings that a report counts. An empty text means that a filter is not used. */
export interface ReportFilters {
  readonly from: string;
  readonly to: string;
  readonly company: string;
}

/**
 * Returns the filters in the form that the API takes. The API counts months in UTC, so the days of the filters are UTC
 * days too.
 */
export function queryOf({ from, to, company }: ReportFilters) {
  const end = new Date(`${to}T00:00:00Z`);
  if (to !== '') end.setUTCDate(end.getUTCDate() + 1);
  return {
    ...(from === '' ? {} : { created_from: `${from}T00:00:00.000Z` }),
    ...(to === '' ? {} : { created_to: end.toISOString() }),
    ...(company === '' ? {} : { company_id: company }),
  };
}

export function useSummary(filters: ReportFilters) {
  return useQuery({
    queryKey: ['findings', 'summary', filters],
    queryFn: async ({ signal }) => (await client.get('/findings/summary', { query: queryOf(filters), signal })).data,
  });
}

export function useScans() {
  return useList(['scans', 'list'], (query, signal) => client.get('/scans', { query, signal }));
}

export function useScan(scanId: string) {
  return useQuery({
    queryKey: ['scans', scanId],
    queryFn: async ({ signal }) => (await client.get('/scans/{scanId}', { path: { scanId }, signal })).data,
  });
}

export function useScanReport(scanId: string) {
  return useQuery({
    queryKey: ['scans', scanId, 'report'],
    queryFn: async ({ signal }) => (await client.get('/scans/{scanId}/report', { path: { scanId }, signal })).data,
  });
}
