import { ErpFault } from '../domain/faults.js';
import type { StreamName } from '../domain/records.js';
import { recordLimits } from '../domain/validate-record.js';
import type { RunUnderWay } from './sync-run-under-way.js';

/** Ids of one stream: in memory at once, about 60 bytes each. */
export const IDS_MAX = 1_000_000;
/** Lists in a row without a new id. */
export const LISTS_WITHOUT_NEW_MAX = 100;

/**
 * Compares all ids of a stream, so that what vanished from the ERP without a trace is marked as deleted. An empty list is not
 * believed where records are live. @throws ErpFault
 */
export async function reconcileStream(run: RunUnderWay, stream: StreamName): Promise<void> {
  const { session, imports, source, call, log } = run;
  const ids = new Set<string>();
  let listsWithoutNew = 0;
  for await (const list of session.ids(stream)) {
    const before = ids.size;
    for (const id of list) {
      if (typeof id !== 'string' || id === '' || id.length > recordLimits.idLength) {
        throw new ErpFault('BAD_RESPONSE', 'The list of all ids has an entry that is not an id. Nothing was deleted.');
      }
      ids.add(id);
    }
    listsWithoutNew = ids.size === before ? listsWithoutNew + 1 : 0;
    if (ids.size > IDS_MAX || listsWithoutNew > LISTS_WITHOUT_NEW_MAX) {
      throw new ErpFault('BAD_RESPONSE', 'The list of all ids does not end. Nothing was deleted.');
    }
  }
  await run.claim.confirm();
  // By code units, as the contract says.
  const deleted = await imports.reconcile(source, stream, [...ids].sort(), call);
  if (deleted === undefined) {
    throw new ErpFault(
      'BAD_RESPONSE',
      'The list of all ids is empty although records were imported. Nothing was deleted.',
    );
  }
  log.count(stream, { deleted });
  await run.saveProgress();
}
