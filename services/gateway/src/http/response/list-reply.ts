import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { CSV_TYPE, csvText } from './csv.js';
import { contentOf } from './html.js';
import type { Reply } from './reply.js';

/** The columns of a list in CSV: each has a name, and a function that reads its value. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | null | undefined>>;

/** Media type of JSON with its charset, so that callers may also state the charset in the header Accept. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Describes for callers how a list is returned as CSV by {@link listReply}. */
export const CSV_PAGE =
  'The page is a CSV file (RFC 4180, UTF-8) with a heading row if the request has `Accept: text/csv`. The HTTP header `Link` then has the address of the next page. A cell that a spreadsheet would execute as a formula begins with an apostrophe.';

/** Media type and headers that the API description of a list states only for the CSV response. */
export const csvResponse = { mediaTypes: ['text/csv'], headers: ['Content-Disposition', 'Link'] } as const;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface ListInput {
  readonly headers: IncomingHttpHeaders;
  readonly rawQuery: string;
  readonly isHead: boolean;
}

/**
 * Returns a page of a list as JSON, or as CSV if the caller prefers it (`Accept: text/csv`). In CSV, the address of the
 * next page is in the header `Link`, because a CSV file has no place for that address.
 * @param path the path of the list below `/v1`
 */
export function listReply<Item>(
  path: string,
  page: Page<Item>,
  columns: Columns<Item>,
  { headers, rawQuery, isHead }: ListInput,
): Reply {
  const { nextCursor } = page;
  const link = nextCursor === null ? {} : { Link: `<${nextPage(path, rawQuery, nextCursor)}>; rel="next"` };
  const file = { name: path.slice(1), rows: () => page.items, columns, headers: link };
  return jsonOrCsv(page, file, { headers, isHead });
}

/** The CSV form of a response. */
interface CsvFile<Row> {
  /** Name of the file without its ending. */
  readonly name: string;
  readonly rows: () => readonly Row[];
  readonly columns: Columns<Row>;
  /** Headers that only the CSV form has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a body as JSON, or as one CSV file if the caller prefers it (`Accept: text/csv`). */
export function jsonOrCsv<Row>(
  body: object,
  file: CsvFile<Row>,
  { headers, isHead }: Pick<ListInput, 'headers' | 'isHead'>,
): Reply {
  const vary = { Vary: 'Accept' };
  if (new Negotiator({ headers }).mediaType([JSON_TYPE, CSV_TYPE]) !== CSV_TYPE) {
    return { status: 200, body, headers: vary };
  }
  const own = {
    ...vary,
    'Content-Type': CSV_TYPE,
    'Content-Disposition': `attachment; filename=${file.name}.csv`,
    ...file.headers,
  };
  if (isHead) return { status: 200, headers: own };
  const { columns } = file;
  const rows = file.rows().map((item) => Object.values(columns).map((read) => String(read(item) ?? '')));
  return { status: 200, content: contentOf(csvText(Object.keys(columns), rows)), headers: own };
}

function nextPage(path: string, rawQuery: string, cursor: string): string {
  const query = new URLSearchParams(rawQuery);
  query.set('cursor', cursor);
  return `/v1${path}?${query.toString()}`;
}
