import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { ApiError } from '@invoicecontrol/client/browser';
import type { Schemas } from '@invoicecontrol/client/browser';
import { client } from '../../client.js';
import type { Finding } from '../../client.js';
import { cursorPages } from '../../cursor-pages.js';

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
/** Families of findings. */
export const families = ['DUP', 'BANK', 'SUP', 'AMT', 'TAX', 'DATE', 'NUM', 'PO', 'CUR', 'BUY', 'DOC', 'SCAN'] as const;
export const sorts = ['severity', 'amount_at_risk', 'newest'] as const;

export interface Filters {
  readonly min_severity?: Finding['severity'];
  /** Dispositions, separated by commas. */
  readonly disposition?: string;
  /** Kinds of findings, separated by commas. */
  readonly family?: string;
  readonly assignee_user_id?: string;
  /** Search text: the beginning of an invoice number or of a supplier name, or a tax id. */
  readonly q?: string;
  readonly supplier_id?: string;
  readonly scan_id?: string;
  readonly sort: (typeof sorts)[number];
}

export type View = Schemas['SavedView'];

/** The result for one finding of a request that changes several findings. */
export type BatchItem = Schemas['FindingBatchItem'];

/** A disposition of a finding that a person may set. */
export type Decision = Exclude<Finding['disposition'], 'SUPERSEDED'>;

const FINDINGS = 'findings';
export const VIEWS = 'views';
/** Number of findings that one request reads. */
const PAGE_SIZE = 50;
/** Maximum number of findings that one request of the API decides or assigns. A person cannot select more findings. */
export const SELECTED_MAX = 100;

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
    ...cursorPages,
    // A decided finding stays in the list until the person leaves the list, so that the next finding does not move
    // under the cursor.
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Reads the saved views of the person, and those that everybody in the organization shares. */
export function useViews() {
  return useQuery({
    queryKey: [VIEWS],
    queryFn: async ({ signal }) => (await client.get('/views', { signal })).data.items,
  });
}

function findingQuery(findingId: string) {
  return {
    queryKey: [FINDINGS, findingId],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await client.get('/findings/{findingId}', { path: { findingId }, signal })).data,
  };
}

export function useFinding(findingId: string) {
  return useQuery(findingQuery(findingId));
}

export function useHistory(findingId: string) {
  return useQuery({
    queryKey: [FINDINGS, findingId, 'history'],
    queryFn: async ({ signal }) =>
      (await client.get('/findings/{findingId}/history', { path: { findingId }, signal })).data.items,
  });
}

/** A review of a finding by a person. `expected_disposition` is the disposition that the person saw. */
interface NewReview {
  readonly disposition: Decision;
  readonly note?: string;
  readonly expected_disposition?: Finding['disposition'];
}

/**
 * Reviews a finding, and shows its new disposition in the list and in the detail. If another reviewer decided first,
 * that reviewer's disposition is shown, so that the person can review the finding as it is.
 */
export function useReview() {
  const onSuccess = useShowChanged();
  const showCurrent = useShowCurrent();
  return useMutation({
    async mutationFn({ findingId, ...body }: NewReview & { readonly findingId: string }) {
      return (await client.post('/findings/{findingId}/review', { path: { findingId }, body })).data;
    },
    onSuccess,
    onError(error, { findingId }) {
      if (error instanceof ApiError && error.status === 409) showCurrent(findingId);
    },
  });
}

/**
 * Reviews several findings independently of each other, each only if it still has the disposition that the person saw,
 * and shows their new dispositions. Findings with different dispositions are sent in one request for each disposition.
 */
export function useReviewAll() {
  const showChanged = useShowChanged();
  const showCurrent = useShowCurrent();
  return useMutation({
    async mutationFn({
      findings,
      ...review
    }: Pick<NewReview, 'disposition' | 'note'> & { findings: readonly Finding[] }) {
      const all: BatchItem[] = [];
      for (const seen of new Set(findings.map(({ disposition }) => disposition))) {
        const finding_ids = findings.filter(({ disposition }) => disposition === seen).map(({ id }) => id);
        const body = { finding_ids, ...review, expected_disposition: seen };
        const { items } = (await client.post('/findings/reviews', { body })).data;
        changedIn(items).forEach(showChanged);
        for (const { id, error } of items) if (error?.code === 'CONFLICT') showCurrent(id);
        all.push(...items);
      }
      return all;
    },
  });
}

/** Assigns several findings to a member, or to nobody. */
export function useAssignAll() {
  const showChanged = useShowChanged();
  return useMutation({
    mutationFn: async (body: { finding_ids: string[]; assignee_user_id: string | null }) =>
      (await client.patch('/findings/assignments', { body })).data.items,
    onSuccess: (items) => changedIn(items).forEach(showChanged),
  });
}

function changedIn(items: readonly BatchItem[]): readonly Finding[] {
  return items.flatMap(({ finding }) => (finding === null ? [] : [finding]));
}

/** Assigns a finding to a member, or to nobody, and shows it in the list and in the detail. */
export function useAssign() {
  const onSuccess = useShowChanged();
  return useMutation({
    async mutationFn({ findingId, userId }: { findingId: string; userId: string | null }) {
      const body = { assignee_user_id: userId };
      return (await client.patch('/findings/{findingId}/assignment', { path: { findingId }, body })).data;
    },
    onSuccess,
  });
}

/**
 * Returns a function that shows a changed finding in the list and in the detail, and reloads the history of the
 * finding.
 */
function useShowChanged(): (changed: Finding) => void {
  const queries = useQueryClient();
  return (changed) => {
    queries.setQueryData([FINDINGS, changed.id], changed);
    void queries.invalidateQueries({ queryKey: [FINDINGS, changed.id, 'history'] });
    queries.setQueriesData<InfiniteData<FindingsPageData>>({ queryKey: [FINDINGS, 'list'] }, (list) =>
      list === undefined
        ? undefined
        : {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              items: page.items.map((finding) => (finding.id === changed.id ? changed : finding)),
            })),
          },
    );
  };
}

/** Returns a function that reloads a finding that somebody else has changed, and shows its current state. */
function useShowCurrent(): (findingId: string) => void {
  const queries = useQueryClient();
  const showChanged = useShowChanged();
  return (findingId) => {
    // If reading the finding fails, nothing more is shown: the refusal of the review already says that the finding was
    // changed.
    void queries.query({ ...findingQuery(findingId), staleTime: 0 }).then(showChanged, () => undefined);
  };
}
