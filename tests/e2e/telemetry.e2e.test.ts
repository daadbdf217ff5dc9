// Tests the telemetry and the logs of services that each run in a separate process.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { databaseNames, newSecrets, startServices } from '@invoicecontrol/topology/start';
import { startServiceProcess } from './crash/service-process.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver, ReceivedPoint, ReceivedSpan } from './otlp-receiver.js';
import { fullInvoice } from './shapes.js';
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
  const services = await startServices(
    { natsUrl, mongodbUrlFor: () => mongodbUrl, databasePrefix, secrets },
    async (name, own) => {
      const env = { LOG_LEVEL: 'info', ...receiver.env, ...own };
      const log = (line: string): void => void unexpected.push(line);
      const service = await startServiceProcess(name, env, { log, onOutput: (line) => lines.push(line) });
      closing.push(() => service.stop());
      return service;
    },
  );
  baseUrl = `http://${services.gateway.address}`;
  tenant = await createTenant(services.organization.address, secrets.OPERATOR_TOKEN, 'Traced');
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
  const { traceId, requestId, headers } = newIds();
  await send('/v1/invoices', headers, fullInvoice);
  await eventually(() => {
    const http = spanOf(traceId, 'gateway', 'POST /v1/invoices');
    expect(http.parentSpanId).toBe(headers['traceparent']?.slice(36, 52));
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
    const ids = { trace_id: traceId, requestId };
    expect(logged({ service: 'gateway', msg: 'request', ...ids })).toHaveLength(1);
    expect(logged({ service: 'analysis', msg: 'an invoice was decided', ...ids })).toHaveLength(1);
  });
});

test('the consumer of an event begins a trace that links to the publication, and knows the request', async () => {
  const { traceId, requestId, headers } = newIds();
  await review(headers);
  const subject = 'invoicecontrol.analysis.v1.audit_recorded';
  await eventually(() => {
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
    spanOf(known.traceId, 'gateway', 'GET /v1/findings/{findingId}');
    expect(spanOf(unknown.traceId, 'gateway', 'GET').attributes).not.toHaveProperty('http.route');
    expect(receiver.spans.find((span) => span.traceId === odd.traceId)?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
    });
    expect(pointsOf('http.server.request.duration').map(({ attributes }) => attributes['http.route'])).toContain(
      '/v1/findings/{findingId}',
    );
  });
  const routes = pointsOf('http.server.request.duration').map(({ attributes }) => String(attributes['http.route']));
  for (const route of routes) expect(route).not.toMatch(/0198a000/);
});

test('each run of a job and of the relay is a trace of its own', async () => {
  await eventually(() => {
    for (const name of ['job flush of audit lines', 'relay']) {
      const runs = receiver.spans.filter((span) => span.service === 'analysis' && span.name === name);
      expect(runs.length).toBeGreaterThan(1);
      expect(new Set(runs.map((run) => run.traceId)).size).toBe(runs.length);
      expect(runs.every((run) => run.parentSpanId === '')).toBe(true);
    }
  });
});

test('a request of a known length is exported in seconds, in the bucket of that length', async () => {
  const startedAt = performance.now();
  await send('/v1/organizations/current', newIds().headers);
  await eventually(() => {
    const [point] = pointsOf('http.server.request.duration').filter(
      ({ attributes }) => attributes['http.route'] === '/v1/organizations/current',
    );
    expect(point?.unit).toBe('s');
    expect(point?.boundaries).toEqual([
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120,
    ]);
    const { boundaries = [], counts = [], sum = 0 } = point ?? {};
    // Only one request was made, so the sum of the histogram is the duration of this request.
    expect(counts.reduce((all, one) => all + one, 0)).toBe(1);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan((performance.now() - startedAt) / 1_000);
    expect(counts.indexOf(1)).toBe(boundaries.findIndex((boundary) => sum <= boundary));
  });
});

test('every metric that is exported is on the page of metrics, and replicas are told apart', async () => {
  await review(newIds().headers);
  const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
  await eventually(() => {
    const names = new Set(receiver.points().map(({ name }) => name));
    for (const name of [
      'outbox.pending',
      'consumer.pending',
      'consumer.dead_letters',
      'nodejs.eventloop.delay.p99',
      'db.client.operation.duration',
      'messaging.process.duration',
      'rpc.server.call.duration',
      'analysis.decisions',
      'analysis.findings',
    ]) {
      expect(names).toContain(name);
    }
  });
  const missing = [...new Set(receiver.points().map(({ name }) => name))].filter(
    (name) => !page.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
  const instances = new Set(receiver.points().map(({ instance }) => instance));
  expect(instances.size).toBe(new Set(receiver.points().map(({ service }) => service)).size);
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
