import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision, InvoiceSource, InvoiceStatus, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { testConfig } from '../testing/config.js';
import { accessFor, keyNamed, principal, startFakes } from '../testing/fakes.js';
import type { Fakes } from '../testing/fakes.js';

const KEY = keyNamed('owner');
const ID = '0198a000-0000-7000-8000-000000000002';
const createdTime = new Date('2026-03-01T12:00:00Z');

/** Maximum number of records on a page of a list. */
const PAGE_MAX = 100;
/** Maximum size of a finding without its record in the analysis service (detection reference, section 8). */
const FINDING_BYTES_MAX = 64 * 1024;
/** Number of findings of one invoice, which is more than the engine raises for one invoice. */
const FINDINGS_OF_INVOICE = 100;
/** Maximum number of entries in the history of a finding. */
const HISTORY_MAX = 200;
const SCAN_ROWS_MAX = 5_000;

/** Returns a text of the maximum length, in characters with the largest encoding. */
const long = (characters: number): string => '🧾'.repeat(characters);
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const finding: Finding = {
  findingId: ID,
  invoiceId: ID,
  invoiceNumber: long(1_000),
  supplierId: ID,
  supplierName: long(400),
  scanId: ID,
  type: 'DUPLICATE_INVOICE',
  severity: Severity.CRITICAL,
  summary: 'A copy.',
  recommendedAction: 'Do not pay.',
  confidencePercent: 99,
  evidenceJson: JSON.stringify({ key: 'k', filling: 'x'.repeat(FINDING_BYTES_MAX) }),
  relatedInvoiceIds: times(64, ID),
  disposition: 'CONFIRMED',
  companyId: ID,
  assigneeUserId: ID,
  createdTime,
  family: 'DUP',
  updatedTime: createdTime,
};

const invoice: StoredInvoice = {
  invoiceId: ID,
  companyId: ID,
  source: InvoiceSource.API,
  status: InvoiceStatus.ANALYZED,
  invoice: {
    supplier: {
      name: long(400),
      taxId: long(1_000),
      bankAccount: { iban: long(1_000), sortCode: '6'.repeat(200), accountNumber: '31926819' },
    },
    invoiceNumber: long(1_000),
    issueDate: '2026-03-01',
    dueDate: '2026-03-01',
    currency: 'EUR',
    netAmount: '999999999999999.999999',
    taxAmount: '999999999999999.999999',
    grossAmount: '999999999999999.999999',
    purchaseOrderRef: long(1_000),
    buyer: { name: long(400), taxId: long(1_000) },
    companyId: ID,
  },
  decision: Decision.BLOCK,
  riskScore: 91,
  analysisId: ID,
  documentId: undefined,
  scanId: ID,
  createdTime,
};

let services: Fakes;
let gateway: RunningService;

beforeAll(async () => {
  services = await startFakes({
    access: accessFor(new Map([[KEY, principal({ apiKeyId: 'owner00000000000' })]])),
    findings: {
      listFindings: () => Promise.resolve({ findings: times(PAGE_MAX, finding), nextPageToken: '' }),
      listFindingHistory: () =>
        Promise.resolve({
          changes: times(HISTORY_MAX, {
            changeTime: createdTime,
            actorType: 'API_KEY',
            actorId: 'owner00000000000',
            action: 'REVIEWED',
            from: 'OPEN',
            to: 'UNDER_REVIEW',
            note: long(4_000),
          }),
        }),
    },
    invoices: {
      listInvoices: () => Promise.resolve({ invoices: times(PAGE_MAX, invoice), nextPageToken: '' }),
      getLatestAnalysis: () =>
        Promise.resolve({
          analysis: {
            analysisId: ID,
            invoiceId: ID,
            number: 1,
            decision: Decision.BLOCK,
            riskScore: 99,
            findings: times(FINDINGS_OF_INVOICE, finding),
            versions: { riskEngine: '1.0.0', policy: 'default-3+0123456789ab.o0', compliance: undefined },
            createdTime,
          },
        }),
    },
    members: { nameActors: ({ actors }) => Promise.resolve({ names: actors.map(() => long(200)) }) },
    audit: {
      listAuditEvents: () =>
        Promise.resolve({
          auditEvents: times(PAGE_MAX, {
            auditEventId: ID,
            eventTime: createdTime,
            actorType: 'API_KEY',
            actorId: 'owner00000000000',
            action: 'api_key.created',
            target: long(1_000),
            outcome: 'SUCCEEDED',
            requestId: 'r'.repeat(64),
            ip: '203.0.113.1',
            actorName: long(200),
          }),
          nextPageToken: '',
        }),
    },
    scans: {
      getScan: () =>
        Promise.resolve({
          scan: {
            scanId: ID,
            companyId: ID,
            invoicesAnalyzed: 0,
            rowsSkipped: SCAN_ROWS_MAX,
            skippedRows: times(SCAN_ROWS_MAX, {
              sourceRowNumber: 1,
              externalId: long(200),
              reason: SkipReason.ALREADY_IMPORTED,
            }),
            analyzedValue: '0.00',
            analyzedValueCurrency: 'EUR',
            unconvertedInvoices: 0,
            decisionCounts: {},
            findingCounts: {},
            createdTime,
          },
        }),
    },
  });
  // The clock is stopped, so that the API key stays cached. Checking it again could exceed the short deadline here.
  const now = new Date();
  gateway = await startService(testConfig(testInfrastructure(), services.addresses), { now: () => now });
  await eventually(async () => {
    const { status } = await read('/invoices/unknown');
    if (status !== 404) throw new Error(`the key is not known yet: ${status}`);
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.stop(0);
});

async function read(path: string): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`http://${gateway.address}/v1${path}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

describe('the largest answer that can be asked for comes through', () => {
  test.each([
    ['a page of findings', `/findings?limit=${PAGE_MAX}`],
    ['the newest analysis of an invoice', `/invoices/${ID}/analysis/latest`],
    ['a scan whose rows were all skipped', `/scans/${ID}`],
  ])('%s, which is more than a message has by default', async (_, path) => {
    const { status, bytes } = await read(path);
    expect(status).toBe(200);
    expect(bytes).toBeGreaterThan(MESSAGE_BYTES_MAX);
  });

  test.each([
    ['a page of invoices', `/invoices?limit=${PAGE_MAX}`],
    ['the history of a finding', `/findings/${ID}/history`],
    ['a page of audit events', `/audit-events?limit=${PAGE_MAX}`],
  ])('%s', async (_, path) => {
    expect(await read(path)).toMatchObject({ status: 200 });
  });
});
