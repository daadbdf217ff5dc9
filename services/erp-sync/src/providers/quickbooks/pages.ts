import { ErpFault } from '../../domain/faults.js';
import type { RowsPage } from '../define-provider.js';
import { textOf } from '../json.js';
import type { EntityName, QuickBooksClient } from './client.js';

/** Pages that are read again because rows vanished before them. */
export const STEPS_BACK_MAX = 20;
const ROWS_MAX = 1_000;

export interface PagesOptions {
  readonly entity: EntityName;
  /** Statement without order and page. */
  readonly statement: string;
  readonly pageSize: number;
  /** `position` of the last page that was stored. */
  readonly after?: string | undefined;
}

/**
 * Pages of a statement in the order of ids. QuickBooks Online pages by counting rows, so that a deleted row moves all later ones
 * and the first row of the next page would be skipped. Each page therefore begins with the last row of the page before. If it is
 * another one, the page before is read again; and where that has no row that was read, because the run before ended long ago and
 * many were deleted since, all are.
 */
export async function* readPages(
  client: Pick<QuickBooksClient, 'query'>,
  { entity, statement, pageSize, after }: PagesOptions,
): AsyncIterable<RowsPage> {
  let { begin, lastId } = readPosition(after);
  /** Ids of rows that were read right before the next page. */
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

/** `1001:25`: the next row, and the id of the one before it. */
function readPosition(after: string | undefined): { begin: number; lastId: string | undefined } {
  const [, begin, lastId = ''] = /^([1-9]\d{0,8}):(.*)$/s.exec(after ?? '') ?? [];
  if (begin === undefined) return { begin: 1, lastId: undefined };
  return { begin: Number(begin), lastId: lastId === '' ? undefined : lastId };
}
