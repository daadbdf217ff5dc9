import { createHash } from 'node:crypto';
import { invalidField } from '@invoicecontrol/errors';
import { MALFORMED_CURSOR, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import { examples, exampleOf } from './examples.js';
import { dateOrDateTime, toInstant } from './fields.js';

const CURSOR_LENGTH_MAX = 1_000;
/** Refusal for a cursor that comes from another list or from other filters. */
const FOREIGN_CURSOR =
  'Must be the `nextCursor` from a page of this list with the same filters. Omit the cursor to get the first page.';

/** Format of the cursors of paginated lists (base64url). */
const CURSOR = /^[A-Za-z0-9_-]+$/;
const WHOLE_NUMBER = /^[0-9]{1,3}$/;

/** Query parameters of every list (interpretations, Lists). Any other parameter is refused. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .refine(
      (value) => WHOLE_NUMBER.test(value) && Number(value) >= 1 && Number(value) <= PAGE_SIZE_MAX,
      `Must be a whole number from 1 to ${PAGE_SIZE_MAX}.`,
    )
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      default: PAGE_SIZE_DEFAULT,
      description: 'The maximum number of entries on a page of the list.',
    })
    .optional(),
  cursor: z
    .string()
    .refine((value) => CURSOR.test(value) && value.length <= CURSOR_LENGTH_MAX, MALFORMED_CURSOR)
    .meta({
      minLength: 1,
      maxLength: CURSOR_LENGTH_MAX,
      pattern: CURSOR.source,
      description:
        'The `nextCursor` of the previous page, sent unchanged and with the same filters. Any other value is refused.',
    })
    .optional(),
  created_from: dateOrDateTime()
    .meta({
      description: 'Return only items created at or after this time. A date means the beginning of that day in UTC.',
    })
    .optional(),
  created_to: dateOrDateTime()
    .meta({ description: 'Return only items created before this time. A date means the beginning of that day in UTC.' })
    .optional(),
});

/** Page of a list that a request asks for, and a function that builds its response. */
export interface ListRequest {
  readonly request: {
    pageSize: number;
    pageToken: string;
    createdFromTime: Date | undefined;
    createdToTime: Date | undefined;
  };
  page<T>(items: T[], nextPageToken: string): Page<T>;
}

interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Number of characters of a list cursor that identify its list and filters. */
const MARK_LENGTH = 8;

/**
 * Reads the query of a list request. A cursor consists of a mark and the page token that the service with the list
 * returned. The mark identifies the list and its filters, because the token would be meaningless in another list or
 * with other filters.
 * @param list identifies the list in all requests for its pages: the operation, and the resource whose list it is
 * @throws DomainError invalid for a cursor of another list or of other filters
 */
export function listRequest(list: string, query: z.infer<typeof pageQuery>): ListRequest {
  const { limit, cursor = '', ...filters } = query;
  const stated = Object.entries(filters).filter(([, value]) => value !== undefined);
  const mark = createHash('sha256')
    .update(JSON.stringify([list, ...stated.sort(([left], [right]) => (left < right ? -1 : 1))]))
    .digest('base64url')
    .slice(0, MARK_LENGTH);
  if (cursor !== '' && !(cursor.startsWith(mark) && cursor.length > MARK_LENGTH))
    throw invalidField('cursor', FOREIGN_CURSOR);
  return {
    request: {
      pageSize: limit === undefined ? PAGE_SIZE_DEFAULT : Number(limit),
      pageToken: cursor.slice(MARK_LENGTH),
      createdFromTime: filters.created_from === undefined ? undefined : toInstant(filters.created_from),
      createdToTime: filters.created_to === undefined ? undefined : toInstant(filters.created_to),
    },
    page: (items, nextPageToken) => ({ items, nextCursor: nextPageToken === '' ? null : `${mark}${nextPageToken}` }),
  };
}

/**
 * Schema for a page of a list, `{ items, nextCursor }`. `nextCursor` is null on the last page.
 * @param entries names the entries of the list in the descriptions, in the plural
 */
export function pageOf<S extends z.ZodType>(entries: string, item: S) {
  const schema = z.object({
    items: z.array(item).describe(`The ${entries} on this page of the list.`),
    nextCursor: z
      .string()
      .nullable()
      .describe(`The value to send as \`cursor\` to get the next page of ${entries}, or null on the last page.`),
  });
  const example = { items: [exampleOf(item)], nextCursor: null } as z.infer<typeof schema>;
  return schema.register(examples, { example } as never);
}

/** Returns the schema of a response with a list that always has a single page. */
export function onlyPage<T>(items: T[]): Page<T> {
  return { items, nextCursor: null };
}
