import { ErpFault } from '../domain/faults.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type {
  BesidesParts,
  ErpHttp,
  IdPage,
  Page,
  Provider,
  RecordsPart,
  RemoteCompany,
  Session,
  SessionDeps,
  Window,
} from './provider.js';
import { readRows } from './row.js';
import type { Row } from './row.js';

/** Rows as the ERP sends them, and what it tells besides. */
export interface RowsPage extends Partial<Pick<Page<never>, 'deletedIds' | 'missesDeletions' | 'position'>> {
  readonly rows: readonly unknown[];
  /** Rows of other streams, to be stored before these, in this order. */
  readonly besides?: { readonly [S in StreamName]?: readonly unknown[] };
}

/** Reader of one stream of an ERP. */
export interface StreamSource<R> {
  /** The field with the id of a row. */
  readonly idName: string;
  /** The id of a row; absent for the text of that field. Checked before a row may be left out. @throws RowFault without one */
  idOf?(row: Row): string;
  /** Pages of a window, in an order that does not change. @throws ErpFault */
  pages(window: Window): AsyncIterable<RowsPage>;
  /** Loads what the rows of a page name and do not have themselves, before they are read. */
  prepare?(rows: readonly unknown[]): Promise<void>;
  /** Undefined for a row that is right and yet no part of the stream. */
  read(row: Row): R | undefined;
  /** Rows that the ERP keeps although they were deleted; they are not read. */
  isDeleted?(row: Row): boolean;
  /** All ids, from a position on; absent for those of the pages without a window. */
  ids?(after: string | undefined): AsyncIterable<IdPage>;
}

/** The parts of a session that are special to one ERP. */
export interface SessionParts {
  test(): Promise<RemoteCompany>;
  readonly streams: StreamSources;
}

type StreamSources = { readonly [S in StreamName]?: StreamSource<RecordsOf[S]> };

export interface TimedHttp extends ErpHttp {
  /** RFC 3339, of the last answer. */
  serverTime(): string | undefined;
}

export interface ProviderParts extends Omit<Provider, 'open'> {
  open(deps: SessionDeps & { readonly http: TimedHttp }): SessionParts;
}

/** A provider of its special parts: what the sessions of all ERPs do alike is done here. */
export function defineProvider({ open, ...traits }: ProviderParts): Provider {
  return {
    ...traits,
    open(deps): Session {
      const http = timedHttp(deps.http);
      const { test, streams } = open({ ...deps, http });
      return {
        test,
        read: <S extends StreamName>(stream: S, window: Window) => readStream(streams, stream, window),
        ids: (stream, after) => idsOfStream(streams[stream] as StreamSource<unknown> | undefined, after),
        serverTime: () => http.serverTime(),
      };
    },
  };
}

async function* readStream<S extends StreamName>(
  sources: StreamSources,
  stream: S,
  window: Window,
): AsyncIterable<Page<RecordsOf[S]>> {
  const source = sources[stream] as StreamSource<RecordsOf[S]> | undefined;
  if (source === undefined) return;
  for await (const { rows, deletedIds = [], besides, ...page } of source.pages(window)) {
    const read = await readPart(source, rows);
    yield {
      ...read,
      deletedIds: [...deletedIds, ...read.deletedIds],
      ...(besides === undefined ? {} : { besides: await readBesides(sources, besides) }),
      ...page,
    };
  }
}

async function readBesides(sources: StreamSources, rowsOf: NonNullable<RowsPage['besides']>): Promise<BesidesParts> {
  const parts: Partial<Record<StreamName, RecordsPart<RecordsOf[StreamName]>>> = {};
  for (const [stream, rows] of Object.entries(rowsOf) as [StreamName, readonly unknown[]][]) {
    const source = sources[stream] as StreamSource<RecordsOf[StreamName]> | undefined;
    if (source !== undefined) parts[stream] = await readPart(source, rows);
  }
  return parts as BesidesParts;
}

async function readPart<R>(
  source: StreamSource<R>,
  rows: readonly unknown[],
): Promise<RecordsPart<R> & { readonly rowIds: readonly string[] }> {
  if (rows.length > 0) await source.prepare?.(rows);
  const rowIds: string[] = [];
  const deletedIds: string[] = [];
  const read = (row: Row): R | undefined => {
    // First of all: a row without an id is counted, whatever it would be left out for.
    const id = source.idOf?.(row) ?? row.requiredText(source.idName);
    rowIds.push(id);
    if (source.isDeleted?.(row) !== true) return source.read(row);
    deletedIds.push(id);
    return undefined;
  };
  return { ...readRows(rows, source.idName, read), deletedIds, rowIds };
}

async function* idsOfStream<R>(source: StreamSource<R> | undefined, after: string | undefined): AsyncIterable<IdPage> {
  if (source === undefined) return;
  const window = after === undefined ? {} : { after };
  yield* source.ids?.(after) ?? idsOf(source.pages(window), (row) => row.requiredText(source.idName));
}

/**
 * The ids of the rows of a list.
 * @throws ErpFault where a row cannot be read: without its id, a live record would look deleted
 */
export async function* idsOf(
  pages: AsyncIterable<RowsPage>,
  read: (row: Row) => string | undefined,
): AsyncIterable<IdPage> {
  for await (const { rows, position } of pages) {
    const { records: ids, invalid } = readRows(rows, '', read);
    if (invalid.length > 0)
      throw new ErpFault('BAD_RESPONSE', 'The list of all ids in the ERP has a row that cannot be read.');
    yield { ids, ...(position === undefined ? {} : { position }) };
  }
}

/** Makes the calls one after the other. @returns the names of those that the ERP refuses for want of a right */
export async function deniedAmong<N extends string>(
  calls: readonly (readonly [name: N, call: () => Promise<unknown>])[],
): Promise<readonly N[]> {
  const denied: N[] = [];
  for (const [name, call] of calls) {
    await call().catch((error: unknown) => {
      if (!(error instanceof ErpFault) || error.code !== 'PERMISSION_DENIED') throw error;
      denied.push(name);
    });
  }
  return denied;
}

/** Notes the time that the answers tell. */
function timedHttp(http: ErpHttp): TimedHttp {
  let time: string | undefined;
  return {
    async send(request) {
      const answer = await http.send(request);
      const at = Date.parse(answer.headers['date'] ?? '');
      if (!Number.isNaN(at)) time = new Date(at).toISOString();
      return answer;
    },
    serverTime: () => time,
  };
}
