import { describe, expect, test } from '@jest/globals';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { SealingKey } from '@invoicecontrol/secretbox/key-ring';
import { rewrapSecrets } from './sweeps.js';

const key = (id: string): SealingKey => ({ id, bytes: Buffer.alloc(32) });

describe('the job of the sealing keys', () => {
  test('says when endpoints are sealed with a key that the ring lacks, each time their number changes', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: 'test', level: 'error', destination });
    const asked: (readonly string[])[] = [];
    let foreign = 0;
    const run = rewrapSecrets({
      endpoints: {
        sealedWith: async () => [],
        save: async (endpoint) => endpoint,
        countSealedWith: async () => 0,
        countSealedWithOthers: async (keyIds) => {
          asked.push(keyIds);
          return foreign;
        },
      },
      secrets: { rewrap: (_, secret) => secret },
      ring: [key('k2'), key('k3')],
      forgetKey: async () => {},
      logger,
    });
    for (const count of [0, 1, 1, 2, 0, 2]) {
      foreign = count;
      await run();
    }
    expect(asked[0]).toEqual(['k2', 'k3']);
    expect(lines.map((line) => (JSON.parse(line) as { endpoints: number }).endpoints)).toEqual([1, 2, 2]);
    expect(lines[0]).toContain('SECRETBOX_KEYS lacks');
  });
});
