import type { FindStuckWork } from '@invoicecontrol/runtime/stuck-work';
import type { Db } from 'mongodb';
import { usageCollection } from './usage-counter.js';

/** Maximum number of usage counters that the list of stuck work contains. */
const COUNTERS_MAX = 256;

/** Lists usage counters whose check is long overdue, which means that the job that corrects them is not running. */
export function stuckCounters(db: Db, service: string): FindStuckWork {
  return async (before) => {
    const due = await usageCollection(db)
      .find({ lookAt: { $lte: before } }, { sort: { lookAt: 1 }, limit: COUNTERS_MAX })
      .toArray();
    return due.flatMap(({ _id, lookAt, used }) =>
      lookAt === undefined
        ? []
        : [
            {
              kind: 'usage',
              what: `usage counter ${_id}, which may count reservations that were not used (used ${used})`,
              since: lookAt,
              why: 'its check is overdue',
              resolution: `kubectl rollout restart deployment/${service}; docs/runbooks/usage-counter-wrong.md`,
            },
          ],
    );
  };
}
