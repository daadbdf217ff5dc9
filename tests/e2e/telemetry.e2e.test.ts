// Tests the telemetry and the logs of services that each run in a separate process.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { fieldsOfEveryLine, logFields } from '@invoicecontrol/runtime/telemetry/log-fields';
import { REQUEST_BUCKETS } from '@invoicecontrol/runtime/telemetry/schema';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { databaseNames, newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { startServiceProcess } from './crash/service-process.js';
import { SERIES_MAX, seriesOf, undeclaredIn } from './declared-telemetry.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver, ReceivedPoint, ReceivedSpan } from './otlp-receiver.js';
import { fullInvoice, plainRow } from './shapes.js';
import type { Finding, Page } from './shapes.js';

const { mongodbUrl, natsUrl } = testInfrastructure();
const databasePrefix = `${testDatabaseName()}_`;
const lines: string[] = [];
const unexpected: string[] = [];
const closing: (() => Promise<void>)[] = [];
let receiver: OtlpReceiver;
let baseUrl: string;
let tenant: Tenant;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  closing.push(() => receiver.close());
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const services = await startServices(
    { natsUrl, mongodbUrlFor: serviceUrls(mongodbUrl, databasePrefix), databasePrefix, secrets, identities },
    async (name, own) => {
      const env = { LOG_LEVEL: 'info', ...receiver.env, ...own };
      const log = (line: string): void => void unexpected.push(line);
      const service = await startServiceProcess(name, env, { log, onOutput: (line) => lines.push(line) });
      closing.push(() => service.stop());
      return service;
    },
  );
  baseUrl = `http://${services.gateway.address}`;
  tenant = await createTenant(services.organization.address, identities, 'Traced');
});
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  for (const databaseName of databaseNames(databasePrefix)) {
    const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
    await db.dropDatabase();
    await close();
  }
  if (unexpected.length > 0) throw new Error(unexpected.join('\n'));
});

let requests = 0;
/** Returns a trace id and a request id that no other request has. */
function newIds(): { traceId: string; requestId: string; headers: Record<string, string> } {
  const number = String(++requests);
  const traceId = number.padStart(32, 'a');
  const requestId = `traced-${number}`;
  return {
    traceId,
    requestId,
    headers: { traceparent: `00-${traceId}-${number.padStart(16, 'b')}-01`, 'x-request-id': requestId },
  };
}

async function send(path: string, headers: Record<string, string>, body?: unknown): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Creates a finding and reviews it, so that another service receives an event. */
async function review(headers: Record<string, string>): Promise<void> {
  const twice = { ...fullInvoice, invoice_number: `TWICE-${requests}` };
  for (const { headers: own } of [newIds(), newIds()]) await send('/v1/invoices', own, twice);
  const [finding] = await eventually(async () => {
    const { items } = (await send('/v1/findings?disposition=OPEN', newIds().headers)) as Page<Finding>;
    expect(items).not.toEqual([]);
    return items;
  });
  await send(`/v1/findings/${finding?.id}/review`, headers, { disposition: 'CONFIRMED' });
}

/** Returns the trace of a request, which links to the trace of its caller. */
function traceOf(callersTraceId: string): string {
  const edge = receiver.spans.find(
    ({ service, links }) => service === 'gateway' && links.some(({ traceId }) => traceId === callersTraceId),
  );
  if (edge === undefined) throw new Error(`no request links to trace ${callersTraceId}`);
  return edge.traceId;
}

function spanOf(traceId: string, service: string, name: string): ReceivedSpan {
  const found = receiver.spans.find(
    (span) => span.traceId === traceId && span.service === service && span.name === name,
  );
  if (found === undefined) throw new Error(`${service} sent no span ${name} of trace ${traceId}`);
  return found;
}

const logged = (fields: Record<string, unknown>): Record<string, unknown>[] =>
  lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));

test('one request is one trace: gateway, analysis, its commands, the outbox and the relay; the log lines of both have it', async () => {
  const { traceId: callersTraceId, requestId, headers } = newIds();
  await send('/v1/invoices', headers, fullInvoice);
  await eventually(() => {
    const traceId = traceOf(callersTraceId);
    expect(traceId).not.toBe(callersTraceId);
    const http = spanOf(traceId, 'gateway', 'POST /v1/invoices');
    expect(http.parentSpanId).toBe('');
    expect(http.links).toEqual([
      expect.objectContaining({ traceId: callersTraceId, spanId: headers['traceparent']?.slice(36, 52) }),
    ]);
    const rpc = 'invoicecontrol.analysis.v1.InvoiceService/AnalyzeInvoice';
    const called = spanOf(traceId, 'gateway', rpc);
    expect(called.parentSpanId).toBe(http.spanId);
    const served = spanOf(traceId, 'analysis', rpc);
    expect(served.parentSpanId).toBe(called.spanId);
    expect(spanOf(traceId, 'analysis', 'insert invoices').attributes).toMatchObject({
      'db.system.name': 'mongodb',
      'db.namespace': `${databasePrefix}analysis`,
      'db.operation.name': 'insert',
      'db.collection.name': 'invoices',
    });
    const published = spanOf(traceId, 'analysis', 'publish invoicecontrol.analysis.v1.invoice_analyzed');
    const outbox = receiver.spans.find(({ spanId }) => spanId === published.parentSpanId);
    expect(outbox).toMatchObject({ traceId, service: 'analysis', name: 'outbox write' });
    for (const span of receiver.spans.filter((one) => one.traceId === traceId)) {
      expect(span.attributes).toMatchObject({ 'request.id': requestId });
    }
    const ids = { traceId, requestId };
    expect(logged({ service: 'gateway', msg: 'request', ...ids })).toHaveLength(1);
    expect(logged({ service: 'analysis', msg: 'an invoice was decided', ...ids })).toHaveLength(1);
  });
});

test('the consumer of an event begins a trace that links to the publication, and knows the request', async () => {
  const { traceId: callersTraceId, requestId, headers } = newIds();
  await review(headers);
  const subject = 'invoicecontrol.analysis.v1.audit_recorded';
  await eventually(() => {
    const traceId = traceOf(callersTraceId);
    const published = spanOf(traceId, 'analysis', `publish ${subject}`);
    const consumed = receiver.spans.find(({ links }) => links.some(({ spanId }) => spanId === published.spanId));
    expect(consumed).toMatchObject({ service: 'organization', name: `process ${subject}`, parentSpanId: '' });
    expect(consumed?.links).toEqual([expect.objectContaining({ traceId, spanId: published.spanId })]);
    expect(consumed?.attributes).toMatchObject({ 'request.id': requestId, 'messaging.destination.name': subject });
    const stored = receiver.spans.find(({ parentSpanId }) => parentSpanId === consumed?.spanId);
    expect(stored?.attributes).toMatchObject({ 'db.collection.name': 'audit_events' });
  });
});

test('requests are named by method and template, whatever their path, and counted so', async () => {
  const known = newIds();
  await send('/v1/findings/0198a000-0000-7000-8000-00000000000c', known.headers);
  const unknown = newIds();
  await send('/nothing/0198a000', unknown.headers);
  const odd = newIds();
  await new Promise<void>((resolve, reject) => {
    const options = { method: 'PROPFIND', headers: odd.headers };
    request(`${baseUrl}/v1/usage`, options, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end();
  });
  await eventually(() => {
    spanOf(traceOf(known.traceId), 'gateway', 'GET /v1/findings/{findingId}');
    expect(spanOf(traceOf(unknown.traceId), 'gateway', 'GET').attributes).not.toHaveProperty('http.route');
    const oddTraceId = traceOf(odd.traceId);
    expect(receiver.spans.find(({ traceId }) => traceId === oddTraceId)?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
    });
    expect(pointsOf('http.server.request.duration').map(({ attributes }) => attributes['http.route'])).toContain(
      '/v1/findings/{findingId}',
    );
  });
  const routes = pointsOf('http.server.request.duration').map(({ attributes }) => String(attributes['http.route']));
  for (const route of routes) expect(route).not.toMatch(/0198a000/);
});

test('a stranger decides neither that a request is recorded nor that it is not', async () => {
  const { traceId, headers } = newIds();
  await send('/v1/findings', { ...headers, traceparent: `${headers['traceparent']?.slice(0, -2)}00` });
  await eventually(() => spanOf(traceOf(traceId), 'gateway', 'GET /v1/findings'));
});

test('polls that find nothing have no span', async () => {
  const countRuns = (): number =>
    receiver.spans.filter(({ name }) => name.startsWith('job ') || name === 'relay' || name === 'outbox complete')
      .length;
  const roots = receiver.spans.filter(({ name }) => name.startsWith('job ') || name === 'relay');
  const childless = roots.filter(({ spanId }) => !receiver.spans.some(({ parentSpanId }) => parentSpanId === spanId));
  expect(childless.map(({ service, name }) => `${service}: ${name}`)).toEqual([]);
  // Nine idle processes run about a hundred jobs in this time.
  const before = countRuns();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(countRuns() - before).toBeLessThan(10);
});

test('a request of a known length is exported in seconds, in the bucket of that length', async () => {
  const startedAt = performance.now();
  await send('/v1/organizations/current', newIds().headers);
  await eventually(() => {
    const [point] = pointsOf('http.server.request.duration').filter(
      ({ attributes }) => attributes['http.route'] === '/v1/organizations/current',
    );
    expect(point?.unit).toBe('s');
    expect(point?.boundaries).toEqual(REQUEST_BUCKETS);
    const { boundaries = [], counts = [], sum = 0 } = point ?? {};
    // Only one request was made, so the sum of the histogram is the duration of this request.
    expect(counts.reduce((all, one) => all + one, 0)).toBe(1);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan((performance.now() - startedAt) / 1_000);
    expect(counts.indexOf(1)).toBe(boundaries.findIndex((boundary) => sum <= boundary));
  });
});

test('every exported metric is as declared, within the budget of series, and replicas are told apart', async () => {
  await review(newIds().headers);
  await send('/v1/scans', newIds().headers, { companyId: tenant.companyId, rows: [plainRow(1), plainRow(2)] });
  await send('/v1/payment-runs', newIds().headers, {
    payments: [{ id: '1', amount: '12.00', currency: 'EUR', creditor_name: 'Nordlicht', invoice_numbers: ['X-1'] }],
  });
  await eventually(() => {
    const names = new Set(receiver.points().map(({ name }) => name));
    for (const name of [
      'invoicecontrol.outbox.depth',
      'invoicecontrol.consumer.pending',
      'invoicecontrol.dead_letters',
      'nodejs.eventloop.delay.p99',
      'db.client.operation.duration',
      'messaging.process.duration',
      'rpc.server.call.duration',
      'invoicecontrol.decisions',
      'invoicecontrol.findings',
      'invoicecontrol.scan.duration',
      'invoicecontrol.payment_run.duration',
      'invoicecontrol.decision.duration',
      'invoicecontrol.requests.refused',
      'invoicecontrol.jobs.stuck',
      'db.client.connection.count',
      'http.server.active_requests',
    ]) {
      expect(names).toContain(name);
    }
  });
  expect(undeclaredIn(receiver.points())).toEqual([]);
  for (const one of new Set(receiver.points().map(({ instance }) => instance))) {
    const points = receiver.points().filter(({ instance }) => instance === one);
    const isGateway = points[0]?.service === 'gateway';
    expect(seriesOf(points)).toBeLessThanOrEqual(isGateway ? SERIES_MAX.gateway : SERIES_MAX.other);
  }
  const instances = new Set(receiver.points().map(({ instance }) => instance));
  expect(instances.size).toBe(new Set(receiver.points().map(({ service }) => service)).size);
});

test('every log line has the level as a word and only known fields', () => {
  const written = logged({});
  expect(written.length).toBeGreaterThan(20);
  const known = new Set([...Object.keys(logFields), ...fieldsOfEveryLine]);
  const unknown = written.flatMap((line) => Object.keys(line).filter((field) => !known.has(field)));
  expect([...new Set(unknown)]).toEqual([]);
  expect(written.filter(({ level }) => !['info', 'warn', 'error'].includes(String(level)))).toEqual([]);
});

test('neither traces nor metrics have a key, a name, an account or the number of an invoice', () => {
  const sent = receiver.spans.map(({ text }) => text).join('') + JSON.stringify(receiver.points());
  expect(sent).not.toBe('');
  const { keys, organizationId } = tenant;
  const { invoice_number: number } = fullInvoice;
  for (const detail of [...Object.values(keys), organizationId, 'Nordlicht', 'DE89370400440532013000', number]) {
    expect(sent).not.toContain(detail);
  }
});

function pointsOf(name: string): ReceivedPoint[] {
  return receiver.points().filter((point) => point.name === name && point.service === 'gateway');
}
