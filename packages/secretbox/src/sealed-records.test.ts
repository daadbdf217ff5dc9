import { describe, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { SealingKey } from './key-ring.js';
import { rewrapJob } from './sealed-records.js';

const key = (id: string): SealingKey => ({ id, bytes: Buffer.alloc(32) });
const signal = new AbortController().signal;

/** Creates a service with one record for each id of a sealing key. */
function serviceWith(keyIds: string[], level: 'info' | 'error') {
  const lines: Record<string, unknown>[] = [];
  const forgotten: string[] = [];
  const asked: (readonly string[])[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const count = (isCounted: (keyId: string) => boolean): number => keyIds.filter(isCounted).length;
  const job = rewrapJob({
    name: 'endpoints',
    records: [
      {
        countSealedWith: async (keyId) => count((id) => id === keyId),
        countSealedWithOthers: async (known) => {
          asked.push(known);
          return count((id) => !known.includes(id));
        },
        rewrap: async (keyId, limit) => {
          const found = keyIds.flatMap((id, at) => (id === keyId ? [at] : [])).slice(0, limit);
          for (const at of found) keyIds[at] = 'k2';
          return found.length;
        },
      },
    ],
    ring: [key('k2'), key('k1')],
    canaries: { delete: async (keyId) => void forgotten.push(keyId) },
    logger: createLogger({ service: 'test', level, destination }),
  });
  return { run: () => job.run(signal), keyIds, lines, forgotten, asked };
}

describe('the job of the sealing keys', () => {
  test('says when records are sealed with a key that the ring lacks, each time their number changes', async () => {
    const { run, keyIds, lines, asked } = serviceWith([], 'error');
    for (const count of [0, 1, 1, 2, 0, 2]) {
      keyIds.splice(0, keyIds.length, ...Array<string>(count).fill('k9'));
      await run();
    }
    expect(asked[0]).toEqual(['k2', 'k1']);
    expect(lines.map(({ unopenable }) => unopenable)).toEqual([1, 2, 2]);
    expect(lines[0]?.['msg']).toBe('secrets of endpoints are sealed with a key that SECRETBOX_KEYS lacks');
  });

  test('wraps the records of an older key, 100 in a run, and forgets the key when none is left', async () => {
    const { run, keyIds, lines, forgotten } = serviceWith([...Array<string>(101).fill('k1'), 'k2'], 'info');
    await run();
    expect(keyIds.filter((id) => id === 'k1')).toHaveLength(1);
    expect(forgotten).toEqual([]);
    await run();
    await run();
    expect(keyIds.every((id) => id === 'k2')).toBe(true);
    expect(forgotten).toEqual(['k1']);
    expect(lines.map(({ left }) => left)).toEqual([1, 0]);
    expect(lines[0]?.['msg']).toBe('endpoints are still sealed with an older key');
  });

  test('forgets an older key once more after another replica has sealed with it again', async () => {
    const { run, keyIds, forgotten } = serviceWith([], 'error');
    await run();
    keyIds.push(...Array<string>(101).fill('k1'));
    await run();
    await run();
    expect(forgotten).toEqual(['k1', 'k1']);
  });
});
