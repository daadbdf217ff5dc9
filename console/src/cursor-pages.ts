interface CursorPage {
  readonly nextCursor: string | null;
}

interface NextPage {
  readonly cursor?: string;
}

/** Options by which `useInfiniteQuery` reads a list of the API page by page. The page parameter is part of the query. */
export const cursorPages = {
  initialPageParam: {} as NextPage,
  getNextPageParam: ({ nextCursor }: CursorPage): NextPage | undefined =>
    nextCursor === null ? undefined : { cursor: nextCursor },
};
