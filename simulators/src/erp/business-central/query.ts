import type { Call, Row } from '../call.js';
import type { Table } from '../table.js';
import type { Entity } from './entities.js';
import { compare, QueryRefusal, readFilter, unknownProperty } from './filter.js';

const PAGE_ROWS_MAX = 20_000;
const options: ReadonlySet<string> = new Set([
  '$filter',
  '$select',
  '$orderby',
  '$top',
  '$skip',
  '$skiptoken',
  '$count',
  '$schemaversion',
  'company',
  'aid',
  'tenant',
]);

/**
 * Returns the rows of one page of a Business Central list, as the query asks for them: `$filter`, `$orderby`,
 * `$select`, `$top`, `$skip`, and `Prefer: odata.maxpagesize`.
 * @throws QueryRefusal, PageTooLarge
 */
export function readPage(
  call: Call,
  entity: Entity,
  table: Table<string>,
): { readonly rows: readonly Row[]; readonly nextSkipToken: string | undefined } {
  const { query } = call;
  for (const name of Object.keys(query)) {
    if (!options.has(name)) throw new QueryRefusal(`The query parameter '${name}' is not supported.`);
  }
  const size = pageSizeOf(call);
  const top = readCount(query['$top'], '$top') ?? Infinity;
  const select = query['$select']?.split(',').map((name) => name.trim());
  for (const name of select ?? []) if (entity.fields[name] === undefined) throw unknownProperty(name, entity);
  const matches =
    query['$filter'] === undefined
      ? () => true
      : readFilter(query['$filter'], entity, { allowsIn: query['$schemaversion'] === '2.1' });
  const order = readOrder(query['$orderby'] ?? 'number', entity);
  const isById = order.length === 1 && order[0]?.field === 'id' && !order[0].isDescending;
  const all = isById ? table.all() : sort(table.all(), order, entity);
  // The page token of Business Central contains the number of rows so far, for `$top`, and the beginning of the next
  // page.
  const token = readSkipToken(query['$skiptoken']);
  const begin = token === undefined ? 0 : isById ? table.positionAfter(token.after) : Number(token.after);
  const given = token?.given ?? 0;
  let skip = token === undefined ? (readCount(query['$skip'], '$skip') ?? 0) : 0;

  const rows: Row[] = [];
  const wanted = Math.min(size, top - given);
  let at = begin;
  let hasMore = false;
  for (; at < all.length; at++) {
    const row = all[at];
    if (row === undefined || !matches(row)) continue;
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    if (rows.length === wanted) {
      hasMore = given + rows.length < top;
      break;
    }
    rows.push(row);
  }
  const after = isById ? String(rows.at(-1)?.['id']) : String(at);
  return {
    rows: select === undefined ? rows : rows.map((row) => project(row, select)),
    nextSkipToken: hasMore ? writeSkipToken({ given: given + rows.length, after }) : undefined,
  };
}

/** Error for a request of more rows than a page of Business Central may have (413). */
export class PageTooLarge extends Error {}

/**
 * Returns the page size that the caller of the OData API prefers, but at most the maximum.
 * @throws PageTooLarge
 */
function pageSizeOf({ headers }: Call): number {
  const [, asked] = /odata\.maxpagesize\s*=\s*(\d+)/i.exec(headers['prefer'] ?? '') ?? [];
  const size = Number(asked ?? PAGE_ROWS_MAX);
  if (size > PAGE_ROWS_MAX) throw new PageTooLarge();
  return Math.max(1, size);
}

function readCount(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new QueryRefusal(`Invalid value '${text}' for ${name} query option found.`);
  return Number(text);
}

interface Order {
  readonly field: string;
  readonly isDescending: boolean;
}

function readOrder(text: string, entity: Entity): readonly Order[] {
  return text
    .split(',')
    .map((part) => part.trim().split(/\s+/))
    .filter(([field]) => field !== 'number' || 'number' in entity.fields)
    .map(([field = '', direction = 'asc']) => {
      if (entity.fields[field] === undefined) throw unknownProperty(field, entity);
      if (direction !== 'asc' && direction !== 'desc') throw new QueryRefusal(`Syntax error at '${direction}'.`);
      return { field, isDescending: direction === 'desc' };
    });
}

function sort(rows: readonly Row[], order: readonly Order[], { fields }: Entity): readonly Row[] {
  return rows.toSorted((left, right) => {
    for (const { field, isDescending } of order) {
      const found = compare(left[field], right[field], fields[field] ?? 'string');
      if (found !== 0) return isDescending ? -found : found;
    }
    return 0;
  });
}

function project(row: Row, select: readonly string[]): Row {
  const projected: Record<string, unknown> = { '@odata.etag': row['@odata.etag'] };
  for (const name of select) projected[name] = row[name];
  return projected;
}

interface SkipToken {
  readonly given: number;
  /**
   * Point at which the next page of Business Central begins: an id if the rows are sorted by id, and otherwise a
   * position.
   */
  readonly after: string;
}

function writeSkipToken(token: SkipToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readSkipToken(text: string | undefined): SkipToken | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const { given, after } = JSON.parse(Buffer.from(text, 'base64url').toString()) as SkipToken;
    if (typeof given !== 'number' || typeof after !== 'string') throw new TypeError('not a token');
    return { given, after };
  } catch {
    throw new QueryRefusal('The $skiptoken is not valid.');
  }
}
