import { ErpFault } from '../../domain/faults.js';
import type { RowsPage } from '../define-provider.js';
import { textOf } from '../json.js';
import type { EntityName, QuickBooksClient } from './client.js';

/** Maximum number of pages of ERP records that are read again because rows on earlier pages were deleted. */
export const STEPS_BACK_MAX = 20;
const ROWS_MAX = 1_000;

export interface PagesOptions {
  readonly entity: EntityName;
  /** A query for QuickBooks Online, to which the sort order and the page are added. */
  readonly statement: string;
  readonly pageSize: number;
  /** Position (`position`) of the last page of ERP records that was stored. Reading continues after that page. */
  readonly after?: string | undefined;
}

/**
 * Reads the pages of a query, sorted by id. QuickBooks Online addresses pages by row number, so a deleted row moves all
 * later rows, and the first row of the next page would be skipped. Therefore each request begins with the last row of
 * the page before. If another row is returned in its place, the page before is read again. If that page contains none
 * of the rows that were read before, all pages are read again. This happens if the last import run was long ago and
 * many rows were deleted since.
 */
export async function* readPages(
  client: Pick<QuickBooksClient, 'query'>,
  { entity, statement, pageSize, after }: PagesOptions,
): AsyncIterable<RowsPage> {
  let { begin, lastId } = readPosition(after);
  /**
   * Ids of the rows directly before the next page of a QuickBooks query. These ids show whether rows were inserted or
   * deleted before the next page.
   */
  let readBefore: ReadonlySet<string | undefined> = new Set([lastId]);
  let isSteppingBack = false;
  let stepsBack = 0;
  for (;;) {
    const checked: number = isSteppingBack || lastId === undefined ? 0 : 1;
    const asked = Math.min(pageSize + checked, ROWS_MAX);
    const page = await client.query(
      entity,
      `${statement} orderby Id startposition ${begin - checked} maxresults ${asked}`,
    );
    if (page.length > asked) throw new ErpFault('BAD_RESPONSE', 'QuickBooks Online sent more rows than requested.');
    const isBehindWhatWasRead =
      begin === 1 ||
      lastId === undefined ||
      (isSteppingBack ? page.some((row) => readBefore.has(textOf(row, 'Id'))) : textOf(page[0], 'Id') === lastId);
    if (!isBehindWhatWasRead) {
      stepsBack += 1;
      if (stepsBack > STEPS_BACK_MAX) {
        throw new ErpFault('BAD_RESPONSE', 'The pages of QuickBooks Online are not in sequence.');
      }
      begin = isSteppingBack ? 1 : Math.max(1, begin - pageSize);
      isSteppingBack = true;
      continue;
    }
    isSteppingBack = false;
    const rows = page.slice(checked);
    if (rows.length > 0) {
      begin += rows.length;
      lastId = textOf(rows.at(-1), 'Id');
      readBefore = new Set(rows.flatMap((row) => textOf(row, 'Id') ?? []));
      yield { rows, position: `${begin}:${lastId ?? ''}` };
    }
    if (page.length < asked) return;
  }
}

/**
 * Parses the position of a page of ERP records, such as `1001:25`: the number of the next row, and the id of the row
 * before it.
 */
function readPosition(after: string | undefined): { begin: number; lastId: string | undefined } {
  const [, begin, lastId = ''] = /^([1-9]\d{0,8}):(.*)$/s.exec(after ?? '') ?? [];
  if (begin === undefined) return { begin: 1, lastId: undefined };
  return { begin: Number(begin), lastId: lastId === '' ? undefined : lastId };
}
