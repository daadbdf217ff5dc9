import { DomainError } from '@invoicecontrol/errors';
import { pace } from '@invoicecontrol/runtime/pace';

/**
 * Maximum number of attempts to store a page of ERP records. An attempt fails if another writer changed some of the
 * records in the meantime.
 */
const ATTEMPTS_MAX = 5;
/** Maximum time in milliseconds for which processing a page of ERP records delays other requests. */
const TURN_MS_MAX = 2;

export interface PageCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failures: readonly ImportFailure[];
}

/** An ERP record that was not stored, with the reason. */
export interface ImportFailure {
  readonly externalId: string;
  readonly message: string;
}

/** A record from a page of ERP records with its stored version. */
export interface Arrival<R, S> {
  readonly id: string;
  readonly record: R;
  readonly stored: S | undefined;
}

/**
 * The steps that compare and store the ERP records of one kind. Each step handles all records of a page of ERP records
 * at once.
 */
export interface PageSteps<R, S, C extends { readonly id: string; readonly version: number }> {
  idOf(record: R): string;
  /** Returns the reason why an ERP record cannot be stored, or undefined if the record can be stored. */
  faultOf(record: R): string | undefined;
  stored(ids: readonly string[]): Promise<ReadonlyMap<string, S>>;
  /** Returns the changes that a page of ERP records causes. A record without a change is not written. */
  changes(arrivals: readonly Arrival<R, S>[]): Promise<readonly C[]>;
  /**
   * Writes the changed ERP records of a page.
   * @returns ids of the records that another writer changed in the meantime
   */
  write(changes: readonly C[]): Promise<ReadonlySet<string>>;
}

/**
 * Stores a page of ERP records with one bulk read and a few bulk writes for new and changed records. Each record is
 * written atomically and only if its version has not changed, so that a page that is sent twice, or by two runs at
 * once, is neither applied nor counted twice. If a page contains a record twice, the last one is used.
 * @throws DomainError concurrent_change if other writers kept changing the same records
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
        'Another page of the ERP import is changing the records of this page right now. Send this page again.',
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
