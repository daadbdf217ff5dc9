import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { rowsWithIds, wireRow } from '../testing/scanning.js';

/**
 * Time that the caller waits: enough to store a history scan on a busy machine, and less than a history scan waits for
 * another one.
 */
const PATIENCE_MS = 12_000;
const TEST_MS_MAX = 60_000;

let running: RunningScan;
beforeAll(async () => {
  running = await startScan(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

/** Creates an organization whose history scan does not end before the fake analysis is opened. */
async function tenantAtWork(): Promise<{ organizationId: string; first: Promise<unknown> }> {
  const organizationId = running.organization.newTenant();
  running.analysis.close(organizationId);
  const first = running.scans.create(organizationId, [wireRow()]).catch((error: unknown) => error);
  await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(1));
  return { organizationId, first };
}

const noTurn = {
  kind: 'in_progress',
  publicMessage: expect.stringContaining('Another history scan'),
  retryAfterSeconds: 5,
};

// The tests run at the same time, because each of them mostly waits and uses its own organization.
test.concurrent(
  'a scan whose caller stops waiting before its rows are stored is refused while it waits for its turn, and nothing of it is stored or counted, also later',
  async () => {
    const { organizationId, first } = await tenantAtWork();
    const second = running.scans.create(organizationId, rowsWithIds('late'), {}, PATIENCE_MS);
    await expect(second).rejects.toMatchObject(noTurn);
    running.analysis.open(organizationId);
    await first;
    expect(await running.stored(organizationId)).toHaveLength(1);
    expect(await running.usedRows(organizationId)).toBe(1);
    const next = await running.scans.create(organizationId, rowsWithIds('late'));
    expect(next).toMatchObject({ replayed: false, scan: { invoicesAnalyzed: 1 } });
  },
  TEST_MS_MAX,
);

test.concurrent(
  'a scan whose caller stops waiting before its rows are stored does not wait for the end of an abandoned scan that it has taken up: that one goes on without it',
  async () => {
    const { organizationId, first } = await tenantAtWork();
    await running.lapse(organizationId);
    const second = running.scans.create(organizationId, rowsWithIds('late'), {}, PATIENCE_MS);
    await expect(second).rejects.toMatchObject(noTurn);
    expect(await running.stored(organizationId)).toHaveLength(1);
    running.analysis.open(organizationId);
    await first;
    await eventually(async () => expect((await running.scans.list(organizationId)).scans).toHaveLength(1));
    expect(await running.usedRows(organizationId)).toBe(1);
  },
  TEST_MS_MAX,
);

test.concurrent.each([
  ['with a key', 'k', /Repeat the request with the same Idempotency-Key to get its result\./],
  ['without one', '', /Find its result in the list of scans/],
])(
  'a scan whose caller stops waiting while it is worked on is answered in time that it goes on, %s, and does so exactly once',
  async (_, idempotencyKey, wayToResult) => {
    const organizationId = running.organization.newTenant();
    running.analysis.close(organizationId);
    const answer = running.scans.create(organizationId, rowsWithIds('a'), { idempotencyKey }, PATIENCE_MS);
    await expect(answer).rejects.toMatchObject({
      kind: 'deadline',
      publicMessage: expect.stringMatching(/^The history scan is stored and continues\. /),
    });
    await expect(answer).rejects.toMatchObject({ publicMessage: expect.stringMatching(wayToResult) });
    expect(await running.stored(organizationId)).toMatchObject([{ status: 'RUNNING' }]);
    // The worker keeps the history scan, and its analysis continues.
    expect(running.analysis.abandoned(organizationId)).toEqual([false]);

    running.analysis.open(organizationId);
    await eventually(async () => expect((await running.scans.list(organizationId)).scans).toHaveLength(1));
    expect(running.analysis.requestsOf(organizationId)).toHaveLength(1);
    expect(await running.usedRows(organizationId)).toBe(1);
  },
  TEST_MS_MAX,
);

test.concurrent(
  'a scan whose caller stops waiting while it is worked on is not begun again by a repeat at once, on whichever replica; when it is done, a repeat has its result',
  async () => {
    const organizationId = running.organization.newTenant();
    const replica = await running.startReplica();
    const keyed = { idempotencyKey: 'again' };
    running.analysis.close(organizationId);
    const first = running.scans.create(organizationId, rowsWithIds('a'), keyed, PATIENCE_MS);
    await expect(first).rejects.toMatchObject({ kind: 'deadline' });
    for (const { scans } of [running, replica]) {
      await expect(scans.create(organizationId, rowsWithIds('a'), keyed)).rejects.toMatchObject({
        kind: 'in_progress',
        retryAfterSeconds: 1,
      });
    }
    expect(running.analysis.requestsOf(organizationId)).toHaveLength(1);
    running.analysis.open(organizationId);
    const repeated = await eventually(() => replica.scans.create(organizationId, rowsWithIds('a'), keyed));
    expect(repeated).toMatchObject({ replayed: true, scan: { invoicesAnalyzed: 1 } });
    expect(running.analysis.requestsOf(organizationId)).toHaveLength(1);
    expect(await running.usedRows(organizationId)).toBe(1);
    await replica.stop();
  },
  TEST_MS_MAX,
);

test.concurrent(
  'a worker that lost its scan no longer asks analysis for it',
  async () => {
    const { organizationId, first } = await tenantAtWork();
    await running.lapse(organizationId);
    // The worker renews its lease every ten seconds, and then learns that another worker holds the history scan.
    await eventually(() => expect(running.analysis.abandoned(organizationId)[0]).toBe(true), { timeoutMs: 40_000 });
    running.analysis.open(organizationId);
    await first;
    await eventually(async () => expect((await running.scans.list(organizationId)).scans).toHaveLength(1));
    expect(await running.usedRows(organizationId)).toBe(1);
  },
  TEST_MS_MAX,
);
