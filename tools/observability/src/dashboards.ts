import { below, bucket, count, foreignMetrics, series } from './names.js';
import { objectives } from './objectives.js';

/** The parts of a Grafana dashboard that the product sets. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly refresh: string;
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: 'timeseries';
  readonly datasource: { readonly type: 'prometheus'; readonly uid: string };
  readonly fieldConfig: { readonly defaults: { readonly unit: string }; readonly overrides: readonly [] };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

/** A panel of a dashboard with its expressions, each under its legend. */
interface Sketch {
  readonly title: string;
  /** Unit as Grafana names it: `s`, `reqps`, `percentunit`, `bytes`, `short`. */
  readonly unit: string;
  readonly lines: Readonly<Record<string, string>>;
}

const WIDTH = 12;
const HEIGHT = 8;
const datasource = { type: 'prometheus', uid: '$datasource' } as const;
const connected = series('invoicecontrol.broker.connected');

const dataSource = { name: 'datasource', type: 'datasource', query: 'prometheus' };

function variable(name: string, label: string) {
  const query = `label_values(${connected}, ${label})`;
  return { name, type: 'query', datasource, query, refresh: 2, includeAll: true, multi: true, allValue: '.*' };
}

function dashboard(name: string, title: string, description: string, sketches: readonly Sketch[]): Dashboard {
  return {
    uid: `invoice-control-${name}`,
    title: `Invoice Control: ${title}`,
    description,
    tags: ['invoice-control'],
    schemaVersion: 39,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [dataSource, variable('environment', 'deployment_environment_name'), variable('service', 'service_name')],
    },
    panels: sketches.map(({ title: heading, unit, lines }, at) => ({
      id: at + 1,
      title: heading,
      type: 'timeseries',
      datasource,
      fieldConfig: { defaults: { unit }, overrides: [] },
      gridPos: { x: (at % 2) * WIDTH, y: Math.floor(at / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      targets: Object.entries(lines).map(([legendFormat, expr], index) => ({
        refId: String.fromCodePoint(65 + index),
        expr,
        legendFormat,
      })),
    })),
  };
}

type Name = Parameters<typeof series>[0];
const RANGE = '[$__rate_interval]';
const selector = (labels: string): string => (labels === '' ? '' : `{${labels}}`);
const SERVICE = 'service_name=~"$service",deployment_environment_name=~"$environment"';

/** Returns the rate of a counter, or of the observations of a histogram, by labels. */
function rate(name: Name, by: string, labels = ''): string {
  return `sum by (${by}) (rate(${series(name)}${selector(labels)}${RANGE}))`;
}
function countRate(name: Name, by: string, labels = ''): string {
  return `sum by (${by}) (rate(${count(name)}${selector(labels)}${RANGE}))`;
}
/** Returns the highest value of a gauge that every replica reports, by labels. */
function highest(name: Name, by: string, labels = ''): string {
  return `max by (${by}) (${series(name)}${selector(labels)})`;
}
/** Returns the usual three percentiles of a duration for a dashboard. */
function percentiles(name: Name, labels = ''): Record<string, string> {
  const of = (quantile: number): string =>
    `histogram_quantile(${quantile}, sum by (le) (rate(${bucket(name)}${selector(labels)}${RANGE})))`;
  return { p50: of(0.5), p95: of(0.95), p99: of(0.99) };
}
function percentile(quantile: number, name: Name, by: string, labels = ''): string {
  return `histogram_quantile(${quantile}, sum by (${by}, le) (rate(${bucket(name)}${selector(labels)}${RANGE})))`;
}

const foreign = (name: (typeof foreignMetrics)[number], labels = 'namespace="invoice-control"'): string =>
  `${name}${selector(labels)}`;
const POST = 'http_route="/v1/invoices",http_request_method="POST"';

export const dashboards: readonly Dashboard[] = [
  dashboard(
    'journeys',
    'journeys',
    'Whether the promises to customers are kept, and how fast their budgets are used up.',
    [
      {
        title: 'Budget left if the last three days went on for 30',
        unit: 'percentunit',
        lines: Object.fromEntries(
          objectives.map(({ name, budget }) => [name, `1 - slo:errors:ratio_rate3d{slo="${name}"} / ${budget}`]),
        ),
      },
      ...(['1h', '6h'] as const).map((range) => ({
        title: `Speed at which the budget is used up, over ${range} (1 is exactly in 30 days)`,
        unit: 'short',
        lines: Object.fromEntries(
          objectives.map(({ name, budget }) => [name, `slo:errors:ratio_rate${range}{slo="${name}"} / ${budget}`]),
        ),
      })),
      {
        title: 'Posted invoices',
        unit: 'reqps',
        lines: {
          '{{http_response_status_code}}': countRate('http.server.request.duration', 'http_response_status_code', POST),
        },
      },
      { title: 'Duration of posting an invoice', unit: 's', lines: percentiles('http.server.request.duration', POST) },
      { title: 'Lateness of deliveries', unit: 's', lines: percentiles('invoicecontrol.delivery.lateness') },
      {
        title: 'Synthetic probe: 1 as expected, 0 failed',
        unit: 'short',
        lines: { success: `max(${series('invoicecontrol.probe.success')})` },
      },
      {
        title: 'Duration of the synthetic probe',
        unit: 's',
        lines: { duration: `max(${series('invoicecontrol.probe.duration')})` },
      },
    ],
  ),
  dashboard('edge', 'edge', 'The gateway: what comes in, what is refused and why.', [
    {
      title: 'Requests by status',
      unit: 'reqps',
      lines: {
        '{{http_response_status_code}}': countRate('http.server.request.duration', 'http_response_status_code'),
      },
    },
    {
      title: 'Requests by route',
      unit: 'reqps',
      lines: {
        '{{http_request_method}} {{http_route}}': `topk(15, ${countRate('http.server.request.duration', 'http_request_method, http_route')})`,
      },
    },
    {
      title: 'Slowest routes (p95)',
      unit: 's',
      lines: {
        '{{http_request_method}} {{http_route}}': `topk(15, ${percentile(0.95, 'http.server.request.duration', 'http_request_method, http_route')})`,
      },
    },
    {
      title: 'Refusals by reason',
      unit: 'reqps',
      lines: { '{{reason}}': rate('invoicecontrol.requests.refused', 'reason') },
    },
    {
      title: 'Requests in flight and connections',
      unit: 'short',
      lines: {
        requests: `sum(${series('http.server.active_requests')})`,
        connections: `sum(${series('invoicecontrol.http.connections')})`,
      },
    },
    {
      title: 'Bytes of bodies in memory',
      unit: 'bytes',
      lines: {
        '{{service_instance_id}}': `sum by (service_instance_id) (${series('invoicecontrol.http.body_bytes')})`,
      },
    },
    {
      title: 'Rate limits counted by a gateway alone',
      unit: 'reqps',
      lines: { fallbacks: `sum(rate(${series('invoicecontrol.limiter.fallback')}${RANGE}))` },
    },
    {
      title: 'Checks of API keys',
      unit: 'reqps',
      lines: { '{{result}}': rate('invoicecontrol.keys.cache', 'result') },
    },
    {
      title: 'Requests without a valid key',
      unit: 'reqps',
      lines: { '{{reason}}': rate('invoicecontrol.auth.failures', 'reason') },
    },
    {
      title: 'Requests over a rate limit',
      unit: 'reqps',
      lines: { '{{policy}}': rate('invoicecontrol.rate_limits.exceeded', 'policy') },
    },
  ]),
  dashboard('service', 'one service', 'Calls, stores and resources of the chosen services.', [
    {
      title: 'Calls that it answers',
      unit: 'reqps',
      lines: {
        '{{rpc_response_status_code}}': countRate('rpc.server.call.duration', 'rpc_response_status_code', SERVICE),
      },
    },
    {
      title: 'Slowest calls that it answers (p95)',
      unit: 's',
      lines: { '{{rpc_method}}': `topk(10, ${percentile(0.95, 'rpc.server.call.duration', 'rpc_method', SERVICE)})` },
    },
    {
      title: 'Calls that it makes',
      unit: 'reqps',
      lines: {
        '{{rpc_method}} {{rpc_response_status_code}}': `topk(10, ${countRate('rpc.client.call.duration', 'rpc_method, rpc_response_status_code', SERVICE)})`,
      },
    },
    {
      title: 'Calls in progress',
      unit: 'short',
      lines: {
        '{{service_instance_id}} calls': `sum by (service_instance_id) (${series('invoicecontrol.rpc.calls')}{${SERVICE}})`,
        '{{service_instance_id}} streams': `sum by (service_instance_id) (${series('invoicecontrol.rpc.streams')}{${SERVICE}})`,
      },
    },
    {
      title: 'Requests in memory',
      unit: 'bytes',
      lines: {
        '{{service_instance_id}}': `sum by (service_instance_id) (${series('invoicecontrol.rpc.request_bytes')}{${SERVICE}})`,
      },
    },
    {
      title: 'Calls refused because of overload',
      unit: 'reqps',
      lines: { '{{service_name}} {{reason}}': rate('invoicecontrol.rpc.shed', 'service_name, reason', SERVICE) },
    },
    {
      title: 'Calls to other companies',
      unit: 'reqps',
      lines: {
        '{{invoicecontrol_peer}} {{error_type}}': countRate(
          'http.client.request.duration',
          'invoicecontrol_peer, error_type',
          SERVICE,
        ),
      },
    },
    {
      title: 'Connections to the database',
      unit: 'short',
      lines: {
        '{{db_client_connection_state}}': `sum by (db_client_connection_state) (${series('db.client.connection.count')}{${SERVICE}})`,
      },
    },
    { title: 'Waits for a connection', unit: 's', lines: percentiles('db.client.connection.wait_time', SERVICE) },
    {
      title: 'CPU',
      unit: 'short',
      lines: { '{{service_instance_id}}': rate('process.cpu.time', 'service_instance_id', SERVICE) },
    },
    {
      title: 'Memory',
      unit: 'bytes',
      lines: {
        '{{service_instance_id}}': `sum by (service_instance_id) (${series('process.memory.usage')}{${SERVICE}})`,
      },
    },
    {
      title: 'Restarts in an hour',
      unit: 'short',
      lines: { '{{pod}}': `sum by (pod) (increase(${foreign('kube_pod_container_status_restarts_total')}[1h]))` },
    },
    {
      title: 'Versions',
      unit: 'short',
      lines: {
        '{{service_name}} {{service_version}}': `count by (service_name, service_version) (${connected}{${SERVICE}})`,
      },
    },
  ]),
  dashboard('decisions', 'decisions', 'What is decided about invoices, and what people think of it.', [
    { title: 'Decisions', unit: 'short', lines: { '{{decision}}': rate('invoicecontrol.decisions', 'decision') } },
    {
      title: 'Decisions by source',
      unit: 'short',
      lines: { '{{source}}': rate('invoicecontrol.decisions', 'source') },
    },
    {
      title: 'Findings by type',
      unit: 'short',
      lines: { '{{type}}': `topk(15, ${rate('invoicecontrol.findings', 'type')})` },
    },
    {
      title: 'Duration by stage (p95)',
      unit: 's',
      lines: { '{{stage}}': percentile(0.95, 'invoicecontrol.decision.duration', 'stage') },
    },
    { title: 'Reviews', unit: 'short', lines: { '{{disposition}}': rate('invoicecontrol.reviews', 'disposition') } },
    {
      title: 'Share of reviews that found a false positive',
      unit: 'percentunit',
      lines: {
        '{{type}}': `sum by (type) (increase(${series('invoicecontrol.reviews')}{disposition="false_positive"}[1d])) / sum by (type) (increase(${series('invoicecontrol.reviews')}{disposition=~"confirmed|false_positive"}[1d]))`,
      },
    },
    {
      title: 'Decisions with too many similar records',
      unit: 'short',
      lines: { decisions: `sum(rate(${series('invoicecontrol.candidates.hot')}${RANGE}))` },
    },
    { title: 'Age of the exchange rates', unit: 's', lines: { age: `max(${series('invoicecontrol.rates.age')})` } },
    {
      title: 'Stuck analyses and reviews',
      unit: 'short',
      lines: { '{{kind}}': highest('invoicecontrol.jobs.stuck', 'kind', 'kind=~"analysis|review|usage"') },
    },
  ]),
  dashboard('events', 'events', 'The way of events from the database to their consumers.', [
    {
      title: 'Documents with waiting events',
      unit: 'short',
      lines: { '{{service_name}} {{collection}}': highest('invoicecontrol.outbox.depth', 'service_name, collection') },
    },
    {
      title: 'Oldest waiting event',
      unit: 's',
      lines: { '{{service_name}}': highest('invoicecontrol.outbox.oldest_age', 'service_name') },
    },
    {
      title: 'Duration of publishing (p95)',
      unit: 's',
      lines: { '{{service_name}}': percentile(0.95, 'messaging.client.operation.duration', 'service_name') },
    },
    {
      title: 'Events not yet given to a replica',
      unit: 'short',
      lines: { '{{consumer}}': highest('invoicecontrol.consumer.pending', 'consumer') },
    },
    {
      title: 'Events in progress or waiting for a retry',
      unit: 'short',
      lines: { '{{consumer}}': highest('invoicecontrol.consumer.ack_pending', 'consumer') },
    },
    {
      title: 'Events that failed before',
      unit: 'short',
      lines: { '{{consumer}}': highest('invoicecontrol.consumer.redelivered', 'consumer') },
    },
    {
      title: 'Dead letters',
      unit: 'short',
      lines: { '{{consumer}}': highest('invoicecontrol.dead_letters', 'consumer') },
    },
    {
      title: 'Connected processes',
      unit: 'short',
      lines: { '{{service_name}}': `sum by (service_name) (${connected})` },
    },
  ]),
  dashboard('long-work', 'long work', 'Scans, jobs and everything that waits for its turn.', [
    { title: 'Scans', unit: 'short', lines: { '{{outcome}}': rate('invoicecontrol.scans', 'outcome') } },
    { title: 'Duration of scans', unit: 's', lines: percentiles('invoicecontrol.scan.duration') },
    { title: 'Running scans', unit: 'short', lines: { scans: `max(${series('invoicecontrol.scans.running')})` } },
    {
      title: 'Wait for another scan of the organization (p95)',
      unit: 's',
      lines: { '{{outcome}}': percentile(0.95, 'invoicecontrol.scan.turn_wait', 'outcome') },
    },
    {
      title: 'Failed attempts of scans',
      unit: 'short',
      lines: { '{{reason}}, set aside {{set_aside}}': rate('invoicecontrol.scan.tries_failed', 'reason, set_aside') },
    },
    {
      title: 'Oldest work that is due',
      unit: 's',
      lines: { '{{job_name}}': highest('invoicecontrol.jobs.oldest_age', 'job_name') },
    },
    {
      title: 'Work without progress for ten minutes',
      unit: 'short',
      lines: { '{{kind}}': highest('invoicecontrol.jobs.stuck', 'kind') },
    },
    {
      title: 'Duration of jobs (p95)',
      unit: 's',
      lines: {
        '{{service_name}} {{job_name}}': percentile(0.95, 'invoicecontrol.jobs.duration', 'service_name, job_name'),
      },
    },
    {
      title: 'Failed runs of jobs',
      unit: 'short',
      lines: { '{{service_name}} {{job_name}}': rate('invoicecontrol.jobs.failures', 'service_name, job_name') },
    },
    {
      title: 'Lost leases',
      unit: 'short',
      lines: { '{{service_name}} {{kind}}': rate('invoicecontrol.leases.lost', 'service_name, kind') },
    },
    {
      title: 'Payments: time until a subscription changes',
      unit: 's',
      lines: percentiles('invoicecontrol.entitlement.lag'),
    },
    { title: 'Checkouts', unit: 'short', lines: { '{{outcome}}': rate('invoicecontrol.checkout', 'outcome') } },
    { title: 'Mails', unit: 'short', lines: { '{{kind}} {{status}}': rate('invoicecontrol.mails', 'kind, status') } },
  ]),
  dashboard('documents', 'documents', 'Uploads and the reading of documents.', [
    { title: 'Uploads', unit: 'short', lines: { '{{outcome}}': rate('invoicecontrol.uploads', 'outcome') } },
    {
      title: 'Stored bytes',
      unit: 'Bps',
      lines: { '{{format}}': rate('invoicecontrol.upload.bytes', 'format') },
    },
    {
      title: 'Duration of checks by profile (p95)',
      unit: 's',
      lines: { '{{profile}}': percentile(0.95, 'invoicecontrol.validation.duration', 'profile') },
    },
    {
      title: 'Documents by result',
      unit: 'short',
      lines: { '{{format}} {{outcome}}': countRate('invoicecontrol.extraction.duration', 'format, outcome') },
    },
    {
      title: 'Duration of reading (p95)',
      unit: 's',
      lines: { '{{format}}': percentile(0.95, 'invoicecontrol.extraction.duration', 'format') },
    },
    {
      title: 'Documents that wait for a process',
      unit: 'short',
      lines: { waiting: `max(${series('invoicecontrol.jobs.due')}{job_name="extractions"})` },
    },
    {
      title: 'Processes that ended early',
      unit: 'short',
      lines: { '{{reason}}': rate('invoicecontrol.children.killed', 'reason') },
    },
  ]),
  dashboard('webhooks', 'webhooks', 'Deliveries to the endpoints of customers.', [
    {
      title: 'Attempts by result',
      unit: 'short',
      lines: { '{{outcome}}': rate('invoicecontrol.deliveries', 'outcome') },
    },
    { title: 'Lateness of first attempts', unit: 's', lines: percentiles('invoicecontrol.delivery.lateness') },
    { title: 'Duration of attempts', unit: 's', lines: percentiles('invoicecontrol.attempt.duration') },
    {
      title: 'Oldest delivery that is due',
      unit: 's',
      lines: { age: `max(${series('invoicecontrol.jobs.oldest_age')}{job_name="deliveries"})` },
    },
    {
      title: 'Requests in progress',
      unit: 'short',
      lines: { '{{service_instance_id}}': `sum by (service_instance_id) (${series('invoicecontrol.slots.used')})` },
    },
    {
      title: 'Endpoints by status',
      unit: 'short',
      lines: { '{{status}}': highest('invoicecontrol.endpoints', 'status') },
    },
    {
      title: 'Disabled endpoints',
      unit: 'short',
      lines: { endpoints: `sum(increase(${series('invoicecontrol.endpoint.disabled')}[1h]))` },
    },
  ]),
  dashboard('payment-runs', 'payment runs', 'Checks of payment runs, and what was given out.', [
    {
      title: 'Checks by result',
      unit: 'short',
      lines: { '{{trigger}} {{outcome}}': rate('invoicecontrol.payment_runs', 'trigger, outcome') },
    },
    { title: 'Duration of checks', unit: 's', lines: percentiles('invoicecontrol.payment_run.duration') },
    {
      title: 'Lines of new runs by verdict',
      unit: 'short',
      lines: { '{{verdict}}': rate('invoicecontrol.payment_run.lines', 'verdict', 'trigger="created"') },
    },
    {
      title: 'Files given out',
      unit: 'short',
      lines: { '{{content}}': rate('invoicecontrol.payment_run.downloads', 'content') },
    },
    {
      title: 'Releases of lines',
      unit: 'short',
      lines: { '{{state}}': rate('invoicecontrol.payment_run.releases', 'state') },
    },
  ]),
  dashboard('erp', 'ERP connections', 'Runs of the connections to ERP systems.', [
    {
      title: 'Runs by result',
      unit: 'short',
      lines: { '{{provider}} {{outcome}}': rate('invoicecontrol.runs', 'provider, outcome') },
    },
    {
      title: 'Connections by status',
      unit: 'short',
      lines: { '{{provider}} {{status}}': highest('invoicecontrol.connections', 'provider, status') },
    },
    {
      title: 'Connection that waits longest',
      unit: 's',
      lines: { '{{provider}}': highest('invoicecontrol.connection.lag', 'provider') },
    },
    {
      title: 'Duration of runs (p95)',
      unit: 's',
      lines: { '{{provider}}': percentile(0.95, 'invoicecontrol.run.duration', 'provider') },
    },
    {
      title: 'Rows',
      unit: 'short',
      lines: { '{{provider}} {{outcome}}': rate('invoicecontrol.rows', 'provider, outcome') },
    },
    {
      title: 'Errors by code',
      unit: 'short',
      lines: { '{{provider}} {{code}}': rate('invoicecontrol.run.faults', 'provider, code') },
    },
    {
      title: 'Time lost to limits of the ERP',
      unit: 's',
      lines: { '{{provider}}': rate('invoicecontrol.run.throttled', 'provider') },
    },
    {
      title: 'Refreshes of tokens',
      unit: 'short',
      lines: { '{{provider}} {{outcome}}': rate('invoicecontrol.token.refresh', 'provider, outcome') },
    },
  ]),
  dashboard('ksef', 'KSeF', 'Submissions to KSeF and invoices from it.', [
    {
      title: 'Submissions by result',
      unit: 'short',
      lines: { '{{state}}': rate('invoicecontrol.submissions', 'state') },
    },
    { title: 'Time until the final state', unit: 's', lines: percentiles('invoicecontrol.submission.duration') },
    {
      title: 'Submissions with something left to do',
      unit: 'short',
      lines: { '{{status}}': highest('invoicecontrol.submissions.unfinished', 'status') },
    },
    {
      title: 'Submissions of which it is not known whether KSeF has them, and open sessions',
      unit: 'short',
      lines: {
        unknown: `max(${series('invoicecontrol.submissions.unknown')})`,
        sessions: `max(${series('invoicecontrol.sessions.open')})`,
      },
    },
    {
      title: 'Age of the oldest unknown submission',
      unit: 's',
      lines: { age: `max(${series('invoicecontrol.submissions.unknown_age')})` },
    },
    {
      title: 'Avoided second submissions',
      unit: 'short',
      lines: { '{{how}}': rate('invoicecontrol.duplicates_prevented', 'how') },
    },
    {
      title: 'Used share of call limits',
      unit: 'percentunit',
      lines: { '{{limit}}': highest('invoicecontrol.limit.used', 'limit') },
    },
    {
      title: 'Calls of KSeF',
      unit: 'reqps',
      lines: { '{{operation}} {{outcome}}': rate('invoicecontrol.ksef.calls', 'operation, outcome') },
    },
    {
      title: 'Calls put off because of limits',
      unit: 'reqps',
      lines: { '{{operation}}': rate('invoicecontrol.ksef.limited_calls', 'operation') },
    },
    {
      title: 'Received invoices',
      unit: 'short',
      lines: { '{{outcome}}': rate('invoicecontrol.inbox.invoices', 'outcome') },
    },
    {
      title: 'Oldest work that is due',
      unit: 's',
      lines: {
        '{{job_name}}': highest('invoicecontrol.jobs.oldest_age', 'job_name', 'job_name=~"submissions|inboxes"'),
      },
    },
  ]),
  dashboard('stores', 'stores', 'MongoDB and NATS, as the services and as their exporters see them.', [
    {
      title: 'Commands to MongoDB',
      unit: 'ops',
      lines: { '{{service_name}}': countRate('db.client.operation.duration', 'service_name') },
    },
    {
      title: 'Failed commands',
      unit: 'ops',
      lines: {
        '{{service_name}} {{error_type}}': countRate(
          'db.client.operation.duration',
          'service_name, error_type',
          'error_type!=""',
        ),
      },
    },
    {
      title: 'Duration of commands (p95)',
      unit: 's',
      lines: {
        '{{db_operation_name}}': `topk(10, ${percentile(0.95, 'db.client.operation.duration', 'db_operation_name')})`,
      },
    },
    {
      title: 'Members of the replica set (1 primary, 2 secondary)',
      unit: 'short',
      lines: { '{{member_idx}}': foreign('mongodb_rs_members_state', '') },
    },
    {
      title: 'Connections to MongoDB',
      unit: 'short',
      lines: { '{{conn_type}}': foreign('mongodb_ss_connections', '') },
    },
    { title: 'Connections to NATS', unit: 'short', lines: { '{{server_id}}': foreign('gnatsd_varz_connections', '') } },
    {
      title: 'Bytes in streams',
      unit: 'bytes',
      lines: { '{{server_id}}': foreign('jetstream_server_total_message_bytes', '') },
    },
    { title: 'Memory of NATS', unit: 'bytes', lines: { '{{server_id}}': foreign('gnatsd_varz_mem', '') } },
    {
      title: 'Room on volumes',
      unit: 'bytes',
      lines: { '{{persistentvolumeclaim}}': foreign('kubelet_volume_stats_available_bytes') },
    },
    {
      title: 'Age of the last backup',
      unit: 's',
      lines: {
        age: `time() - max(${foreign('kube_cronjob_status_last_successful_time', 'namespace="invoice-control",cronjob="backup"')})`,
      },
    },
  ]),
  dashboard('capacity', 'capacity', 'What limits the installation next.', [
    {
      title: 'CPU time of a decision',
      unit: 's',
      lines: {
        'gateway and analysis': `sum(rate(${series('process.cpu.time')}{service_name=~"gateway|analysis"}[5m])) / sum(rate(${series('invoicecontrol.decisions')}[5m]))`,
      },
    },
    {
      title: 'CPU of the busiest process',
      unit: 'short',
      lines: {
        '{{service_name}}': `max by (service_name) (sum by (service_name, service_instance_id) (rate(${series('process.cpu.time')}${RANGE})))`,
      },
    },
    {
      title: 'Replicas, as a share of the maximum',
      unit: 'percentunit',
      lines: {
        '{{horizontalpodautoscaler}}': `max by (horizontalpodautoscaler) (${foreign('kube_horizontalpodautoscaler_status_current_replicas')}) / max by (horizontalpodautoscaler) (${foreign('kube_horizontalpodautoscaler_spec_max_replicas')})`,
      },
    },
    {
      title: 'Memory, as a share of the limit',
      unit: 'percentunit',
      lines: {
        '{{container}}': `max by (container) (max by (pod, container) (${foreign('container_memory_working_set_bytes')}) / max by (pod, container) (${foreign('kube_pod_container_resource_limits', 'namespace="invoice-control",resource="memory"')}))`,
      },
    },
    {
      title: 'Commands to MongoDB for a decision',
      unit: 'short',
      lines: {
        commands: `sum(rate(${count('db.client.operation.duration')}${RANGE})) / sum(rate(${series('invoicecontrol.decisions')}${RANGE}))`,
      },
    },
    {
      title: 'Organizations by plan',
      unit: 'short',
      lines: {
        '{{plan}} {{status}}': `${highest('invoicecontrol.organizations', 'plan, status')} > 0`,
      },
    },
    {
      title: 'Reservations above 90 % of a quota',
      unit: 'percentunit',
      lines: {
        '{{meter}}': `1 - sum by (meter) (rate(${bucket('invoicecontrol.quota.used')}{${below(0.9)}}${RANGE})) / sum by (meter) (rate(${count('invoicecontrol.quota.used')}${RANGE}))`,
      },
    },
    {
      title: 'Units by which usage counters were wrong',
      unit: 'short',
      lines: { '{{meter}} {{direction}}': rate('invoicecontrol.usage.corrected', 'meter, direction') },
    },
    {
      title: 'Decisions in a day',
      unit: 'short',
      lines: { decisions: `sum(increase(${series('invoicecontrol.decisions')}[1d]))` },
    },
  ]),
];
