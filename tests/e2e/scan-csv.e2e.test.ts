// Sends a ledger as German bookkeeping programs export it through `npm run scan-csv` to the running product.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { run } from '@invoicecontrol/scan-csv/run';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';

const ROWS = 300;
const SUPPLIERS = [
  'Müller & Söhne GmbH',
  'Bäckerei Grün',
  'Nordlicht Energie GmbH',
  'Weiß Logistik KG',
  'Ärztehaus Süd',
];
const HEADING = 'Belegnummer;Lieferant;Rechnungsnr.;Rechnungsdatum;Bruttobetrag;Währung;Bemerkung';

let running: RunningSystem;
let directory: string;
let tenant: Tenant;
beforeAll(async () => {
  running = await useSharedSystem();
  directory = await mkdtemp(join(tmpdir(), 'scan-csv-'));
});
afterAll(async () => {
  await running.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  tenant = await running.newTenant();
});

interface Line {
  readonly own: number;
  readonly supplier: string;
  readonly number: string;
  readonly date: string;
  readonly amount: string;
}

/** Returns the bills of several suppliers over a year, newest first as such programs list them. */
function bills(count: number): Line[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.UTC(2024, 0, 2 + index));
    const [year, month, dayOfMonth] = day.toISOString().slice(0, 10).split('-');
    return {
      own: 70_001 + index,
      supplier: SUPPLIERS[index % SUPPLIERS.length] ?? '',
      number: `RE-2024-${String(1_000 + index * 7)}`,
      date: `${dayOfMonth}.${month}.${year}`,
      amount: `1.${String(100 + ((index * 37) % 900))},${String(10 + (index % 90))}`,
    };
  }).reverse();
}

/**
 * Writes a file as a spreadsheet program saves it: in Windows-1252, separated by semicolons, with a note over two lines
 * and a total in the last line.
 */
function exported(lines: readonly Line[]): Buffer {
  const rows = lines.map(
    ({ own, supplier, number, date, amount }, index) =>
      `${own};"${supplier}";${number};${date};${amount};EUR;${index === 0 ? '"erste\r\nZeile"' : ''}`,
  );
  return Buffer.from([HEADING, ...rows, ';;;;99.999,00;;Summe', ''].join('\r\n'), 'latin1');
}

interface Ran {
  readonly code: number;
  readonly summary: {
    readonly rowsRead: number;
    readonly rowsSent: number;
    readonly rowsSkipped: readonly { line: number; reason: string; externalId?: string }[];
    readonly invoicesAnalyzed: number;
    readonly analyzedValues: readonly { value: string; currency: string }[];
    readonly decisionCounts: Readonly<Record<string, number>>;
    readonly findings: readonly { type: string; severity: string; count: number }[];
    readonly scans: readonly { id: string; sentBefore: boolean }[];
  };
  readonly stderr: string;
}

async function scan(file: Buffer, args: string[] = []): Promise<Ran> {
  const path = join(directory, 'kreditoren.csv');
  await writeFile(path, file);
  let stdout = '';
  let stderr = '';
  const code = await run([path, '--base-url', running.system.baseUrl, '--json', ...args], {
    env: { INVOICE_CONTROL_API_KEY: tenant.keys.owner },
    directory,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
    now: () => performance.now(),
    every: () => () => undefined,
    pause: (ms, signal) => delay(ms, undefined, { signal }),
  });
  return { code, summary: JSON.parse(stdout || '{}') as Ran['summary'], stderr };
}

/** Returns the total of the ledger in cents, which is added up independently of the command. */
function cents(lines: readonly Line[]): number {
  return lines.reduce((sum, { amount }) => sum + Number(amount.replaceAll(/[.,]/g, '')), 0);
}

describe('a German ledger', () => {
  test('is analyzed row by row, in order of date, and its duplicate is found', async () => {
    const lines = bills(ROWS);
    const [newest] = lines;
    if (newest === undefined) throw new Error('the ledger is empty');
    const repeated = { ...newest, own: 99_999, number: newest.number.replace('RE-2024-', 're 2024/') };
    const { code, summary } = await scan(exported([...lines, repeated]));

    expect(code).toBe(0);
    expect(summary).toMatchObject({ rowsRead: ROWS + 2, rowsSent: ROWS + 1, invoicesAnalyzed: ROWS + 1 });
    // The CSV file has a heading, a first row over two lines, and 300 further rows.
    expect(summary.rowsSkipped).toEqual([{ line: ROWS + 4, reason: 'NOT_AN_INVOICE' }]);
    const total = cents([...lines, repeated]);
    expect(summary.analyzedValues).toEqual([
      { value: `${Math.floor(total / 100)}.${String(total % 100).padStart(2, '0')}`, currency: 'EUR' },
    ]);
    expect(summary.decisionCounts['BLOCK']).toBe(1);
    expect(summary.findings[0]).toEqual({ type: 'DUPLICATE_INVOICE', severity: 'CRITICAL', count: 1 });

    const api = running.clientOf(tenant.keys.owner);
    const found = await api.get('/findings', {
      query: { scan_id: String(summary.scans[0]?.id), type: 'DUPLICATE_INVOICE' },
    });
    expect(found.data.items).toMatchObject([{ supplierName: newest.supplier, invoiceNumber: repeated.number }]);
    const stored = [];
    for await (const { id } of api.items('/invoices', { query: { source: 'SCAN', limit: 100 } })) stored.push(id);
    expect(new Set(stored).size).toBe(ROWS + 1);
  });

  test('sent again gives the first answer and counts nothing twice', async () => {
    const file = exported(bills(20));
    const first = await scan(file);
    const again = await scan(file);
    expect(again.summary.scans).toEqual([{ ...first.summary.scans[0], sentBefore: true }]);
    const usage = await running.clientOf(tenant.keys.owner).get('/organizations/current/usage');
    expect(usage.data.items).toContainEqual(expect.objectContaining({ meter: 'scan_rows', used: 20 }));
  });

  test('that has grown is sent with its earlier rows, which are skipped by their numbers', async () => {
    await scan(exported(bills(20)));
    const { code, summary } = await scan(exported(bills(23)));
    expect(code).toBe(0);
    expect(summary).toMatchObject({ rowsSent: 23, invoicesAnalyzed: 3 });
    expect(summary.rowsSkipped.filter(({ reason }) => reason === 'ALREADY_IMPORTED')).toHaveLength(20);
    // The file lists the newest rows first. Its first three rows are the new ones, and the first of them has two lines.
    expect(summary.rowsSkipped[0]).toEqual({ line: 6, reason: 'ALREADY_IMPORTED', externalId: '70020' });
  });

  test('succeeds with nothing new, in another order', async () => {
    const lines = bills(5);
    await scan(exported(lines));
    const { code, summary } = await scan(exported(lines.toReversed()));
    expect([code, summary.invoicesAnalyzed, summary.rowsSkipped.length]).toEqual([0, 0, 6]);
  });
});

test('a fault that only the service finds is reported by line and column', async () => {
  const heading = 'Supplier,Invoice no,Date,Gross,IBAN,Sort code,Account number';
  const right = 'Oak & Sons Ltd,OS-1,2025-03-14,1180.00,,,';
  const wrong = 'Oak & Sons Ltd,OS-2,2025-03-13,1180.00,DE89370400440532013000,20-15-55,55555555';
  const { code, stderr } = await scan(Buffer.from([heading, right, wrong].join('\n')));
  expect(code).toBe(1);
  expect(stderr).toContain(
    'line 3, #5 "IBAN": Names a different bank account than bankSortCode and bankAccountNumber.',
  );
});
