import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectLedger, readLedger } from './ledger.js';
import type { LedgerRecord } from '@invoicecontrol/ledger-csv/ledger-record';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scan-csv-ledger-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function read(text: string, rowsMax?: number): Promise<LedgerRecord[]> {
  const path = join(directory, 'ledger.csv');
  await writeFile(path, text);
  return readLedger(path, await inspectLedger(path, new Map(), undefined), rowsMax);
}

const HEADING = 'Supplier,Invoice no,Date,Gross\n';

test('as many rows as the command can sort are read, and one more is refused', async () => {
  const rows = 'A,N,2025-01-01,5\n'.repeat(3);
  expect(await read(HEADING + rows, 3)).toHaveLength(3);
  await expect(read(`${HEADING}${rows}A,N,2025-01-01,5`, 3)).rejects.toThrow('The file has more than 3 rows. Split it');
});

test.each(['\n', '\r\n'])('rows have the line on which they begin, with line ends %j', async (end) => {
  const lines = [
    'Ledger 2025',
    '',
    HEADING.trimEnd(),
    '"A',
    'Ltd",N1,2025-01-01,5',
    '',
    '',
    'B,N2,2025-01-02,5',
    'C,N3,2025-01-03,5',
  ];
  expect((await read(lines.join(end))).map(({ line }) => line)).toEqual([4, 8, 9]);
});
