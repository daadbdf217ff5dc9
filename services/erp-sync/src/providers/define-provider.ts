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

/** Rows on one page of ERP records as the ERP sent them, with additional information about the page. */
export interface RowsPage extends Partial<Pick<Page<never>, 'deletedIds' | 'missesDeletions' | 'position'>> {
  readonly rows: readonly unknown[];
  /**
   * Records of other ERP streams to which the rows of the page refer. They are stored before these rows, in the order
   * of the keys.
   */
  readonly besides?: { readonly [S in StreamName]?: readonly unknown[] };
}

/** Functions that read one stream of records from an ERP. */
export interface StreamSource<R> {
  /** Name of the field that holds the id of an ERP row. */
  readonly idName: string;
  /**
   * Returns the id of an ERP row. If this function is absent, the id is the text of the field `idName`. The id is read
   * even if the row is then left out.
   * @throws RowFault if there is no id
   */
  idOf?(row: Row): string;
  /**
   * Yields the pages of ERP records in a time window. The records are always in the same order.
   * @throws ErpFault
   */
  pages(window: Window): AsyncIterable<RowsPage>;
  /** Loads the records to which the rows of a page of ERP records refer, before the rows are read. */
  prepare?(rows: readonly unknown[]): Promise<void>;
  /** Reads a row of an ERP. Returns undefined for a valid row that is not part of the stream. */
  read(row: Row): R | undefined;
  /** Checks whether the ERP has deleted the row but still returns it. Such a row is not read. */
  isDeleted?(row: Row): boolean;
  /**
   * Yields all record ids of an ERP stream, starting after a position. If this function is absent, the ids are taken
   * from the pages of ERP records.
   */
  ids?(after: string | undefined): AsyncIterable<IdPage>;
}

/** Functions of an ERP session that are specific to one ERP. */
export interface SessionParts {
  test(): Promise<RemoteCompany>;
  readonly streams: StreamSources;
}

type StreamSources = { readonly [S in StreamName]?: StreamSource<RecordsOf[S]> };

export interface TimedHttp extends ErpHttp {
  /** Returns the time that the last response of the ERP stated, in RFC 3339 format. */
  serverTime(): string | undefined;
}

export interface ProviderParts extends Omit<Provider, 'open'> {
  open(deps: SessionDeps & { readonly http: TimedHttp }): SessionParts;
}

/**
 * Builds the provider of an ERP from its specific parts. The parts that all ERPs have in common are implemented here.
 */
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
    // The id of an ERP row is read first, so that a row without an id is counted as invalid even if the row would be
    // left out.
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
 * Returns the ids of the rows in an ERP response.
 * @throws ErpFault if a row cannot be read, because a record without its id would look deleted
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

/**
 * Makes the given calls to the ERP one after another.
 * @returns the names of the calls that the ERP refuses because of missing permissions
 */
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

/** Records the time that each response of the ERP states. */
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
