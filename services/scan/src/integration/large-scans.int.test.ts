import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { wireRow } from '../testing/scanning.js';

const ROWS_MAX = 5_000;
const BODY_BYTES_MAX = 10 * 1024 * 1024;

let running: RunningScan;

beforeAll(async () => {
  running = await startScan(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

/** Returns a text without repetition, which compresses as badly as possible. */
function noise(characters: number): string {
  return randomBytes(characters).toString('base64').slice(0, characters);
}

/**
 * Returns a row in which every text has the maximum length, mostly with letters of two bytes. All rows together have
 * the maximum size of a body.
 */
function longestRow(sourceRowNumber: number): Row {
  const letters = [...randomBytes(400)].map((byte) => String.fromCodePoint(0x400 + byte)).join('');
  return wireRow({
    supplier: { name: letters, taxId: noise(200), bankAccount: { iban: noise(200) } },
    invoiceNumber: noise(200),
    grossAmount: '-999999999999999.999999',
    currency: 'EUR',
    purchaseOrderRef: noise(200),
    externalId: noise(200),
    sourceRowNumber,
  });
}

test('five thousand rows with the longest texts are stored, survive a crash, and are skipped when they are sent again', async () => {
  const organizationId = running.organization.newTenant();
  const rows = Array.from({ length: ROWS_MAX }, (_, index) => longestRow(index));
  const bodyBytes = Buffer.byteLength(JSON.stringify({ rows }));
  expect(bodyBytes).toBeGreaterThan(0.95 * BODY_BYTES_MAX);

  // The history scan is stored and taken over as a whole.
  running.analysis.close(organizationId);
  const keyed = { idempotencyKey: 'large' };
  const first = running.scans.create(organizationId, rows, keyed);
  await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(1));
  await running.lapse(organizationId);
  const answered = Promise.allSettled([first, running.scans.create(organizationId, rows, keyed)]);
  await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(2));
  running.analysis.open(organizationId);
  await answered;
  // The sweep may be working on the history scan, so the request is repeated.
  const { scan } = await eventually(() => running.scans.create(organizationId, rows, keyed));
  expect(scan).toMatchObject({
    invoicesAnalyzed: ROWS_MAX,
    rowsSkipped: 0,
    analyzedValue: '-5000000000000000000.00',
  });
  const [asked, askedAgain] = running.analysis.requestsOf(organizationId);
  expect(askedAgain?.rows).toEqual(asked?.rows);

  // The second request has the rows of the first one, except that one row is new.
  const again = [...rows.slice(1), longestRow(ROWS_MAX)];
  const { scan: small } = await running.scans.create(organizationId, again);
  expect(small).toMatchObject({ invoicesAnalyzed: 1, rowsSkipped: ROWS_MAX - 1 });
  expect(small?.skippedRows[0]).toEqual({
    sourceRowNumber: 1,
    externalId: rows[1]?.externalId,
    reason: SkipReason.ALREADY_IMPORTED,
  });
  expect(await running.scans.get(organizationId, small?.scanId ?? '')).toEqual(small);
  expect(await running.usedRows(organizationId)).toBe(ROWS_MAX + 1);
});

test('one row more is refused, and nothing is stored', async () => {
  const organizationId = running.organization.newTenant();
  const rows = Array.from({ length: ROWS_MAX + 1 }, () => wireRow());
  await expect(running.scans.create(organizationId, rows)).rejects.toMatchObject({
    kind: 'invalid',
    publicMessage: 'rows: must have 1 to 5000 rows, not 5001.',
  });
  expect(await running.stored(organizationId)).toEqual([]);
});
