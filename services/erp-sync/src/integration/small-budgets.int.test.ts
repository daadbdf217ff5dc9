// Tests import runs that may make only a few calls. The next run continues where a run had to stop, for every ERP and
// stream.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RunMode, RunStatus } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { personAt, startConsenting } from '../testing/consenting.js';
import type { Consenting } from '../testing/consenting.js';
import { caller, guid, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

/**
 * Number of calls of an import run, the maximum that one page costs: a page of Odoo bills, with new vendors and their
 * bank accounts.
 */
const CALLS = 6;
const PAGE_SIZE = 2;
const RUNS_MAX = 60;
const ROWS = 7;

type Product = 'businessCentral' | 'odoo' | 'quickBooks' | 'xero';
type Entity = 'VENDOR' | 'VENDOR_ACCOUNT' | 'BILL' | 'CREDIT_NOTE' | 'ORDER' | 'PAYMENT';
let erps: Consenting;
let urls: ErpSimulators['urls'];
let running: RunningErpSync;
beforeAll(async () => {
  erps = await startConsenting(async (apps) => {
    const simulators = await startErpSimulators(apps);
    ({ urls } = simulators);
    return simulators;
  });
  running = await startErpSync(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    erps: {},
    env: {
      ...erps.env,
      BUSINESS_CENTRAL_LOGIN_URL: urls.businessCentral,
      BUSINESS_CENTRAL_API_URL: urls.businessCentral,
      ERP_EGRESS_ALLOW_ORIGINS: new URL(urls.odoo).origin,
      ERP_POLL_SECONDS: '1',
      ERP_PAGE_SIZE: String(PAGE_SIZE),
      ERP_RUN_CALLS: String(CALLS),
    },
  });
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

const uuidOf = (kind: number, n: number): string => `${String(n).padStart(8, '0')}-000${kind}-4000-8000-000000000000`;
const day = '2026-02-03';

/** Rows of an ERP with a number `n` from 1 on. Vendor 1 is on all documents, and vendor `n` is also on document `n`. */
interface Sample {
  readonly vendor: string;
  readonly bill: string;
  readonly idOf: (kind: number, n: number) => string | number;
  readonly rows: Readonly<Record<string, (n: number) => object>>;
  readonly entities: Readonly<Record<string, Entity>>;
}

const bcDocument = (kind: number) => (n: number) => ({
  id: uuidOf(kind, n),
  invoiceDate: day,
  creditMemoDate: day,
  vendorInvoiceNumber: `RE-${n}`,
  vendorCreditMemoNumber: `CM-${n}`,
  vendorId: uuidOf(1, n),
  totalAmountIncludingTax: 100 + n,
  status: 'Open',
});
const odooMove = (offset: number, move_type: string) => (n: number) => ({
  id: offset + n,
  name: `${move_type}/${n}`,
  ref: `RE-${n}`,
  move_type,
  // Partners with an id above 100 have no supplier rank, and are known only from their documents.
  partner_id: 100 + n,
  invoice_date: day,
  amount_total: 100 + n,
});
const quickBooksDocument = (n: number) => ({
  Id: String(n),
  DocNumber: `A-${n}`,
  VendorRef: { value: String(n), name: `Vendor ${n}` },
  TotalAmt: 10 * n,
  LinkedTxn: [{ TxnId: '1', TxnType: 'PurchaseOrder' }],
});
const xeroContact = (n: number) => ({ ContactID: uuidOf(1, n), Name: `Vendor ${n}` });

const samples: Readonly<Record<Product, Sample>> = {
  businessCentral: {
    vendor: 'vendors',
    bill: 'purchaseInvoices',
    idOf: uuidOf,
    rows: {
      vendors: (n) => ({ id: uuidOf(1, n), number: `V${n}`, displayName: `Vendor ${n}`, blocked: '_x0020_' }),
      vendorBankAccounts: (n) => ({ id: uuidOf(6, n), vendorNo: `V${n}`, iban: 'DE89370400440532013000' }),
      purchaseInvoices: bcDocument(2),
      purchaseCreditMemos: bcDocument(3),
      purchaseOrders: (n) => ({ id: uuidOf(4, n), number: `PO-${n}`, vendorId: uuidOf(1, n) }),
      vendorLedgerEntries: (n) => ({
        id: uuidOf(5, n),
        entryNumber: n,
        documentType: 'Payment',
        vendorNumber: `V${n}`,
        amount: 5,
        postingDate: day,
      }),
    },
    entities: {
      vendors: 'VENDOR',
      vendorBankAccounts: 'VENDOR_ACCOUNT',
      purchaseInvoices: 'BILL',
      purchaseCreditMemos: 'CREDIT_NOTE',
      purchaseOrders: 'ORDER',
      vendorLedgerEntries: 'PAYMENT',
    },
  },
  odoo: {
    vendor: 'res.partner',
    bill: 'account.move',
    idOf: (kind, n) => (kind === 1 ? n : 500 + n),
    rows: {
      'res.partner': (n) => ({ id: n, name: `Vendor ${n}`, supplier_rank: 1, country_id: [20, 'Belgium'] }),
      'res.partner.bank': (n) => ({ id: n, partner_id: n, acc_number: 'BE71 0961 2345 6769' }),
      'account.move': odooMove(500, 'in_invoice'),
      'purchase.order': (n) => ({ id: n, name: `PO-${n}`, partner_id: n, amount_total: 7 }),
      'account.payment': (n) => ({ id: n, partner_id: n, date: day, amount: 5 }),
    },
    entities: {
      'res.partner': 'VENDOR',
      'res.partner.bank': 'VENDOR_ACCOUNT',
      'account.move': 'BILL',
      'purchase.order': 'ORDER',
      'account.payment': 'PAYMENT',
    },
  },
  quickBooks: {
    vendor: 'Vendor',
    bill: 'Bill',
    idOf: (_, n) => String(n),
    rows: {
      Vendor: (n) => ({ Id: String(n), DisplayName: `Vendor ${n}` }),
      Bill: quickBooksDocument,
      VendorCredit: quickBooksDocument,
      PurchaseOrder: quickBooksDocument,
      BillPayment: quickBooksDocument,
    },
    entities: {
      Vendor: 'VENDOR',
      Bill: 'BILL',
      VendorCredit: 'CREDIT_NOTE',
      PurchaseOrder: 'ORDER',
      BillPayment: 'PAYMENT',
    },
  },
  xero: {
    vendor: 'Contacts',
    bill: 'Invoices',
    idOf: uuidOf,
    rows: {
      // Contacts that only documents name are not suppliers in Xero.
      Contacts: xeroContact,
      Invoices: (n) => ({ InvoiceID: uuidOf(2, n), InvoiceNumber: `A-${n}`, Contact: xeroContact(n), Total: 10 * n }),
      CreditNotes: (n) => ({ CreditNoteID: uuidOf(3, n), Contact: xeroContact(n), Total: 5 }),
      PurchaseOrders: (n) => ({
        PurchaseOrderID: uuidOf(4, n),
        PurchaseOrderNumber: `PO-${n}`,
        Contact: xeroContact(n),
      }),
      Payments: (n) => ({
        PaymentID: uuidOf(5, n),
        Amount: 10,
        Invoice: { InvoiceID: uuidOf(2, n), CurrencyCode: 'GBP', Contact: xeroContact(n) },
      }),
    },
    entities: {
      Contacts: 'VENDOR',
      Invoices: 'BILL',
      CreditNotes: 'CREDIT_NOTE',
      PurchaseOrders: 'ORDER',
      Payments: 'PAYMENT',
    },
  },
};

describe.each(['businessCentral', 'odoo', 'quickBooks', 'xero'] as const)('%s', (product) => {
  const sample = samples[product];
  let organizationId: string;
  let connectionId: string;
  let tenant: string;

  const control = async (target: string, body?: object): Promise<void> => {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(`${urls[product]}/control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  };
  const put = (entity: string, records: readonly object[], remove: readonly (string | number)[] = []): Promise<void> =>
    control(`POST /tenants/${tenant}/records`, { entity, records, remove });
  let writtenSeconds = Math.floor(Date.now() / 1_000) - 3_600;
  /**
   * Odoo stores modification times with a precision of a second. Each of the first records has its own second, as
   * records that people wrote have.
   */
  const dated = (record: object): object => ({
    write_date: new Date((writtenSeconds += 1) * 1_000).toISOString().slice(0, 19).replace('T', ' '),
    ...record,
  });

  /** Creates the company and returns its ERP connection data. */
  const makeCompany = async (): Promise<object | undefined> => {
    if (product === 'quickBooks' || product === 'xero') {
      tenant = await erps.newCompany(product);
      return undefined;
    }
    tenant = product === 'odoo' ? `i${randomUUID().slice(0, 8)}` : randomUUID();
    if (product === 'odoo') {
      await control(`PUT /tenants/${tenant}`, { apiKey: 'key' });
      const configJson = JSON.stringify({ baseUrl: `${urls.odoo}/${tenant}` });
      return { provider: 'PROVIDER_B', configJson, secretName: 'api_key', secret: 'key' };
    }
    const application = { clientId: guid(0xc), clientSecret: 'a~secret' };
    const company = { environmentName: 'Production', companyId: guid(1) };
    await control(`PUT /tenants/${tenant}`, { ...company, ...application });
    const config = {
      tenantId: tenant,
      ...company,
      clientId: application.clientId,
      bankAccountEndpoint: `${urls.businessCentral}/v2.0/${tenant}/Production/api/navipartner/core/v1.0/companies({companyId})/vendorBankAccounts`,
      bankAccountVendorIdField: 'vendorNo',
      bankAccountIbanField: 'iban',
    };
    const configJson = JSON.stringify(config);
    return { provider: 'PROVIDER_A', configJson, secretName: 'client_secret', secret: application.clientSecret };
  };

  beforeEach(async () => {
    organizationId = running.organization.newTenant();
    const request = await makeCompany();
    for (const [entity, row] of Object.entries(sample.rows)) {
      const rows = Array.from({ length: ROWS }, (_, at) => row(at + 1));
      await put(entity, product === 'odoo' ? rows.map(dated) : rows);
    }
    if (product === 'odoo') {
      await put(
        'res.partner',
        Array.from({ length: ROWS }, (_, at) => dated({ id: 101 + at, name: `On bills ${at}` })),
      );
      await put('res.partner.bank', [dated({ id: 101, partner_id: 101, acc_number: 'BE71 0961 2345 6769' })]);
      await put(
        'account.move',
        Array.from({ length: ROWS }, (_, at) => dated(odooMove(600, 'in_refund')(at + 1))),
      );
    }
    if (request === undefined) {
      const consenting = product as 'quickBooks' | 'xero';
      ({ connectionId } = await personAt(running).connect(organizationId, consenting, tenant));
    } else {
      const created = await running.connections.createConnection({ organizationId, ...request } as never, caller);
      ({ connectionId } = stated(created.connection));
    }
  });

  const connections = () => running.mongo.db.collection<ConnectionDocument>('connections');
  const stored = async () => stated((await connections().findOne({ _id: connectionId })) ?? undefined);
  const live = (entity: Entity) => running.analysis.imports.live(connectionId, entity);
  const countsOf = () =>
    Object.fromEntries(Object.values(sample.entities).map((entity) => [entity, live(entity).length]));

  /** Returns the newest run after the given number of import runs has ended. */
  const ended = (count: number): Promise<Run> =>
    eventually(async () => {
      const page = { pageSize: 100, pageToken: '', createdFromTime: undefined, createdToTime: undefined };
      const { runs } = await running.runs.listRuns({ organizationId, connectionId, ...page }, caller);
      expect(runs).toHaveLength(count);
      const newest = stated(runs[0]);
      expect(newest.status).not.toBe(RunStatus.RUNNING);
      // The worker releases the connection after the end of the run, and writes the time of the next run with it. A time
      // that a test writes before that would be overwritten.
      expect((await stored()).runningRunId).toBeUndefined();
      return newest;
    });
  let runsCount = 0;
  const runOnce = async (): Promise<Run> => {
    const nextSyncAt = new Date(Date.now() - 1_000);
    await connections().updateOne({ _id: connectionId }, { $set: { nextSyncAt } });
    runsCount += 1;
    return ended(runsCount);
  };
  const progress = async () => {
    const { streams, lists, pass } = await stored();
    return JSON.stringify([streams, lists, pass, countsOf()]);
  };
  /** Starts import runs until one of them has nothing left to do. Each import run makes progress. */
  const runUntilDone = async (between: (run: number) => Promise<void> = async () => {}): Promise<number> => {
    for (let runs = 1; runs <= RUNS_MAX; runs++) {
      const before = await progress();
      const run = await runOnce();
      const { lists = {}, pass } = await stored();
      expect(run.httpCalls).toBeLessThanOrEqual(CALLS);
      if (run.status === RunStatus.SUCCEEDED && pass === undefined && Object.keys(lists).length === 0) return runs;
      expect([run.status, run.errors.map(({ code }) => code)]).toEqual([RunStatus.PARTIAL, ['RATE_LIMITED']]);
      expect(await progress()).not.toBe(before);
      await between(runs);
    }
    throw new Error(`not done after ${RUNS_MAX} runs: ${await progress()}`);
  };

  test('is imported in runs of few calls, each of which gets on; a bill that is removed is found, and nothing else is', async () => {
    runsCount = 1;
    await ended(1);
    expect(await runUntilDone()).toBeGreaterThanOrEqual(3);
    const all = Object.fromEntries(Object.values(sample.entities).map((entity) => [entity, ROWS]));
    const more: Record<string, number> = product === 'odoo' ? { VENDOR: 2 * ROWS, VENDOR_ACCOUNT: ROWS + 1 } : {};
    expect(countsOf()).toEqual({ ...all, ...more });
    if (product === 'odoo') expect(live('CREDIT_NOTE')).toHaveLength(ROWS);

    // The ids are compared over several runs, while new records are added. The new records stay.
    await put(sample.bill, [], [sample.idOf(2, 3)]);
    await running.runs.startRun({ organizationId, connectionId, mode: RunMode.FULL }, caller);
    runsCount += 1;
    await ended(runsCount);
    let added = 0;
    const runs = await runUntilDone(async (run) => {
      if (run % 5 !== 0 || added === 3) return;
      added += 1;
      const bill = sample.rows[sample.bill]?.(ROWS + added) ?? {};
      const vendor = sample.rows[sample.vendor]?.(ROWS + added) ?? {};
      // An id that sorts before all others, which the comparison has already passed.
      const id = product === 'businessCentral' ? { id: uuidOf(2, 0).replace(/^0/, String(added)) } : {};
      await put(sample.vendor, [vendor]);
      await put(sample.bill, [{ ...bill, ...id }]);
    });
    expect(runs).toBeGreaterThanOrEqual(3);
    await runUntilDone();
    const bills = live('BILL');
    if (product === 'xero') {
      // The number of bills is higher for Xero, because Xero never removes a bill but marks it VOIDED.
      expect(bills).toHaveLength(ROWS + added);
    } else {
      expect(bills).toHaveLength(ROWS - 1 + added);
      expect(bills).not.toContain(String(sample.idOf(2, 3)));
    }
    const { VENDOR, BILL: __, ...others } = { ...all, ...more } as Record<string, number>;
    const { VENDOR: vendorsNow, BILL: _, ...othersNow } = countsOf();
    expect(othersNow).toEqual(others);
    expect(vendorsNow).toBe(Number(VENDOR) + added);
    expect(await running.mongo.db.collection('listed_ids').countDocuments({ connectionId })).toBe(0);
  }, 240_000);
});
