import { DomainError } from '@invoicecontrol/errors';
import { pace } from '@invoicecontrol/runtime/pace';

/** Number of times that a page is compared again when another writer was faster with a part of it. */
const ATTEMPTS_MAX = 5;
/** Other requests wait for a page at most about this long each time. */
const TURN_MS_MAX = 2;

export interface PageCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failures: readonly ImportFailure[];
}

/** A record that was not stored. */
export interface ImportFailure {
  readonly externalId: string;
  readonly message: string;
}

/** A record of a page, and how it is stored until now. */
export interface Arrival<R, S> {
  readonly id: string;
  readonly record: R;
  readonly stored: S | undefined;
}

/** The steps that compare and store the records of one kind; each step is for all of a page at once. */
export interface PageSteps<R, S, C extends { readonly id: string; readonly version: number }> {
  idOf(record: R): string;
  /** Returns the reason why a record cannot be stored; undefined when it has no fault. */
  faultOf(record: R): string | undefined;
  stored(ids: readonly string[]): Promise<ReadonlyMap<string, S>>;
  /** Returns the changes to write; a record without a change stays as it was. */
  changes(arrivals: readonly Arrival<R, S>[]): Promise<readonly C[]>;
  /** @returns ids of those that another writer was faster with */
  write(changes: readonly C[]): Promise<ReadonlySet<string>>;
}

/**
 * Stores a page of records: one bulk read, then few bulk writes of what is new or changed. Each record is one atomic write,
 * guarded by the version that was read, so that a page which comes twice, or by two runs at once, changes and counts nothing
 * twice. Of a record that a page has twice the last one counts.
 * @throws DomainError concurrent_change when others kept changing the same records
 */
export async function importPage<
  R extends { readonly externalId: string },
  S,
  C extends { readonly id: string; readonly version: number },
>(records: readonly R[], steps: PageSteps<R, S, C>): Promise<PageCounts> {
  const turns = pace(TURN_MS_MAX);
  const failures: ImportFailure[] = [];
  const wanted = new Map<string, R>();
  for (const record of records) {
    const message = steps.faultOf(record);
    if (message === undefined) wanted.set(steps.idOf(record), record);
    else failures.push({ externalId: record.externalId, message });
    await turns();
  }
  let created = 0;
  let updated = 0;
  let open = [...wanted];
  for (let attempts = 1; open.length > 0; attempts++) {
    if (attempts > ATTEMPTS_MAX) {
      throw new DomainError(
        'concurrent_change',
        'Another page is changing the same records right now. Send this page again.',
      );
    }
    const stored = await steps.stored(open.map(([id]) => id));
    const changes = await steps.changes(open.map(([id, record]) => ({ id, record, stored: stored.get(id) })));
    const missed = changes.length === 0 ? new Set<string>() : await steps.write(changes);
    for (const { id, version } of changes) {
      if (missed.has(id)) continue;
      if (version === 1) created++;
      else updated++;
    }
    open = open.filter(([id]) => missed.has(id));
  }
  return { created, updated, unchanged: records.length - failures.length - created - updated, failures };
}
