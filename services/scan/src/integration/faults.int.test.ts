import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { Binary } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { FAULTS_MAX } from '../domain/next-try.js';
import type { ScanDocument } from '../storage/scans.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { insist, rowsWithIds, wireRow } from '../testing/scanning.js';

/** Delays of the next attempt after the first faults. The last delay is that of a history scan that was set aside. */
const PAUSES_MS = [5_000, 10_000, 900_000] as const;
const SET_ASIDE_PAUSE_MS = PAUSES_MS[2];
const TURN_TAKEN_PAUSE_MS = 10_000;

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly scanId?: string;
}

const fault = new DomainError('internal', 'a fault');
const outage = new DomainError('unavailable', 'down');
const keyed = { idempotencyKey: 'poisoned' };

let running: RunningScan;
/** The clock is stopped, so that only the test makes delays and leases expire. */
let nowMs = Date.now();
const logLines: LogLine[] = [];

beforeAll(async () => {
  const logger = createLogger({
    service: 'scan',
    level: 'info',
    destination: { write: (line) => logLines.push(JSON.parse(line) as LogLine) },
  });
  const clock = { now: () => new Date(nowMs) };
  running = await startScan(
    (config, overrides) => startService(config, { ...overrides, clock, logger }),
    testInfrastructure(),
    testDatabaseName(),
  );
});
afterAll(() => running.stop());

const faults = (count: number): DomainError[] => Array.from({ length: count }, () => fault);
const poisoned = () => rowsWithIds('a', 'b');

async function documentOf(organizationId: string): Promise<ScanDocument> {
  const [document] = await running.stored(organizationId);
  if (document === undefined) throw new Error('nothing is stored');
  return document;
}

/** Creates an organization with a history scan that has already failed, and a fake analysis that will fail again. */
async function tenantWithFaults(tried: number, failing = tried): Promise<string> {
  const organizationId = running.organization.newTenant();
  running.analysis.failNext(organizationId, ...faults(failing));
  await expect(running.scans.create(organizationId, poisoned(), keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  for (let count = 1; count < tried; count++) await tryAgain(organizationId, count);
  return organizationId;
}

/** Makes the delay of the scan expire, and waits until its next analysis, by a repeated request or the sweep, has failed. */
async function tryAgain(organizationId: string, faultsBefore: number): Promise<void> {
  nowMs += PAUSES_MS[faultsBefore - 1] ?? SET_ASIDE_PAUSE_MS;
  const repeat = running.scans.create(organizationId, poisoned(), keyed);
  await expect(repeat).rejects.toMatchObject({ kind: expect.stringMatching(/^(unavailable|in_progress)$/) });
  await eventually(async () => {
    const { faults: count, claim } = await documentOf(organizationId);
    expect([count, claim]).toEqual([faultsBefore + 1, undefined]);
  });
}

/** Repeats the request with the key until it succeeds, because the sweep may be working on the history scan. */
const completed = (organizationId: string) => eventually(() => running.scans.create(organizationId, poisoned(), keyed));

describe('a scan on whose rows analysis fails every time', () => {
  test('gives up its turn with the third fault, is tried rarely, and completes when analysis is right again', async () => {
    const organizationId = await tenantWithFaults(1, FAULTS_MAX + 1);
    for (let count = 1; count <= FAULTS_MAX + 1; count++) {
      if (count > 1) await tryAgain(organizationId, count - 1);
      const { status, turn, leaseUntil } = await documentOf(organizationId);
      const pauseMs = PAUSES_MS[count - 1] ?? SET_ASIDE_PAUSE_MS;
      expect({ count, status, turn, pauseMs: Number(leaseUntil) - nowMs }).toEqual({
        count,
        status: 'RUNNING',
        turn: count < FAULTS_MAX ? organizationId : undefined,
        pauseMs,
      });
    }
    nowMs += SET_ASIDE_PAUSE_MS;
    const { scan, replayed } = await completed(organizationId);
    expect([scan?.invoicesAnalyzed, scan?.rowsSkipped, replayed]).toEqual([2, 0, true]);
    const { turn, leaseUntil, faults: count, status } = await documentOf(organizationId);
    expect([turn, leaseUntil, count, status]).toEqual([undefined, undefined, undefined, 'COMPLETE']);
    expect(running.analysis.requestsOf(organizationId)).toHaveLength(FAULTS_MAX + 2);
    expect(await running.usedRows(organizationId)).toBe(2);
  });

  test('and one time less never loses it', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX - 1);
    expect((await documentOf(organizationId)).turn).toBe(organizationId);
    nowMs += PAUSES_MS[1];
    const { scan } = await completed(organizationId);
    expect(scan?.invoicesAnalyzed).toBe(2);
  });

  test('keeps its external ids and its place in the quota while other scans go on', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    const limited = { scanRowsPerMonthLimit: 4 };
    const other = await running.scans.create(organizationId, rowsWithIds('b', 'c'), limited);
    expect(other.scan?.skippedRows).toEqual([
      { sourceRowNumber: 2, externalId: 'b', reason: SkipReason.ALREADY_IMPORTED },
    ]);
    await expect(running.scans.create(organizationId, rowsWithIds('d', 'e'), limited)).rejects.toMatchObject({
      kind: 'usage_exceeded',
    });
    nowMs += SET_ASIDE_PAUSE_MS;
    const { scan } = await completed(organizationId);
    expect([scan?.invoicesAnalyzed, scan?.rowsSkipped]).toEqual([2, 0]);
    expect(await running.usedRows(organizationId)).toBe(3);
    const analyzed = running.analysis.requestsOf(organizationId).map(({ rows }) => rows.map((row) => row.externalId));
    expect(analyzed).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b'], ['c'], ['a', 'b']]);
    const again = running.scans.create(organizationId, poisoned());
    await expect(again).rejects.toMatchObject({ kind: 'already_exists' });
  });

  test('yields to one that waits for the turn', async () => {
    const organizationId = await tenantWithFaults(1, FAULTS_MAX);
    const other = insist(() => running.scans.create(organizationId, rowsWithIds('c')));
    for (const [index, pauseMs] of PAUSES_MS.slice(0, FAULTS_MAX - 1).entries()) {
      nowMs += pauseMs;
      await eventually(async () => {
        const scans = await running.stored(organizationId);
        expect(scans.map(({ faults: count }) => count)).toContain(index + 2);
      });
    }
    expect((await other).scan?.invoicesAnalyzed).toBe(1);
    expect((await running.stored(organizationId)).map(({ status }) => status).sort()).toEqual(['COMPLETE', 'RUNNING']);
  });

  test('is completed by the sweep without a repeat', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    nowMs += SET_ASIDE_PAUSE_MS;
    await eventually(async () => expect((await running.scans.list(organizationId)).scans).toHaveLength(1));
  });

  test('is named in the log as an error with each fault, differently when it is set aside', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    const { _id } = await documentOf(organizationId);
    const errors = logLines.filter(({ level, scanId }) => level === 'error' && scanId === _id);
    expect(errors.map(({ msg }) => msg)).toEqual([
      'a scan failed because of an internal error; the sweep retries it',
      'a scan failed because of an internal error; the sweep retries it',
      'a scan keeps failing because of an internal error; it is set aside and retried rarely',
    ]);
  });

  test('leaves nothing behind when analysis, corrected, refuses the rows', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    running.analysis.failNext(organizationId, new DomainError('invalid', 'rows[0] is beyond what can be analyzed.'));
    nowMs += SET_ASIDE_PAUSE_MS;
    await eventually(async () => expect(await running.stored(organizationId)).toEqual([]));
    // The usage counter is adjusted to the number of stored rows.
    await eventually(async () => expect(await running.usedRows(organizationId)).toBe(0));
    const { scan } = await running.scans.create(organizationId, poisoned());
    expect(scan).toMatchObject({ invoicesAnalyzed: 2, rowsSkipped: 0 });
  });
});

describe('what the caller of a scan with a fault is told', () => {
  test('at first: that it is stored and tried again, and, with a key, how its result is had', async () => {
    const organizationId = running.organization.newTenant();
    running.analysis.failNext(organizationId, fault);
    await expect(running.scans.create(organizationId, poisoned(), keyed)).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 5,
      publicMessage:
        'The history scan is stored. An error on our side has kept it from completing; it is retried automatically. ' +
        'Repeat the request with the same Idempotency-Key to get its result.',
    });
  });

  test.each([
    ['a fault', [fault]],
    // Two outages are prepared, because the client repeats a call that could not be delivered.
    ['an outage', [outage, outage]],
  ])('without a key speaks of no key: %s', async (_, errors) => {
    const organizationId = running.organization.newTenant();
    running.analysis.failNext(organizationId, ...errors);
    await expect(running.scans.create(organizationId, [wireRow()])).rejects.toMatchObject({
      kind: 'unavailable',
      publicMessage: expect.stringMatching(
        /^The history scan is stored(?!.*Idempotency-Key).* Find its result in the list of scans, GET \/v1\/scans\. Do not send the rows again: that would be another scan\.$/,
      ),
    });
  });

  test('with a repeat: when the next try is due, to the second', async () => {
    const organizationId = await tenantWithFaults(1, FAULTS_MAX);
    const expectWait = async (retryAfterSeconds: number): Promise<void> => {
      await expect(running.scans.create(organizationId, poisoned(), keyed)).rejects.toMatchObject({
        kind: 'in_progress',
        retryAfterSeconds,
        publicMessage: expect.stringContaining(`retry the request in ${retryAfterSeconds} s.`),
      });
    };
    await expectWait(5);
    nowMs += 4_999;
    await expectWait(1);
    nowMs -= 4_999;
    for (let count = 1; count < FAULTS_MAX; count++) await tryAgain(organizationId, count);
    await expectWait(900);
    nowMs += 600_500;
    await expectWait(300);
    nowMs += 299_500;
    expect((await completed(organizationId)).replayed).toBe(true);
  });

  test('with a repeat under another body: that the key is taken, as always', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    const other = running.scans.create(organizationId, poisoned(), { ...keyed, fingerprint: 'f2' });
    await expect(other).rejects.toMatchObject({ kind: 'idempotency_mismatch' });
  });
});

describe('the turn of a scan that was set aside', () => {
  test('is not waited for: while another scan has it the try is put off, and then it completes', async () => {
    const organizationId = await tenantWithFaults(FAULTS_MAX);
    nowMs += SET_ASIDE_PAUSE_MS - 1;
    running.analysis.close(organizationId);
    const other = running.scans.create(organizationId, rowsWithIds('c'));
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(FAULTS_MAX + 1));
    nowMs += 1;
    await expect(running.scans.create(organizationId, poisoned(), keyed)).rejects.toMatchObject({
      kind: 'in_progress',
      retryAfterSeconds: TURN_TAKEN_PAUSE_MS / 1_000,
    });
    running.analysis.open(organizationId);
    await other;
    nowMs += TURN_TAKEN_PAUSE_MS;
    expect((await completed(organizationId)).scan?.invoicesAnalyzed).toBe(2);
    expect(running.analysis.callsAtOnceMax(organizationId)).toBe(1);
  });
});

describe('an outage', () => {
  test.each([
    ['unavailable', [outage, outage]],
    ['deadline', [new DomainError('deadline', 'late')]],
  ])('(%s) does not count as a fault: however often it happens, the scan keeps its turn', async (_, errors) => {
    const organizationId = running.organization.newTenant();
    for (let count = 1; count <= FAULTS_MAX + 1; count++) {
      running.analysis.failNext(organizationId, ...errors);
      await expect(running.scans.create(organizationId, poisoned(), keyed)).rejects.toMatchObject({
        kind: expect.stringMatching(/^(unavailable|in_progress)$/),
      });
      await eventually(async () => {
        expect(running.analysis.requestsOf(organizationId)).toHaveLength(count * errors.length);
        expect(await documentOf(organizationId)).not.toHaveProperty('claim');
      });
      expect(await documentOf(organizationId)).toMatchObject({ turn: organizationId, faults: 0 });
      nowMs += 10_000;
    }
    expect((await completed(organizationId)).scan?.invoicesAnalyzed).toBe(2);
  });
});

describe('the sweep', () => {
  test('takes scans that have their turn first, then five that were set aside, those that are due longest first', async () => {
    const template = await documentOf(await tenantWithFaults(FAULTS_MAX));
    const documents = running.mongo.db.collection<ScanDocument>('scans');
    // Removes running history scans of other tests, which the sweep would also process.
    await documents.deleteMany({ status: 'RUNNING' });
    const copy = (name: string, dueInMs: number, hasTurn: boolean): ScanDocument => {
      const organizationId = running.organization.newTenant();
      const { turn: _turn, claim: _claim, ...rest } = template;
      return {
        ...rest,
        _id: `sweep-${name}`,
        organizationId,
        grant: new Binary(testGrant(organizationId)),
        leaseUntil: new Date(nowMs + dueInMs),
        ...(hasTurn ? { turn: organizationId } : {}),
      };
    };
    const setAside = Array.from({ length: 8 }, (_, index) => copy(`aside-${index}`, 1_000 + index, false));
    for (const [index, { organizationId }] of setAside.entries()) {
      if (index !== 2) running.analysis.failNext(organizationId, fault);
    }
    const slow = setAside[2]?.organizationId ?? '';
    running.analysis.close(slow);
    await documents.insertMany([...setAside.toReversed(), copy('turn-0', 2_000, true)]);
    nowMs += 2_000;
    await eventually(() => expect(running.analysis.requestsOf(slow)).toHaveLength(1));
    await documents.insertOne(copy('turn-1', -1, true));
    running.analysis.open(slow);

    const ended = (): string[] =>
      logLines.flatMap(({ scanId = '', msg }) =>
        scanId.startsWith('sweep-') && /is complete$|keeps failing/.test(msg) ? [scanId.slice(6)] : [],
      );
    await eventually(() => expect(ended()).toHaveLength(10));
    const asides = setAside.map((_, index) => `aside-${index}`);
    expect(ended()).toEqual(['turn-0', ...asides.slice(0, 5), 'turn-1', ...asides.slice(5)]);
  });
});
