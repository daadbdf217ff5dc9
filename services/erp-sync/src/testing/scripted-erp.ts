import type { RecordsOf, StreamName } from '../domain/streams.js';
import { streamNames } from '../domain/streams.js';
import type { Page, Provider, Session, SessionDeps, Window } from '../providers/provider.js';

/** A row of the ERP that a test scripts: a record with its modification time. */
interface Row {
  readonly record: RecordsOf[StreamName];
  readonly modifiedAt: string;
}

/**
 * An ERP in memory for tests of import runs. It returns pages by id like real ERPs, and tests control its behaviour.
 */
export interface ScriptedErp {
  readonly provider: Provider;
  /** Time on the clock of the scripted ERP. */
  now: Date;
  pageSize: number;
  put<S extends StreamName>(stream: S, ...records: readonly RecordsOf[S][]): void;
  /** Removes a record from the scripted ERP, which does not report the deletion. */
  vanish(stream: StreamName, externalId: string): void;
  /** Deletes a record of the scripted ERP and reports the deletion in the next time window. */
  remove(stream: StreamName, externalId: string): void;
  /**
   * Function that is called before the scripted ERP sends a page of records. An error that the function throws ends the
   * stream.
   */
  onPage: (stream: StreamName, position: string) => Promise<void> | void;
  changePage: (stream: StreamName, page: Page<RecordsOf[StreamName]>) => Page<RecordsOf[StreamName]>;
  /**
   * Function that is called before the scripted ERP sends a page of record ids. An error that the function throws ends
   * the list.
   */
  onIds: (stream: StreamName, position: string) => Promise<void> | void;
  /** Function that replaces the list of ids of the scripted ERP. */
  ids: ((stream: StreamName) => readonly string[]) | undefined;
  /** Time windows that import runs have requested from the scripted ERP. */
  readonly windows: { readonly stream: StreamName; readonly window: Window }[];
  /** Number of calls that a real ERP would have received in place of the scripted ERP. */
  calls: number;
  sessions: number;
}

export function scriptedErp(part: Partial<Provider> = {}): ScriptedErp {
  const rows = new Map<StreamName, Map<string, Row>>(streamNames.map((stream) => [stream, new Map()]));
  const removed = new Map<StreamName, string[]>(streamNames.map((stream) => [stream, []]));
  const of = (stream: StreamName): Map<string, Row> => rows.get(stream) ?? new Map<string, Row>();
  const erp: ScriptedErp = {
    now: new Date('2026-03-02T10:00:00Z'),
    pageSize: 3,
    onPage: () => {},
    onIds: () => {},
    changePage: (_, page) => page,
    ids: undefined,
    windows: [],
    calls: 0,
    sessions: 0,
    put(stream, ...records) {
      for (const record of records) of(stream).set(record.externalId, { record, modifiedAt: erp.now.toISOString() });
    },
    vanish(stream, externalId) {
      of(stream).delete(externalId);
    },
    remove(stream, externalId) {
      of(stream).delete(externalId);
      removed.get(stream)?.push(externalId);
    },
    provider: {
      code: 'PROVIDER_B',
      product: 'ODOO',
      title: 'Odoo',
      streams: streamNames,
      withoutDeletions: ['vendors', 'bills'],
      pageSize: 1_000,
      concurrency: 2,
      overlapSeconds: 2,
      ...part,
      open(deps) {
        erp.sessions++;
        return session(deps);
      },
    },
  };

  function session(_: SessionDeps): Session {
    return {
      test: () => Promise.resolve({}),
      async *read<S extends StreamName>(stream: S, window: Window): AsyncIterable<Page<RecordsOf[S]>> {
        erp.windows.push({ stream, window });
        let after = window.after ?? '';
        let deletedIds: readonly string[] = removed.get(stream)?.splice(0) ?? [];
        for (;;) {
          erp.calls++;
          await erp.onPage(stream, after);
          const found = [...of(stream).values()]
            .filter(({ record, modifiedAt }) => record.externalId > after && isWithin(record, modifiedAt, window))
            .sort((left, right) => (left.record.externalId < right.record.externalId ? -1 : 1));
          const records = found.slice(0, erp.pageSize).map(({ record }) => record as RecordsOf[S]);
          const last = records.at(-1);
          if (last === undefined && deletedIds.length === 0) return;
          after = last?.externalId ?? after;
          const page = { records, invalid: [], deletedIds, ...(last === undefined ? {} : { position: after }) };
          yield erp.changePage(stream, page) as Page<RecordsOf[S]>;
          deletedIds = [];
          if (found.length <= erp.pageSize) return;
        }
      },
      async *ids(stream, after = '') {
        const all = [...(erp.ids?.(stream) ?? of(stream).keys())].sort().filter((id) => id > after);
        for (let at = 0; at === 0 || at < all.length; at += erp.pageSize) {
          erp.calls++;
          await erp.onIds(stream, all[at - 1] ?? after);
          const ids = all.slice(at, at + erp.pageSize);
          const position = ids.at(-1);
          yield { ids, ...(position === undefined ? {} : { position }) };
        }
      },
      serverTime: () => erp.now.toUTCString(),
    };
  }
  return erp;
}

function isWithin(record: RecordsOf[StreamName], modifiedAt: string, { from, dateFrom }: Window): boolean {
  const day = 'issueDate' in record ? record.issueDate : undefined;
  return (from === undefined || modifiedAt >= from) && (dateFrom === undefined || day === undefined || day >= dateFrom);
}
