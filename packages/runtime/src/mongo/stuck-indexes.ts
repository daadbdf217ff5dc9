import type { FindStuckWork } from '../stuck-work.js';
import { missingIndexes } from './ensure-indexes.js';

/** Finds indexes that the service works without, because the database has not built them yet. */
export function stuckIndexes(database: string): FindStuckWork {
  return async (before) =>
    missingIndexes(database)
      .filter(({ since }) => since <= before)
      .map(({ name, since, error }) => ({
        kind: 'index',
        what: `index ${name} of database ${database}`,
        since,
        why: error ?? 'the database is building it; queries that need it are slow until then',
        resolution: 'docs/runbooks/migrations.md',
      }));
}
