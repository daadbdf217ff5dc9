import { invalidField } from '@invoicecontrol/errors';

export const PAGE_SIZE_MAX = 100;
export const PAGE_SIZE_DEFAULT = 50;
/** Error message for a list cursor that no response contained. */
export const MALFORMED_CURSOR =
  'Must be the `nextCursor` of the previous page, unchanged. Omit it to get the first page.';

/** Position in a paged list: the number that the list is sorted by (milliseconds for a time), and the id. */
export interface PagePosition {
  readonly order: number;
  readonly id: string;
}

/** A request for a page of a list, as use cases and stores receive it. */
export interface PageRequest {
  readonly size: number;
  /** Position of the last entry on the previous page of the list. Undefined for the first page. */
  readonly after: PagePosition | undefined;
  readonly createdFrom: Date | undefined;
  /** Exclusive upper bound of a list request for the creation time of the listed records. */
  readonly createdTo: Date | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Token with which the next page of the list is requested. Empty on the last page. */
  readonly nextPageToken: string;
}

/** Fields of a gRPC request for a page of a list. A list that is not sorted by time has no time bounds. */
interface WirePageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly createdFromTime?: Date | undefined;
  readonly createdToTime?: Date | undefined;
}

/**
 * Reads the page fields of a list request. Faults use the names of the public API: `limit`, `cursor`.
 * @throws DomainError invalid
 */
export function readPageRequest({ pageSize, pageToken, createdFromTime, createdToTime }: WirePageRequest): PageRequest {
  const size = pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
  if (size < 1 || size > PAGE_SIZE_MAX) throw invalidField('limit', `must be from 1 to ${PAGE_SIZE_MAX}.`);
  return { size, after: readPageToken(pageToken), createdFrom: createdFromTime, createdTo: createdToTime };
}

/**
 * Creates a page of a list from the entries that were found.
 * @param found the entries, with one more than the page size if there is a next page
 */
export function pageOf<T>(found: readonly T[], size: number, positionOf: (item: T) => PagePosition): Page<T> {
  const items = found.slice(0, size);
  const last = items.at(-1);
  const hasMore = found.length > size && last !== undefined;
  return { items, nextPageToken: hasMore ? writePageToken(positionOf(last)) : '' };
}

/** Creates a page of an in-memory list in ascending order of positions. */
export function ascendingPageOf<T>(
  list: readonly T[],
  { size, after }: Pick<PageRequest, 'size' | 'after'>,
  positionOf: (item: T) => PagePosition,
): Page<T> {
  const found = list
    .filter((item) => after === undefined || compare(after, positionOf(item)) < 0)
    .sort((left, right) => compare(positionOf(left), positionOf(right)));
  return pageOf(found, size, positionOf);
}

/** Creates a page of results from an in-memory list, newest first. */
export function newestPageOf<T extends { readonly createdAt: Date; readonly id: string }>(
  list: readonly T[],
  { size, after, createdFrom, createdTo }: PageRequest,
): Page<T> {
  const positionOf = ({ createdAt, id }: T): PagePosition => ({ order: createdAt.getTime(), id });
  const found = list
    .filter(
      (item) =>
        (after === undefined || compare(after, positionOf(item)) > 0) &&
        (createdFrom === undefined || item.createdAt >= createdFrom) &&
        (createdTo === undefined || item.createdAt < createdTo),
    )
    .sort((left, right) => compare(positionOf(right), positionOf(left)));
  return pageOf(found, size, positionOf);
}

function compare(left: PagePosition, right: PagePosition): number {
  if (left.order !== right.order) return left.order - right.order;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

/** Encodes the position of the next page as a token that callers cannot interpret. */
function writePageToken({ order, id }: PagePosition): string {
  return Buffer.from(`${order}|${id}`).toString('base64url');
}

/**
 * Decodes the page token of a list.
 * @returns undefined for an empty token, which requests the first page
 * @throws DomainError invalid if {@link writePageToken} did not create exactly this token
 */
function readPageToken(token: string): PagePosition | undefined {
  if (token === '') return undefined;
  const decoded = Buffer.from(token, 'base64url').toString('latin1');
  const [, order, id = ''] = /^(\d{1,15})\|([0-9A-Za-z_-]{16,64})$/.exec(decoded) ?? [];
  const position = { order: Number(order), id };
  // The decoder of page cursors also accepts other spellings of a cursor, so the cursor is compared with its encoding.
  if (order === undefined || writePageToken(position) !== token) throw invalidField('cursor', MALFORMED_CURSOR);
  return position;
}
