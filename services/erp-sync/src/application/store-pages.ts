import type { Page } from '../providers/provider.js';

type AnyPage = Page<{ readonly externalId: string }>;

interface Steps<P> {
  /** Checks whether a page of ERP records may be stored. */
  admit(page: P): Promise<void>;
  store(page: P): Promise<void>;
  /** Callback that is called when everything up to the end of the page of ERP records is stored. */
  commit(page: P): Promise<void>;
}

/**
 * Stores pages of ERP records and commits them in their order. At most two pages of ERP records are stored at the same
 * time. If two pages contain the same record, they are stored one after the other, so that the later page wins.
 * Regardless of how reading ends, all admitted pages are committed if possible, and no work is in progress at the end.
 */
export async function storePages<P extends AnyPage>(pages: AsyncIterable<P>, steps: Steps<P>): Promise<void> {
  let underWay: { readonly page: P; readonly stored: Promise<void> } | undefined;
  const commitUnderWay = async (): Promise<void> => {
    if (underWay === undefined) return;
    const { page, stored } = underWay;
    underWay = undefined;
    await stored;
    await steps.commit(page);
  };
  try {
    for await (const page of pages) {
      await steps.admit(page);
      if (underWay !== undefined && !areApart(underWay.page, page)) await commitUnderWay();
      const stored = steps.store(page);
      // The promise is awaited when the next page of ERP records arrives or at the end. The empty catch avoids an
      // unhandled rejection until then.
      stored.catch(() => {});
      try {
        await commitUnderWay();
      } catch (error) {
        await stored.catch(() => {});
        throw error;
      }
      underWay = { page, stored };
    }
  } finally {
    await commitUnderWay();
  }
}

/**
 * Checks whether no ERP record is on both pages, so that the pages may be stored in any order. If one of the pages
 * reports deleted records, the order matters, because a deleted record may be on the other page.
 */
function areApart(one: AnyPage, other: AnyPage): boolean {
  if (one.deletedIds.length > 0 || other.deletedIds.length > 0) return false;
  const ids = new Set(one.records.map(({ externalId }) => externalId));
  return !other.records.some(({ externalId }) => ids.has(externalId));
}
