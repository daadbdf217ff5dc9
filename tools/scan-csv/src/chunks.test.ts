import { describe, expect, test } from 'vitest';
import { chunkBody, chunkKey, planChunks, repeatedExternalIds } from './chunks.js';
import type { ScanRow } from '@invoicecontrol/ledger-csv/scan-row';

function row(sourceRowNumber: number, issueDate: string, more: Partial<ScanRow> = {}): ScanRow {
  return { supplierName: 'A', invoiceNumber: '1', issueDate, grossAmount: '5', sourceRowNumber, ...more };
}

describe('chunks', () => {
  test('are sorted by date, and keep the order of the file within a day', () => {
    const rows = [row(2, '2025-03-01'), row(3, '2025-01-01'), row(4, '2025-03-01'), row(5, '2025-02-01')];
    const chunks = planChunks(rows, 3);
    expect(chunks.map((chunk) => chunk.rows.map(({ sourceRowNumber }) => sourceRowNumber))).toEqual([[3, 5, 2], [4]]);
  });

  test('have at most 5000 rows and stay within the byte limit', () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => row(index + 2, '2025-01-01'));
    expect(planChunks(rows).map((chunk) => chunk.rows.length)).toEqual([5_000, 5_000, 1]);
    const wide = rows.slice(0, 10).map((each) => ({ ...each, supplierName: 'ü'.repeat(400) }));
    const sizes = planChunks(wide, 5_000, 3_000).map((chunk) =>
      Buffer.byteLength(JSON.stringify(chunkBody(chunk, undefined))),
    );
    expect(Math.max(...sizes)).toBeLessThan(3_100);
    expect(sizes).toHaveLength(4);
  });
});

test('a key is the same for the same rows and company, and differs otherwise', () => {
  const keyOf = (rows: ScanRow[], companyId?: string) => chunkKey(chunkBody({ rows }, companyId));
  const rows = [row(2, '2025-01-01')];
  expect(keyOf(rows)).toBe(keyOf([row(2, '2025-01-01')]));
  expect(keyOf(rows)).toMatch(/^[\x21-\x7e]{1,255}$/);
  const others = [keyOf([row(3, '2025-01-01')]), keyOf(rows, 'c'), keyOf([row(2, '2025-01-01', { currency: 'EUR' })])];
  expect(new Set([keyOf(rows), ...others]).size).toBe(4);
});

test('rows with a repeated external id are detected before sending, across chunks', () => {
  const rows = ['x', undefined, 'y', 'x', undefined].map((externalId, index) =>
    row(index + 2, '2025-01-01', externalId === undefined ? {} : { externalId }),
  );
  expect(repeatedExternalIds(planChunks(rows, 2)).map(({ sourceRowNumber }) => sourceRowNumber)).toEqual([5]);
});
