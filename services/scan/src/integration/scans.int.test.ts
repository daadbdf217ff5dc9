import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { events } from '@invoicecontrol/contracts/events';
import type { ScanCompleted } from '@invoicecontrol/contracts/scan/v1/events';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type { Scan } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { rowsWithIds, wireRow } from '../testing/scanning.js';

const infrastructure = testInfrastructure();
let running: RunningScan;
const newTenant = (): string => running.organization.newTenant();

async function scanned(organizationId: string, rows: Row[], companyId?: string): Promise<Scan> {
  const { scan } = await running.scans.create(organizationId, rows, { companyId });
  if (scan === undefined) throw new Error('no scan');
  return scan;
}

beforeAll(async () => {
  running = await startScan(startService, infrastructure, testDatabaseName());
});
afterAll(() => running.stop());

describe('a scan', () => {
  test('is analyzed as a whole and can be read back as it was answered', async () => {
    const organizationId = newTenant();
    const rows = [wireRow({ sourceRowNumber: 7 }), wireRow({ grossAmount: '-2.50', sourceRowNumber: 7 })];
    const { scan, replayed } = await running.scans.create(organizationId, rows);
    expect(replayed).toBe(false);
    expect(scan).toEqual({
      scanId: expect.any(String),
      companyId: 'c-main',
      invoicesAnalyzed: 2,
      rowsSkipped: 0,
      skippedRows: [],
      analyzedValue: '7.50',
      analyzedValueCurrency: 'EUR',
      unconvertedInvoices: 0,
      decisionCounts: { PASS: 2, REVIEW: 0, BLOCK: 0 },
      findingCounts: {},
      createdTime: expect.any(Date),
    });
    expect(await running.scans.get(organizationId, scan?.scanId ?? '')).toEqual(scan);
    expect(await running.usedRows(organizationId)).toBe(2);
  });

  test('hands its rows on as they came, in the currency of the row or of the organization', async () => {
    const organizationId = newTenant();
    const bankAccount = { iban: 'GB29NWBK60161331926819', sortCode: '60-16-13', accountNumber: '31926819' };
    const row = wireRow({
      supplier: { name: 'Acme Ltd', taxId: 'GB123456789', bankAccount },
      currency: 'USD',
      grossAmount: '8.00',
      externalId: ' ext-1 ',
      sourceRowNumber: 12,
    });
    const plain = wireRow();
    const { scanId, createdTime, analyzedValue } = await scanned(organizationId, [row, plain], SECOND_COMPANY_ID);
    expect(analyzedValue).toBe('14.00');
    expect(running.analysis.requestsOf(organizationId)).toEqual([
      {
        organizationId,
        scanId,
        companyId: SECOND_COMPANY_ID,
        baseCurrency: 'EUR',
        receivedTime: createdTime,
        rows: [
          { ...row, position: 0, externalId: 'ext-1' },
          { ...plain, position: 1, invoice: { ...plain.invoice, currency: 'EUR' } },
        ],
      },
    ]);
  });

  test('leaves rows without an exchange rate out of its value and counts them', async () => {
    const scan = await scanned(newTenant(), [wireRow(), wireRow({ currency: 'TRY', grossAmount: '999' })]);
    expect(scan).toMatchObject({ analyzedValue: '10.00', unconvertedInvoices: 1, invoicesAnalyzed: 2 });
  });

  test('is valued in whole units where the base currency has no smaller ones', async () => {
    const scan = await scanned(running.organization.newTenant('JPY'), [wireRow(), wireRow({ grossAmount: '0.5' })]);
    expect(scan).toMatchObject({ analyzedValue: '11', analyzedValueCurrency: 'JPY' });
  });

  test('is announced once, with its counts', async () => {
    const bus = await connectTestNats({
      url: infrastructure.natsUrl,
      name: 'test',
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    /** Events by id, because a plain listener also receives repeats. */
    const heard = new Map<string, ScanCompleted>();
    const organizationId = newTenant();
    subscribeBroadcast(
      bus,
      [events.scanCompleted],
      (event) => {
        if (event.organizationId === organizationId) heard.set(event.eventId, event);
      },
      createLogger({ service: 'test', level: 'silent' }),
    );
    await bus.ping();
    const scan = await scanned(organizationId, rowsWithIds('a', 'a', ''));
    await eventually(async () => {
      const [document] = await running.stored(organizationId);
      expect(document?.outboxPending).toBeUndefined();
    });
    await eventually(() => expect(heard.size).toBeGreaterThan(0));
    expect([...heard.values()]).toEqual([
      {
        eventId: expect.stringMatching(/^evt_/),
        eventTime: expect.any(Date),
        organizationId,
        scanId: scan.scanId,
        companyId: 'c-main',
        invoicesAnalyzed: 2,
        rowsSkipped: 1,
        analyzedValue: '20.00',
        analyzedValueCurrency: 'EUR',
        unconvertedInvoices: 0,
        decisionCounts: { PASS: 2, REVIEW: 0, BLOCK: 0 },
        findingCounts: {},
      },
    ]);
    await bus.close();
  });

  test('of another tenant looks exactly like one that does not exist, and so does one that runs', async () => {
    const organizationId = newTenant();
    const { scanId } = await scanned(organizationId, [wireRow()]);
    running.analysis.close(organizationId);
    const unfinished = running.scans.create(organizationId, [wireRow()]);
    await eventually(() => expect(running.analysis.requestsOf(organizationId)).toHaveLength(2));
    const runningId = running.analysis.requestsOf(organizationId)[1]?.scanId ?? '';
    const refusals = await Promise.all(
      [
        [newTenant(), scanId],
        [organizationId, runningId],
        [organizationId, '01890000-0000-7000-8000-000000000000'],
        [organizationId, 'nonsense'],
      ].map(([tenant = '', id = '']) => running.scans.get(tenant, id).catch((error: unknown) => error)),
    );
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ kind: 'not_found', publicMessage: 'No such scan.' });
    }
    expect((await running.scans.list(organizationId)).scans.map((scan) => scan.scanId)).toEqual([scanId]);
    running.analysis.open(organizationId);
    await unfinished;
  });
});

test('a stored scan that is complete without its result is not taken for one that runs', async () => {
  const organizationId = newTenant();
  const { scanId } = await scanned(organizationId, [wireRow()]);
  await running.mongo.db.collection('scans').updateOne({ organizationId }, { $unset: { result: '' } });
  await expect(running.scans.get(organizationId, scanId)).rejects.toMatchObject({ kind: 'internal' });
});

describe('a row is skipped', () => {
  const reasons = ({ skippedRows }: Scan) =>
    skippedRows.map(({ sourceRowNumber, externalId, reason }) => [sourceRowNumber, externalId, reason]);

  test('when an earlier row of the file has its external id: the first one is analyzed', async () => {
    const organizationId = newTenant();
    const scan = await scanned(organizationId, rowsWithIds('a', 'b', 'a', '', 'a', ''));
    expect(scan).toMatchObject({ invoicesAnalyzed: 4, rowsSkipped: 2, analyzedValue: '40.00' });
    expect(reasons(scan)).toEqual([
      [4, 'a', SkipReason.DUPLICATE_EXTERNAL_ID_IN_FILE],
      [6, 'a', SkipReason.DUPLICATE_EXTERNAL_ID_IN_FILE],
    ]);
    const [request] = running.analysis.requestsOf(organizationId);
    expect(request?.rows.map(({ position }) => position)).toEqual([0, 1, 3, 5]);
    expect(await running.scans.get(organizationId, scan.scanId)).toEqual(scan);
    expect(await running.usedRows(organizationId)).toBe(4);
  });

  test('when an earlier scan of the company has imported it, also where the file repeats it', async () => {
    const organizationId = newTenant();
    await scanned(organizationId, rowsWithIds('a', 'b'));
    const scan = await scanned(organizationId, rowsWithIds('c', 'b', 'c', 'b', 'A'));
    expect(reasons(scan)).toEqual([
      [3, 'b', SkipReason.ALREADY_IMPORTED],
      [4, 'c', SkipReason.DUPLICATE_EXTERNAL_ID_IN_FILE],
      [5, 'b', SkipReason.ALREADY_IMPORTED],
    ]);
    expect(await running.usedRows(organizationId)).toBe(4);
  });

  test('not when another company or another tenant has imported it', async () => {
    const organizationId = newTenant();
    await scanned(organizationId, rowsWithIds('a'));
    expect(await scanned(organizationId, rowsWithIds('a'), SECOND_COMPANY_ID)).toMatchObject({ rowsSkipped: 0 });
    expect(await scanned(newTenant(), rowsWithIds('a'))).toMatchObject({ rowsSkipped: 0 });
  });

  test('and a file in which every row is skipped is a conflict that stores nothing and counts nothing', async () => {
    const organizationId = newTenant();
    await scanned(organizationId, rowsWithIds('a', 'b'));
    const again = { idempotencyKey: 'again', scanRowsPerMonthLimit: 10 };
    for (let tries = 1; tries <= 2; tries++) {
      await expect(running.scans.create(organizationId, rowsWithIds('b', 'a', 'a'), again)).rejects.toMatchObject({
        kind: 'already_exists',
        publicMessage: expect.stringContaining('nothing new to analyze'),
      });
      expect(await running.stored(organizationId)).toHaveLength(1);
      expect(await running.usedRows(organizationId)).toBe(2);
    }
    // After the refusal, the idempotency key can be used again with another body.
    const { scan } = await running.scans.create(organizationId, rowsWithIds('c'), { ...again, fingerprint: 'f2' });
    expect(scan?.invoicesAnalyzed).toBe(1);
  });
});

describe('a list', () => {
  test('is newest first, its pages hold every scan once, and it leaves out the skipped rows', async () => {
    const organizationId = newTenant();
    const ids: string[] = [];
    for (let count = 1; count <= 5; count++) {
      ids.unshift((await scanned(organizationId, rowsWithIds(`${count}`, `${count}`))).scanId);
    }
    const seen: Scan[] = [];
    let pageToken = '';
    do {
      const page = await running.scans.list(organizationId, { pageSize: 2, pageToken });
      expect(page.scans.length).toBeLessThanOrEqual(2);
      seen.push(...page.scans);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen.map(({ scanId }) => scanId)).toEqual(ids);
    expect(seen[0]).toMatchObject({ rowsSkipped: 1, skippedRows: [], invoicesAnalyzed: 1 });
  });

  test('shows the scans of one company, and of a time from its begin until before its end', async () => {
    const organizationId = newTenant();
    const first = await scanned(organizationId, [wireRow()]);
    const second = await scanned(organizationId, [wireRow()], SECOND_COMPANY_ID);
    const idsOf = async (changes: Parameters<typeof running.scans.list>[1]) =>
      (await running.scans.list(organizationId, changes)).scans.map(({ scanId }) => scanId);
    expect(await idsOf({ companyId: SECOND_COMPANY_ID })).toEqual([second.scanId]);
    expect(await idsOf({ createdFromTime: second.createdTime })).toEqual([second.scanId]);
    expect(await idsOf({ createdToTime: second.createdTime })).toEqual([first.scanId]);
    expect(await idsOf({ companyId: 'c-other' })).toEqual([]);
  });

  test.each([
    ['a page of 101', { pageSize: 101 }],
    ['a negative page', { pageSize: -1 }],
    ['a token of its own making', { pageToken: 'abc' }],
  ])('refuses %s', async (_, asked) => {
    await expect(running.scans.list(newTenant(), asked)).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a malformed request of another service', () => {
  const supplier = { name: 'A', taxId: undefined, bankAccount: undefined };
  const account = { iban: 'DE02120300000000202051', sortCode: '601613', accountNumber: '31926819' };
  test.each<[string, Parameters<typeof wireRow>[0]]>([
    ['supplier', { supplier: undefined }],
    ['supplier.name', { supplier: { ...supplier, name: ' ' } }],
    ['supplier.name', { supplier: { ...supplier, name: 'x'.repeat(401) } }],
    ['supplier.tax_id', { supplier: { ...supplier, taxId: '' } }],
    ['supplier.bank_account', { supplier: { ...supplier, bankAccount: account } }],
    [
      'supplier.bank_account.sort_code',
      { supplier: { ...supplier, bankAccount: { ...account, sortCode: undefined } } },
    ],
    ['invoice_number', { invoiceNumber: 'x'.repeat(201) }],
    ['issue_date', { issueDate: '2024-02-30' }],
    ['currency', { currency: 'XXX' }],
    ['gross_amount', { grossAmount: '1.1234567' }],
    ['purchase_order_ref', { purchaseOrderRef: '' }],
    ['externalId', { externalId: '' }],
  ])('is refused for its %s, named with its row, and stores nothing', async (name, fault) => {
    const organizationId = newTenant();
    await expect(running.scans.create(organizationId, [wireRow(), wireRow(fault)])).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path: `rows[1].${name}` }],
    });
    expect(await running.stored(organizationId)).toEqual([]);
  });

  test('is refused with every fault of every row', async () => {
    const rows = [
      wireRow({ issueDate: 'x', currency: 'XXX' }),
      wireRow(),
      wireRow({ supplier: undefined, externalId: '' }),
    ];
    await expect(running.scans.create(newTenant(), rows)).rejects.toMatchObject({
      details: ['rows[0].issue_date', 'rows[0].currency', 'rows[2].supplier', 'rows[2].externalId'].map((path) => ({
        path,
      })),
    });
  });

  test('with a UK account that is the one of its IBAN is accepted', async () => {
    const same = { ...account, iban: 'GB29NWBK60161331926819', sortCode: '60-16 13' };
    const row = wireRow({ supplier: { ...supplier, bankAccount: same } });
    expect(await scanned(newTenant(), [row])).toMatchObject({ invoicesAnalyzed: 1 });
  });

  test('is refused without rows, and for a company that the organization does not have', async () => {
    const organizationId = newTenant();
    await expect(running.scans.create(organizationId, [])).rejects.toMatchObject({ details: [{ path: 'rows' }] });
    await expect(running.scans.create(organizationId, [wireRow()], { companyId: 'stranger' })).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path: 'companyId' }],
    });
    expect(await running.usedRows(organizationId)).toBe(0);
  });
});

describe('rows that analysis refuses', () => {
  test('leave nothing behind: no scan, no imported rows, nothing counted, and the key is free', async () => {
    const organizationId = newTenant();
    const refusal = new DomainError('invalid', 'rows[0].gross_amount: is beyond what can be analyzed.');
    running.analysis.failNext(organizationId, refusal);
    const keyed = { idempotencyKey: 'k' };
    await expect(running.scans.create(organizationId, rowsWithIds('a', 'a'), keyed)).rejects.toMatchObject({
      kind: 'invalid',
      publicMessage: refusal.publicMessage,
    });
    expect(await running.stored(organizationId)).toEqual([]);
    expect(await running.usedRows(organizationId)).toBe(0);
    const { scan } = await running.scans.create(organizationId, rowsWithIds('a'), { ...keyed, fingerprint: 'f2' });
    expect(scan).toMatchObject({ invoicesAnalyzed: 1, rowsSkipped: 0 });
  });
});
