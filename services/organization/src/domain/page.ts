import { invalidField } from '@invoicecontrol/errors';

/** A list is read newest first, by time of creation and, within the same instant, by id. */
export interface PageRequest {
  readonly size: number;
  /** The last entry of the page before. */
  readonly after: PagePosition | undefined;
  readonly createdFrom: Date | undefined;
  /** Exclusive. */
  readonly createdTo: Date | undefined;
}

export interface PagePosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

const PAGE_SIZE_MAX = 100;
const PAGE_SIZE_DEFAULT = 50;

/**
 * What a list request asks for. Faults are told in the words of the public API.
 * @throws DomainError invalid
 */
export function readPageRequest(request: {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly createdFromTime?: Date | undefined;
  readonly createdToTime?: Date | undefined;
}): PageRequest {
  const size = request.pageSize === 0 ? PAGE_SIZE_DEFAULT : request.pageSize;
  if (size < 1 || size > PAGE_SIZE_MAX) throw invalidField('limit', `must be from 1 to ${PAGE_SIZE_MAX}.`);
  return {
    size,
    after: request.pageToken === '' ? undefined : readPageToken(request.pageToken),
    createdFrom: request.createdFromTime,
    createdTo: request.createdToTime,
  };
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

/** The page of a list that is at hand as a whole. */
export function pageOfList<T extends PagePosition>(list: readonly T[], request: PageRequest): Page<T> {
  const { size, after, createdFrom, createdTo } = request;
  const found = list
    .filter(
      (item) =>
        (after === undefined || newestFirst(after, item) < 0) &&
        (createdFrom === undefined || item.createdAt >= createdFrom) &&
        (createdTo === undefined || item.createdAt < createdTo),
    )
    .sort(newestFirst);
  return pageOf(found, size, (item) => item);
}

function newestFirst(left: PagePosition, right: PagePosition): number {
  const byTime = right.createdAt.getTime() - left.createdAt.getTime();
  if (byTime !== 0) return byTime;
  if (left.id === right.id) return 0;
  return left.id < right.id ? 1 : -1;
}

function writePageToken({ createdAt, id }: PagePosition): string {
  return Buffer.from(`${createdAt.toISOString()}|${id}`).toString('base64url');
}

function readPageToken(token: string): PagePosition {
  const [, instant, id] = /^([^|]{24})\|([0-9A-Za-z-]{1,64})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  const createdAt = new Date(instant ?? '');
  const position = id === undefined || Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, id };
  // Decoding forgives other spellings; a token that we did not write in exactly this way is none.
  if (position === undefined || writePageToken(position) !== token) {
    throw invalidField('cursor', 'is not one that a list answered with; leave it out to begin at the start.');
  }
  return position;
}
