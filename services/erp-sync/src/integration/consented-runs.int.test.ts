// Import runs of QuickBooks Online and Xero: consent, provider, engine and simulator together.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { RunMode, RunStatus } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { personAt, startConsenting } from '../testing/consenting.js';
import type { Consenting } from '../testing/consenting.js';
import { caller, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

let running: RunningErpSync;
let erps: Consenting;
beforeAll(async () => {
  erps = await startConsenting(startErpSimulators);
  running = await startErpSync(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    // No ERP is scripted, because the test runs due ERP connections against the simulators.
    erps: {},
    env: { ...erps.env, ERP_POLL_SECONDS: '1', ERP_PAGE_SIZE: '3', ERP_BACKOFF_MAX_SECONDS: '1' },
  });
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

const CALLS_WITHOUT_CHANGES_MAX = 10;
const idOf = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** Sample rows of an ERP for the tests, with the names of its entities. */
interface Sample {
  readonly vendors: string;
  readonly bills: string;
  readonly billId: (n: number) => string;
  readonly vendor: (n: number) => object;
  readonly bill: (n: number) => object;
  /** One record of each entity other than bills. */
  readonly others: Readonly<Record<string, object>>;
  /** Text by which calls that read bills are recognized. */
  readonly billCalls: string;
}

const samples: Readonly<Record<'quickBooks' | 'xero', Sample>> = {
  quickBooks: {
    vendors: 'Vendor',
    bills: 'Bill',
    billId: (n: number) => String(n),
    vendor: (n: number) => ({ Id: String(n), DisplayName: `Vendor ${n}` }),
    bill: (n: number) => ({
      Id: String(n),
      DocNumber: `A-${n}`,
      VendorRef: { value: '1' },
      TotalAmt: 10 * n,
      LinkedTxn: [{ TxnId: '1', TxnType: 'PurchaseOrder' }],
    }),
    others: {
      PurchaseOrder: { Id: '1', DocNumber: 'PO-1', VendorRef: { value: '1' }, TotalAmt: 1_000 },
      VendorCredit: { Id: '1', DocNumber: 'C-1', VendorRef: { value: '1' }, TotalAmt: 5 },
      BillPayment: {
        Id: '1',
        VendorRef: { value: '1' },
        TotalAmt: 10,
        Line: [{ LinkedTxn: [{ TxnId: '1', TxnType: 'Bill' }] }],
      },
    },
    billCalls: 'from Bill ',
  },
  xero: {
    vendors: 'Contacts',
    bills: 'Invoices',
    billId: idOf,
    vendor: (n: number) => ({ ContactID: idOf(n), Name: `Vendor ${n}`, BankAccountDetails: '20004012345678' }),
    bill: (n: number) => ({
      InvoiceID: idOf(n),
      InvoiceNumber: `A-${n}`,
      Contact: { ContactID: idOf(1), Name: 'Vendor 1' },
      Total: 10 * n,
    }),
    others: {
      PurchaseOrders: { PurchaseOrderID: idOf(1), PurchaseOrderNumber: 'PO-1', Contact: { ContactID: idOf(1) } },
      CreditNotes: { CreditNoteID: idOf(1), Contact: { ContactID: idOf(1), Name: 'Vendor 1' }, Total: 5 },
      Payments: {
        PaymentID: idOf(1),
        Amount: 10,
        Invoice: { InvoiceID: idOf(1), CurrencyCode: 'GBP', Contact: { ContactID: idOf(1) } },
      },
    },
    billCalls: 'Type=="ACCPAY"',
  },
};

describe.each(['quickBooks', 'xero'] as const)('%s', (product) => {
  const sample = samples[product];
  let organizationId: string;
  let tenant: string;
  let connectionId: string;
  let runsCount: number;

  beforeEach(async () => {
    organizationId = running.organization.newTenant();
    tenant = await erps.newCompany(product);
    await put(
      sample.vendors,
      [1, 2, 3, 4].map((n) => sample.vendor(n)),
    );
    await put(
      sample.bills,
      [1, 2, 3, 4, 5, 6, 7].map((n) => sample.bill(n)),
    );
    for (const [entity, record] of Object.entries(sample.others)) await put(entity, [record]);
    runsCount = 0;
    ({ connectionId } = await personAt(running).connect(organizationId, product, tenant));
  });
  afterEach(() => erps.control(product, 'DELETE /faults'));

  const put = (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<unknown> =>
    erps.control(product, `POST /tenants/${tenant}/records`, { entity, records, remove });
  const expire = (what: string) => erps.control(product, `POST /tenants/${tenant}/expire`, { what });
  const requests = async () => {
    const { items } = (await erps.control(product, `GET /tenants/${tenant}/requests`)) as {
      readonly items: readonly { readonly body: string }[];
    };
    return items;
  };
  /** Returns the next import run after it has ended. */
  const endedRun = async (): Promise<Run> => {
    runsCount += 1;
    return eventually(async () => {
      const page = { pageSize: 50, pageToken: '', createdFromTime: undefined, createdToTime: undefined };
      const { runs } = await running.runs.listRuns({ organizationId, connectionId, ...page }, caller);
      expect(runs).toHaveLength(runsCount);
      const newest = stated(runs[0]);
      expect(newest.status).not.toBe(RunStatus.RUNNING);
      const connection = await readConnection();
      expect(connection.lastSyncTime).toBeDefined();
      return newest;
    });
  };
  const runAgain = async (mode: RunMode = RunMode.INCREMENTAL): Promise<Run> => {
    await eventually(() => running.runs.startRun({ organizationId, connectionId, mode }, caller));
    return endedRun();
  };
  const readConnection = async () =>
    stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);
  const live = (entity: 'VENDOR' | 'BILL') => running.analysis.imports.live(connectionId, entity);

  test('is read whole by the first run, and its changes by the next one', async () => {
    const first = await endedRun();
    expect(first).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    expect(first.streams).toMatchObject({
      vendors: { fetched: 4, created: 4, failed: 0 },
      bills: { fetched: 7, created: 7, failed: 0 },
      creditNotes: { created: 1 },
      payments: { created: 1 },
      orders: { created: 1 },
    });
    expect((await readConnection()).status).toBe(ConnectionStatus.CONNECTED);
    await put(sample.bills, [sample.bill(8)], [sample.billId(2)]);
    const second = await runAgain();
    expect(second).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    const bills = [1, 3, 4, 5, 6, 7, 8].map(sample.billId);
    // Xero keeps voided bills with their state.
    expect(live('BILL')).toEqual(product === 'xero' ? [1, 2, 3, 4, 5, 6, 7, 8].map(sample.billId) : bills);
  });

  test('costs at most 10 calls a run while nothing changes', async () => {
    await endedRun();
    // Time windows of import runs begin some minutes before their cursor.
    await erps.control(product, 'POST /clock', { advanceSeconds: 900 });
    await runAgain();
    const run = await runAgain();
    expect(run.streams['bills']).toMatchObject({ fetched: 0 });
    expect(run.httpCalls).toBeLessThanOrEqual(CALLS_WITHOUT_CHANGES_MAX);
  });

  test('a whole run compares what is there', async () => {
    await endedRun();
    await put(sample.bills, [], [sample.billId(7)]);
    expect(await runAgain(RunMode.FULL)).toMatchObject({ mode: RunMode.FULL, status: RunStatus.SUCCEEDED, errors: [] });
    expect(live('BILL')).toHaveLength(product === 'xero' ? 7 : 6);
    expect(live('VENDOR')).toHaveLength(4);
  });

  test('an access that was taken back turns the connection to ERROR within one run, and is tried once', async () => {
    await endedRun();
    await expire('ACCESS');
    await expire('REFRESH');
    const run = await runAgain();
    expect(run).toMatchObject({ status: RunStatus.FAILED, errors: [{ code: 'REAUTH_REQUIRED', retryable: false }] });
    expect(await readConnection()).toMatchObject({ status: ConnectionStatus.ERROR });
    expect((await erps.tokens(product, tenant)).reused).toBe(1);
  });

  test.each([
    ['throttles', { kind: 'STATUS', status: 429, times: 4 }],
    ['asks for a pause', { kind: 'THROTTLE', retryAfter: 1, times: 1 }],
    ['has an outage', { kind: 'STATUS', status: 503, times: 4 }],
  ])('a run goes on when the token endpoint %s, and counts its calls', async (_, fault) => {
    await endedRun();
    await expire('ACCESS');
    await erps.fault(product, { match: 'refresh_token', ...fault });
    const before = (await requests()).length;
    const run = await runAgain();
    expect(run).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    const made = (await requests()).slice(before);
    expect(made.filter(({ body }) => body.includes('refresh_token'))).toHaveLength(fault.times + 1);
    expect(run.httpCalls).toBe(made.length);
  });

  test('an app whose secret has ended turns the connection to ERROR within one run', async () => {
    await endedRun();
    await expire('ACCESS');
    await expire('SECRET');
    expect(await runAgain()).toMatchObject({ status: RunStatus.FAILED, errors: [{ code: 'AUTH_FAILED' }] });
    expect(await readConnection()).toMatchObject({ status: ConnectionStatus.ERROR, lastErrorCode: 'AUTH_FAILED' });
  });

  test('an access token that ended is renewed within the run', async () => {
    await endedRun();
    await expire('ACCESS');
    expect(await runAgain()).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    expect(await erps.tokens(product, tenant)).toMatchObject({ reused: 0, liveRefreshTokens: 1 });
  });

  test('missing rights turn the connection to ERROR, and a new consent brings it back', async () => {
    await endedRun();
    await expire('RIGHTS');
    expect(await runAgain()).toMatchObject({ status: RunStatus.FAILED, errors: [{ code: 'PERMISSION_DENIED' }] });
    expect((await readConnection()).status).toBe(ConnectionStatus.ERROR);
    expect(await personAt(running).connect(organizationId, product, tenant)).toEqual({
      status: 'connected',
      connectionId,
    });
    await eventually(async () => expect((await readConnection()).status).toBe(ConnectionStatus.CONNECTED));
  });

  test.each([
    ['the same page for ever', { kind: 'ENDLESS' }, 'BAD_RESPONSE'],
    ['no JSON', { kind: 'BODY', body: '<html>', contentType: 'text/html' }, 'BAD_RESPONSE'],
    ['a redirect to a private address', { kind: 'REDIRECT', location: 'http://10.0.0.1/' }, 'BAD_RESPONSE'],
    ['an error of the server', { kind: 'STATUS', status: 500 }, 'UPSTREAM_ERROR'],
    ['a limit for hours', { kind: 'THROTTLE', retryAfter: 7_200 }, 'RATE_LIMITED'],
  ])('%s instead of bills leaves the run PARTIAL, and the vendors are there', async (_, fault, code) => {
    await endedRun();
    await put(sample.vendors, [sample.vendor(5)]);
    await put(
      sample.bills,
      [11, 12, 13, 14].map((n) => sample.bill(n)),
    );
    await erps.fault(product, { match: sample.billCalls, times: 0, tenant, ...fault });
    const run = await runAgain();
    expect(run).toMatchObject({ status: RunStatus.PARTIAL, errors: [{ stream: 'bills', code }] });
    expect(live('VENDOR')).toHaveLength(5);
    expect((await readConnection()).status).toBe(ConnectionStatus.CONNECTED);
  });
});
