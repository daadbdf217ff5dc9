import type { Db } from 'mongodb';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { idOf, usageCollection } from '../usage-counter.js';
import type { CounterKey } from '../usage-counter.js';

/** Waits until no replica holds units of a usage counter, and returns its stored amount. */
export function exactUsage(db: Db, key: CounterKey): Promise<number> {
  return eventually(async () => {
    const counter = await usageCollection(db).findOne({ _id: idOf(key) });
    if (Object.values(counter?.held ?? {}).some((units) => units !== 0)) throw new Error('a replica holds units');
    return counter?.used ?? 0;
  });
}
