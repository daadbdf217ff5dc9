import { expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { ConnectionClaim, RunStore, SyncedConnections } from './sync-stores.js';
import { RUNS_MAX, RUNS_WAITING_MAX, syncWorker } from './sync-worker.js';

test('a replica does so many runs at once, keeps so many waiting, and refuses the next one with a time to come back', async () => {
  let active = 0;
  let doneOnce = (): void => {};
  const worker = syncWorker({
    connections: {
      find: () => Promise.resolve({ status: 'CONNECTED', runningRunId: undefined, isSilent: false }),
      claimNow: (organizationId: string, id: string, runId: string) =>
        Promise.resolve({
          connection: { id, organizationId, provider: 'PROVIDER_A' },
          runId,
          keepAlive: () => ({ stop: () => {} }),
          release: () => Promise.resolve(),
        } as unknown as ConnectionClaim),
    } as unknown as SyncedConnections,
    runs: { insert: () => Promise.resolve(true) } as unknown as RunStore,
    tenants: {} as Tenants,
    syncRun: (_claim, _begin, signal) => {
      active++;
      return new Promise((resolve) => {
        const done = (): void => resolve(undefined);
        if (signal.aborted) done();
        signal.addEventListener('abort', done, { once: true });
        doneOnce = done;
      });
    },
    intervalSeconds: 3_600,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const start = (n: number) => worker.start('organization', `connection ${n}`, 'INCREMENTAL');
  for (let n = 1; n <= RUNS_MAX + RUNS_WAITING_MAX; n++) await start(n);
  expect([active, worker.underWay]).toEqual([RUNS_MAX, RUNS_MAX + RUNS_WAITING_MAX]);
  await expect(start(0)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 60 });
  // When an import run ends, a waiting run starts, and another request is accepted.
  doneOnce();
  await new Promise((resolve) => setImmediate(resolve));
  expect(active).toBe(RUNS_MAX + 1);
  await start(0);
  await worker.stop();
  expect(worker.underWay).toBe(0);
});
