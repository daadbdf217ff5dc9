import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type {
  AnalyzeRowsRequest,
  AnalyzeRowsResponse,
  Row,
} from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { events } from '@invoicecontrol/contracts/events';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { syntheticHistory } from '@invoicecontrol/engine/testing/synthetic-history';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { anyFinding, asUser, rowsOf, scanRequest } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ROWS_MAX = 5_000;
const databaseName = testDatabaseName();
const scanner = { ...asUser('scan'), timeoutMs: 120_000 };
const operator = { ...scanner, context: { ...scanner.context } };
const TEST_TIMEOUT_MS = 300_000;

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;
let channel: ReturnType<typeof openChannel>;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
  channel = openTestChannel('analysis', running.address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
});
afterAll(async () => {
  channel.close();
  await running.stop();
});

const invoiceDocuments = () => mongo.db.collection<InvoiceDocument>('invoices');
const supplierDocuments = () => mongo.db.collection<SupplierDocument>('suppliers');

function analyze(asked: AnalyzeRowsRequest): Promise<AnalyzeRowsResponse> {
  return client(RowAnalysisServiceDefinition, channel).analyzeRows(asked, scanner);
}

async function findingsOf(organizationId: string, scanId?: string): Promise<Finding[]> {
  const all: Finding[] = [];
  for (let pageToken = ''; ;) {
    const page = await rpc.finding.listFindings(
      { ...anyFinding, organizationId, scanId, pageSize: 100, pageToken },
      scanner,
    );
    all.push(...page.findings);
    if (page.nextPageToken === '') return all;
    pageToken = page.nextPageToken;
  }
}

/** Generates rows of a ledger with only the fields that a row of a history scan can state. */
function ledger(seed: number, months: number): Invoice[] {
  return syntheticHistory(seed, months, 0.1).map(({ invoice }) => scanRowOf(invoice));
}

function scanRowOf({ supplier, ...invoice }: CanonicalInvoice): Invoice {
  return wireInvoice({
    supplier: {
      name: supplier.name,
      taxId: supplier.tax_id,
      bankAccount:
        supplier.bank_account?.iban === undefined
          ? undefined
          : { iban: supplier.bank_account.iban, sortCode: undefined, accountNumber: undefined },
    },
    invoiceNumber: invoice.invoice_number,
    issueDate: invoice.issue_date,
    currency: invoice.currency,
    grossAmount: invoice.gross_amount,
    purchaseOrderRef: invoice.purchase_order_ref,
  });
}

/** Returns sixty invoices of one supplier that raise no findings. */
function quietRows(count: number, number = (index: number) => `N-${index * 37}`): Invoice[] {
  return Array.from({ length: count }, (_, index) =>
    wireInvoice({
      invoiceNumber: number(index),
      issueDate: `2025-0${1 + (index % 9)}-1${index % 7}`,
      grossAmount: `${300 + ((index * 7919) % 400)}.${10 + (index % 80)}`,
    }),
  );
}

describe('rows of one scan', () => {
  test('find each other, whatever their order in the file, and the finding is on the later one', async () => {
    const organizationId = organization.newTenant();
    const later = wireInvoice({ invoiceNumber: 'RE-0050118', issueDate: '2025-03-09' });
    const earlier = wireInvoice({ invoiceNumber: 'RE-50118', issueDate: '2025-03-05' });
    const asked = scanRequest(organizationId, rowsOf([later, earlier]));
    const outcome = await analyze(asked);
    expect(outcome).toMatchObject({ invoicesAnalyzed: 2, unconvertedInvoices: 0, convertedTotal: '2380' });
    const duplicates = (await findingsOf(organizationId, asked.scanId)).filter(
      ({ type }) => type === 'DUPLICATE_INVOICE',
    );
    expect(duplicates).toHaveLength(1);
    expect(duplicates[0]).toMatchObject({ scanId: asked.scanId, invoiceNumber: 'RE-0050118' });
    const evidence = JSON.parse(duplicates[0]?.evidenceJson ?? '{}');
    expect(evidence).toMatchObject({ sourceRowNumber: 2, externalId: null });
    expect(evidence.matched).toMatchObject([{ invoiceNumber: 'RE-50118', sourceRowNumber: 3, scanId: asked.scanId }]);
  });

  test('are added up in the report about the scan, after reviews and for this organization alone', async () => {
    const organizationId = organization.newTenant();
    const later = wireInvoice({ invoiceNumber: 'RE-0050118', issueDate: '2025-03-02' });
    const earlier = wireInvoice({ invoiceNumber: 'RE-50118', issueDate: '2025-02-26' });
    const asked = scanRequest(organizationId, rowsOf([later, earlier]));
    await analyze(asked);
    const { scanId } = asked;
    const reportFor = (tenant: string) =>
      rpc.finding.reportScan({ organizationId: tenant, scanId, currency: 'EUR' }, scanner);
    const findings = await findingsOf(organizationId, scanId);
    const report = await reportFor(organizationId);
    expect(report).toMatchObject({
      byMonth: [
        { month: '2025-02', invoices: 1, amount: '1190.00' },
        { month: '2025-03', invoices: 1, amount: '1190.00' },
      ],
      savingsConfirmed: '0.00',
    });
    const sumOf = (figures: readonly { readonly findings: number }[]) =>
      figures.reduce((sum, one) => sum + one.findings, 0);
    expect(sumOf(report.byFamily)).toBe(findings.length);
    expect(report.byDecision.reduce((sum, { invoices }) => sum + invoices, 0)).toBe(2);
    const duplicate = findings.find(({ type }) => type === 'DUPLICATE_INVOICE');
    await rpc.finding.reviewFinding(
      { organizationId, findingId: duplicate?.findingId ?? '', disposition: 'CONFIRMED' },
      scanner,
    );
    expect(await reportFor(organizationId)).toMatchObject({ savingsConfirmed: '1190.00' });
    expect(await reportFor(organization.newTenant())).toMatchObject({
      byFamily: [],
      byMonth: [],
      topSuppliers: [],
      savingsPotential: '0.00',
    });
  });

  test('find what was posted before, and what is posted later finds them', async () => {
    const organizationId = organization.newTenant();
    const bill = wireInvoice({ invoiceNumber: 'RE-5001', issueDate: '2025-03-05' });
    const posted = await rpc.post(organizationId, bill);
    const asked = scanRequest(organizationId, rowsOf([bill]));
    expect(await analyze(asked)).toMatchObject({ decisionCounts: { PASS: 0, REVIEW: 0, BLOCK: 1 } });
    const [finding] = await findingsOf(organizationId, asked.scanId);
    expect(finding).toMatchObject({ type: 'DUPLICATE_INVOICE', relatedInvoiceIds: [posted.invoiceId] });
    const again = await rpc.post(organizationId, bill);
    const duplicate = again.findings.find(({ type }) => type === 'DUPLICATE_INVOICE');
    expect(duplicate?.relatedInvoiceIds).toEqual(expect.arrayContaining([posted.invoiceId, finding?.invoiceId]));
  });

  test('are invoices with source SCAN that tell of themselves and can be analyzed again', async () => {
    const organizationId = organization.newTenant();
    const asked = scanRequest(organizationId, [
      ...rowsOf(quietRows(3)),
      ...rowsOf(quietRows(1)).map((row) => ({ ...row, position: 9, externalId: 'E-9' })),
    ]);
    await analyze(asked);
    const { invoices } = await rpc.invoice.listInvoices(
      {
        organizationId,
        pageSize: 0,
        pageToken: '',
        companyId: undefined,
        source: InvoiceSource.SCAN,
        createdFromTime: undefined,
        createdToTime: undefined,
        decision: 0,
        sources: [],
        decisions: [],
        statuses: [],
      },
      scanner,
    );
    expect(invoices).toHaveLength(4);
    expect(new Set(invoices.map(({ scanId }) => scanId))).toEqual(new Set([asked.scanId]));
    for (const { invoiceId } of invoices) {
      const { analysis } = await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, scanner);
      expect(analysis?.findings.map(({ type }) => type)).toEqual(
        (await rpc.latest(organizationId, invoiceId)).findings.map(({ type }) => type),
      );
    }
    const replay = await rpc.operator.replayAnalyses({ organizationId, limit: 100, pageToken: '' }, operator);
    expect(replay).toMatchObject({ replayed: 8, identical: 8 });
  });
});

describe('a repeat with the same scan id', () => {
  test('gives the first answer and counts nothing twice', async () => {
    const organizationId = organization.newTenant();
    const asked = scanRequest(organizationId, rowsOf(quietRows(60)));
    const first = await analyze(asked);
    expect(await analyze(asked)).toEqual(first);
    const profiles = await supplierDocuments().find({ organizationId }).toArray();
    expect(profiles.map(({ profile }) => profile.count)).toEqual([60]);
    expect(await findingsOf(organizationId)).toHaveLength(
      Object.values(first.findingCounts).reduce((a, b) => a + b, 0),
    );
  });

  test(
    'at the same moment ends in one decision for each row',
    async () => {
      const organizationId = organization.newTenant();
      // The rows of the scan fill several slices, so that all three gRPC calls work on the same slices.
      const asked = scanRequest(organizationId, rowsOf(ledger(11, 1)));
      const answers = await Promise.all([analyze(asked), analyze(asked), analyze(asked)]);
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
      const profiles = await supplierDocuments().find({ organizationId }).toArray();
      // Rows that may be copies are recorded separately from the profile.
      const counted = profiles.map(({ profile, withdrawnUnits = [] }) => profile.count + withdrawnUnits.length);
      expect(counted.reduce((sum, rows) => sum + rows, 0)).toBe(asked.rows.length);
    },
    TEST_TIMEOUT_MS,
  );

  test('of another organization is a scan that is not there', async () => {
    const asked = scanRequest(organization.newTenant(), rowsOf(quietRows(1)));
    await analyze(asked);
    await expect(analyze({ ...asked, organizationId: organization.newTenant() })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

/** Throws while derived records of a decision of the organization are missing. */
async function requireNonePending(organizationId: string): Promise<void> {
  const pending = await invoiceDocuments().countDocuments({ organizationId, pending: true });
  if (pending > 0) throw new Error(`${pending} invoices are still pending`);
}

describe('the same rows', () => {
  const invoices = ledger(5, 5);
  const inOrder = [...invoices].sort((left, right) =>
    left.issueDate < right.issueDate ? -1 : left.issueDate > right.issueDate ? 1 : 0,
  );

  async function byNumber(organizationId: string): Promise<string[]> {
    const findings = await findingsOf(organizationId);
    return findings
      .filter(({ type, invoiceId }) => invoiceId !== undefined && !onlyInOne.has(type))
      .map(({ invoiceNumber = '', supplierName, type, severity }) =>
        invoiceNumber === CONTRACT_NUMBER && REPETITIONS.has(type)
          ? `${supplierName} ${invoiceNumber}: repeated`
          : `${supplierName} ${invoiceNumber}: ${type} ${severity}`,
      )
      .sort();
  }
  /**
   * Bills for a contract with one number: each post asks until a person answers, while the rows of one history scan,
   * which nobody can answer one by one, show the rhythm of the contract to later rows.
   */
  const CONTRACT_NUMBER = 'C-770000';
  const REPETITIONS = new Set(['SUSPECTED_DUPLICATE', 'INVOICE_NUMBER_REUSED']);
  /**
   * Finding types that may differ by design: types that are not raised in the first rows of the first history scan or
   * for old invoices, and findings about unusual amounts, after which such an amount is usual only for later rows of
   * that history scan (section 4).
   */
  const onlyInOne = new Set([
    'SUPPLIER_NEW',
    'SUPPLIER_NEW_HIGH_VALUE',
    'ISSUE_DATE_STALE',
    'AMOUNT_OUTLIER',
    'AMOUNT_MAGNITUDE_SHIFT',
  ]);
  let single: string[];

  beforeAll(async () => {
    const organizationId = organization.newTenant();
    for (const invoice of inOrder) await rpc.post(organizationId, invoice);
    await eventually(() => requireNonePending(organizationId));
    single = await byNumber(organizationId);
    if (single.length < 20) throw new Error('the ledger raises too little to compare');
  }, TEST_TIMEOUT_MS);

  test(
    'as one scan give the findings of single posts in their order',
    async () => {
      const organizationId = organization.newTenant();
      await analyze(scanRequest(organizationId, rowsOf(inOrder)));
      expect(await byNumber(organizationId)).toEqual(single);
      const asked = (await findingsOf(organizationId)).filter(
        ({ type, invoiceNumber }) => type === 'SUSPECTED_DUPLICATE' && invoiceNumber === CONTRACT_NUMBER,
      );
      expect(asked).toHaveLength(1);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'as two scans, one after the other, give the same findings',
    async () => {
      const organizationId = organization.newTenant();
      const half = Math.floor(inOrder.length / 2);
      const cut = inOrder.findIndex(({ issueDate }) => issueDate > (inOrder[half]?.issueDate ?? ''));
      const rows = rowsOf(inOrder);
      await analyze(scanRequest(organizationId, rows.slice(0, cut)));
      await analyze(scanRequest(organizationId, rows.slice(cut)));
      expect(await byNumber(organizationId)).toEqual(single);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'in any order of the file give the same findings',
    async () => {
      const organizationId = organization.newTenant();
      const rows = rowsOf(inOrder);
      const shuffled = rows
        .map((row, index) => ({ row, key: (index * 7919) % rows.length }))
        .sort((left, right) => left.key - right.key)
        .map(({ row }, position) => ({ ...row, position }));
      await analyze(scanRequest(organizationId, shuffled));
      expect(await byNumber(organizationId)).toEqual(single);
    },
    TEST_TIMEOUT_MS,
  );
});

describe('a scan that was imported before', () => {
  test(
    'raises one finding for itself, none for its rows, and counts nothing again',
    async () => {
      const organizationId = organization.newTenant();
      const rows = rowsOf(quietRows(220));
      const first = await analyze(scanRequest(organizationId, rows));
      const again = scanRequest(organizationId, rows);
      const outcome = await analyze(again);
      expect(outcome.findingCounts['SCAN_REIMPORTED']).toBe(1);
      expect(outcome.findingCounts['DUPLICATE_INVOICE']).toBeUndefined();
      expect(outcome.decisionCounts).toEqual(first.decisionCounts);
      const [profile] = await supplierDocuments().find({ organizationId }).toArray();
      expect(profile?.profile.count).toBe(220);

      const [finding] = (await findingsOf(organizationId, again.scanId)).filter(
        ({ type }) => type === 'SCAN_REIMPORTED',
      );
      expect(finding).toMatchObject({ severity: 3, scanId: again.scanId, companyId: 'c-main' });
      expect(finding?.invoiceId).toBeUndefined();
      expect(finding?.supplierId).toBeUndefined();
      const reviewed = await rpc.finding.reviewFinding(
        {
          organizationId,
          findingId: finding?.findingId ?? '',
          disposition: 'CONFIRMED',
          note: undefined,
        },
        scanner,
      );
      expect(reviewed.finding?.disposition).toBe('CONFIRMED');

      const row = await invoiceDocuments().findOne({ organizationId, 'match.scanId': again.scanId });
      const { analysis } = await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId: row?._id ?? '' }, scanner);
      expect(analysis?.findings.map(({ type }) => type)).not.toContain('DUPLICATE_INVOICE');
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'is one only when at least 95 of 100 rows are the same: a ledger with new rows reports its duplicates',
    async () => {
      const organizationId = organization.newTenant();
      await analyze(scanRequest(organizationId, rowsOf(quietRows(220))));
      const changed = quietRows(220).map((invoice, index) =>
        index < 12 ? { ...invoice, invoiceNumber: `X-${index}` } : invoice,
      );
      const outcome = await analyze(scanRequest(organizationId, rowsOf(changed)));
      expect(outcome.findingCounts['SCAN_REIMPORTED']).toBeUndefined();
      expect(outcome.findingCounts['DUPLICATE_INVOICE']).toBeGreaterThanOrEqual(208);
    },
    TEST_TIMEOUT_MS,
  );
});

describe('a file that is imported again and again', () => {
  const lines = (count: number) => quietRows(count);

  test(
    'is recognised the third time as well, and so is one that grows',
    async () => {
      const organizationId = organization.newTenant();
      await analyze(scanRequest(organizationId, rowsOf(lines(210))));
      for (const count of [210, 210, 220, 230]) {
        const { findingCounts } = await analyze(scanRequest(organizationId, rowsOf(lines(count))));
        expect(findingCounts).toMatchObject({ SCAN_REIMPORTED: 1 });
        expect(findingCounts['DUPLICATE_INVOICE']).toBeUndefined();
      }
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'is recognised although more of its lines are equal than are ever compared',
    async () => {
      const organizationId = organization.newTenant();
      const fee = wireInvoice({ invoiceNumber: 'FEE-2025-03', issueDate: '2025-03-31', grossAmount: '12.50' });
      const rows = rowsOf([...lines(150), ...Array.from({ length: 80 }, () => fee)]);
      await analyze(scanRequest(organizationId, rows));
      const { findingCounts } = await analyze(scanRequest(organizationId, rows));
      expect(findingCounts['SCAN_REIMPORTED']).toBe(1);
      expect(findingCounts['DUPLICATE_INVOICE']).toBeUndefined();
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'is not taken out of profiles by a review: it was counted when it came first',
    async () => {
      const organizationId = organization.newTenant();
      const bill = wireInvoice({
        invoiceNumber: 'SQ-77001',
        supplier: { name: 'Solo Quartz', taxId: undefined, bankAccount: undefined },
      });
      const rows = rowsOf([...lines(210), bill]);
      await analyze(scanRequest(organizationId, rows));
      await rpc.post(organizationId, bill);
      const again = scanRequest(organizationId, rows);
      await analyze(again);
      const [finding] = (await findingsOf(organizationId, again.scanId)).filter(
        ({ type }) => type === 'DUPLICATE_INVOICE',
      );
      await rpc.finding.reviewFinding(
        {
          organizationId,
          findingId: finding?.findingId ?? '',
          disposition: 'CONFIRMED',
          note: undefined,
        },
        scanner,
      );
      await eventually(async () => {
        const supplier = await supplierDocuments().findOne({ organizationId, name: 'Solo Quartz' });
        // The posted invoice may be a copy and is not part of the profile.
        expect(supplier?.profile.count).toBe(1);
      });
    },
    TEST_TIMEOUT_MS,
  );
});

describe('a row that is analyzed again', () => {
  const typesOf = (findings: readonly Finding[]) => findings.map(({ type }) => type).sort();

  test('keeps what only its file could say: that it was the first one, and that accounts are missing everywhere', async () => {
    const organizationId = organization.newTenant();
    const account = { iban: 'DE89370400440532013000', sortCode: undefined, accountNumber: undefined };
    const supplier = { name: 'Alpha Werke', taxId: undefined, bankAccount: account };
    const stating = quietRows(12, (index) => `A-${9000 + index * 11}`).map((invoice) => ({ ...invoice, supplier }));
    const silent = wireInvoice({
      invoiceNumber: 'A-9990',
      issueDate: '2025-12-01',
      supplier: { ...supplier, bankAccount: undefined },
      grossAmount: '410.10',
    });
    const large = wireInvoice({ invoiceNumber: 'L-1', grossAmount: '12345.67' });
    await analyze(scanRequest(organizationId, rowsOf([large, ...stating, silent])));
    for (const [invoiceNumber, types] of [
      ['L-1', []],
      ['A-9990', ['BANK_ACCOUNT_MISSING']],
    ] as const) {
      const row = await invoiceDocuments().findOne({ organizationId, 'match.invoiceNumber': invoiceNumber });
      const invoiceId = row?._id ?? '';
      expect(typesOf((await rpc.latest(organizationId, invoiceId)).findings)).toEqual(types);
      const { analysis } = await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, scanner);
      expect(typesOf(analysis?.findings ?? [])).toEqual(types);
    }
  });

  test(
    'finds those before it, however many of its kind came after it',
    async () => {
      const organizationId = organization.newTenant();
      const series = Array.from({ length: 150 }, (_, index) =>
        wireInvoice({
          invoiceNumber: 'SER-12345',
          issueDate: new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10),
        }),
      );
      await analyze(scanRequest(organizationId, rowsOf(series)));
      const row = await invoiceDocuments().findOne({ organizationId, 'match.position': 50 });
      const invoiceId = row?._id ?? '';
      const before = await rpc.latest(organizationId, invoiceId);
      const { analysis } = await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, scanner);
      expect(analysis?.decision).toBe(before.decision);
      expect(typesOf(analysis?.findings ?? [])).toEqual(typesOf(before.findings));
    },
    TEST_TIMEOUT_MS,
  );
});

describe('during a scan', () => {
  test(
    'invoices of the same suppliers are posted and everything is counted once',
    async () => {
      const organizationId = organization.newTenant();
      const asked = scanRequest(organizationId, rowsOf(quietRows(400)));
      const scanning = analyze(asked);
      // Each invoice has its own amount, because the same amount on one day under two numbers would be a suspected copy
      // and not counted.
      const posts = quietRows(20, (index) => `P-${index * 91}`).map((invoice) => ({
        ...invoice,
        grossAmount: invoice.grossAmount.replace(/..$/, '05'),
      }));
      for (const invoice of posts) await rpc.post(organizationId, invoice);
      await scanning;
      await eventually(async () => {
        const [supplier] = await supplierDocuments().find({ organizationId }).toArray();
        expect(supplier?.profile.count).toBe(420);
      });
      expect(await invoiceDocuments().countDocuments({ organizationId, status: 'ANALYZED' })).toBe(420);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'of two equal bills, one posted and one scanned at the same moment, at least one is reported',
    async () => {
      for (let round = 0; round < 10; round++) {
        const organizationId = organization.newTenant();
        const bill = wireInvoice({ invoiceNumber: `RE-5077${round}` });
        const asked = scanRequest(organizationId, rowsOf([bill, ...quietRows(30)]));
        await Promise.all([analyze(asked), rpc.post(organizationId, bill)]);
        const duplicates = (await findingsOf(organizationId)).filter(({ type }) => type === 'DUPLICATE_INVOICE');
        expect(duplicates.length).toBeGreaterThanOrEqual(1);
      }
    },
    TEST_TIMEOUT_MS,
  );
});

test('amounts in other currencies are added up in the base currency, and those without a rate are counted apart', async () => {
  const organizationId = organization.newTenant();
  const bill = (invoiceNumber: string, currency: string, grossAmount: string) =>
    wireInvoice({ invoiceNumber, currency, grossAmount });
  const outcome = await analyze(
    scanRequest(
      organizationId,
      rowsOf([
        bill('A-1', 'EUR', '100.10'),
        bill('A-2', 'BAM', '195.583'),
        bill('A-3', 'EUR', '-50.05'),
        bill('A-4', 'KZT', '900'),
      ]),
    ),
  );
  expect(outcome).toMatchObject({ invoicesAnalyzed: 4, convertedTotal: '150.05', unconvertedInvoices: 1 });
});

test('each finding of a scan is announced once, and the decisions of its rows are not', async () => {
  const organizationId = organization.newTenant();
  const bill = wireInvoice({ invoiceNumber: 'RE-9001' });
  const asked = scanRequest(organizationId, rowsOf([bill, bill]));
  const { findingCounts } = await analyze(asked);
  await eventually(async () => {
    const documents = await invoiceDocuments().find({ organizationId }).toArray();
    const announced = documents.flatMap(({ outbox = [], recentEvents = [] }) => [...outbox, ...recentEvents]);
    expect(documents.filter(({ outbox }) => outbox !== undefined)).toHaveLength(0);
    expect(announced.map(({ subject }) => subject)).toEqual(
      Array.from(
        { length: Object.values(findingCounts).reduce((a, b) => a + b, 0) },
        () => events.findingCreated.subject,
      ),
    );
  });
});

describe('a malformed request of another service', () => {
  const [row] = rowsOf(quietRows(1));
  const faults: [string, (asked: AnalyzeRowsRequest) => AnalyzeRowsRequest][] = [
    ['no rows', (asked) => ({ ...asked, rows: [] })],
    [`${ROWS_MAX + 1} rows`, (asked) => ({ ...asked, rows: rowsOf(quietRows(ROWS_MAX + 1)) })],
    ['a position that comes twice', (asked) => ({ ...asked, rows: [row as Row, row as Row] })],
    ['a row without an invoice', (asked) => ({ ...asked, rows: [{ ...(row as Row), invoice: undefined }] })],
    ['a scan id that is none', (asked) => ({ ...asked, scanId: 'scan' })],
    ['a currency that is none', (asked) => ({ ...asked, baseCurrency: 'XXX' })],
    ['no time', (asked) => ({ ...asked, receivedTime: undefined })],
  ];
  test.each(faults)('with %s is refused and stores nothing', async (_name, faulty) => {
    const organizationId = organization.newTenant();
    await expect(analyze(faulty(scanRequest(organizationId, rowsOf(quietRows(2)))))).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(await invoiceDocuments().countDocuments({ organizationId })).toBe(0);
  });
});
