import { ID_LENGTH_MAX } from '@invoicecontrol/books/kinds';
import { ErpFault } from '../domain/faults.js';
import type { StreamName } from '../domain/streams.js';
import type { RunUnderWay } from './sync-run-under-way.js';
import type { IdList, ListOwner } from './sync-stores.js';

/**
 * Maximum number of record ids in one stream of an ERP. All ids of a stream are in memory when they are compared, with
 * about 60 bytes for each id.
 */
export const IDS_MAX = 1_000_000;
/** Maximum number of consecutive pages that contain no new id while all record ids of an ERP stream are listed. */
export const PAGES_WITHOUT_NEW_MAX = 100;
/**
 * Maximum age of an unfinished list of all record ids of an ERP. An older list is started again, because it would be
 * out of date.
 */
export const LIST_AGE_MS_MAX = 30 * 24 * 3_600_000;

/** Initial state of a list of all record ids of an ERP, before any page of it was read. */
export const NOT_BEGUN: IdList = { count: 0 };

/**
 * Reads the list of all record ids in an ERP stream page by page, over several import runs if necessary, and compares
 * it with the stored records. Records that are no longer in the ERP are marked as deleted. Records that were imported
 * since the list was started do not count as missing, and an empty list is ignored while records exist.
 * @throws ErpFault
 */
export async function reconcileStream(run: RunUnderWay, stream: StreamName): Promise<void> {
  const { session, imports, source, call, log, claim, listedIds } = run;
  let list = await openList(run, stream);
  const owner = ownerOf(run, stream, list.begunAt);
  const seen = new Set<string>();
  let pagesWithoutNew = 0;
  for await (const { ids, position } of session.ids(stream, list.after)) {
    const before = seen.size;
    for (const id of ids) {
      if (typeof id !== 'string' || id === '' || id.length > ID_LENGTH_MAX) {
        throw new ErpFault(
          'BAD_RESPONSE',
          'The list of all ids in the ERP has an entry that is not an id. Nothing was deleted.',
        );
      }
      seen.add(id);
    }
    const count = list.count + seen.size - before;
    pagesWithoutNew = seen.size === before ? pagesWithoutNew + 1 : 0;
    if (count > IDS_MAX || pagesWithoutNew > PAGES_WITHOUT_NEW_MAX) {
      await beginAnew(run, stream);
      throw new ErpFault('BAD_RESPONSE', 'The list of all ids in the ERP has too many pages. Nothing was deleted.');
    }
    await claim.confirm();
    await listedIds.add(owner, 'LISTED', ids);
    list = { ...list, count, ...(position === undefined ? {} : { after: position }) };
    if (position === undefined) continue;
    await saveList(run, stream, list);
    log.advance();
  }
  const { listed, imported } = await listedIds.read(owner);
  await claim.confirm();
  // An empty id list is not credible, even if ERP records were imported in the meantime. The ids are sorted by code
  // units, as the contract requires.
  const all = listed.size === 0 ? [] : [...new Set([...listed, ...imported])].sort();
  const deleted = await imports.reconcile(source, stream, all, call);
  if (deleted === undefined) {
    await beginAnew(run, stream);
    throw new ErpFault(
      'BAD_RESPONSE',
      'The list of all ids in the ERP is empty, although records were imported. Nothing was deleted.',
    );
  }
  log.count(stream, { deleted });
  if (run.lists.get(stream)?.isFollowed === true) {
    await beginAnew(run, stream);
  } else {
    await claim.saveList(stream, undefined);
    run.lists.delete(stream);
    await listedIds.remove(source.connectionId, stream);
  }
  await run.saveProgress();
}

/**
 * Requests a comparison of all record ids in an ERP stream, because its ERP cannot report all deletions since the last
 * import run.
 * @throws ClaimEnded
 */
export async function requireList(run: RunUnderWay, stream: StreamName): Promise<void> {
  const list = run.lists.get(stream) ?? NOT_BEGUN;
  // A list of ERP record ids that is being read may contain records that have been deleted since their page was read,
  // so the ids are listed a second time afterwards.
  await saveList(run, stream, list.begunAt === undefined ? list : { ...list, isFollowed: true });
}

/**
 * Stores the ids of imported ERP records before the records themselves, if a list of all record ids of the stream is
 * being read. The reading of this list may already have passed the positions of these records.
 */
export async function noteImported(run: RunUnderWay, stream: StreamName, ids: readonly string[]): Promise<void> {
  const begunAt = run.lists.get(stream)?.begunAt;
  if (begunAt === undefined || ids.length === 0) return;
  await run.listedIds.add(ownerOf(run, stream, begunAt), 'IMPORTED', ids);
}

/** Returns the unfinished list of ERP record ids from an earlier import run or, if there is none, a new list. */
async function openList(run: RunUnderWay, stream: StreamName): Promise<IdList & { readonly begunAt: Date }> {
  const now = run.clock.now();
  const { begunAt, ...list } = run.lists.get(stream) ?? NOT_BEGUN;
  if (begunAt !== undefined && now.getTime() - begunAt.getTime() <= LIST_AGE_MS_MAX) return { ...list, begunAt };
  await run.claim.confirm();
  await run.listedIds.remove(run.source.connectionId, stream);
  const begun = { ...NOT_BEGUN, begunAt: now };
  await saveList(run, stream, begun);
  return begun;
}

async function beginAnew(run: RunUnderWay, stream: StreamName): Promise<void> {
  await saveList(run, stream, NOT_BEGUN);
  await run.listedIds.remove(run.source.connectionId, stream);
}

async function saveList(run: RunUnderWay, stream: StreamName, list: IdList): Promise<void> {
  await run.claim.saveList(stream, list);
  run.lists.set(stream, list);
}

function ownerOf({ source }: RunUnderWay, stream: StreamName, begunAt: Date): ListOwner {
  const { organizationId, connectionId } = source;
  return { organizationId, connectionId, stream, begunAt };
}
