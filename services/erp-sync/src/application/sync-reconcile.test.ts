import { describe, expect, test } from '@jest/globals';
import { ErpFault } from '../domain/faults.js';
import { IDS_MAX, LISTS_WITHOUT_NEW_MAX, reconcileStream } from './sync-reconcile.js';
import type { RunUnderWay } from './sync-run-under-way.js';

/** @returns how many ids were compared */
async function compared(lists: Iterable<readonly string[]>): Promise<number> {
  let count = 0;
  const run = {
    session: {
      async *ids() {
        await Promise.resolve();
        yield* lists;
      },
    },
    imports: {
      reconcile: (_source: unknown, _stream: unknown, ids: readonly string[]) => {
        count = ids.length;
        return Promise.resolve(0);
      },
    },
    claim: { confirm: () => Promise.resolve() },
    log: { count: () => {} },
    saveProgress: () => Promise.resolve(),
  } as unknown as RunUnderWay;
  await reconcileStream(run, 'bills');
  return count;
}

function* numbered(count: number): Iterable<readonly string[]> {
  const size = 1_000;
  for (let at = 0; at < count; at += size) {
    yield Array.from({ length: Math.min(size, count - at) }, (_, n) => `b${at + n}`);
  }
}
const repeated = (times: number): readonly (readonly string[])[] => [['b1'], ...Array<string[]>(times).fill(['b1'])];

describe('a list of all ids', () => {
  test('has as many as the limit, and with one more nothing is deleted', async () => {
    expect(await compared(numbered(IDS_MAX))).toBe(IDS_MAX);
    await expect(compared(numbered(IDS_MAX + 1))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('repeats itself as often as the limit, and not once more', async () => {
    expect(await compared(repeated(LISTS_WITHOUT_NEW_MAX))).toBe(1);
    await expect(compared(repeated(LISTS_WITHOUT_NEW_MAX + 1))).rejects.toThrow(ErpFault);
  });
});
