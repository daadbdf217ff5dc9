import { afterAll, beforeAll, expect, test } from 'vitest';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import { startService } from '../compose.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { asUser, connect, findingOf, rowsOf, scanRequest, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const { reader, value, histogram } = exportedMetrics();
const lines: string[] = [];
const silent = createLogger({ service: 'test', level: 'silent' });
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

let telemetry: { stop(): Promise<void> };
let organization: FakeOrganization;
let service: RunningService;
let rpc: Clients;

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
  organization = await startFakeOrganization(silent);
  const config = testConfig(infrastructure, databaseName, organization.address);
  service = await startService(config, { clock: testClock, logger });
  rpc = connect(service.address);
});
afterAll(async () => {
  rpc.close();
  await service.stop();
  await organization.stop(1_000);
  await telemetry.stop();
  const mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  await mongo.db.dropDatabase();
  await mongo.close();
});

const decisionLines = (): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'an invoice was decided');

test('each decision is one log line of ids and numbers, and is counted by decision and source', async () => {
  const organizationId = organization.newTenant();
  const first = await rpc.post(organizationId, wireInvoice());
  const second = await rpc.post(organizationId, wireInvoice());
  await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId: second.invoiceId }, asUser('ann'));
  const decided = decisionLines();
  expect(decided).toHaveLength(3);
  expect(decided[1]).toEqual({
    level: 'info',
    time: expect.any(String),
    service: 'test',
    version: expect.any(String),
    instance: expect.any(String),
    msg: 'an invoice was decided',
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    requestId: 'request',
    organizationId,
    invoiceId: second.invoiceId,
    source: 'API',
    analysisId: second.analysisId,
    decision: 'BLOCK',
    score: second.riskScore,
    findingTypes: second.findings.map(({ type }) => type),
    stagesMs: expect.objectContaining({ facts: expect.any(Number), engine: expect.any(Number) }),
    riskEngine: second.versions?.riskEngine,
    policy: second.versions?.policy,
    durationMs: expect.any(Number),
  });
  expect(decided.map(({ invoiceId }) => invoiceId)).toEqual([first.invoiceId, second.invoiceId, second.invoiceId]);
  const text = JSON.stringify(decided);
  for (const detail of ['Nordlicht', 'RE-2026-0118', '1190', 'DE136695976']) expect(text).not.toContain(detail);
  expect(await value('invoicecontrol.decisions', { decision: 'block', source: 'api' })).toBe(1);
  expect(await value('invoicecontrol.decisions', { decision: 'block', source: 'reanalysis' })).toBe(1);
  const duplicate = { type: 'duplicate_invoice', severity: 'critical', source: 'decision' };
  expect(await value('invoicecontrol.findings', duplicate)).toBe(2);
  for (const stage of ['facts', 'engine', 'commit', 'derived']) {
    const durations = await histogram('invoicecontrol.decision.duration', { stage });
    expect(durations?.counts.reduce((all, one) => all + one, 0)).toBe(3);
  }
});

test('a review is counted by type and disposition; one that changes nothing is not', async () => {
  const organizationId = organization.newTenant();
  await rpc.post(organizationId, wireInvoice());
  const { findingId } = findingOf(await rpc.post(organizationId, wireInvoice()), 'DUPLICATE_INVOICE');
  const review = (note?: string) =>
    rpc.finding.reviewFinding({ organizationId, findingId, disposition: 'CONFIRMED', note }, asUser('ann'));
  await review();
  await review();
  await review('the supplier agrees');
  expect(await value('invoicecontrol.reviews', { type: 'duplicate_invoice', disposition: 'confirmed' })).toBe(1);
});

test('the rows of a scan are counted one by one and share one log line', async () => {
  const organizationId = organization.newTenant();
  const channel = openTestChannel('analysis', service.address);
  const invoices = [wireInvoice(), wireInvoice(), wireInvoice({ invoiceNumber: 'RE-2026-0944', grossAmount: '87.13' })];
  const before = decisionLines().length;
  const outcome = await client(RowAnalysisServiceDefinition, channel).analyzeRows(
    scanRequest(organizationId, rowsOf(invoices)),
    asUser('ann'),
  );
  channel.close();
  expect(outcome.invoicesAnalyzed).toBe(3);
  expect(decisionLines()).toHaveLength(before);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'rows analyzed');
  expect(logged).toEqual([
    expect.objectContaining({
      organizationId,
      rows: 3,
      decisions: outcome.decisionCounts,
      riskEngine: expect.any(String),
      policy: expect.any(String),
      durationMs: expect.any(Number),
    }),
  ]);
  for (const [decision, rows] of Object.entries(outcome.decisionCounts)) {
    const counted = await value('invoicecontrol.decisions', {
      decision: decision.toLowerCase(),
      source: 'scan',
    });
    expect(counted ?? 0).toBe(rows);
  }
  expect(outcome.findingCounts['DUPLICATE_INVOICE']).toBe(1);
  const duplicate = { type: 'duplicate_invoice', severity: 'unknown', source: 'scan' };
  expect(await value('invoicecontrol.findings', duplicate)).toBe(1);
});

test('a payment run is counted by its outcome and its lines, a download and a release once, and no log line names an account', async () => {
  const organizationId = organization.newTenant();
  organization.setFourEyes(organizationId, true);
  const [ann, bert] = [asUser('ann'), asUser('bert')];
  const payment = { amount: '43.00', name: 'Südlicht Energie GmbH', account: 'DE02120300000000202051' };
  await rpc.post(
    organizationId,
    wireInvoice({
      supplier: { name: payment.name, taxId: undefined, bankAccount: { iban: payment.account } },
      invoiceNumber: 'PAID-1',
      issueDate: '2026-10-01',
      dueDate: undefined,
      grossAmount: payment.amount,
      netAmount: undefined,
      taxAmount: undefined,
      purchaseOrderRef: undefined,
    }),
  );
  const unknown = { ...payment, name: 'Unbekannt KG', texts: ['U-77'] };
  const text = paymentRunText([{ ...payment, texts: ['PAID-1'] }, unknown], {
    messageId: 'COUNTED',
    executionDate: '2026-11-02',
  });
  const request = {
    organizationId,
    companyId: undefined,
    idempotencyKey: '',
    fingerprint: 'f',
    payments: { $case: 'pain001' as const, value: Buffer.from(text) },
  };
  const { run } = await rpc.paymentRun.createPaymentRun(request, ann);
  await rpc.paymentRun.createPaymentRun(request, ann);
  const runId = run?.runId ?? '';
  for (const caller of [ann, ann, bert]) {
    await rpc.paymentRun.releasePaymentLine(
      { organizationId, runId, lineId: '1.2', note: 'A deposit.', invoiceIds: [] },
      caller,
    );
  }
  await rpc.paymentRun.recheckPaymentRun({ organizationId, runId }, ann);
  const file = { organizationId, runId, verdict: '', repeat: 0 };
  await rpc.paymentRun.downloadPaymentFile(file, ann);
  await rpc.paymentRun.downloadPaymentFile({ ...file, repeat: 1 }, ann);

  for (const trigger of ['created', 'recheck']) {
    expect(await value('invoicecontrol.payment_runs', { trigger, outcome: 'unknown' })).toBe(1);
    expect(await value('invoicecontrol.payment_run.lines', { trigger, verdict: 'pay' })).toBe(1);
    expect(await value('invoicecontrol.payment_run.lines', { trigger, verdict: 'unknown' })).toBe(1);
    const durations = await histogram('invoicecontrol.payment_run.duration', { trigger });
    expect(durations?.counts.reduce((all, one) => all + one, 0)).toBe(1);
  }
  expect(await value('invoicecontrol.payment_run.releases', { state: 'pending' })).toBe(1);
  expect(await value('invoicecontrol.payment_run.releases', { state: 'confirmed' })).toBe(1);
  expect(await value('invoicecontrol.payment_run.downloads', { content: 'pay' })).toBe(1);
  expect(await value('invoicecontrol.payment_run.downloads', { content: 'repeat' })).toBe(1);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a payment run was checked');
  expect(logged).toEqual([
    expect.objectContaining({ organizationId, runId, source: 'created', rows: 2 }),
    expect.objectContaining({ organizationId, runId, source: 'recheck', rows: 2 }),
  ]);
  for (const detail of [payment.account, payment.name, 'PAID-1', '43.00']) expect(lines.join('')).not.toContain(detail);
});
