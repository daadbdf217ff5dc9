import { invalidField } from '@invoicecontrol/errors';

export const PAGE_SIZE_MAX = 100;
export const PAGE_SIZE_DEFAULT = 50;
/** The refusal of a cursor that no list wrote. */
export const MALFORMED_CURSOR =
  'Must be the `nextCursor` of the page before, unchanged. Leave it out for the first page.';

/** A place in a list: the number that the list is ordered by (of a time its milliseconds), then the id. */
export interface PagePosition {
  readonly order: number;
  readonly id: string;
}

/** A page of a list as every store and use case is asked for it. */
export interface PageRequest {
  readonly size: number;
  /** The last entry of the page before. */
  readonly after: PagePosition | undefined;
  readonly createdFrom: Date | undefined;
  /** Exclusive. */
  readonly createdTo: Date | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** The fields of a list request in the contracts; a list that is not ordered by time has no bounds of it. */
interface WirePageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly createdFromTime?: Date | undefined;
  readonly createdToTime?: Date | undefined;
}

/**
 * Reads what a list request asks for. Faults are named as in the public API: `limit`, `cursor`.
 * @throws DomainError invalid
 */
export function readPageRequest({ pageSize, pageToken, createdFromTime, createdToTime }: WirePageRequest): PageRequest {
  const size = pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
  if (size < 1 || size > PAGE_SIZE_MAX) throw invalidField('limit', `must be from 1 to ${PAGE_SIZE_MAX}.`);
  return { size, after: readPageToken(pageToken), createdFrom: createdFromTime, createdTo: createdToTime };
}

/**
 * Makes a page of the entries that were found.
 * @param found one entry more than the page holds, where there is one
 */
export function pageOf<T>(found: readonly T[], size: number, positionOf: (item: T) => PagePosition): Page<T> {
  const items = found.slice(0, size);
  const last = items.at(-1);
  const hasMore = found.length > size && last !== undefined;
  return { items, nextPageToken: hasMore ? writePageToken(positionOf(last)) : '' };
}

/** Makes a page of a list that is in memory as a whole and is read in ascending order of its positions. */
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

/** Makes a page of a list that is in memory as a whole and is read newest first. */
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

/** Opaque to callers: where the next page of a list begins. */
function writePageToken({ order, id }: PagePosition): string {
  return Buffer.from(`${order}|${id}`).toString('base64url');
}

/**
 * @returns undefined for the empty token, which asks for the first page
 * @throws DomainError invalid when {@link writePageToken} did not write exactly this
 */
function readPageToken(token: string): PagePosition | undefined {
  if (token === '') return undefined;
  const decoded = Buffer.from(token, 'base64url').toString('latin1');
  const [, order, id = ''] = /^(\d{1,15})\|([0-9A-Za-z_-]{16,64})$/.exec(decoded) ?? [];
  const position = { order: Number(order), id };
  // Decoding forgives other spellings of a token.
  if (order === undefined || writePageToken(position) !== token) throw invalidField('cursor', MALFORMED_CURSOR);
  return position;
}
