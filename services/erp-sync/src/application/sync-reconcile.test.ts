import { describe, expect, test } from 'vitest';
import { ErpFault } from '../domain/faults.js';
import type { IdPage } from '../providers/provider.js';
import { IDS_MAX, LIST_AGE_MS_MAX, noteImported, PAGES_WITHOUT_NEW_MAX, reconcileStream } from './sync-reconcile.js';
import type { RunUnderWay } from './sync-run-under-way.js';
import type { IdList } from './sync-stores.js';

const NOW = new Date('2026-03-02T10:00:00Z');

/** Creates an import run whose ERP returns these pages. Its stored state is kept for the next runs. */
function scripted(list?: IdList) {
  const kept = { LISTED: new Set<string>(), IMPORTED: new Set<string>() };
  const asked: (string | undefined)[] = [];
  const compared: (readonly string[])[] = [];
  let pages: Iterable<IdPage> = [];
  const lists = new Map(list === undefined ? [] : [['bills', list]]);
  const run = {
    session: {
      async *ids(_: unknown, after: string | undefined) {
        asked.push(after);
        await Promise.resolve();
        yield* pages;
      },
    },
    imports: {
      reconcile: (_source: unknown, _stream: unknown, ids: readonly string[]) => {
        compared.push(ids);
        return Promise.resolve(ids.length === 0 ? undefined : 0);
      },
    },
    source: { organizationId: 'o', connectionId: 'c' },
    claim: { confirm: () => Promise.resolve(), saveList: () => Promise.resolve() },
    log: { count: () => {}, advance: () => {} },
    clock: { now: () => NOW },
    lists,
    listedIds: {
      add(_: unknown, kind: 'LISTED' | 'IMPORTED', ids: readonly string[]) {
        for (const id of ids) kept[kind].add(id);
        return Promise.resolve();
      },
      read: () => Promise.resolve({ listed: kept.LISTED, imported: kept.IMPORTED }),
      remove() {
        kept.LISTED.clear();
        kept.IMPORTED.clear();
        return Promise.resolve();
      },
    },
    saveProgress: () => Promise.resolve(),
  } as unknown as RunUnderWay;
  return {
    run,
    asked,
    compared,
    lists,
    reconcile: (of: Iterable<IdPage>) => {
      pages = of;
      return reconcileStream(run, 'bills');
    },
  };
}

function* numbered(count: number): Iterable<IdPage> {
  const size = 1_000;
  for (let at = 0; at < count; at += size) {
    yield { ids: Array.from({ length: Math.min(size, count - at) }, (_, n) => `b${at + n}`) };
  }
}
const repeated = (times: number): readonly IdPage[] => [{ ids: ['b1'] }, ...Array<IdPage>(times).fill({ ids: ['b1'] })];
function* broken(...pages: readonly IdPage[]): Iterable<IdPage> {
  yield* pages;
  throw new ErpFault('UPSTREAM_ERROR', 'The ERP is silent.');
}

describe('a list of all ids', () => {
  test('has as many as the limit, and with one more nothing is deleted', async () => {
    const most = scripted();
    await most.reconcile(numbered(IDS_MAX));
    expect(most.compared[0]).toHaveLength(IDS_MAX);
    const more = scripted();
    await expect(more.reconcile(numbered(IDS_MAX + 1))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    expect(more.compared).toEqual([]);
  });

  test('has the limit over all runs', async () => {
    const later = scripted({ begunAt: NOW, count: IDS_MAX, after: 'b9' });
    await expect(later.reconcile([{ ids: ['c'] }])).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('repeats itself as often as the limit, and not once more', async () => {
    const most = scripted();
    await most.reconcile(repeated(PAGES_WITHOUT_NEW_MAX));
    expect(most.compared).toEqual([['b1']]);
    await expect(scripted().reconcile(repeated(PAGES_WITHOUT_NEW_MAX + 1))).rejects.toThrow(ErpFault);
  });

  test('goes on behind its last stored page, with what was listed before and imported since', async () => {
    const { run, reconcile, asked, compared, lists } = scripted();
    await noteImported(run, 'bills', ['before']);
    await expect(reconcile(broken({ ids: ['b', 'c'], position: 'c' }))).rejects.toThrow(ErpFault);
    await noteImported(run, 'bills', ['a', 'c']);
    await reconcile([{ ids: ['d'] }]);
    expect([asked, compared]).toEqual([[undefined, 'c'], [['a', 'b', 'c', 'd']]]);
    expect(lists.size).toBe(0);
  });

  test('that is empty is not believed, whatever was imported in the meantime, and begins again', async () => {
    const { run, reconcile, compared, lists } = scripted();
    await expect(reconcile(broken({ ids: [], position: 'c' }))).rejects.toThrow(ErpFault);
    await noteImported(run, 'bills', ['a']);
    await expect(reconcile([])).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    expect([compared, lists.get('bills')]).toEqual([[[]], { count: 0 }]);
  });

  test('goes on up to its greatest age, and begins again a millisecond later', async () => {
    const begunAt = (ageMs: number): Date => new Date(NOW.getTime() - ageMs);
    const old = scripted({ begunAt: begunAt(LIST_AGE_MS_MAX), count: 1, after: 'b' });
    await old.reconcile([{ ids: ['c'] }]);
    const older = scripted({ begunAt: begunAt(LIST_AGE_MS_MAX + 1), count: 1, after: 'b' });
    await older.reconcile([{ ids: ['c'] }]);
    expect([old.asked, older.asked]).toEqual([['b'], [undefined]]);
  });

  test('is followed by another one when deletions were reported in the meantime', async () => {
    const { reconcile, lists } = scripted({ begunAt: NOW, count: 1, after: 'b', isFollowed: true });
    await reconcile([{ ids: ['c'] }]);
    expect(lists.get('bills')).toEqual({ count: 0 });
  });
});
