import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from './run.js';
import { API_KEY, errorBody, startScanService } from './testing/scan-service.js';
import type { ScanService } from './testing/scan-service.js';

const HEADING = 'Supplier,Invoice no,Date,Gross,Voucher';
let service: ScanService;
let directory: string;
let stop: AbortController;
let pausesMs: number[];
let nowMs: number;
/** Function that makes the progress line show the time that has passed. */
let tick: (() => void) | undefined;

beforeEach(async () => {
  service = await startScanService();
  directory = await mkdtemp(join(tmpdir(), 'scan-csv-'));
  stop = new AbortController();
  pausesMs = [];
  nowMs = 0;
  tick = undefined;
});

afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
  if (service.faults.length > 0) throw new Error(`Against the specification: ${service.faults.join('; ')}`);
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function command(
  args: string[],
  { env = {}, isTTY = false }: { env?: object; isTTY?: boolean } = {},
): Promise<Ran> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await run(args, {
    env: { INVOICE_CONTROL_API_KEY: API_KEY, ...env },
    directory,
    stdout: { write: (text) => stdout.push(text), isTTY },
    stderr: { write: (text) => stderr.push(text), isTTY },
    signal: stop.signal,
    now: () => nowMs,
    every: (_ms, work) => {
      tick = work;
      return () => (tick = undefined);
    },
    pause: async (ms, signal) => {
      pausesMs.push(ms);
      signal.throwIfAborted();
    },
  });
  const ran = { code, stdout: stdout.join(''), stderr: stderr.join('') };
  expect(ran.stdout + ran.stderr).not.toContain(API_KEY);
  return ran;
}

/** Writes a ledger to a file and scans it. */
async function scan(
  text: string | Buffer,
  args: string[] = [],
  more: Parameters<typeof command>[1] = {},
): Promise<Ran> {
  await writeFile(join(directory, 'ledger.csv'), text);
  return command(['ledger.csv', '--base-url', service.baseUrl, ...args], more);
}

function ledger(rows: number, externalId = (_row: number) => ''): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `A,N${row},2025-01-${10 + (row % 20)},5.00,${externalId(row)}`,
  );
  return [HEADING, ...lines, ''].join('\n');
}

const sentRows = () => service.received.flatMap(({ rows }) => rows);

describe('a ledger', () => {
  test('is sent with the first lines of its rows, and the summary lists the findings', async () => {
    const { code, stdout, stderr } = await scan(
      `\ufeff${HEADING}\r\n\r\nA,N1,2025-01-31,"1,190.00",\r\n"B\r\nLtd",N2,2025-01-30,5.00,V2\r\n"C ""&"" D",N3,2025-02-01,-5,\r\n,,,"1,190.00",\r\n`,
      ['--currency', 'eur', '--company', '01a1ff11-fea5-7260-9dad-3d6abcc18e90'],
    );
    expect(code).toBe(0);
    expect(service.received).toEqual([
      {
        idempotencyKey: expect.stringMatching(/^scan-csv-[0-9a-f]{64}$/),
        companyId: '01a1ff11-fea5-7260-9dad-3d6abcc18e90',
        rows: [
          { supplierName: 'B Ltd', invoiceNumber: 'N2', issueDate: '2025-01-30', currency: 'EUR', grossAmount: '5.00', externalId: 'V2', sourceRowNumber: 4 }, // prettier-ignore
          { supplierName: 'A', invoiceNumber: 'N1', issueDate: '2025-01-31', currency: 'EUR', grossAmount: '1190.00', sourceRowNumber: 3 }, // prettier-ignore
          { supplierName: 'C "&" D', invoiceNumber: 'N3', issueDate: '2025-02-01', currency: 'EUR', grossAmount: '-5', sourceRowNumber: 6 }, // prettier-ignore
        ],
      },
    ]);
    expect(stdout).toContain('4 rows read, 3 sent, 1 skipped');
    expect(stdout).toContain('two of supplier, number and date are empty, as in totals (line 7)');
    expect(stdout).toContain('Analyzed value     EUR 30.50, without 1 invoice that has no exchange rate');
    expect(stdout).toContain('PASS 2   REVIEW 0   BLOCK 1');
    expect(stdout).toMatch(/CRITICAL {2}DUPLICATE_INVOICE {2}1\n {2}INFO {6}SUPPLIER_NEW {7}3\n/);
    expect(stdout).toContain(
      `curl -s "${service.baseUrl}/findings?scan_id=00000000-0000-0000-0000-000000000001" -H "Authorization: Bearer $INVOICE_CONTROL_API_KEY"`,
    );
    expect(stderr).toContain('1 of 1 requests, 3 of 3 rows\n');
  });

  test.each(['utf8', 'utf16le', 'latin1'] as const)('is the same in %s', async (encoding) => {
    const text = 'Lieferant;Rechnungsnr.;Rechnungsdatum;Brutto €\nMüller;1;31.01.2025;1.190,00\n';
    const bytes = encoding === 'utf16le' ? Buffer.from(`\ufeff${text}`, encoding) : Buffer.from(text, encoding);
    await scan(encoding === 'latin1' ? Buffer.from(text.replace(' €', ''), encoding) : bytes);
    expect(sentRows()).toMatchObject([{ supplierName: 'Müller', grossAmount: '1190.00', issueDate: '2025-01-31' }]);
  });

  test('is read with spreadsheet text notation, short and long lines, and repeated headings', async () => {
    const { code, stdout } = await scan(
      `${HEADING}\nA,"=""007""",2025-01-01,5\nB,'008,2025-01-02,6,,,extra\n${HEADING}\nC, "9",2025-01-03,7,V\n`,
    );
    expect(code).toBe(0);
    expect(sentRows()).toEqual([
      { supplierName: 'A', invoiceNumber: '007', issueDate: '2025-01-01', grossAmount: '5', sourceRowNumber: 2 },
      { supplierName: 'B', invoiceNumber: '008', issueDate: '2025-01-02', grossAmount: '6', sourceRowNumber: 3 },
      { supplierName: 'C', invoiceNumber: '9', issueDate: '2025-01-03', grossAmount: '7', externalId: 'V', sourceRowNumber: 5 }, // prettier-ignore
    ]);
    expect(stdout).toContain('Skipped 1: repeated heading (line 4)');
  });

  test('of more than 5000 rows is sent in several requests in date order', async () => {
    const { code, stderr } = await scan(ledger(12_000));
    expect(code).toBe(0);
    expect(service.received.map(({ rows }) => rows.length)).toEqual([5_000, 5_000, 2_000]);
    const dates = sentRows().map(({ issueDate }) => issueDate);
    expect(dates).toEqual(dates.toSorted());
    expect(stderr).toContain('2 of 3 requests, 10000 of 12000 rows\n');
  });

  test('sent again gets the first answers, with the same keys', async () => {
    const first = await scan(ledger(10));
    const again = await scan(ledger(10), ['--json']);
    expect(again.code).toBe(0);
    expect(service.received[1]?.idempotencyKey).toBe(service.received[0]?.idempotencyKey);
    expect(first.stdout).not.toContain('sent before');
    expect(JSON.parse(again.stdout)).toMatchObject({ complete: true, scans: [{ sentBefore: true }] });
  });

  test('imported in part before skips that part and sends the rest', async () => {
    await scan(ledger(5_000, (row) => `V${row}`));
    const { code, stdout } = await scan(`${ledger(5_001, (row) => `V${row}`)}B,N,2025-12-31,7.00,\n`, ['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ complete: true, rowsSent: 5_002, invoicesAnalyzed: 2 });
    expect((JSON.parse(stdout) as { rowsSkipped: unknown[] }).rowsSkipped).toHaveLength(5_000);
  });

  test('imported completely before succeeds', async () => {
    service.injectedFaults.push({ status: 409, body: errorBody('CONFLICT', 'There is nothing new to analyze.') });
    const { code, stdout } = await scan(ledger(3, (row) => `V${row}`));
    expect(code).toBe(0);
    expect(stdout).toContain('3 rows read, 3 sent, 3 skipped');
    expect(stdout).toContain('imported by an earlier scan (same externalId) (line 2, 3, 4)');
    expect(stdout).toContain('Findings           none');
  });
});

describe('failures', () => {
  test('that are temporary are retried with the same request', async () => {
    service.injectedFaults.push(
      { status: 429, headers: { 'retry-after': '7' }, body: errorBody('RATE_LIMITED', 'Too many requests.') },
      { status: 409, headers: { 'retry-after': '5' }, body: errorBody('CONFLICT', 'Another scan runs.') },
      'drop',
      { status: 503, headers: { 'retry-after': '2' }, body: errorBody('PROCESSING_FAILED', 'Try again later.') },
      { status: 504 },
    );
    const { code, stderr } = await scan(ledger(2));
    expect(code).toBe(0);
    expect(new Set(service.received.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(service.received).toHaveLength(6);
    const [rate, turn, dropped = 0, unavailable, late = 0] = pausesMs;
    expect([rate, turn, unavailable]).toEqual([7_000, 5_000, 2_000]);
    expect(dropped).toBeLessThan(late);
    expect(stderr).toContain('Too many requests. (RATE_LIMITED, request req_1) Retrying in 7 s.');
  });

  test('that persist end the run after six attempts and tell how to continue', async () => {
    service.injectedFaults.push(...Array.from({ length: 6 }, () => ({ status: 502 })));
    const { code, stderr, stdout } = await scan(ledger(2));
    expect([code, stdout, service.received.length]).toEqual([1, '', 6]);
    expect(stderr).toContain('502 and no message. Check --base-url. (tried 6 times)');
    expect(stderr).toContain('0 of 1 requests are done. Run the same command again to continue');
  });

  test('of a connection name the address', async () => {
    await writeFile(join(directory, 'ledger.csv'), ledger(1));
    const { baseUrl } = service;
    await service.stop();
    const { code, stderr } = await command(['ledger.csv', '--base-url', baseUrl]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${baseUrl} cannot be reached (ECONNREFUSED). (tried 6 times)`);
  });

  test('by another running scan end the run after a time limit', async () => {
    const busy = { status: 409, headers: { 'retry-after': '120' }, body: errorBody('CONFLICT', 'Another scan runs.') };
    service.injectedFaults.push(...Array.from({ length: 20 }, () => busy));
    const { code, stderr } = await scan(ledger(2));
    expect(code).toBe(1);
    expect(stderr).toContain('Another scan runs. (CONFLICT, request req_1) (waited 14 minutes)');
  });

  test.each([
    ['a used-up quota', 429, 'USAGE_LIMIT_EXCEEDED', { 'retry-after': '60' }],
    ['a key without the scope', 403, 'FORBIDDEN', {}],
    ['a conflict where rows have no external id', 409, 'CONFLICT', {}],
  ])('%s is not retried', async (_, status, code, headers) => {
    service.injectedFaults.push({ status, headers, body: errorBody(code, 'No.') });
    const ran = await scan(ledger(2));
    expect([ran.code, service.received.length]).toEqual([1, 1]);
    expect(ran.stderr).toContain(`No. (${code}, request req_1)`);
  });

  test('midway leave a summary, and the next run continues there', async () => {
    service.onRequest = () => {
      if (service.received.length === 2)
        service.injectedFaults.push({ status: 403, body: errorBody('FORBIDDEN', 'No.') });
    };
    const { code, stdout, stderr } = await scan(ledger(6_000), ['--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, rowsSent: 5_000, rowsNotSent: 1_000 });
    expect(stderr).toContain('1 of 2 requests are done.');
    service.onRequest = () => undefined;
    const again = await scan(ledger(6_000), ['--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      complete: true,
      invoicesAnalyzed: 6_000,
      scans: [{ sentBefore: true }, { sentBefore: false }],
    });
  });

  test('of single rows are reported by line and column of the file', async () => {
    const details = [
      { path: 'rows[1].supplierName', message: 'Row 2, sourceRowNumber 3: Must have at most 400 characters.' },
      { path: 'companyId', message: 'Must be a UUID.' },
    ];
    service.injectedFaults.push({ status: 400, body: errorBody('INVALID_REQUEST', 'Wrong. (1 of 2 faults)', details) });
    const { code, stderr } = await scan(ledger(3));
    expect(code).toBe(1);
    expect(stderr).toContain(
      '  line 3, #1 "Supplier": Must have at most 400 characters.\n  companyId: Must be a UUID.\n',
    );
    expect(stderr).not.toContain('Run the same command again');
  });

  test('of a wrong key do not print the key', async () => {
    const { code, stderr } = await scan(ledger(1), [], { env: { INVOICE_CONTROL_API_KEY: 'ick_live_wrong' } });
    expect(code).toBe(1);
    expect(stderr).toContain('The API key is missing or invalid.');
    expect(stderr).not.toContain('ick_live_wrong');
  });

  test('by an answer that is not a scan are reported', async () => {
    service.injectedFaults.push({ status: 201, body: { ok: true } });
    expect((await scan(ledger(1))).stderr).toContain('The response is not a scan.');
  });
});

describe('progress', () => {
  /**
   * Simulates one request that takes this number of seconds, during which the progress reads the clock once a second.
   */
  const takesSeconds = (seconds: number) => {
    service.onRequest = () => {
      for (let second = 1; second <= seconds; second++) {
        nowMs += 1_000;
        tick?.();
      }
    };
  };

  test('moves on a terminal while the one request of a small file is answered', async () => {
    takesSeconds(3);
    const { stderr } = await scan(ledger(2), [], { isTTY: true });
    for (const seconds of [1, 2, 3]) expect(stderr).toContain(`] 0 of 2 rows, ${seconds} s`);
    expect(tick).toBeUndefined();
  });

  test('is a line each ten seconds in a pipe, without control characters', async () => {
    takesSeconds(25);
    const { stderr } = await scan(ledger(2));
    expect(stderr.match(/^Request 1 of 1 .*$/gm)).toEqual([
      'Request 1 of 1 with 2 rows was sent 10 s ago and is being analyzed.',
      'Request 1 of 1 with 2 rows was sent 20 s ago and is being analyzed.',
    ]);
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test('ends with a request that fails', async () => {
    service.injectedFaults.push({ status: 403, body: errorBody('FORBIDDEN', 'No.') });
    await scan(ledger(2), [], { isTTY: true });
    expect(tick).toBeUndefined();
  });
});

describe('Ctrl-C', () => {
  test('cancels the request, keeps the results and tells how to continue', async () => {
    service.onRequest = () => {
      if (service.received.length === 2) stop.abort();
    };
    const { code, stdout, stderr } = await scan(ledger(6_000));
    expect(code).toBe(130);
    expect(stdout).toContain('6000 rows read, 5000 sent, 0 skipped, 1000 not sent');
    expect(stderr).toContain('Stopped: 1 of 2 requests are done. Run the same command again to continue');
  });

  test('ends a pause', async () => {
    service.injectedFaults.push({ status: 503 });
    service.onRequest = () => stop.abort();
    expect((await scan(ledger(1))).code).toBe(130);
    expect(service.received).toHaveLength(1);
  });
});

describe('nothing is sent', () => {
  test('by a dry run, which needs no key and shows columns and rows', async () => {
    const { code, stdout } = await scan(ledger(7), ['--dry-run'], { env: { INVOICE_CONTROL_API_KEY: '' } });
    expect([code, service.received]).toEqual([0, []]);
    expect(stdout).toContain('externalId     #5 "Voucher"');
    expect(stdout).toContain('7 rows would be sent in 1 request');
    expect(stdout).toMatch(/ line {2}supplierName +invoiceNumber +issueDate +currency +grossAmount +externalId\n/);
    expect(stdout).toMatch(/ {4}2 {2}A +N0 +2025-01-10 +5\.00\n/);
  });

  test('by a dry run with --json', async () => {
    const { stdout } = await scan(ledger(7), ['--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      delimiter: ',',
      decimal: 'point',
      columns: { supplierName: 'Supplier', invoiceNumber: 'Invoice no', issueDate: 'Date', grossAmount: 'Gross' },
      rowsToSend: 7,
      requests: 1,
    });
  });

  test.each([
    [
      'rows that cannot be read',
      'A,N,2025-13-01,x,\nB,,2025-01-01,5,\n',
      'line 2, #3 "Date": "2025-13-01" is not a date',
    ],
    ['open questions', 'A,N,03/04/2025,1.234,\n', '--decimal comma or point.\nColumn #3 "Date"'],
    ['contradictions', 'A,N,13/01/2025,5,\nA,M,01/13/2025,5,\n', 'has two formats: "13/01/2025" in line 2'],
    ['no rows', ',,,5,\n', 'The file has no rows to send: 1 row below the heading, 1 skipped.'],
    ['an open quote', 'A,N,2025-01-01,5,"x\nB,N,2025-01-02,5,\n', 'Line 2, #5 "Voucher": the cell begins with'],
    [
      'an open quote below cells of several lines',
      '"A\nLtd",N,2025-01-01,5,\n\nB,"N,2025-01-02,5,\n',
      'Line 5, #2 "Invoice no":',
    ],
    [
      'an open quote above quoted cells',
      'A,"N,2025-01-01,5,\n"B",M,2025-01-02,5,"V"\nC,O,2025-01-03,5,\n',
      'Line 2, #2 "Invoice no":',
    ],
    ['an open quote with Windows line ends', 'A,N,2025-01-01,5,\r\nB,M,2025-01-01,5,"V\r\n', 'Line 3, #5 "Voucher":'],
    ['a row without end', `A,"${'N\n'.repeat(600_000)}`, 'Line 2, #2 "Invoice no":'],
  ])('where there are %s', async (_, rows, message) => {
    const { code, stdout, stderr } = await scan(`${HEADING}\n${rows}`);
    expect([code, stdout, service.received]).toEqual([2, '', []]);
    expect(stderr).toContain(message);
  });

  test.each([',', ';'])('for an open quote in a heading with %j', async (delimiter) => {
    const heading = HEADING.replaceAll(',', delimiter).replace('Invoice', '"Invoice');
    for (const row of ['A,N,2025-01-01,5,V', '"A",N,2025-01-01,5,V']) {
      const { code, stderr } = await scan(`${heading}\n${row.replaceAll(',', delimiter)}\n`);
      expect(code).toBe(2);
      expect(stderr).toContain('Line 1, #2 "Invoice no": the cell begins with a quotation mark that is not closed.');
    }
  });

  test('for unresolved columns; the columns of the file are listed', async () => {
    const { code, stderr } = await scan('Company,Reference\nA,1\n');
    expect(code).toBe(2);
    expect(stderr).toContain('--map supplierName="Company"');
    expect(stderr).toContain('Columns of the file: #1 "Company", #2 "Reference"');
  });

  test('unless faulty rows are skipped', async () => {
    const { code, stdout } = await scan(`${HEADING}\nA,N,2025-13-01,x,\nB,M,2025-01-01,5,\n`, ['--skip-faulty']);
    expect(code).toBe(0);
    expect(sentRows()).toMatchObject([{ supplierName: 'B' }]);
    expect(stdout).toContain('Skipped 1: cannot be read (line 2)');
  });

  test.each([
    [[], 'Pass the file to read.'],
    [['a.csv', 'b.csv'], 'Only one file can be scanned at a time'],
    [['none.csv'], 'none.csv cannot be read: ENOENT.'],
    [['.'], 'is not a file.'],
    [['a.csv', '--nonsense'], "Unknown option '--nonsense'"],
    [['a.csv', '--decimal', 'dot'], '--decimal must be comma or point.'],
    [['a.csv', '--dates', 'ymd'], '--dates must be dmy or mdy.'],
    [['a.csv', '--currency', 'XXX'], '--currency: XXX is not a currency'],
    [['a.csv', '--company', '1'], '--company must be the id of a company'],
    [['a.csv', '--map', 'name=x'], '--map must be field="Column" with one of the fields supplierName,'],
    [['a.csv', '--base-url', 'ftp://x'], '--base-url must be an address such as http://localhost:8080/v1.'],
    [['a.csv', '--encoding', 'klingon'], '--encoding must be a name such as utf-8'],
    [['a.csv', '--api-key', 'secret'], 'can read an API key on the command line'],
    [['a.csv', 'ick_live_secret'], 'can read an API key on the command line'],
  ])('for the arguments %j', async (args, message) => {
    const { code, stderr } = await command(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
  });
});

describe('the key', () => {
  test('comes from a file, with a warning when others can read it', async () => {
    const file = join(directory, "it's.key");
    await writeFile(file, `${API_KEY}\n`, { mode: 0o600 });
    const env = { INVOICE_CONTROL_API_KEY: '' };
    const first = await scan(ledger(1), ['--key-file', "it's.key"], { env });
    expect(first.code).toBe(0);
    expect(first.stderr).not.toContain('chmod');
    expect(first.stdout).toContain(String.raw`Bearer $(cat 'it'\''s.key')"`);
    await chmod(file, 0o644);
    expect((await scan(ledger(2), ['--key-file', file], { env })).stderr).toContain('chmod 600');
  });

  test.each([
    ['', 'The API key is missing: put it into INVOICE_CONTROL_API_KEY'],
    ['two words', 'The API key has spaces'],
  ])('%p is refused', async (key, message) => {
    const { code, stderr } = await scan(ledger(1), [], { env: { INVOICE_CONTROL_API_KEY: key } });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('on a terminal', () => {
  test('a bar is redrawn and cleared, and decisions have colours', async () => {
    const { stdout, stderr } = await scan(ledger(2), [], { isTTY: true });
    expect(stderr).toContain('\r\u001b[K[..............................] 0 of 2 rows');
    expect(stderr).toMatch(/\[#{30}\] 2 of 2 rows\r\u001b\[K$/);
    expect(stdout).toContain('\u001b[31mBLOCK 1\u001b[39m');
  });

  test('NO_COLOR is honoured', async () => {
    expect((await scan(ledger(2), [], { isTTY: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
  });

  test('names from the file cannot send control characters', async () => {
    const { stdout } = await scan(`${HEADING}\nA\u001b[2J\u0007,N,2025-01-01,5,\n`, ['--dry-run'], {
      isTTY: true,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).not.toContain('\u001b');
  });
});

test.each([
  ['repeated external ids', ledger(3, () => 'V1'), '2 rows repeat the externalId of an earlier row (#5 "Voucher", first in line 3)'], // prettier-ignore
  ['mostly negative amounts', `${HEADING}\nA,N,2025-01-01,-5,\n`, '1 of 1 amount negative'],
  ['an encoding that was guessed', Buffer.from(`${HEADING}\nMüller,N,2025-01-01,5,\n`, 'latin1'), 'was read as windows-1252'], // prettier-ignore
])('%s are noted before anything is sent', async (_, text, note) => {
  expect((await scan(text)).stderr).toContain(note);
});

test('--help names every option, two examples and the exit codes', async () => {
  const { code, stdout } = await command(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('--skip-faulty');
  expect(stdout.match(/npm run scan-csv -- ledger/g)).toHaveLength(2);
  expect(stdout).toContain('Exit codes: 0');
});
