import { MALFORMED_CURSOR, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import { examples, exampleOf } from './examples.js';
import { dateOrDateTime, toInstant } from './fields.js';

const CURSOR_LENGTH_MAX = 1_000;

/** Base64url, in which lists write their cursors. */
const CURSOR = /^[A-Za-z0-9_-]+$/;
const WHOLE_NUMBER = /^[0-9]{1,3}$/;

/** What every list understands (interpretations, Lists); anything else in the query is refused. */
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
      description: 'How many items a page has at most.',
    })
    .optional(),
  cursor: z
    .string()
    .refine((value) => CURSOR.test(value) && value.length <= CURSOR_LENGTH_MAX, MALFORMED_CURSOR)
    .meta({
      minLength: 1,
      maxLength: CURSOR_LENGTH_MAX,
      pattern: CURSOR.source,
      description: 'The `nextCursor` of the page before, unchanged. Any other text is refused.',
    })
    .optional(),
  created_from: dateOrDateTime().meta({ description: 'Inclusive. A day means its beginning in UTC.' }).optional(),
  created_to: dateOrDateTime().meta({ description: 'Exclusive. A day means its beginning in UTC.' }).optional(),
});

export interface PageRequest {
  pageSize: number;
  pageToken: string;
  createdFromTime: Date | undefined;
  createdToTime: Date | undefined;
}

/** The part of a list request that all lists share. */
export function pageRequest(query: z.infer<typeof pageQuery>): PageRequest {
  return {
    pageSize: query.limit === undefined ? PAGE_SIZE_DEFAULT : Number(query.limit),
    pageToken: query.cursor ?? '',
    createdFromTime: query.created_from === undefined ? undefined : toInstant(query.created_from),
    createdToTime: query.created_to === undefined ? undefined : toInstant(query.created_to),
  };
}

/** `{ items, nextCursor }`; `nextCursor` is null on the last page. */
export function pageOf<S extends z.ZodType>(item: S) {
  const schema = z.object({
    items: z.array(item).describe('The items of this page.'),
    nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page. Null on the last page.'),
  });
  const example = { items: [exampleOf(item)], nextCursor: null } as z.infer<typeof schema>;
  return schema.register(examples, { example } as never);
}

export function page<T>(items: T[], nextPageToken: string): { items: T[]; nextCursor: string | null } {
  return { items, nextCursor: nextPageToken === '' ? null : nextPageToken };
}
