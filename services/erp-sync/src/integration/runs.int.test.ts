import { randomUUID } from 'node:crypto';
import type { BillRecord, VendorRecord } from '@invoicecontrol/books/records';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { RunMode, RunStatus, RunTrigger } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { withoutRepeats } from '@invoicecontrol/testkit/without-repeats';
import { CALL_TRIES_MAX, COMPLETE_CALLS_MAX } from '../clients/imports.js';
import { startService } from '../compose.js';
import { BudgetSpent, ErpFault } from '../domain/faults.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { ConnectionDocument } from '../storage/connections.js';
import type { RunDocument } from '../storage/runs.js';
import { businessCentralRequest, caller, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';
import { scriptedErp } from '../testing/scripted-erp.js';
import type { ScriptedErp } from '../testing/scripted-erp.js';

/** A year, so that connections of earlier tests do not become due and read the ERP of the current test. */
const SLOT_SECONDS = 365 * 24 * 3_600;

/** Scripted ERP of the current test, which all replicas read. */
let erp: ScriptedErp;
let running: RunningErpSync;
const announced: { name: string; organizationId: string; status: string; errorCode?: string }[] = [];
let closeBroadcast: () => void;

beforeAll(async () => {
  const current = scriptedErp({ code: 'PROVIDER_A' });
  running = await startErpSync(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { ERP_BACKOFF_MS: '1', ERP_SYNC_INTERVAL_SECONDS: String(SLOT_SECONDS) },
    erps: { providers: new Map([['PROVIDER_A', { ...current.provider, open: (deps) => erp.provider.open(deps) }]]) },
  });
  const types = [events.connectionChanged, events.syncCompleted] as (typeof events.connectionChanged)[];
  ({ close: closeBroadcast } = subscribeBroadcast(
    running.bus,
    types,
    withoutRepeats((event, { name }) => announced.push({ ...event, name } as (typeof announced)[number])),
    createLogger({ service: 'test', level: 'silent' }),
  ));
});
afterAll(async () => {
  closeBroadcast();
  await running.stop();
});
beforeEach(() => {
  erp = scriptedErp();
  running.analysis.imports.beforeAnswer = () => {};
});

const connections = () => running.mongo.db.collection<ConnectionDocument>('connections');
const runs = () => running.mongo.db.collection<RunDocument>('runs');
const ledger = () => running.analysis.imports;
const stored = async (connectionId: string) =>
  stated((await connections().findOne({ _id: connectionId })) ?? undefined);
const read = async ({ organizationId, connectionId }: Connected) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);

const firstPage = { pageToken: '', createdFromTime: undefined, createdToTime: undefined };

interface Connected {
  readonly organizationId: string;
  readonly connectionId: string;
}

async function connect(organizationId = running.organization.newTenant()): Promise<Connected> {
  const { connection } = await running.connections.createConnection(businessCentralRequest(organizationId), caller);
  return { organizationId, connectionId: stated(connection).connectionId };
}

/** Returns the import runs of an ERP connection, newest first, when none is in progress. */
async function endedRuns({ organizationId, connectionId }: Connected, count = 1): Promise<Run[]> {
  return eventually(async () => {
    const document = await stored(connectionId);
    expect(document.runningRunId).toBeUndefined();
    const request = { organizationId, connectionId, pageSize: 50, ...firstPage };
    const { runs: found } = await running.runs.listRuns(request, caller);
    expect(found.length).toBeGreaterThanOrEqual(count);
    expect(found.every(({ status }) => status !== RunStatus.RUNNING)).toBe(true);
    return found;
  });
}

async function newestRun(connected: Connected, count = 1): Promise<Run> {
  return stated((await endedRuns(connected, count))[0]);
}

const start = async ({ organizationId, connectionId }: Connected, mode: RunMode = RunMode.INCREMENTAL) =>
  stated((await running.runs.startRun({ organizationId, connectionId, mode }, caller)).run);

/** Sets the time of the connection's next import run into the past, so that it is due. */
const makeDue = ({ connectionId }: Connected) =>
  connections().updateOne({ _id: connectionId }, { $set: { nextSyncAt: new Date(Date.now() - 1_000) } });

/** Makes the worker of the current import run look crashed. */
const silence = ({ connectionId }: Connected) =>
  connections().updateOne({ _id: connectionId }, { $set: { claim: 'silent', leaseUntil: new Date(Date.now() - 1) } });

const vendor = (id: number, part: Partial<VendorRecord> = {}): VendorRecord => ({
  externalId: `v${String(id).padStart(3, '0')}`,
  name: `Vendor ${id}`,
  status: 'ACTIVE',
  ...part,
});
const bill = (id: number, part: Partial<BillRecord> = {}): BillRecord => ({
  externalId: `b${String(id).padStart(3, '0')}`,
  kind: 'BILL',
  documentNumber: `INV-${id}`,
  vendorExternalId: 'v001',
  vendorName: 'Vendor 1',
  issueDate: '2026-02-03',
  currency: 'EUR',
  grossAmount: '121.00',
  purchaseOrderRefs: [],
  state: 'OPEN',
  ...part,
});
const vendors = (count: number) => Array.from({ length: count }, (_, index) => vendor(index + 1));
const bills = (count: number) => Array.from({ length: count }, (_, index) => bill(index + 1));
const idsOf = (records: readonly { readonly externalId: string }[]) => records.map(({ externalId }) => externalId);

describe('the first run', () => {
  test('begins at once, reads all streams in order, and connects', async () => {
    erp.put('vendors', ...vendors(7));
    erp.put('bills', ...bills(4));
    erp.put('orders', { externalId: 'o1', number: 'P1', vendorExternalId: 'v001', currency: 'EUR', netAmount: '100' });
    const connected = await connect();
    const run = await newestRun(connected);
    expect(run).toMatchObject({
      trigger: RunTrigger.INITIAL,
      mode: RunMode.FULL,
      status: RunStatus.SUCCEEDED,
      errors: [],
    });
    expect(Object.keys(run.streams)).toEqual(['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders']);
    expect(run.streams['vendors']).toMatchObject({
      fetched: 7,
      created: 7,
      unchanged: 0,
      failed: 0,
      cursorFrom: undefined,
    });
    expect(run.streams['bills']).toMatchObject({ fetched: 4, created: 4 });
    expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(idsOf(vendors(7)));
    expect(ledger().live(connected.connectionId, 'BILL')).toEqual(idsOf(bills(4)));
    const connection = await read(connected);
    expect(connection).toMatchObject({ status: ConnectionStatus.CONNECTED, lastErrorCode: undefined });
    expect(connection.recentRuns.map(({ runId }) => runId)).toEqual([run.runId]);
    expect(connection.lastSuccessTime).toEqual(connection.lastSyncTime);
    expect(Object.keys(connection.streamSuccessTimes)).toHaveLength(6);
    const nextMs = stated(connection.nextSyncTime).getTime() - Date.now();
    expect(nextMs).toBeGreaterThan(-1_000);
    expect(nextMs).toBeLessThanOrEqual(SLOT_SECONDS * 1_000);
    await eventually(() => {
      const own = announced.filter(({ organizationId }) => organizationId === connected.organizationId);
      expect(own).toContainEqual(expect.objectContaining({ name: 'connection_changed', status: 'CONNECTED' }));
      expect(own.filter(({ name }) => name === 'sync_completed')).toHaveLength(1);
    });
  });

  test('asks for the bills of two years, and all vendors', async () => {
    const connected = await connect();
    await newestRun(connected);
    const windows = Object.fromEntries(erp.windows.map(({ stream, window }) => [stream, window]));
    expect(windows['vendors']).toEqual({});
    expect(windows['orders']).toEqual({});
    const year = new Date().getUTCFullYear() - 2;
    for (const stream of ['bills', 'creditNotes', 'payments']) {
      expect(windows[stream]?.dateFrom).toMatch(new RegExp(`^${year}-`));
    }
  });
});

describe('a later run', () => {
  test('asks for what has changed since the time of the ERP, a little before it', async () => {
    erp.now = new Date('2026-03-02T09:00:00Z');
    erp.put('vendors', ...vendors(2));
    erp.now = new Date('2026-03-02T10:00:00Z');
    const connected = await connect();
    await newestRun(connected);
    erp.windows.splice(0);
    erp.now = new Date('2026-03-02T11:00:00Z');
    erp.put('vendors', vendor(2, { name: 'Renamed' }), vendor(3));
    await makeDue(connected);
    const run = await newestRun(connected, 2);
    expect(run).toMatchObject({
      trigger: RunTrigger.SCHEDULED,
      mode: RunMode.INCREMENTAL,
      status: RunStatus.SUCCEEDED,
    });
    expect(run.streams['vendors']).toMatchObject({ fetched: 2, created: 1, updated: 1 });
    const from = stated(erp.windows.find(({ stream }) => stream === 'vendors')).window.from ?? '';
    // The time window begins two seconds earlier, plus the duration of the first page of ERP records.
    expect(from >= '2026-03-02T09:59:50' && from <= '2026-03-02T09:59:58').toBe(true);
  });

  test('without a change costs one call for each stream', async () => {
    const connected = await connect();
    await newestRun(connected);
    erp.calls = 0;
    await makeDue(connected);
    await newestRun(connected, 2);
    expect(erp.calls).toBe(6);
  });

  test('takes over what the ERP reports as deleted', async () => {
    erp.put('bills', ...bills(2));
    const connected = await connect();
    await newestRun(connected);
    erp.remove('bills', 'b001');
    await makeDue(connected);
    expect((await newestRun(connected, 2)).streams['bills']).toMatchObject({ deleted: 1 });
    expect(ledger().live(connected.connectionId, 'BILL')).toEqual(['b002']);
  });

  test('continues an interrupted window after its last page, and the next one begins when that window began', async () => {
    erp.put('vendors', ...vendors(9));
    let pages = 0;
    erp.onPage = (stream) => {
      if (stream === 'vendors' && ++pages === 3)
        throw new ErpFault('UPSTREAM_ERROR', 'The ERP responded with an error.');
    };
    const connected = await connect();
    const first = await newestRun(connected);
    expect(first).toMatchObject({ status: RunStatus.PARTIAL });
    expect(first.streams['vendors']).toMatchObject({ fetched: 6, cursorTo: undefined });
    expect(first.errors).toMatchObject([{ stream: 'vendors', code: 'UPSTREAM_ERROR', retryable: true }]);
    erp.windows.splice(0);
    erp.now = new Date('2026-03-02T12:00:00Z');
    await makeDue(connected);
    const second = await newestRun(connected, 2);
    expect(second).toMatchObject({ trigger: RunTrigger.RETRY, status: RunStatus.SUCCEEDED });
    expect(erp.windows[0]).toEqual({ stream: 'vendors', window: { after: 'v006' } });
    expect(second.streams['vendors']).toMatchObject({ fetched: 3, created: 3 });
    expect((await stored(connected.connectionId)).streams?.vendors?.cursor).toMatch(/^2026-03-02T(09:59|10:00)/);
    expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(idsOf(vendors(9)));
  });
});

describe('a run of the whole', () => {
  test('reads everything again and finds what vanished', async () => {
    erp.put('vendors', ...vendors(5));
    erp.put('bills', ...bills(5));
    const connected = await connect();
    await newestRun(connected);
    erp.vanish('vendors', 'v002');
    erp.vanish('bills', 'b005');
    await start(connected);
    await newestRun(connected, 2);
    expect(ledger().live(connected.connectionId, 'VENDOR')).toHaveLength(5);
    await start(connected, RunMode.FULL);
    const run = await newestRun(connected, 3);
    expect(run).toMatchObject({ trigger: RunTrigger.MANUAL, mode: RunMode.FULL, status: RunStatus.SUCCEEDED });
    expect(run.streams['vendors']).toMatchObject({ fetched: 4, unchanged: 4, deleted: 1 });
    expect(run.streams['bills']).toMatchObject({ fetched: 4, unchanged: 4, deleted: 1 });
    expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(['v001', 'v003', 'v004', 'v005']);
    expect(ledger().live(connected.connectionId, 'BILL')).toEqual(['b001', 'b002', 'b003', 'b004']);
  });

  test('compares all ids once a week without being asked', async () => {
    erp.put('vendors', ...vendors(3));
    const connected = await connect();
    await newestRun(connected);
    erp.vanish('vendors', 'v001');
    await makeDue(connected);
    await newestRun(connected, 2);
    expect(ledger().live(connected.connectionId, 'VENDOR')).toHaveLength(3);
    const aWeekAgo = new Date(Date.now() - 7 * 24 * 3_600_000);
    await connections().updateOne({ _id: connected.connectionId }, { $set: { reconciledAt: aWeekAgo } });
    await makeDue(connected);
    expect((await newestRun(connected, 3)).streams['vendors']).toMatchObject({ deleted: 1 });
    expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(['v002', 'v003']);
  });

  test('compares all ids of a stream whose ERP cannot tell all deletions, also when that takes until a later run', async () => {
    erp.put('creditNotes', ...bills(3).map((each) => ({ ...each, kind: 'CREDIT_NOTE' as const })));
    const connected = await connect();
    await newestRun(connected);
    erp.now = new Date('2026-03-02T11:00:00Z');
    erp.put('creditNotes', bill(4, { kind: 'CREDIT_NOTE' }));
    erp.vanish('creditNotes', 'b002');
    erp.changePage = (stream, page) => (stream === 'creditNotes' ? { ...page, missesDeletions: true } : page);
    erp.ids = () => {
      throw new ErpFault('UPSTREAM_ERROR', 'The ERP responded with an error of its own.');
    };
    await makeDue(connected);
    expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.PARTIAL });
    expect((await stored(connected.connectionId)).lists).toMatchObject({ creditNotes: { count: 0 } });
    // Without this list of ids, the next import run has no other reason to compare ids.
    erp.ids = undefined;
    erp.changePage = (_, page) => page;
    await makeDue(connected);
    expect((await newestRun(connected, 3)).streams['creditNotes']).toMatchObject({ deleted: 1 });
    expect(ledger().live(connected.connectionId, 'CREDIT_NOTE')).toEqual(['b001', 'b003', 'b004']);
    expect((await stored(connected.connectionId)).lists).toEqual({});
  });

  describe('whose ids take several runs', () => {
    const spent = () => new BudgetSpent('RATE_LIMITED', 'The import run has made its calls.');
    const aWeekAgo = () => new Date(Date.now() - 7 * 24 * 3_600_000);

    /** Creates a comparison of bills that was interrupted after its first page of ids, when b004 no longer exists. */
    async function interrupted(): Promise<Connected> {
      erp.put('bills', ...bills(9));
      const connected = await connect();
      await newestRun(connected);
      erp.vanish('bills', 'b004');
      erp.vanish('bills', 'b008');
      await connections().updateOne({ _id: connected.connectionId }, { $set: { reconciledAt: aWeekAgo() } });
      erp.onIds = (stream, position) => {
        if (stream === 'bills' && position === 'b003') throw spent();
      };
      erp.now = new Date('2026-03-02T11:00:00Z');
      await makeDue(connected);
      expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.PARTIAL });
      erp.onIds = () => {};
      return connected;
    }

    test('goes on with the ids alone, finds vanished records, and keeps records that came in the meantime', async () => {
      const connected = await interrupted();
      expect(ledger().live(connected.connectionId, 'BILL')).toHaveLength(9);
      erp.windows.splice(0);
      await makeDue(connected);
      expect((await newestRun(connected, 3)).streams['bills']).toMatchObject({ deleted: 2 });
      expect(erp.windows).toEqual([]);
      await makeDue(connected);
      await newestRun(connected, 4);
      expect(erp.windows).toHaveLength(6);
      expect(await listed(connected)).toBe(0);
    });

    test('does not void a bill that was created and imported behind the place at which the list is', async () => {
      const connected = await interrupted();
      // Between two parts of the list of ids, other streams are read. This import run ends at its first page of ids.
      erp.onIds = () => {
        throw spent();
      };
      await makeDue(connected);
      expect(await newestRun(connected, 3)).toMatchObject({ status: RunStatus.FAILED });
      erp.put('bills', bill(0));
      await makeDue(connected);
      expect((await newestRun(connected, 4)).streams['bills']).toMatchObject({ created: 1 });
      erp.onIds = () => {};
      await makeDue(connected);
      expect((await newestRun(connected, 5)).streams['bills']).toMatchObject({ deleted: 2 });
      expect(ledger().live(connected.connectionId, 'BILL')).toEqual(
        ['b000', ...idsOf(bills(9))].filter((id) => id !== 'b004' && id !== 'b008'),
      );
    });

    test.each(['b003', 'b007'])('and whose process is killed before its page behind %s, is continued', async (at) => {
      const connected = await interrupted();
      let isReached = false;
      let revive = (): void => {};
      const dead = new Promise<void>((resolve) => (revive = resolve));
      erp.onIds = (stream, position) => {
        if (stream !== 'bills' || position !== at || isReached) return undefined;
        isReached = true;
        return dead;
      };
      await makeDue(connected);
      await eventually(() => expect(isReached).toBe(true));
      await silence(connected);
      await eventually(async () => {
        const [newest] = await endedRuns(connected, 4);
        expect(newest).toMatchObject({ trigger: RunTrigger.RETRY, status: RunStatus.SUCCEEDED });
      });
      revive();
      expect(ledger().live(connected.connectionId, 'BILL')).toEqual(
        idsOf(bills(9)).filter((id) => id !== 'b004' && id !== 'b008'),
      );
      for (const { externalId } of bills(9)) {
        expect(ledger().createdCount(connected.connectionId, 'BILL', externalId)).toBe(1);
      }
    });

    test('loses its list with its connection', async () => {
      const connected = await interrupted();
      expect(await listed(connected)).toBeGreaterThan(0);
      await running.connections.deleteConnection(connected, caller);
      expect(await listed(connected)).toBe(0);
    });

    const listed = ({ connectionId }: Connected): Promise<number> =>
      running.mongo.db.collection('listed_ids').countDocuments({ connectionId });
  });

  test('does not believe an empty list of all ids: nothing is deleted, and the run is PARTIAL', async () => {
    erp.put('vendors', ...vendors(3));
    const connected = await connect();
    await newestRun(connected);
    erp.ids = () => [];
    await start(connected, RunMode.FULL);
    const run = await newestRun(connected, 2);
    expect(run.status).toBe(RunStatus.PARTIAL);
    expect(run.errors).toMatchObject([{ stream: 'vendors', code: 'BAD_RESPONSE' }]);
    expect(ledger().live(connected.connectionId, 'VENDOR')).toHaveLength(3);
    expect(await read(connected)).toMatchObject({ status: ConnectionStatus.CONNECTED, lastErrorCode: 'BAD_RESPONSE' });
  });
});

describe('faults', () => {
  const fault = (code: ErpFault['code'], retryAfterMs?: number) => new ErpFault(code, `A fault ${code}.`, retryAfterMs);

  test.each(['AUTH_FAILED', 'REAUTH_REQUIRED', 'PERMISSION_DENIED', 'TENANT_NOT_FOUND', 'DATABASE_REQUIRED'] as const)(
    '%s fails the run and turns the connection to ERROR at once, until a run that somebody starts is good',
    async (code) => {
      erp.put('vendors', ...vendors(2));
      erp.onPage = (stream) => {
        if (stream === 'bills') throw fault(code);
      };
      const connected = await connect();
      expect(await newestRun(connected)).toMatchObject({
        status: RunStatus.FAILED,
        errors: [{ code, retryable: false }],
      });
      expect(await read(connected)).toMatchObject({
        status: ConnectionStatus.ERROR,
        lastErrorCode: code,
        lastErrorMessage: `A fault ${code}.`,
        nextSyncTime: undefined,
      });
      await eventually(() => {
        const own = announced.filter(({ organizationId }) => organizationId === connected.organizationId);
        expect(own).toContainEqual(expect.objectContaining({ status: 'ERROR', errorCode: code }));
      });
      erp.onPage = () => {};
      expect(await start(connected)).toMatchObject({ trigger: RunTrigger.MANUAL, status: RunStatus.RUNNING });
      await newestRun(connected, 2);
      const after = await read(connected);
      expect(after).toMatchObject({ status: ConnectionStatus.CONNECTED, lastErrorCode: undefined });
      expect(after.nextSyncTime).toBeInstanceOf(Date);
    },
  );

  test('of several kinds in one run are announced with the code that the connection shows', async () => {
    erp.onPage = (stream) => {
      throw fault(stream === 'vendors' ? 'TIMEOUT' : 'UPSTREAM_ERROR');
    };
    const connected = await connect();
    expect(await newestRun(connected)).toMatchObject({ status: RunStatus.FAILED });
    expect(await read(connected)).toMatchObject({ lastErrorCode: 'TIMEOUT' });
    await eventually(() => {
      const own = announced.filter(({ organizationId }) => organizationId === connected.organizationId);
      expect(own.filter(({ name }) => name === 'sync_completed')).toMatchObject([
        { status: 'FAILED', errorCode: 'TIMEOUT' },
      ]);
    });
  });

  test.each(['TIMEOUT', 'UPSTREAM_ERROR', 'BAD_RESPONSE'] as const)(
    '%s of one stream leaves the others, and the status of the connection',
    async (code) => {
      erp.put('bills', ...bills(2));
      erp.onPage = (stream) => {
        if (stream === 'vendors') throw fault(code);
      };
      const connected = await connect();
      expect(await newestRun(connected)).toMatchObject({
        status: RunStatus.PARTIAL,
        errors: [{ stream: 'vendors', code }],
      });
      expect(ledger().live(connected.connectionId, 'BILL')).toHaveLength(2);
      expect(await read(connected)).toMatchObject({ status: ConnectionStatus.CONNECTED, lastErrorCode: code });
    },
  );

  test('of all streams fail the run, and the connection stays PENDING', async () => {
    erp.onPage = () => {
      throw fault('UPSTREAM_ERROR');
    };
    const connected = await connect();
    expect(await newestRun(connected)).toMatchObject({ status: RunStatus.FAILED });
    const connection = await read(connected);
    expect(connection).toMatchObject({ status: ConnectionStatus.PENDING, lastErrorCode: 'UPSTREAM_ERROR' });
    expect(connection.nextSyncTime).toBeInstanceOf(Date);
  });

  test('RATE_LIMITED ends the run, and the next one is not due before the ERP wants to be called', async () => {
    erp.put('vendors', ...vendors(2));
    erp.onPage = (stream) => {
      if (stream === 'bills') throw fault('RATE_LIMITED', 20 * 3_600_000);
    };
    const connected = await connect();
    const run = await newestRun(connected);
    expect(run).toMatchObject({ status: RunStatus.PARTIAL, errors: [{ stream: 'bills', code: 'RATE_LIMITED' }] });
    expect(Object.keys(run.streams)).toEqual(['vendors', 'bankAccounts', 'bills']);
    const waitMs = stated((await read(connected)).nextSyncTime).getTime() - Date.now();
    expect(waitMs).toBeGreaterThan(20 * 3_600_000 - 60_000);
    erp.onPage = () => {
      throw fault('RATE_LIMITED', 60_000);
    };
    await makeDue(connected);
    expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.FAILED });
  });

  test('a budget that is used up ends the run with a position, from which the next one continues', async () => {
    erp.put('vendors', ...vendors(9));
    let pages = 0;
    erp.onPage = () => {
      if (++pages === 3) throw new BudgetSpent('TIMEOUT', 'The import run has taken its time.');
    };
    const connected = await connect();
    expect(await newestRun(connected)).toMatchObject({
      status: RunStatus.PARTIAL,
      streams: { vendors: { fetched: 6 } },
    });
    await makeDue(connected);
    expect((await newestRun(connected, 2)).streams['vendors']).toMatchObject({ fetched: 3 });
  });

  test('a budget that is used up at a stream lets the next run begin there, and the one after with all', async () => {
    erp.put('vendors', ...vendors(2));
    erp.put('bills', ...bills(7));
    const spendAt = (at: string) => {
      erp.onPage = (stream, position) => {
        if (stream === 'bills' && position === at)
          throw new BudgetSpent('RATE_LIMITED', 'The import run has made its calls.');
      };
    };
    spendAt('b003');
    const connected = await connect();
    await newestRun(connected);
    const asked = () => erp.windows.splice(0).map(({ stream }) => stream);
    expect(asked()).toEqual(['vendors', 'bankAccounts', 'bills']);
    spendAt('b006');
    await makeDue(connected);
    const second = await newestRun(connected, 2);
    expect(second).toMatchObject({ trigger: RunTrigger.RETRY, status: RunStatus.PARTIAL });
    expect(asked()).toEqual(['bills']);
    erp.onPage = () => {};
    await makeDue(connected);
    expect(await newestRun(connected, 3)).toMatchObject({ status: RunStatus.SUCCEEDED });
    expect(asked()).toEqual(['bills', 'creditNotes', 'payments', 'orders']);
    // The age of the vendor list is that of the import run that read it.
    const completed = ledger().completed.filter(({ source }) => source?.connectionId === connected.connectionId);
    expect(completed.map(({ hasVendorList }) => hasVendorList)).toEqual([true, false, false]);
    await makeDue(connected);
    await newestRun(connected, 4);
    expect(asked()).toHaveLength(6);
    expect(ledger().live(connected.connectionId, 'BILL')).toEqual(idsOf(bills(7)));
  });

  test('a run of the whole begins with the first stream, wherever the budget of the run before was used up', async () => {
    erp.put('bills', ...bills(4));
    erp.onPage = (stream) => {
      if (stream === 'payments') throw new BudgetSpent('TIMEOUT', 'The import run has taken its time.');
    };
    const connected = await connect();
    await newestRun(connected);
    erp.onPage = () => {};
    erp.windows.splice(0);
    await start(connected, RunMode.FULL);
    expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.SUCCEEDED });
    expect(erp.windows.map(({ stream }) => stream)).toHaveLength(6);
    expect((await stored(connected.connectionId)).pass).toBeUndefined();
  });

  test('no right to read orders or payments leaves them out without an error', async () => {
    erp.onPage = (stream) => {
      if (stream === 'orders' || stream === 'payments') throw fault('PERMISSION_DENIED');
    };
    const run = await newestRun(await connect());
    expect(run).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    expect(Object.keys(run.streams)).toEqual(['vendors', 'bankAccounts', 'bills', 'creditNotes']);
  });

  test('an error of our own fails the run without a trace of it in the answer', async () => {
    erp.onPage = () => {
      throw new TypeError('secret detail');
    };
    const connected = await connect();
    const run = await newestRun(connected);
    expect(run).toMatchObject({ status: RunStatus.FAILED, errors: [{ code: 'RUN_ABANDONED', retryable: true }] });
    expect(JSON.stringify([run, await read(connected)])).not.toContain('secret detail');
  });
});

describe('records that cannot be stored', () => {
  const changed = (stream: StreamName, change: (records: RecordsOf[StreamName][]) => RecordsOf[StreamName][]) => {
    erp.changePage = (of, page) => (of === stream ? { ...page, records: change([...page.records]) } : page);
  };

  test('are counted and named, and do not hold the others back', async () => {
    erp.pageSize = 100;
    erp.put('vendors', ...vendors(20));
    changed('vendors', ([first, ...others]) => [{ ...(first as VendorRecord), name: 'A\u0000' }, ...others]);
    const connected = await connect();
    const run = await newestRun(connected);
    expect(run).toMatchObject({
      status: RunStatus.SUCCEEDED,
      streams: { vendors: { fetched: 20, created: 19, failed: 1 } },
    });
    expect(run.errors).toMatchObject([
      { stream: 'vendors', code: 'RECORD_INVALID', externalId: 'v001', retryable: false },
    ]);
    expect(ledger().live(connected.connectionId, 'VENDOR')).not.toContain('v001');
    expect(await read(connected)).toMatchObject({ status: ConnectionStatus.CONNECTED, lastErrorCode: undefined });
  });

  test('make the run PARTIAL when they are more than 5 %', async () => {
    erp.pageSize = 100;
    erp.put('bills', ...bills(20));
    changed('bills', ([first, second, ...others]) =>
      [first, second]
        .map((record) => ({ ...(record as BillRecord), currency: 'XXX' }) as RecordsOf[StreamName])
        .concat(others),
    );
    const connected = await connect();
    expect(await newestRun(connected)).toMatchObject({
      status: RunStatus.PARTIAL,
      streams: { bills: { created: 18, failed: 2 } },
    });
    expect(await read(connected)).toMatchObject({
      status: ConnectionStatus.CONNECTED,
      lastErrorCode: 'RECORD_INVALID',
    });
  });
});

test('an empty page that ends where the window continued is not a repeated page', async () => {
  erp.put('vendors', ...vendors(3));
  const { provider } = erp;
  const openSession: typeof provider.open = (deps) => {
    const session = provider.open(deps);
    return {
      ...session,
      async *read(stream, window) {
        for await (const page of session.read(stream, window)) {
          yield page;
          if (stream === 'vendors' && window.after === undefined) {
            throw new ErpFault('UPSTREAM_ERROR', 'The ERP responded with an error.');
          }
        }
        if (stream === 'vendors' && window.after !== undefined) {
          yield { records: [], invalid: [], deletedIds: [], position: window.after };
        }
      },
    };
  };
  erp = { ...erp, provider: { ...provider, open: openSession } };
  const connected = await connect();
  expect(await newestRun(connected)).toMatchObject({ status: RunStatus.PARTIAL });
  await makeDue(connected);
  expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
});

test('the same page again and again ends the stream as BAD_RESPONSE, and is stored once', async () => {
  erp.put('vendors', ...vendors(3));
  erp.put('bills', ...bills(1));
  const { provider } = erp;
  erp = {
    ...erp,
    provider: {
      ...provider,
      open: (deps) => {
        const session = provider.open(deps);
        return {
          ...session,
          async *read(stream, window) {
            for await (const page of session.read(stream, window)) {
              yield page;
              // The stream never ends: after each page of ERP records there is another one, with a different position.
              for (let index = 0; stream === 'vendors'; index++) yield { ...page, position: `again ${index}` };
            }
          },
        };
      },
    },
  };
  const connected = await connect();
  const run = await newestRun(connected);
  expect(run).toMatchObject({ status: RunStatus.PARTIAL, errors: [{ stream: 'vendors', code: 'BAD_RESPONSE' }] });
  expect(run.streams['vendors']).toMatchObject({ fetched: 3, created: 3 });
  expect(ledger().live(connected.connectionId, 'BILL')).toHaveLength(1);
});

describe('one run of a connection at a time', () => {
  test('whatever the number of replicas that look for it', async () => {
    const replicas = await Promise.all(Array.from({ length: 2 }, () => running.startReplica()));
    try {
      erp.put('vendors', ...vendors(6));
      const connected = await connect();
      await newestRun(connected);
      for (let round = 2; round <= 6; round++) {
        erp.sessions = 0;
        await makeDue(connected);
        await endedRuns(connected, round);
        expect(erp.sessions).toBe(1);
      }
      const all = await runs().find({ connectionId: connected.connectionId }).toArray();
      expect(all.map(({ status }) => status)).toEqual(Array(6).fill('SUCCEEDED'));
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()));
    }
  });

  test('and a second one that somebody starts during it is refused', async () => {
    const connected = await connect();
    await newestRun(connected);
    let open = (): void => {};
    erp.onPage = () => new Promise<void>((resolve) => (open = resolve));
    const first = await start(connected);
    await eventually(() => expect(erp.sessions).toBe(2));
    const refusals = await Promise.allSettled(Array.from({ length: 5 }, () => start(connected)));
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 'rejected', reason: { kind: 'in_progress' } });
    erp.onPage = () => {};
    open();
    expect((await newestRun(connected, 2)).runId).toBe(first.runId);
  });

  test('parallel requests start one', async () => {
    const connected = await connect();
    await newestRun(connected);
    const started = await Promise.allSettled(Array.from({ length: 10 }, () => start(connected)));
    const ended = await endedRuns(connected, 2);
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(ended.length - 1);
    expect(await runs().countDocuments({ connectionId: connected.connectionId, status: 'RUNNING' })).toBe(0);
  });
});

/** The gRPC client of a repeatable rpc makes each attempt twice. */
const TRIED_CALLS_MAX = 2 * CALL_TRIES_MAX;

test.each(['importVendors', 'deleteRecords', 'reconcileIds', 'completeImport'])(
  'answers of %s that a short outage of analysis loses do not end a run, and nothing is stored twice',
  async (of) => {
    erp.put('vendors', ...vendors(8));
    erp.put('bills', ...bills(2));
    const connected = await connect();
    await newestRun(connected);
    erp.put('vendors', vendor(9));
    erp.remove('bills', 'b001');
    let calls = 0;
    ledger().beforeAnswer = (rpc) => {
      if (rpc === of && ++calls < TRIED_CALLS_MAX) throw new DomainError('unavailable', 'The database is silent.');
    };
    await start(connected, of === 'reconcileIds' ? RunMode.FULL : RunMode.INCREMENTAL);
    expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
    expect(calls).toBeGreaterThanOrEqual(TRIED_CALLS_MAX);
    expect(ledger().createdCount(connected.connectionId, 'VENDOR', 'v009')).toBe(1);
    expect(ledger().live(connected.connectionId, 'VENDOR')).toHaveLength(9);
    expect(ledger().live(connected.connectionId, 'BILL')).toEqual(['b002']);
  },
);

test('an outage of analysis that lasts ends the run, and the next one continues', async () => {
  erp.put('vendors', ...vendors(3));
  let failed = 0;
  ledger().beforeAnswer = (rpc) => {
    if (rpc === 'importVendors' && failed < TRIED_CALLS_MAX) {
      failed++;
      throw new DomainError('unavailable', 'Not now.');
    }
  };
  const connected = await connect();
  const first = await newestRun(connected);
  expect([first.status, failed]).toEqual([RunStatus.FAILED, TRIED_CALLS_MAX]);
  expect(first.errors).toMatchObject([{ code: 'RUN_ABANDONED' }]);
  await makeDue(connected);
  expect(await newestRun(connected, 2)).toMatchObject({ status: RunStatus.SUCCEEDED });
  expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(idsOf(vendors(3)));
});

test.each([
  ['500 small records', 500, '', 1],
  ['501 small records', 501, '', 2],
  ['400 records of 33 KB', 400, '漢'.repeat(1_000), 4],
])('a page of %s reaches analysis whole, in calls that it takes', async (_, count, text, callsMin) => {
  const address = { line1: text, line2: text, city: text, region: text, postalCode: text };
  const texts = { registrationNumber: text, taxId: text, email: text, phone: text, number: text, address };
  erp.pageSize = count;
  erp.put('vendors', ...vendors(count).map((one) => (text === '' ? one : { ...one, ...texts, name: text })));
  let calls = 0;
  ledger().beforeAnswer = (rpc) => void (rpc === 'importVendors' && calls++);
  const connected = await connect();
  expect(await newestRun(connected)).toMatchObject({ status: RunStatus.SUCCEEDED, errors: [] });
  expect(ledger().live(connected.connectionId, 'VENDOR')).toHaveLength(count);
  if (text === '') expect(calls).toBe(callsMin);
  else expect(calls).toBeGreaterThanOrEqual(callsMin);
});

test('the examination of the books is continued call by call, up to a bound that leaves the rest to the next run', async () => {
  erp.put('vendors', ...vendors(3));
  const connected = await connect();
  await newestRun(connected);
  const callsOfRun = async (needed: number, runsCount: number) => {
    // Only calls about this ERP connection are counted, because connections of earlier tests may be due as well.
    const completed = () =>
      ledger().completed.filter(({ source }) => source?.connectionId === connected.connectionId).length;
    const before = completed();
    ledger().completeCallsLeft.set(connected.connectionId, needed);
    await makeDue(connected);
    const { status, errors } = await newestRun(connected, runsCount);
    return { calls: completed() - before, status, codes: errors.map(({ code }) => code) };
  };
  expect(await callsOfRun(COMPLETE_CALLS_MAX, 2)).toEqual({
    calls: COMPLETE_CALLS_MAX,
    status: RunStatus.SUCCEEDED,
    codes: [],
  });
  expect(await callsOfRun(COMPLETE_CALLS_MAX + 1, 3)).toMatchObject({
    calls: COMPLETE_CALLS_MAX,
    codes: ['RUN_ABANDONED'],
  });
});

test('a run of another organization’s connection cannot be started or seen, as if it did not exist', async () => {
  const { connectionId } = await connect();
  const stranger = running.organization.newTenant();
  for (const id of [connectionId, randomUUID()]) {
    const refused = { kind: 'not_found', publicMessage: 'No such ERP connection.' };
    await expect(start({ organizationId: stranger, connectionId: id })).rejects.toMatchObject(refused);
    const request = { organizationId: stranger, connectionId: id, pageSize: 10, ...firstPage };
    await expect(running.runs.listRuns(request, caller)).rejects.toMatchObject(refused);
  }
});

test('a disconnected ERP is not run', async () => {
  const connected = await connect();
  await newestRun(connected);
  await running.connections.deleteConnection(connected, caller);
  await expect(start(connected)).rejects.toMatchObject({ kind: 'wrong_state' });
});

describe('what changes during a run', () => {
  /** Starts an import run that waits before its second page of vendors. */
  async function waiting(): Promise<{ connected: Connected; goOn: () => void }> {
    erp.put('vendors', ...vendors(9));
    let goOn = (): void => {};
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    let isReached = false;
    erp.onPage = async (stream, position) => {
      if (stream !== 'vendors' || position !== 'v006') return;
      isReached = true;
      await waits;
    };
    const connected = await connect();
    await eventually(() => expect(isReached).toBe(true));
    return { connected, goOn };
  }

  test('disconnecting cancels it, and nothing more is stored', async () => {
    const { connected, goOn } = await waiting();
    await running.connections.deleteConnection(connected, caller);
    goOn();
    await eventually(async () => {
      const run = await runs().findOne({ connectionId: connected.connectionId });
      expect(run?.status).toBe('CANCELED');
    });
    expect(await read(connected)).toMatchObject({ status: ConnectionStatus.DISABLED });
    expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(idsOf(vendors(6)));
    // A page of ERP records may have been in transit when the vendor master was ended, so it is ended once more.
    await eventually(() => {
      const ends = running.analysis.endedMasters.filter((id) => id === connected.connectionId);
      expect(ends.length).toBeGreaterThanOrEqual(2);
    });
  });

  test('disconnecting cancels it although its page is on the way to analysis, which takes no more of it', async () => {
    erp.put('vendors', ...vendors(3));
    const organizationId = running.organization.newTenant();
    running.analysis.imports.beforeAnswer = async (call, { connectionId, ...source }) => {
      if (call !== 'importVendors' || source.organizationId !== organizationId) return;
      await running.connections.deleteConnection({ organizationId, connectionId }, caller);
      throw new DomainError('wrong_state', 'The connection was disconnected.');
    };
    const { connectionId } = await connect(organizationId);
    await eventually(async () => {
      const run = await runs().findOne({ connectionId });
      expect(run?.outcome).toMatchObject({ status: 'CANCELED' });
      expect(run?.errors).toEqual([]);
    });
  });

  test('disconnecting ends a run whose process died', async () => {
    const connected = await connect();
    await endedRuns(connected);
    const runId = '0190a000-0000-7000-8000-000000000009';
    const { organizationId, connectionId } = connected;
    const ended = stated((await runs().findOne({ connectionId })) ?? undefined);
    const { outcome: _, finishedAt: __, ...open } = ended;
    await runs().insertOne({ ...open, _id: runId, status: 'RUNNING', createdAt: new Date() });
    // The lease is still valid, so no other process takes over the import run.
    const leaseUntil = new Date(Date.now() + 60_000);
    await connections().updateOne({ _id: connectionId }, { $set: { runningRunId: runId, claim: 'dead', leaseUntil } });
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    expect(await runs().findOne({ _id: runId })).toMatchObject({ status: 'CANCELED', outcome: { status: 'CANCELED' } });
    expect(await runs().findOne({ _id: ended._id })).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('a pause cancels it', async () => {
    const { connected, goOn } = await waiting();
    await running.connections.updateConnection({ ...connected, isPaused: true, secretName: '' }, caller);
    goOn();
    expect(await newestRun(connected)).toMatchObject({ status: RunStatus.CANCELED });
    expect(await read(connected)).toMatchObject({ isPaused: true, nextSyncTime: undefined });
  });
});

describe('organizations that are not served', () => {
  test('have no runs while their subscription is not active, and have them again afterwards', async () => {
    const connected = await connect();
    await newestRun(connected);
    running.organization.setSubscription(connected.organizationId, false);
    await eventually(() => isSkipped(connected), { timeoutMs: 20_000 });
    running.organization.setSubscription(connected.organizationId, true);
    const { length } = await endedRuns(connected);
    await eventually(
      async () => {
        await makeDue(connected);
        expect((await endedRuns(connected)).length).toBeGreaterThan(length);
      },
      { timeoutMs: 20_000 },
    );
  });

  test('have no runs once they are deleted', async () => {
    const connected = await connect();
    await newestRun(connected);
    running.organization.deleteTenant(connected.organizationId);
    await eventually(() => isSkipped(connected), { timeoutMs: 20_000 });
  });

  /**
   * Waits until the service has postponed the due time of the ERP connection without starting an import run. A change
   * of the plan takes seconds to be noticed, because the facts of organizations are cached.
   */
  async function isSkipped(connected: Connected): Promise<void> {
    const before = await runs().countDocuments({ connectionId: connected.connectionId });
    await makeDue(connected);
    await eventually(async () => {
      const { nextSyncAt } = await stored(connected.connectionId);
      expect(stated(nextSyncAt).getTime()).toBeGreaterThan(Date.now());
    });
    expect(await runs().countDocuments({ connectionId: connected.connectionId })).toBe(before);
  }
});

describe('a run whose process is killed', () => {
  /**
   * Points at which a process may crash: before each page of ERP records is requested, and after each import took
   * effect.
   */
  const boundaries = [
    ...['', 'v003', 'v006'].map((position) => ({ kind: 'page', of: 'vendors', at: position }) as const),
    ...['', 'b003'].map((position) => ({ kind: 'page', of: 'bills', at: position }) as const),
    ...['importVendors', 'importBills', 'completeImport'].flatMap((rpc) =>
      [1, 2].map((call) => ({ kind: 'rpc', of: rpc, at: call }) as const),
    ),
  ];

  test.each(boundaries)(
    'at $kind $of $position$call is continued: no row is lost, none comes twice',
    async (boundary) => {
      erp.put('vendors', ...vendors(8));
      erp.put('bills', ...bills(5));
      let isReached = false;
      let revive = (): void => {};
      const dead = new Promise<void>((resolve) => (revive = resolve));
      const die = async (): Promise<void> => {
        if (isReached) return;
        isReached = true;
        await dead;
      };
      if (boundary.kind === 'page') {
        erp.onPage = (stream, position) => (stream === boundary.of && position === boundary.at ? die() : undefined);
      } else {
        let calls = 0;
        // Only new ERP connections are used, because connections of earlier tests may be due as well.
        const earlier = new Set(await connections().distinct('_id'));
        ledger().beforeAnswer = (rpc, { connectionId }) =>
          rpc === boundary.of && !earlier.has(connectionId) && ++calls === boundary.at ? die() : undefined;
      }
      const connected = await connect();
      // The second call of completeImport is made by another import run.
      if (boundary.kind === 'rpc' && boundary.of === 'completeImport' && boundary.at === 2) {
        await newestRun(connected);
        await makeDue(connected);
      }
      await eventually(() => expect(isReached).toBe(true));
      await silence(connected);
      const ended = await eventually(async () => {
        const found = await endedRuns(connected, 2);
        expect(found[0]?.status).toBe(RunStatus.SUCCEEDED);
        return found;
      });
      expect(ended[0]).toMatchObject({ trigger: RunTrigger.RETRY });
      expect(ended[1]).toMatchObject({ status: RunStatus.FAILED, errors: [{ code: 'RUN_ABANDONED' }] });
      expect(ledger().live(connected.connectionId, 'VENDOR')).toEqual(idsOf(vendors(8)));
      expect(ledger().live(connected.connectionId, 'BILL')).toEqual(idsOf(bills(5)));
      for (const { externalId } of vendors(8)) {
        expect(ledger().createdCount(connected.connectionId, 'VENDOR', externalId)).toBe(1);
      }
      // The abandoned import run was not completed. The run that continues it states since when.
      const completed = ledger().completed.filter(({ source }) => source?.connectionId === connected.connectionId);
      expect(stated(completed.at(-1)).startedTime).toEqual(ended[1]?.startedTime);

      // The process of the first service was only stopped and not killed, but must no longer change anything.
      const before = await stored(connected.connectionId);
      const abandoned = await runs().findOne({ _id: stated(ended[1]).runId });
      revive();
      await start(connected);
      await endedRuns(connected, ended.length + 1);
      expect(await runs().findOne({ _id: stated(ended[1]).runId })).toMatchObject({
        status: 'FAILED',
        streams: abandoned?.streams,
      });
      expect(await stored(connected.connectionId)).toMatchObject({ status: before.status });
    },
  );

  test('between its end and the release of its connection is not done again', async () => {
    const connected = await connect();
    const run = await newestRun(connected);
    await connections().updateOne(
      { _id: connected.connectionId },
      { $set: { runningRunId: run.runId, claim: 'silent', leaseUntil: new Date(Date.now() - 1) } },
    );
    erp.sessions = 0;
    expect(await endedRuns(connected)).toHaveLength(1);
    expect(erp.sessions).toBe(0);
    expect(await read(connected)).toMatchObject({ status: ConnectionStatus.CONNECTED });
  });

  test('again and again waits for its slot after three times', async () => {
    erp.put('vendors', ...vendors(2));
    const doors: (() => void)[] = [];
    erp.onPage = () => new Promise<void>((resolve) => doors.push(resolve));
    const connected = await connect();
    for (let kills = 1; kills <= 4; kills++) {
      await eventually(() => expect(doors).toHaveLength(kills));
      await silence(connected);
    }
    const ended = await endedRuns(connected, 4);
    expect(ended.map(({ status }) => status)).toEqual(Array(4).fill(RunStatus.FAILED));
    const { nextSyncAt, abandonedRuns } = await stored(connected.connectionId);
    expect(stated(nextSyncAt).getTime()).toBeGreaterThan(Date.now());
    expect(abandonedRuns).toBe(4);
    erp.onPage = () => {};
    for (const open of doors) open();
  });
});

test('a run that a stopping service interrupts is continued at once by another replica', async () => {
  erp.put('vendors', ...vendors(8));
  let hasStopped = false;
  let isReached = false;
  erp.onPage = async (stream, position) => {
    if (stream !== 'vendors' || position !== 'v006' || hasStopped) return;
    isReached = true;
    // The call behaves like a call that the stop of the service ends.
    await eventually(() => expect(hasStopped).toBe(true), { timeoutMs: 20_000 });
    throw new Error('stopped');
  };
  const connected = await connect();
  await eventually(() => expect(isReached).toBe(true));
  const replica = await running.startReplica();
  setTimeout(() => (hasStopped = true), 200);
  await running.stopService();
  try {
    const { organizationId, connectionId } = connected;
    const list = () => replica.runs.listRuns({ organizationId, connectionId, pageSize: 10, ...firstPage }, caller);
    await eventually(async () => {
      const { runs: found } = await list();
      expect(found).toMatchObject([
        { trigger: RunTrigger.RETRY, status: RunStatus.SUCCEEDED },
        { status: RunStatus.PARTIAL, errors: [{ code: 'RUN_ABANDONED' }] },
      ]);
    });
    expect(ledger().live(connectionId, 'VENDOR')).toEqual(idsOf(vendors(8)));
  } finally {
    await replica.stop();
  }
});
