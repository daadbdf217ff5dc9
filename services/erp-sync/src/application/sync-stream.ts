import { takeRecord } from '@invoicecontrol/books/check-record';
import { ErpFault } from '../domain/faults.js';
import { streams } from '../domain/streams.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { BesidesParts, Page, RecordsPart, Window } from '../providers/provider.js';
import { pagesSeen } from './pages-seen.js';
import { storePages } from './store-pages.js';
import { noteImported, requireList } from './sync-reconcile.js';
import type { RunUnderWay } from './sync-run-under-way.js';
import type { OpenWindow, StreamState } from './sync-stores.js';

/** Streams of ERP records that have a date. */
const DATED: ReadonlySet<StreamName> = new Set<StreamName>(['bills', 'creditNotes', 'payments']);

/** First day from which documents of the ERP are imported. */
export interface FirstDay {
  readonly day: string;
  /**
   * True if the customer chose the first day of the ERP import. The day then also applies to documents that change
   * later.
   */
  readonly isChosen: boolean;
}

export function firstDay(importFrom: string | undefined, now: Date, initialMonths: number): FirstDay {
  if (importFrom !== undefined) return { day: importFrom, isChosen: true };
  const begin = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - initialMonths, now.getUTCDate()));
  return { day: begin.toISOString().slice(0, 10), isChosen: false };
}

/**
 * Reads an ERP stream to its end: continues the time window of an earlier run, or begins a new one at the cursor. After
 * a page of ERP records was stored, its position is stored as well, while the next page is already being stored. After
 * the last page, the cursor of the stream is moved.
 * @throws ErpFault
 */
export async function readStream<S extends StreamName>(
  run: RunUnderWay,
  stream: S,
  state: StreamState,
  first: FirstDay,
): Promise<void> {
  const { claim, session, provider, log, clock } = run;
  const window = withFirstDay(state.window ?? newWindow(state.cursor, stream, first), stream, first);
  log.begin(stream, window.from);
  const begunAt = performance.now();
  /**
   * Returns the time on the clock of the ERP at which reading the time window began. It is computed from the time that
   * the last response of the ERP states.
   */
  const serverTime = (): string => {
    const shown = Date.parse(session.serverTime() ?? '');
    if (Number.isNaN(shown)) throw new ErpFault('BAD_RESPONSE', 'The ERP did not state its current time.');
    return new Date(Math.floor((shown - (performance.now() - begunAt)) / 1_000) * 1_000).toISOString();
  };
  const seen = pagesSeen(window.after);
  const told: { next: string | undefined; missesDeletions: boolean } = { next: window.next, missesDeletions: false };
  /**
   * Returns the cursor that the ERP stream gets after the time window. It is known after the first response of the ERP.
   */
  const nextCursor = (): string => (told.next ??= serverTime());
  await storePages(readAhead(session.read(stream, toWindow(window, provider.overlapSeconds))), {
    async admit(page) {
      seen.add(page);
      nextCursor();
      told.missesDeletions ||= page.missesDeletions === true;
      await claim.confirm();
    },
    store: (page) => storePage(run, stream, page),
    async commit({ position }) {
      // If no position is known, reading the ERP stream can only start again at the beginning of the time window.
      if (position !== undefined) {
        await claim.saveWindow(stream, { ...window, next: nextCursor(), after: position });
        log.advance();
      }
      await run.saveProgress();
    },
  });
  const cursor = nextCursor();
  if (told.missesDeletions) await requireList(run, stream);
  await claim.saveCursor(stream, cursor, clock.now());
  log.complete(stream, cursor);
}

function newWindow(cursor: string | undefined, stream: StreamName, first: FirstDay): OpenWindow {
  const from = cursor === undefined ? {} : { from: cursor };
  const isDated = DATED.has(stream) && (cursor === undefined || first.isChosen);
  return { ...from, ...(isDated ? { dateFrom: first.day } : {}) };
}

/**
 * Adds the first day of the import to a time window that reads an ERP stream from its beginning and has no first day
 * yet.
 */
function withFirstDay(window: OpenWindow, stream: StreamName, first: FirstDay): OpenWindow {
  const isNew = window.from === undefined && window.next === undefined && window.dateFrom === undefined;
  return isNew && DATED.has(stream) ? { ...window, dateFrom: first.day } : window;
}

function toWindow({ from, dateFrom, after }: OpenWindow, overlapSeconds: number): Window {
  const begin = from === undefined ? undefined : new Date(Date.parse(from) - overlapSeconds * 1_000).toISOString();
  return {
    ...(begin === undefined ? {} : { from: begin }),
    ...(dateFrom === undefined ? {} : { dateFrom }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Stores first the records to which a page of ERP records refers, and then those on the page. */
async function storePage<S extends StreamName>(run: RunUnderWay, stream: S, page: Page<RecordsOf[S]>): Promise<void> {
  const besides = Object.entries(page.besides ?? {}) as [keyof BesidesParts, RecordsPart<RecordsOf[StreamName]>][];
  for (const [of, part] of besides) await storePart(run, of, part);
  await storePart(run, stream, page);
}

/** Stores the valid records of a page of ERP records, and counts the invalid records as failed. */
async function storePart<S extends StreamName>(
  run: RunUnderWay,
  stream: S,
  part: RecordsPart<RecordsOf[S]>,
): Promise<void> {
  const { source, imports, call, log } = run;
  const records: RecordsOf[S][] = [];
  let failed = part.invalid.length;
  for (const { message, externalId } of part.invalid) log.rowFailed(stream, message, externalId);
  for (const record of part.records) {
    const taken = takeRecord(streams[stream], record);
    if ('record' in taken) {
      records.push(taken.record);
    } else {
      failed++;
      log.rowFailed(stream, taken.problem, showableId(record.externalId));
    }
  }
  await noteImported(
    run,
    stream,
    records.map(({ externalId }) => externalId),
  );
  const rows = records.length === 0 ? undefined : await imports.store(source, stream, records, call);
  for (const { message, externalId } of rows?.failures ?? []) log.rowFailed(stream, message, externalId);
  const deleted = part.deletedIds.length === 0 ? 0 : await imports.remove(source, stream, part.deletedIds, call);
  log.count(stream, {
    fetched: part.records.length + part.invalid.length,
    created: rows?.created ?? 0,
    updated: rows?.updated ?? 0,
    unchanged: rows?.unchanged ?? 0,
    failed: failed + (rows?.failures.length ?? 0),
    deleted,
  });
}

const ID_SHOWN_MAX = 200;

/** Returns the id of a refused ERP record, or undefined if the id cannot be shown. */
function showableId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || id.length > ID_SHOWN_MAX) return undefined;
  return /[\0\p{Surrogate}]/u.test(id) ? undefined : id;
}

/** Requests the next page of ERP records while the previous ones are being stored. */
async function* readAhead<T>(pages: AsyncIterable<T>): AsyncIterable<T> {
  const iterator = pages[Symbol.asyncIterator]();
  let upcoming = iterator.next();
  try {
    for (;;) {
      const result = await upcoming;
      if (result.done === true) return;
      upcoming = iterator.next();
      // The stored page of ERP records is awaited in the next iteration; the empty catch avoids an unhandled rejection
      // until then.
      upcoming.catch(() => {});
      yield result.value;
    }
  } finally {
    await upcoming.catch(() => {});
    await iterator.return?.();
  }
}
