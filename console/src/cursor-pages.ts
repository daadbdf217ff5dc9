interface CursorPage {
  readonly nextCursor: string | null;
}

interface NextPage {
  readonly cursor?: string;
}

/**
 * Options with which `useInfiniteQuery` reads a list of the API page by page. The page parameter holds the `cursor` of
 * the page and is empty for the first page.
 */
export const cursorPages = {
  initialPageParam: {} as NextPage,
  getNextPageParam: ({ nextCursor }: CursorPage): NextPage | undefined =>
    nextCursor === null ? undefined : { cursor: nextCursor },
};
