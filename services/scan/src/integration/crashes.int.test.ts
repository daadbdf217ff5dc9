import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { DomainError } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { rowsWithIds, wireRow } from '../testing/scanning.js';

const infrastructure = testInfrastructure();
let running: RunningScan;

beforeAll(async () => {
  running = await startScan(startService, infrastructure, testDatabaseName());
});
afterAll(async () => {
  await Promise.all(stopping);
  await running.stop();
});

/** Replicas that are still stopping. Without a database, they wait for it for seconds, while the next tests run. */
const stopping: Promise<unknown>[] = [];
const replicas: { stop(): Promise<void> }[] = [];
afterEach(() => {
  for (const replica of replicas.splice(0)) stopping.push(replica.stop());
});

/** Starts a replica whose connection to the database can be cut. */
async function startDying() {
  const proxy = await startMongoProxy(infrastructure.mongodbUrl);
  const dying = await running.startReplica(proxy.url);
  const stop = async (): Promise<void> => {
    await dying.stop();
    await proxy.close();
  };
  replicas.push({ stop });
  return { dying, proxy };
}

/** Creates an organization that has already imported two external ids. */
async function tenantWithHistory(): Promise<string> {
  const organizationId = running.organization.newTenant();
  await running.scans.create(organizationId, rowsWithIds('old-1', 'old-2'));
  return organizationId;
}

/** A file with two rows that were already imported, one repeated row and three new rows. */
const file = (): Row[] => rowsWithIds('old-1', 'new-1', 'new-1', 'new-2', 'old-2', '');
const outcome = { invoicesAnalyzed: 3, rowsSkipped: 3, analyzedValue: '30.00' };
/** Number of counted rows in the earlier history and in the file of the test. */
const COUNTED_ROWS = 2 + 3;

async function expectExactlyOnce(organizationId: string): Promise<void> {
  const documents = await running.stored(organizationId);
  expect(documents.map(({ status, turn, packedRows }) => [status, turn, packedRows])).toEqual([
    ['COMPLETE', undefined, undefined],
    ['COMPLETE', undefined, undefined],
  ]);
  expect(documents.reduce((sum, { usage }) => sum + usage.rows, 0)).toBe(COUNTED_ROWS);
  const [, ...requests] = running.analysis.requestsOf(organizationId);
  // The analysis may be requested repeatedly, but only for the same rows of the same history scan.
  const asked = requests.map(({ scanId, rows }) => [scanId, rows.map(({ position }) => position)]);
  expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(asked[0]?.[1]).toEqual([1, 3, 5]);
}

/** Repeats the request with the key until it succeeds, because the sweep may be working on the history scan. */
const completed = (organizationId: string, idempotencyKey: string) =>
  eventually(() => running.scans.create(organizationId, file(), { idempotencyKey }));

interface CrashPoint extends HoldOptions {
  readonly name: string;
  /** Number of rows by which the usage counter is too high until the job compares it with the stored rows. */
  readonly overcounted: number;
}

const crashPoints: readonly CrashPoint[] = [
  { name: 'before its rows are counted', command: 'findAndModify usage', side: 'before', overcounted: 0 },
  { name: 'when its rows are counted', command: 'findAndModify usage', side: 'after', overcounted: 6 },
  { name: 'before it is stored', command: 'insert scans', side: 'before', overcounted: 6 },
  { name: 'when it is stored', command: 'insert scans', side: 'after', overcounted: 0 },
  { name: 'before it takes its external ids', command: 'insert imported_rows', side: 'before', overcounted: 0 },
  { name: 'when it has taken its external ids', command: 'insert imported_rows', side: 'after', overcounted: 0 },
  { name: 'before it notes what is skipped', command: 'findAndModify scans', side: 'before', overcounted: 0 },
  { name: 'when it has noted what is skipped', command: 'findAndModify scans', side: 'after', overcounted: 3 },
  {
    name: 'before it is completed',
    command: 'findAndModify scans',
    side: 'before',
    mentioning: ['COMPLETE'],
    overcounted: 0,
  },
  {
    name: 'when it is completed',
    command: 'findAndModify scans',
    side: 'after',
    mentioning: ['COMPLETE'],
    overcounted: 0,
  },
];

describe('a scan whose process dies', () => {
  test.each(crashPoints)('$name is finished by a repeat, under the same id', async ({ overcounted, ...point }) => {
    const organizationId = await tenantWithHistory();
    const { dying, proxy } = await startDying();
    const keyed = { idempotencyKey: 'crash' };
    const hold = proxy.hold(point);
    const lost = dying.scans.create(organizationId, file(), keyed).catch((error: unknown) => error);
    await hold.complete;
    proxy.cut();
    hold.drop();
    await running.lapse(organizationId);

    const { scan } = await completed(organizationId, keyed.idempotencyKey);
    expect(scan).toMatchObject(outcome);
    expect(await running.scans.create(organizationId, file(), keyed)).toEqual({ scan, replayed: true });
    await lost;
    await expectExactlyOnce(organizationId);
    expect(await running.usedRows(organizationId)).toBe(COUNTED_ROWS + overcounted);
  });

  test('while analysis works is finished by the sweep, without a repeat', async () => {
    const organizationId = await tenantWithHistory();
    const { dying, proxy } = await startDying();
    running.analysis.close(organizationId);
    const lost = dying.scans.create(organizationId, file()).catch((error: unknown) => error);
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(2));
    proxy.cut();
    running.analysis.open(organizationId);
    await running.lapse(organizationId);
    await eventually(async () => {
      const { scans } = await running.scans.list(organizationId);
      expect(scans[0]).toMatchObject(outcome);
    });
    await lost;
    await expectExactlyOnce(organizationId);
    expect(await running.usedRows(organizationId)).toBe(COUNTED_ROWS);
  });

  test('is finished by the next scan of its organization, which waits for it', async () => {
    const organizationId = await tenantWithHistory();
    const { dying, proxy } = await startDying();
    const hold = proxy.hold({ command: 'insert imported_rows', side: 'after' });
    const lost = dying.scans.create(organizationId, file()).catch((error: unknown) => error);
    await hold.complete;
    proxy.cut();
    hold.drop();
    await running.lapse(organizationId);
    const { scan } = await running.scans.create(organizationId, rowsWithIds('new-1', 'new-3'));
    expect(scan).toMatchObject({ invoicesAnalyzed: 1, rowsSkipped: 1 });
    const { scans } = await running.scans.list(organizationId);
    expect(scans.map(({ invoicesAnalyzed }) => invoicesAnalyzed)).toEqual([1, 3, 2]);
    await lost;
  });
});

describe('a worker that lost its scan to another one', () => {
  test('changes nothing, and answers with what the other one made of it', async () => {
    const organizationId = await tenantWithHistory();
    const keyed = { idempotencyKey: 'slow' };
    running.analysis.close(organizationId);
    const slow = running.scans.create(organizationId, file(), keyed);
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(2));
    await expect(running.scans.create(organizationId, file(), keyed)).rejects.toMatchObject({
      kind: 'in_progress',
      retryAfterSeconds: 1,
    });
    await running.lapse(organizationId);
    const fast = running.scans.create(organizationId, file(), keyed);
    // Both calls that abandon the history scan start before the test waits. If the sweep is faster than both, the
    // second caller is refused at once.
    const both = Promise.allSettled([slow, fast]);
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(3));
    running.analysis.open(organizationId);
    const [first, second] = await both;
    // The slower caller may read the history scan before the other caller has written. The history scan is then still
    // running.
    const { scan } = await completed(organizationId, keyed.idempotencyKey);
    for (const one of [first, second]) if (one.status === 'fulfilled') expect(one.value.scan).toEqual(scan);
    for (const one of [first, second]) if (one.status === 'rejected') expect(one.reason.kind).toBe('in_progress');
    await expectExactlyOnce(organizationId);
    expect(await running.usedRows(organizationId)).toBe(COUNTED_ROWS);
  });
});

describe('while analysis cannot be reached', () => {
  test('a scan stays stored, says so, and a repeat with the key gives its result', async () => {
    const organizationId = await tenantWithHistory();
    const keyed = { idempotencyKey: 'outage' };
    const outage = new DomainError('unavailable', 'down');
    // Two failures are prepared, because the client repeats a call that could not be delivered.
    running.analysis.failNext(organizationId, outage, outage);
    await expect(running.scans.create(organizationId, file(), keyed)).rejects.toMatchObject({
      kind: 'unavailable',
      publicMessage: expect.stringContaining('will be completed automatically'),
      retryAfterSeconds: 10,
    });
    await expect(running.scans.create(organizationId, file(), keyed)).rejects.toMatchObject({ kind: 'in_progress' });
    await running.lapse(organizationId);
    const { scan, replayed } = await completed(organizationId, keyed.idempotencyKey);
    expect([scan?.invoicesAnalyzed, replayed]).toEqual([3, true]);
    await expectExactlyOnce(organizationId);
    expect(await running.usedRows(organizationId)).toBe(COUNTED_ROWS);
  });

  test('a scan without a key is completed by the sweep', async () => {
    const organizationId = running.organization.newTenant();
    const outage = new DomainError('unavailable', 'down');
    running.analysis.failNext(organizationId, outage, outage);
    await expect(running.scans.create(organizationId, [wireRow()])).rejects.toMatchObject({ kind: 'unavailable' });
    await running.lapse(organizationId);
    await eventually(async () => expect((await running.scans.list(organizationId)).scans).toHaveLength(1));
  });
});
