import { createHash } from 'node:crypto';
import { ErpFault } from '../domain/faults.js';
import type { Page } from '../providers/provider.js';

/** Maximum number of pages of ERP records that one import run reads from a stream. */
export const PAGES_MAX = 10_000;
/** Maximum number of consecutive pages of ERP records without rows. */
export const EMPTY_PAGES_MAX = 100;

/** Recognizes an ERP that sends the same page again or sends pages without end. */
export function pagesSeen(after: string | undefined): { add(page: Page<{ readonly externalId: string }>): void } {
  const positions = new Set(after === undefined ? [] : [after]);
  const contents = new Set<string>();
  let pages = 0;
  let emptyPages = 0;
  return {
    add({ records, invalid, deletedIds, besides, position, rowIds = records.map(({ externalId }) => externalId) }) {
      const isEmpty = rowIds.length + invalid.length + deletedIds.length === 0 && besides === undefined;
      emptyPages = isEmpty ? emptyPages + 1 : 0;
      if (++pages > PAGES_MAX || emptyPages > EMPTY_PAGES_MAX) throw endless();
      // Only pages with records must have a new position: an empty page of ERP records may end at the position at which
      // it began.
      if (position !== undefined && !isEmpty) {
        if (positions.has(position)) throw endless();
        positions.add(position);
      }
      if (rowIds.length === 0) return;
      const content = createHash('sha256').update(JSON.stringify(rowIds)).digest('base64');
      if (contents.has(content)) throw endless();
      contents.add(content);
    },
  };
}

function endless(): ErpFault {
  return new ErpFault('BAD_RESPONSE', 'The ERP returned the same page again, or has more pages than a run may read.');
}
