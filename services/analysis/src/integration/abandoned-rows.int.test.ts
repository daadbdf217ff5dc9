import { afterAll, beforeAll, expect, test } from 'vitest';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { AnalyzeRowsRequest } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { v7 as uuidV7 } from 'uuid';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { startService } from '../compose.js';
import { anyFinding, asUser, rowsOf, scanRequest, testClock } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const scanner = { ...asUser('scan'), timeoutMs: 120_000 };
const TEST_MS_MAX = 120_000;

const HOUR_MS = 3_600_000;
/** Number of milliseconds by which the test moves the clock of the service forward. */
let passedMs = 0;
let proxy: MongoProxy;
let running: RunningAnalysis;
let channel: ReturnType<typeof openChannel>;
beforeAll(async () => {
  const infrastructure = testInfrastructure();
  proxy = await startMongoProxy(infrastructure.mongodbUrl);
  running = await startAnalysis(startService, { ...infrastructure, mongodbUrl: proxy.url }, testDatabaseName(), {
    clock: { now: () => new Date(testClock.now().getTime() + passedMs) },
  });
  channel = openTestChannel('analysis', running.address);
});
afterAll(async () => {
  channel.close();
  await running.stop();
  await proxy.close();
});

const numberAt = (position: number): string => `RE-${48_217 + position * 131}`;

function request(rows = 60): AnalyzeRowsRequest {
  const invoices = Array.from({ length: rows }, (_, position) =>
    wireInvoice({ invoiceNumber: numberAt(position), issueDate: '2024-03-05' }),
  );
  return scanRequest(running.organization.newTenant(), rowsOf(invoices));
}

test(
  'rows whose caller has stopped waiting are left where they are, and a repeat begins when that has ended',
  async () => {
    const rows = client(RowAnalysisServiceDefinition, channel);
    const asked = request();
    const storing = proxy.hold({ command: 'insert invoices', side: 'before', mentioning: [asked.organizationId] });
    const leaving = new AbortController();
    const left = rows.analyzeRows(asked, { ...scanner, signal: leaving.signal }).catch(() => 'left');
    await storing.complete;
    leaving.abort();
    expect(await left).toBe('left');
    // The following request uses the same connection. When it gets a response, the service also knows that the previous
    // call has ended.
    const findings = client(FindingServiceDefinition, channel);
    await findings.listFindings({ ...anyFinding, organizationId: asked.organizationId }, scanner);

    const repeating = proxy.hold({ command: 'find scan_runs', side: 'before', mentioning: [asked.scanId] });
    const repeat = rows.analyzeRows(asked, scanner);
    storing.drop();
    await repeating.complete;
    expect(proxy.commandNames()).toContain('insert invoices');
    expect(proxy.commandNames()).not.toContain('insert analyses');

    repeating.drop();
    expect(await repeat).toMatchObject({ invoicesAnalyzed: 60 });
  },
  TEST_MS_MAX,
);

test(
  'a file that is sent again after its scan was abandoned is analyzed as if it had come once',
  async () => {
    const rows = client(RowAnalysisServiceDefinition, channel);
    const asked = request(250);
    const storing = proxy.hold({ command: 'insert invoices', side: 'after', mentioning: [asked.organizationId] });
    const leaving = new AbortController();
    const left = rows.analyzeRows(asked, { ...scanner, signal: leaving.signal }).catch(() => 'left');
    await storing.complete;
    leaving.abort();
    expect(await left).toBe('left');
    storing.drop();

    const control = await rows.analyzeRows(request(250), scanner);
    const again = await rows.analyzeRows({ ...asked, scanId: uuidV7(), receivedTime: testClock.now() }, scanner);
    expect(again.decisionCounts).toEqual(control.decisionCounts);
    // In the first history scan of an organization, SUPPLIER_NEW is left out. The second scan raises it.
    expect(again.findingCounts).toEqual({ SUPPLIER_NEW: 1 });
  },
  TEST_MS_MAX,
);

test(
  'a single bill is compared with the rows of a scan, and no longer when nobody has completed the scan for an hour',
  async () => {
    const rows = client(RowAnalysisServiceDefinition, channel);
    const asked = request(10);
    const storing = proxy.hold({ command: 'insert invoices', side: 'after', mentioning: [asked.organizationId] });
    const leaving = new AbortController();
    const left = rows.analyzeRows(asked, { ...scanner, signal: leaving.signal }).catch(() => 'left');
    await storing.complete;
    leaving.abort();
    expect(await left).toBe('left');
    storing.drop();
    const typesOf = async (position: number, organizationId = asked.organizationId): Promise<string[]> => {
      const invoice = wireInvoice({ invoiceNumber: numberAt(position), issueDate: '2024-03-05' });
      const { findings } = await running.rpc.post(organizationId, invoice);
      return findings.map(({ type }) => type);
    };
    expect(await typesOf(3)).toContain('DUPLICATE_INVOICE');
    const completed = request(10);
    await rows.analyzeRows(completed, scanner);
    passedMs += HOUR_MS;
    expect(await typesOf(4)).not.toContain('DUPLICATE_INVOICE');
    expect(await typesOf(4, completed.organizationId)).toContain('DUPLICATE_INVOICE');
  },
  TEST_MS_MAX,
);
