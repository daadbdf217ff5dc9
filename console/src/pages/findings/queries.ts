import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { client } from '../../client.js';
import type { Finding } from '../../client.js';

export const severities = [
  'CRITICAL',
  'HIGH',
  'MEDIUM',
  'LOW',
  'INFO',
] as const satisfies readonly Finding['severity'][];
export const dispositions = [
  'OPEN',
  'UNDER_REVIEW',
  'CONFIRMED',
  'FALSE_POSITIVE',
  'ACCEPTED_RISK',
  'RESOLVED',
  'SUPERSEDED',
] as const satisfies readonly Finding['disposition'][];
export const sorts = ['severity', 'amount_at_risk', 'newest'] as const;

export interface Filters {
  readonly min_severity?: Finding['severity'];
  readonly disposition?: Finding['disposition'];
  readonly sort: (typeof sorts)[number];
}

/** A disposition of a finding that a person may set. */
export type Decision = Exclude<Finding['disposition'], 'SUPERSEDED'>;

const FINDINGS = 'findings';
/** Number of findings that one request reads. */
const PAGE_SIZE = 50;

interface FindingsPageData {
  readonly items: readonly Finding[];
  readonly nextCursor: string | null;
}

export function useFindings(filters: Filters) {
  return useInfiniteQuery({
    queryKey: [FINDINGS, 'list', filters],
    queryFn: async ({ pageParam, signal }): Promise<FindingsPageData> => {
      const query = { limit: PAGE_SIZE, ...filters, ...pageParam };
      return (await client.get('/findings', { query, signal })).data;
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : { cursor: nextCursor }),
    // A decided finding stays in the list until the list is left, so that the next one does not move under the cursor.
    staleTime: Infinity,
    gcTime: 0,
  });
}

export function useFinding(findingId: string) {
  return useQuery({
    queryKey: [FINDINGS, findingId],
    queryFn: async ({ signal }) => (await client.get('/findings/{findingId}', { path: { findingId }, signal })).data,
  });
}

export function useHistory(findingId: string) {
  return useQuery({
    queryKey: [FINDINGS, findingId, 'history'],
    queryFn: async ({ signal }) =>
      (await client.get('/findings/{findingId}/history', { path: { findingId }, signal })).data.items,
  });
}

/** Reviews a finding, and shows its new disposition in the list and in the detail. */
export function useReview() {
  const queries = useQueryClient();
  return useMutation({
    async mutationFn({ findingId, ...body }: { findingId: string; disposition: Decision; note?: string }) {
      return (await client.post('/findings/{findingId}/review', { path: { findingId }, body })).data;
    },
    onSuccess(reviewed) {
      queries.setQueryData([FINDINGS, reviewed.id], reviewed);
      void queries.invalidateQueries({ queryKey: [FINDINGS, reviewed.id, 'history'] });
      queries.setQueriesData<InfiniteData<FindingsPageData>>({ queryKey: [FINDINGS, 'list'] }, (list) =>
        list === undefined
          ? undefined
          : {
              ...list,
              pages: list.pages.map((page) => ({
                ...page,
                items: page.items.map((finding) => (finding.id === reviewed.id ? reviewed : finding)),
              })),
            },
      );
    },
  });
}
