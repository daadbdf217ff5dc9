import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateScanResponse } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { insist, rowsWithIds, wireRow } from '../testing/scanning.js';

/** A history scan waits 20 seconds for another one, whose lease is longer. */
const TURN_WAIT_PASSED_MS = 21_000;

let running: RunningScan;
let aheadMs = 0;
const newTenant = (): string => running.organization.newTenant();

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  running = await startScan(
    (config, overrides) => startService(config, { ...overrides, clock }),
    testInfrastructure(),
    testDatabaseName(),
  );
});
afterAll(() => running.stop());

function answersOf(outcomes: readonly PromiseSettledResult<CreateScanResponse>[]): CreateScanResponse[] {
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

function kindsOf(outcomes: readonly PromiseSettledResult<CreateScanResponse>[]): string[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [(outcome.reason as { kind: string }).kind] : [],
  );
}

/** Returns the external ids that the analysis received, including repeats. */
function analyzedIds(organizationId: string): string[] {
  const rows = running.analysis.requestsOf(organizationId).flatMap((request) => request.rows);
  return rows.flatMap(({ externalId }) => externalId ?? []).sort((one, other) => one.localeCompare(other));
}

describe('scans of one organization at once', () => {
  test.each([
    ['without keys', () => ''],
    ['with a key each', (index: number) => `key-${index}`],
  ])('of the same file, %s: one analyzes it, the others have nothing new', async (_, keyOf) => {
    const organizationId = newTenant();
    const ids = Array.from({ length: 30 }, (_unused, index) => `id-${String(index).padStart(2, '0')}`);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_unused, index) =>
        insist(() => running.scans.create(organizationId, rowsWithIds(...ids), { idempotencyKey: keyOf(index) })),
      ),
    );
    expect(kindsOf(outcomes)).toEqual(Array.from({ length: 9 }, () => 'already_exists'));
    expect(analyzedIds(organizationId)).toEqual(ids);
    expect(await running.usedRows(organizationId)).toBe(30);
    expect(await running.stored(organizationId)).toHaveLength(1);
  });

  test('of files that overlap analyze every external id exactly once, on two replicas', async () => {
    const organizationId = newTenant();
    const replica = await running.startReplica();
    const files = Array.from({ length: 10 }, (_, index) =>
      Array.from({ length: 10 }, (_unused, row) => `id-${String(index * 5 + row).padStart(2, '0')}`),
    );
    const outcomes = await Promise.allSettled(
      files.map((ids, index) =>
        insist(() => (index % 2 === 0 ? running : replica).scans.create(organizationId, rowsWithIds(...ids, ''))),
      ),
    );
    await replica.stop();
    expect(kindsOf(outcomes)).toEqual([]);
    const all = [...new Set(files.flat())];
    expect(analyzedIds(organizationId)).toEqual(all);
    const scans = answersOf(outcomes).flatMap(({ scan }) => scan ?? []);
    const analyzed = scans.reduce((sum, { invoicesAnalyzed }) => sum + invoicesAnalyzed, 0);
    expect(analyzed).toBe(all.length + files.length);
    expect(scans.every(({ rowsSkipped, skippedRows }) => rowsSkipped === skippedRows.length)).toBe(true);
    expect(await running.usedRows(organizationId)).toBe(analyzed);
  });

  test('are analyzed one after the other', async () => {
    const organizationId = newTenant();
    await Promise.all(Array.from({ length: 5 }, () => insist(() => running.scans.create(organizationId, [wireRow()]))));
    expect(running.analysis.requestsOf(organizationId)).toHaveLength(5);
    expect(running.analysis.callsAtOnceMax(organizationId)).toBe(1);
  });

  test('wait for their turn only so long, and then nothing of them is stored or counted', async () => {
    const organizationId = newTenant();
    running.analysis.close(organizationId);
    const first = running.scans.create(organizationId, [wireRow()]);
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(1));
    const passing = setInterval(() => (aheadMs = Math.min(aheadMs + 500, TURN_WAIT_PASSED_MS)), 20);
    await expect(running.scans.create(organizationId, [wireRow()])).rejects.toMatchObject({
      kind: 'in_progress',
      retryAfterSeconds: 5,
    });
    clearInterval(passing);
    expect(await running.usedRows(organizationId)).toBe(1);
    running.analysis.open(organizationId);
    await first;
    expect(await running.stored(organizationId)).toHaveLength(1);
  });
});

describe('an idempotency key', () => {
  test('used fifty times at once makes one scan, counted once', async () => {
    const organizationId = newTenant();
    const keyed = { idempotencyKey: 'k-50', scanRowsPerMonthLimit: 2 };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => running.scans.create(organizationId, rowsWithIds('a', 'b'), keyed)),
    );
    const answers = answersOf(outcomes);
    expect(kindsOf(outcomes).filter((kind) => kind !== 'in_progress')).toEqual([]);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ scan }) => JSON.stringify(scan))).size).toBe(1);
    expect(await running.stored(organizationId)).toHaveLength(1);
    expect(await running.usedRows(organizationId)).toBe(2);
    expect(analyzedIds(organizationId)).toEqual(['a', 'b']);
  });

  test('repeated later gives the first answer, neither counted nor refused by the quota', async () => {
    const organizationId = newTenant();
    const keyed = { idempotencyKey: 'again', scanRowsPerMonthLimit: 2 };
    const rows = rowsWithIds('a', 'b');
    const first = await running.scans.create(organizationId, rows, keyed);
    expect(await running.scans.create(organizationId, rows, keyed)).toEqual({ ...first, replayed: true });
    await expect(
      running.scans.create(organizationId, rowsWithIds('c'), { ...keyed, idempotencyKey: 'fresh' }),
    ).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });

  test('with another body is a conflict and changes nothing', async () => {
    const organizationId = newTenant();
    await running.scans.create(organizationId, rowsWithIds('a'), { idempotencyKey: 'k', fingerprint: 'f1' });
    await expect(
      running.scans.create(organizationId, rowsWithIds('b'), { idempotencyKey: 'k', fingerprint: 'f2' }),
    ).rejects.toMatchObject({ kind: 'idempotency_mismatch' });
    expect(await running.stored(organizationId)).toHaveLength(1);
    expect(await running.usedRows(organizationId)).toBe(1);
  });

  test('is the organization’s own: the same key elsewhere is another scan', async () => {
    const keyed = { idempotencyKey: 'shared' };
    const one = await running.scans.create(newTenant(), rowsWithIds('a'), keyed);
    const two = await running.scans.create(newTenant(), rowsWithIds('a'), keyed);
    expect(two.replayed).toBe(false);
    expect(two.scan?.scanId).not.toBe(one.scan?.scanId);
  });
});

describe('the quota of the month', () => {
  test('takes a scan that fills it exactly, and refuses one row more whole', async () => {
    const organizationId = newTenant();
    const limited = { scanRowsPerMonthLimit: 3 };
    const four = running.scans.create(organizationId, rowsWithIds('a', 'b', 'c', 'd'), limited);
    await expect(four).rejects.toMatchObject({ kind: 'usage_exceeded' });
    expect(await running.stored(organizationId)).toEqual([]);
    const { scan } = await running.scans.create(organizationId, rowsWithIds('a', 'b', 'c'), limited);
    expect(scan?.invoicesAnalyzed).toBe(3);
    await expect(running.scans.create(organizationId, [wireRow()], limited)).rejects.toMatchObject({
      kind: 'usage_exceeded',
    });
    expect(await running.usedRows(organizationId)).toBe(3);
  });

  test('gives skipped rows back, so that they can be used for others', async () => {
    const organizationId = newTenant();
    const limited = { scanRowsPerMonthLimit: 4 };
    await running.scans.create(organizationId, rowsWithIds('a', 'a', 'a', 'b'), limited);
    await running.scans.create(organizationId, rowsWithIds('c', 'd'), limited);
    expect(await running.usedRows(organizationId)).toBe(4);
  });

  test('has room for exactly one of a hundred scans that come at once for the last row', async () => {
    const organizationId = newTenant();
    const limited = { scanRowsPerMonthLimit: 10 };
    await running.scans.create(organizationId, rowsWithIds('', '', '', '', '', '', '', '', ''), limited);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => insist(() => running.scans.create(organizationId, [wireRow()], limited))),
    );
    expect(answersOf(outcomes)).toHaveLength(1);
    expect(new Set(kindsOf(outcomes))).toEqual(new Set(['usage_exceeded']));
    expect(await running.usedRows(organizationId)).toBe(10);
  });
});
