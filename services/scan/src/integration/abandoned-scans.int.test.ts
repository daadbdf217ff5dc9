import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { FAULTS_MAX } from '../domain/next-try.js';
import type { ImportedRowDocument } from '../storage/imported-rows.js';
import type { ScanDocument } from '../storage/scans.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { rowsWithIds } from '../testing/scanning.js';

const keyed = { idempotencyKey: 'poisoned' };
const rows = () => rowsWithIds('a', 'b', 'b', '');
const UNKNOWN_ID = '0199f3a2-6c1e-7b60-9d51-2f1c8a7be001';
let running: RunningScan;

beforeAll(async () => {
  running = await startScan(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

async function scanOf(organizationId: string): Promise<ScanDocument> {
  const [document] = await running.stored(organizationId);
  if (document === undefined) throw new Error('nothing is stored');
  return document;
}

/** Creates an organization whose history scan always fails. One of its four rows repeats another. */
async function tenantWithPoisonedScan(): Promise<{ organizationId: string; scanId: string }> {
  const organizationId = running.organization.newTenant();
  const fault = new DomainError('internal', 'row 7 is a riddle');
  running.analysis.failNext(organizationId, ...Array.from({ length: FAULTS_MAX * 10 }, () => fault));
  await expect(running.scans.create(organizationId, rows(), keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  return { organizationId, scanId: (await scanOf(organizationId))._id };
}

/** Returns every event about the history scan, whether or not it was published. */
async function eventsOf(organizationId: string): Promise<{ subject: string; payload: Record<string, unknown> }[]> {
  const { outbox = [], recentEvents = [] } = await scanOf(organizationId);
  const all = new Map([...outbox, ...recentEvents].map((event) => [event.id, event]));
  return [...all.values()].map(({ subject, payload }) => ({ subject, payload: JSON.parse(payload) }));
}

describe('an abandoned scan', () => {
  test('ends as FAILED, gives its rows back, frees its turn and its external ids, and is told in event and audit trail', async () => {
    const { organizationId, scanId } = await tenantWithPoisonedScan();
    expect(await running.usedRows(organizationId)).toBe(3);
    const answer = await running.scans.abandon(organizationId, scanId);
    expect(answer).toMatchObject({ rowsGivenBack: 3, alreadyAbandoned: false, reason: 'analysis fails on row 7' });
    expect(await running.usedRows(organizationId)).toBe(0);

    const document = await scanOf(organizationId);
    expect(document).toMatchObject({ status: 'FAILED', failure: { reason: 'analysis fails on row 7', rows: 3 } });
    expect(document.usage.rows).toBe(0);
    for (const gone of ['turn', 'claim', 'leaseUntil', 'packedRows', 'grant', 'skips', 'faults', 'lastError']) {
      expect(document).not.toHaveProperty(gone);
    }
    expect(await eventsOf(organizationId)).toMatchObject([
      { subject: 'invoicecontrol.scan.v1.scan_failed', payload: { organizationId, scanId } },
      {
        subject: 'invoicecontrol.scan.v1.audit_recorded',
        payload: { actorType: 'OPERATOR', actorId: 'ann', action: 'scan.abandoned', target: `scan:${scanId}` },
      },
    ]);

    running.analysis.failNext(organizationId);
    const { scan } = await running.scans.create(organizationId, rows());
    expect(scan).toMatchObject({ invoicesAnalyzed: 3, rowsSkipped: 1 });
    expect(await running.usedRows(organizationId)).toBe(3);
  });

  test('is not found and not listed, and a repeat under its key is refused and says what to do', async () => {
    const { organizationId, scanId } = await tenantWithPoisonedScan();
    await running.scans.abandon(organizationId, scanId);
    await expect(running.scans.get(organizationId, scanId)).rejects.toMatchObject({ kind: 'not_found' });
    expect((await running.scans.list(organizationId)).scans).toEqual([]);
    await expect(running.scans.create(organizationId, rows(), keyed)).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('a new Idempotency-Key'),
    });
  });

  test('is abandoned once, however often and by however many at once', async () => {
    const { organizationId, scanId } = await tenantWithPoisonedScan();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => running.scans.abandon(organizationId, scanId, `reason ${index}`)),
    );
    expect(answers.filter(({ alreadyAbandoned }) => !alreadyAbandoned)).toHaveLength(1);
    expect(new Set(answers.map(({ reason }) => reason)).size).toBe(1);
    expect(await running.scans.abandon(organizationId, scanId)).toMatchObject({ alreadyAbandoned: true });
    expect(await running.usedRows(organizationId)).toBe(0);
    expect(await eventsOf(organizationId)).toHaveLength(2);
  });

  test('cannot be completed by the worker that still holds it, and its caller is told the truth', async () => {
    const organizationId = running.organization.newTenant();
    running.analysis.close(organizationId);
    const created = running.scans.create(organizationId, rows());
    created.catch(() => {});
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(1));
    const { _id: scanId } = await scanOf(organizationId);
    await running.scans.abandon(organizationId, scanId);
    running.analysis.open(organizationId);
    await expect(created).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('abandoned this history scan'),
    });
    expect(await scanOf(organizationId)).toMatchObject({ status: 'FAILED' });
    expect(await scanOf(organizationId)).not.toHaveProperty('result');
    expect(await running.usedRows(organizationId)).toBe(0);
    expect((await eventsOf(organizationId)).map(({ subject }) => subject)).not.toContain(
      'invoicecontrol.scan.v1.scan_completed',
    );
  });

  test('keeps no external id that its worker takes afterwards', async () => {
    const { organizationId, scanId } = await tenantWithPoisonedScan();
    const importedRows = running.mongo.db.collection<ImportedRowDocument>('imported_rows');
    const taken = await importedRows.find({ organizationId, scanId }).toArray();
    await running.scans.abandon(organizationId, scanId);
    expect(await importedRows.countDocuments({ organizationId, scanId })).toBe(0);
    await importedRows.insertMany(taken);
    running.analysis.failNext(organizationId);
    const { scan } = await running.scans.create(organizationId, rows());
    expect(scan).toMatchObject({ invoicesAnalyzed: 3, rowsSkipped: 1 });
    expect(await importedRows.countDocuments({ organizationId, scanId })).toBe(0);
  });
});

describe('abandoning is refused', () => {
  test('for a scan that completed, which keeps its result and its rows', async () => {
    const organizationId = running.organization.newTenant();
    const { scan } = await running.scans.create(organizationId, rows());
    const scanId = scan?.scanId ?? '';
    await expect(running.scans.abandon(organizationId, scanId)).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('already complete and has a result'),
    });
    expect(await running.scans.get(organizationId, scanId)).toMatchObject({ invoicesAnalyzed: 3 });
    expect(await running.usedRows(organizationId)).toBe(3);
  });

  test('for a scan that does not exist, and for one of another organization', async () => {
    const { organizationId, scanId } = await tenantWithPoisonedScan();
    for (const [organization, scan] of [
      [organizationId, UNKNOWN_ID],
      [running.organization.newTenant(), scanId],
    ] as const) {
      await expect(running.scans.abandon(organization, scan)).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(await scanOf(organizationId)).toMatchObject({ status: 'RUNNING' });
  });

  test.each([
    ['none', ' '],
    ['one of 501 characters', 'x'.repeat(501)],
  ])('without a reason that can be stored: %s', async (_, reason) => {
    await expect(running.scans.abandon('o', UNKNOWN_ID, reason)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
