import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { cursorPages } from './cursor-pages.js';

/** Number of items that one request reads. */
const PAGE_SIZE = 50;

/** A list of the API as far as it has been read. */
export interface List<Item> {
  /** The items, or undefined until the first page has arrived. */
  readonly items: readonly Item[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Reads the next page. Undefined after the last page. */
  readonly readMore: (() => Promise<unknown>) | undefined;
}

interface ListPage<Item> {
  readonly data: { readonly items: readonly Item[]; readonly nextCursor?: string | null };
}

/**
 * Reads a list of the API page by page.
 * @param queryKey name of the list in the cache, with the values that filter it
 * @param read reads one page, which is the first page if there is no `cursor`
 */
export function useList<Item>(
  queryKey: readonly unknown[],
  read: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<ListPage<Item>>,
): List<Item> {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const { items, nextCursor = null } = (await read({ limit: PAGE_SIZE, ...pageParam }, signal)).data;
      return { items, nextCursor };
    },
    ...cursorPages,
  });
  return {
    items: data?.pages.flatMap(({ items }) => items),
    error,
    retry: () => void refetch(),
    readMore: hasNextPage ? fetchNextPage : undefined,
  };
}

/**
 * Returns a function that reloads everything that is cached under the given names, for use after a change. Callers do
 * not wait for the data, because the change is already stored.
 */
export function useRefresh(names: readonly string[]): () => void {
  const queries = useQueryClient();
  return () => {
    for (const name of names) void queries.invalidateQueries({ queryKey: [name] });
  };
}
