import { foreignMetrics, bucket, count, series } from './names.js';
import type { Given } from './given.js';

/** An alert: a condition that requires an action of a person. */
export interface Alert {
  readonly name: string;
  /** Urgency of an alert. `page`: customers are affected now. `ticket`: look at it on the next working day. */
  readonly severity: 'page' | 'ticket';
  readonly journey: string;
  /** Name of the file with the dashboard that shows the cause of the alert, without `.json`. */
  readonly dashboard: string;
  readonly summary: string;
  readonly expr: string;
  readonly for: string;
  /** Samples of metrics with which the alert fires after 80 minutes, and the labels that it then has. */
  readonly fires: Given;
  readonly labels?: Readonly<Record<string, string>>;
  /** Samples of metrics with which the alert stays silent. */
  readonly silent: Given;
}

const still = (value: number): string => `${value}+0x90`;
const rising = (each: number): string => `0+${each}x90`;
/** Expression for a counter metric that has started and no longer rises. */
const flat = still(5);

const foreign = (name: (typeof foreignMetrics)[number]): string => name;
const outbox = series('invoicecontrol.outbox.oldest_age');
const consumer = series('invoicecontrol.consumer.state');
const deadLetters = series('invoicecontrol.dead_letters');
const stuck = series('invoicecontrol.jobs.stuck');
const broker = series('invoicecontrol.broker.connected');
const request = count('http.server.request.duration');
const refused = series('invoicecontrol.requests.refused');
const fallback = series('invoicecontrol.limiter.fallback');
const active = series('http.server.active_requests');
const tries = series('invoicecontrol.scan.tries_failed');
const rates = series('invoicecontrol.rates.age');
const poolWait = bucket('db.client.connection.wait_time');
const dbCount = count('db.client.operation.duration');
const leases = series('invoicecontrol.leases.lost');
const lateness = bucket('invoicecontrol.delivery.lateness');
const disabled = series('invoicecontrol.endpoint.disabled');
const lag = series('invoicecontrol.connection.lag');
const runs = series('invoicecontrol.runs');
const paymentCheck = bucket('invoicecontrol.payment_run.duration');
const unknownAge = series('invoicecontrol.submissions.unknown_age');
const notifications = series('invoicecontrol.provider.notifications');
const entitlement = bucket('invoicecontrol.entitlement.lag');
const killed = series('invoicecontrol.children.killed');
const cpu = series('process.cpu.time');
const unopenable = series('invoicecontrol.unopenable_records');
const jobFailures = series('invoicecontrol.jobs.failures');
const identityExpires = series('invoicecontrol.identity.expires');
const rpcRefused = series('invoicecontrol.rpc.refused');
const shed = series('invoicecontrol.rpc.shed');
const memory = foreign('container_memory_working_set_bytes');
const limits = foreign('kube_pod_container_resource_limits');
const ready = foreign('kube_deployment_status_replicas_ready');
const replicas = foreign('kube_deployment_spec_replicas');
const hpa = foreign('kube_horizontalpodautoscaler_status_current_replicas');
const hpaMax = foreign('kube_horizontalpodautoscaler_spec_max_replicas');
const cronJob = foreign('kube_cronjob_status_last_successful_time');
const certificate = foreign('certmanager_certificate_expiration_timestamp_seconds');
const natsReady = foreign('kube_statefulset_status_replicas_ready');
const natsReplicas = foreign('kube_statefulset_replicas');
const volume = foreign('kubelet_volume_stats_available_bytes');
const NAMESPACE = 'namespace="invoice-control"';
const DAY = 86_400;

function stuckAlert(name: string, kind: string, rest: Pick<Alert, 'journey' | 'dashboard' | 'summary'>): Alert {
  return {
    name,
    severity: 'ticket',
    ...rest,
    expr: `max by (kind) (${stuck}{kind="${kind}"}) > 0`,
    for: '5m',
    fires: { [`${stuck}{service_name="any",kind="${kind}"}`]: still(2) },
    labels: { kind },
    silent: {
      [`${stuck}{service_name="any",kind="${kind}"}`]: still(0),
      [`${stuck}{service_name="any",kind="outbox"}`]: still(9),
    },
  };
}

export const alerts: readonly Alert[] = [
  {
    name: 'EdgeRefusesEverybody',
    severity: 'page',
    journey: 'decide',
    dashboard: 'edge',
    summary: 'More than half of all requests get 503 although few requests run.',
    expr: `sum(rate(${request}{http_response_status_code="503"}[2m])) / sum(rate(${request}[2m])) > 0.5 and sum(${active}) < 50`,
    for: '2m',
    fires: {
      [`${request}{http_response_status_code="503"}`]: rising(60),
      [`${request}{http_response_status_code="200"}`]: rising(6),
      [active]: still(3),
    },
    silent: {
      [`${request}{http_response_status_code="503"}`]: rising(6),
      [`${request}{http_response_status_code="200"}`]: rising(60),
      [active]: still(3),
    },
  },
  {
    name: 'OutboxWaits',
    severity: 'ticket',
    journey: 'events',
    dashboard: 'events',
    summary: 'Events have waited in the database for more than a minute.',
    expr: `max by (service_name) (${outbox}) > 60`,
    for: '2m',
    fires: { [`${outbox}{service_name="analysis",collection="invoices"}`]: still(90) },
    labels: { service_name: 'analysis' },
    silent: { [`${outbox}{service_name="analysis",collection="invoices"}`]: still(5) },
  },
  {
    name: 'OutboxWaitsLong',
    severity: 'page',
    journey: 'events',
    dashboard: 'events',
    summary: 'Events have waited in the database for more than 15 minutes.',
    expr: `max by (service_name) (${outbox}) > 900`,
    for: '2m',
    fires: { [`${outbox}{service_name="analysis",collection="invoices"}`]: still(1_000) },
    labels: { service_name: 'analysis' },
    silent: { [`${outbox}{service_name="analysis",collection="invoices"}`]: still(600) },
  },
  {
    name: 'ConsumerStopped',
    severity: 'page',
    journey: 'events',
    dashboard: 'events',
    summary: 'No replica handles the events of a consumer.',
    expr: `max by (consumer) (${consumer}) == 0`,
    for: '1m',
    fires: { [`${consumer}{consumer="webhooks__decided",service_instance_id="a"}`]: still(0) },
    labels: { consumer: 'webhooks__decided' },
    silent: {
      [`${consumer}{consumer="webhooks__decided",service_instance_id="a"}`]: still(0),
      [`${consumer}{consumer="webhooks__decided",service_instance_id="b"}`]: still(1),
    },
  },
  {
    name: 'DeadLetters',
    severity: 'ticket',
    journey: 'events',
    dashboard: 'events',
    summary: 'Events could not be handled and were set aside.',
    expr: `max by (consumer) (${deadLetters}) > 0`,
    for: '1m',
    fires: { [`${deadLetters}{consumer="webhooks__decided"}`]: still(1) },
    labels: { consumer: 'webhooks__decided' },
    silent: { [`${deadLetters}{consumer="webhooks__decided"}`]: still(0) },
  },
  stuckAlert('StuckAnalyses', 'analysis', {
    journey: 'decide',
    dashboard: 'decisions',
    summary: 'Accepted invoices have had no decision for ten minutes.',
  }),
  stuckAlert('StuckReviews', 'review', {
    journey: 'review',
    dashboard: 'decisions',
    summary: 'Reviews of findings have had no effect for ten minutes.',
  }),
  stuckAlert('MailsQueued', 'mail', {
    journey: 'mail',
    dashboard: 'long-work',
    summary: 'Mails have waited for more than ten minutes.',
  }),
  stuckAlert('UsageDrift', 'usage', {
    journey: 'quota',
    dashboard: 'decisions',
    summary: 'The usage counter of an organization differs from its invoices.',
  }),
  {
    name: 'ScanSetAside',
    severity: 'ticket',
    journey: 'scan',
    dashboard: 'long-work',
    summary: 'A scan failed too often and was set aside.',
    expr: `sum(increase(${tries}{set_aside="true"}[15m])) > 0`,
    for: '0m',
    fires: { [`${tries}{set_aside="true",reason="fault"}`]: rising(1) },
    silent: {
      [`${tries}{set_aside="true",reason="fault"}`]: flat,
      [`${tries}{set_aside="false",reason="fault"}`]: rising(1),
    },
  },
  {
    name: 'PaymentRunsSlow',
    severity: 'ticket',
    journey: 'payment',
    dashboard: 'payment-runs',
    summary: 'One check of a payment run in twenty takes more than 30 seconds. After 60 seconds its caller gives up.',
    expr: `histogram_quantile(0.95, sum by (le) (rate(${paymentCheck}[30m]))) > 30`,
    for: '10m',
    fires: {
      [`${paymentCheck}{trigger="created",le="30"}`]: rising(1),
      [`${paymentCheck}{trigger="created",le="60"}`]: rising(2),
      [`${paymentCheck}{trigger="created",le="+Inf"}`]: rising(2),
    },
    silent: {
      [`${paymentCheck}{trigger="created",le="30"}`]: rising(2),
      [`${paymentCheck}{trigger="created",le="60"}`]: rising(2),
      [`${paymentCheck}{trigger="created",le="+Inf"}`]: rising(2),
    },
  },
  {
    name: 'RatesOld',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'decisions',
    summary: 'The newest exchange rates are older than four days.',
    expr: `max(${rates}) > ${4 * DAY}`,
    for: '10m',
    fires: { [rates]: still(5 * DAY) },
    silent: { [rates]: still(3 * DAY) },
  },
  {
    name: 'LimiterFallback',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'edge',
    summary: 'More than 1 % of requests are limited by each gateway alone.',
    expr: `sum(rate(${fallback}[10m])) / sum(rate(${request}[10m])) > 0.01`,
    for: '10m',
    fires: { [fallback]: rising(2), [`${request}{http_route="/v1/invoices"}`]: rising(60) },
    silent: { [fallback]: flat, [`${request}{http_route="/v1/invoices"}`]: rising(60) },
  },
  {
    name: 'Overloaded',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'edge',
    summary: 'The gateways refuse requests because too many run.',
    expr: `sum(rate(${refused}{reason="overload"}[10m])) > 0.1`,
    for: '10m',
    fires: { [`${refused}{reason="overload"}`]: rising(60) },
    silent: { [`${refused}{reason="overload"}`]: flat, [`${refused}{reason="rate"}`]: rising(60) },
  },
  {
    name: 'CallsShed',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'service',
    summary: 'A service refuses calls because too much work is in progress.',
    expr: `sum by (service_name, reason) (rate(${shed}[10m])) > 0.1`,
    for: '2m',
    fires: { [`${shed}{service_name="analysis",reason="calls"}`]: rising(60) },
    labels: { service_name: 'analysis', reason: 'calls' },
    silent: { [`${shed}{service_name="analysis",reason="calls"}`]: flat },
  },
  {
    name: 'DependencyAway',
    severity: 'page',
    journey: 'decide',
    dashboard: 'service',
    summary: 'Fewer than half of the pods of a service are ready.',
    expr: `sum by (deployment) (${ready}{${NAMESPACE},deployment!~"operator|mongodb-exporter"}) < 0.5 * sum by (deployment) (${replicas}{${NAMESPACE},deployment!~"operator|mongodb-exporter"})`,
    for: '1m',
    fires: {
      [`${ready}{${NAMESPACE},deployment="scan"}`]: still(0),
      [`${replicas}{${NAMESPACE},deployment="scan"}`]: still(2),
    },
    labels: { deployment: 'scan' },
    silent: {
      [`${ready}{${NAMESPACE},deployment="scan"}`]: still(1),
      [`${replicas}{${NAMESPACE},deployment="scan"}`]: still(2),
    },
  },
  {
    name: 'BrokerAway',
    severity: 'ticket',
    journey: 'events',
    dashboard: 'events',
    summary: 'A process has no connection to the broker.',
    expr: `min by (service_name) (${broker}) == 0`,
    for: '2m',
    fires: {
      [`${broker}{service_name="scan",service_instance_id="a"}`]: still(0),
      [`${broker}{service_name="scan",service_instance_id="b"}`]: still(1),
    },
    labels: { service_name: 'scan' },
    silent: { [`${broker}{service_name="scan",service_instance_id="b"}`]: still(1) },
  },
  {
    name: 'BrokerAwayLong',
    severity: 'page',
    journey: 'events',
    dashboard: 'events',
    summary: 'No process of a service has had a connection to the broker for 15 minutes.',
    expr: `max by (service_name) (${broker}) == 0`,
    for: '15m',
    fires: { [`${broker}{service_name="scan",service_instance_id="a"}`]: still(0) },
    labels: { service_name: 'scan' },
    silent: {
      [`${broker}{service_name="scan",service_instance_id="a"}`]: still(0),
      [`${broker}{service_name="scan",service_instance_id="b"}`]: still(1),
    },
  },
  {
    name: 'DatabaseFails',
    severity: 'page',
    journey: 'decide',
    dashboard: 'stores',
    summary: 'More than half of the commands of a service to the database fail.',
    expr: `sum by (service_name) (rate(${dbCount}{error_type!=""}[5m])) / sum by (service_name) (rate(${dbCount}[5m])) > 0.5`,
    for: '2m',
    fires: {
      [`${dbCount}{service_name="scan",error_type="MongoServerSelectionError"}`]: rising(60),
      [`${dbCount}{service_name="scan"}`]: rising(6),
    },
    labels: { service_name: 'scan' },
    silent: {
      [`${dbCount}{service_name="scan",error_type="11000"}`]: rising(6),
      [`${dbCount}{service_name="scan"}`]: rising(60),
    },
  },
  {
    name: 'EventLoopBusy',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'capacity',
    summary: 'A process of one event loop has used more than 0.9 CPUs for 10 minutes.',
    expr: `sum by (service_name, service_instance_id) (rate(${cpu}{service_name!="documents"}[5m])) > 0.9`,
    for: '10m',
    fires: { [`${cpu}{service_name="analysis",service_instance_id="a",cpu_mode="user"}`]: rising(58) },
    labels: { service_name: 'analysis', service_instance_id: 'a' },
    silent: {
      [`${cpu}{service_name="analysis",service_instance_id="a",cpu_mode="user"}`]: rising(30),
      [`${cpu}{service_name="documents",service_instance_id="a",cpu_mode="user"}`]: rising(120),
    },
  },
  {
    name: 'MemoryNearLimit',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'capacity',
    summary: 'A container uses more than 85 % of its memory limit.',
    expr: `max by (pod, container) (${memory}{${NAMESPACE},container!=""}) / max by (pod, container) (${limits}{${NAMESPACE},resource="memory"}) > 0.85`,
    for: '10m',
    fires: {
      [`${memory}{${NAMESPACE},pod="scan-1",container="scan"}`]: still(950),
      [`${limits}{${NAMESPACE},pod="scan-1",container="scan",resource="memory"}`]: still(1_000),
    },
    labels: { pod: 'scan-1', container: 'scan' },
    silent: {
      [`${memory}{${NAMESPACE},pod="scan-1",container="scan"}`]: still(500),
      [`${limits}{${NAMESPACE},pod="scan-1",container="scan",resource="memory"}`]: still(1_000),
    },
  },
  {
    name: 'PoolWaits',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'service',
    summary: 'One command in twenty waits more than 0.1 seconds for a connection to the database.',
    expr: `histogram_quantile(0.95, sum by (service_name, le) (rate(${poolWait}[5m]))) > 0.1`,
    for: '10m',
    fires: {
      [`${poolWait}{service_name="scan",le="0.1"}`]: rising(6),
      [`${poolWait}{service_name="scan",le="0.25"}`]: rising(60),
      [`${poolWait}{service_name="scan",le="+Inf"}`]: rising(60),
    },
    labels: { service_name: 'scan' },
    silent: {
      [`${poolWait}{service_name="scan",le="0.005"}`]: rising(60),
      [`${poolWait}{service_name="scan",le="+Inf"}`]: rising(60),
    },
  },
  {
    name: 'HpaAtMaximum',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'capacity',
    summary: 'An autoscaler has had its maximum of replicas for 15 minutes.',
    expr: `max by (horizontalpodautoscaler) (${hpa}{${NAMESPACE}}) >= max by (horizontalpodautoscaler) (${hpaMax}{${NAMESPACE}})`,
    for: '15m',
    fires: {
      [`${hpa}{${NAMESPACE},horizontalpodautoscaler="gateway"}`]: still(10),
      [`${hpaMax}{${NAMESPACE},horizontalpodautoscaler="gateway"}`]: still(10),
    },
    labels: { horizontalpodautoscaler: 'gateway' },
    silent: {
      [`${hpa}{${NAMESPACE},horizontalpodautoscaler="gateway"}`]: still(2),
      [`${hpaMax}{${NAMESPACE},horizontalpodautoscaler="gateway"}`]: still(10),
    },
  },
  {
    name: 'LeasesLost',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'long-work',
    summary: 'Workers are slower than their leases.',
    expr: `sum by (service_name) (increase(${leases}[10m])) > 5`,
    for: '0m',
    fires: { [`${leases}{service_name="scan",kind="scans"}`]: rising(1) },
    labels: { service_name: 'scan' },
    silent: { [`${leases}{service_name="scan",kind="scans"}`]: flat },
  },
  {
    name: 'JobFails',
    severity: 'ticket',
    journey: 'capacity',
    dashboard: 'long-work',
    summary: 'A job of a service keeps failing.',
    expr: `sum by (service_name, job_name) (increase(${jobFailures}[30m])) > 5`,
    for: '5m',
    fires: { [`${jobFailures}{service_name="scan",job_name="relay"}`]: rising(1) },
    labels: { service_name: 'scan', job_name: 'relay' },
    silent: { [`${jobFailures}{service_name="scan",job_name="relay"}`]: flat },
  },
  {
    name: 'DeliveryLate',
    severity: 'page',
    journey: 'webhook',
    dashboard: 'webhooks',
    summary: 'One delivery in a hundred begins more than 60 seconds late.',
    expr: `histogram_quantile(0.99, sum by (le) (rate(${lateness}[10m]))) > 60`,
    for: '5m',
    fires: {
      [`${lateness}{le="60"}`]: rising(6),
      [`${lateness}{le="300"}`]: rising(60),
      [`${lateness}{le="+Inf"}`]: rising(60),
    },
    silent: { [`${lateness}{le="1"}`]: rising(60), [`${lateness}{le="+Inf"}`]: rising(60) },
  },
  {
    name: 'EndpointsDisabledMany',
    severity: 'ticket',
    journey: 'webhook',
    dashboard: 'webhooks',
    summary: 'More than five endpoints were disabled within an hour: the cause may be our way out.',
    expr: `sum(increase(${disabled}[1h])) > 5`,
    for: '0m',
    fires: { [disabled]: rising(1) },
    silent: { [disabled]: flat },
  },
  {
    name: 'SyncLag',
    severity: 'ticket',
    journey: 'erp',
    dashboard: 'erp',
    summary: 'An ERP connection has been due for a run for more than three hours.',
    expr: `max by (provider) (${lag}) > 10800`,
    for: '10m',
    fires: { [`${lag}{provider="odoo"}`]: still(12_000) },
    labels: { provider: 'odoo' },
    silent: { [`${lag}{provider="odoo"}`]: still(600) },
  },
  {
    name: 'SyncRunsFail',
    severity: 'ticket',
    journey: 'erp',
    dashboard: 'erp',
    summary: 'More than a fifth of the runs of an ERP fail.',
    expr: `sum by (provider) (rate(${runs}{outcome="failed"}[1h])) / sum by (provider) (rate(${runs}[1h])) > 0.2`,
    for: '10m',
    fires: {
      [`${runs}{provider="odoo",outcome="failed"}`]: rising(1),
      [`${runs}{provider="odoo",outcome="complete"}`]: rising(1),
    },
    labels: { provider: 'odoo' },
    silent: {
      [`${runs}{provider="odoo",outcome="failed"}`]: flat,
      [`${runs}{provider="odoo",outcome="complete"}`]: rising(1),
    },
  },
  {
    name: 'SubmissionUnknown',
    severity: 'ticket',
    journey: 'ksef',
    dashboard: 'ksef',
    summary: 'A submission was sent to KSeF half an hour ago, and it is not known whether KSeF has it.',
    expr: `max(${unknownAge}) > 1800`,
    for: '5m',
    fires: { [`${unknownAge}{service_instance_id="a"}`]: still(3_600) },
    silent: { [`${unknownAge}{service_instance_id="a"}`]: still(120) },
  },
  stuckAlert('SubmissionsStuck', 'ksef_submission', {
    journey: 'ksef',
    dashboard: 'ksef',
    summary: 'Submissions to KSeF have made no progress for ten minutes.',
  }),
  {
    name: 'SecretsUnopenable',
    severity: 'page',
    journey: 'webhook',
    dashboard: 'service',
    summary: 'Stored secrets are sealed with a key that a process lacks.',
    expr: `max by (service_name) (${unopenable}) > 0`,
    for: '2m',
    fires: { [`${unopenable}{service_name="webhooks",records="endpoints"}`]: still(3) },
    labels: { service_name: 'webhooks' },
    silent: { [`${unopenable}{service_name="webhooks",records="endpoints"}`]: still(0) },
  },
  {
    name: 'PaddleNotificationsFailing',
    severity: 'ticket',
    journey: 'billing',
    dashboard: 'long-work',
    summary: 'Notifications of the payment provider are refused for their signature.',
    expr: `sum(increase(${notifications}{outcome="refused"}[1h])) > 5`,
    for: '0m',
    fires: { [`${notifications}{outcome="refused"}`]: rising(1) },
    silent: { [`${notifications}{outcome="refused"}`]: flat, [`${notifications}{outcome="stored"}`]: rising(1) },
  },
  {
    name: 'EntitlementLag',
    severity: 'ticket',
    journey: 'billing',
    dashboard: 'long-work',
    summary: 'A payment takes more than ten minutes to change a subscription.',
    expr: `histogram_quantile(0.9, sum by (le) (rate(${entitlement}[1h]))) > 600`,
    for: '5m',
    fires: {
      [`${entitlement}{le="300"}`]: rising(1),
      [`${entitlement}{le="3600"}`]: rising(6),
      [`${entitlement}{le="+Inf"}`]: rising(6),
    },
    silent: { [`${entitlement}{le="5"}`]: rising(6), [`${entitlement}{le="+Inf"}`]: rising(6) },
  },
  {
    name: 'ChildrenKilled',
    severity: 'ticket',
    journey: 'document',
    dashboard: 'documents',
    summary: 'More than ten processes that read documents ended early within ten minutes.',
    expr: `sum(increase(${killed}[10m])) > 10`,
    for: '0m',
    fires: { [`${killed}{reason="memory"}`]: rising(2) },
    silent: { [`${killed}{reason="memory"}`]: flat },
  },
  {
    name: 'BackupOld',
    severity: 'page',
    journey: 'data',
    dashboard: 'stores',
    summary: 'The last backup is older than 26 hours, or there has been none.',
    expr: `time() - max(${cronJob}{${NAMESPACE},cronjob="backup"}) > 93600`,
    for: '5m',
    // The clock of the alert tests begins at 0, so a negative time of the last backup is before the test.
    fires: { [`${cronJob}{${NAMESPACE},cronjob="backup"}`]: still(-100_000) },
    silent: { [`${cronJob}{${NAMESPACE},cronjob="backup"}`]: still(0) },
  },
  {
    name: 'ProbeFailing',
    severity: 'page',
    journey: 'decide',
    dashboard: 'journeys',
    summary: 'The synthetic invoice has not been decided as expected for half an hour.',
    // The job of the probe succeeds only if its check succeeds. The alert therefore also fires if no probe could start
    // or export metrics.
    expr: `time() - max(${cronJob}{${NAMESPACE},cronjob="probe"}) > 1800`,
    for: '5m',
    // The clock of the alert tests begins at 0, so a negative time of the last successful probe is before the test.
    fires: { [`${cronJob}{${NAMESPACE},cronjob="probe"}`]: still(-3_600) },
    silent: {
      [`${cronJob}{${NAMESPACE},cronjob="probe"}`]: rising(60),
      [`${cronJob}{${NAMESPACE},cronjob="backup"}`]: still(-3_600),
    },
  },
  {
    name: 'CertificateExpires',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'edge',
    summary: 'A certificate expires within seven days and was not renewed.',
    // Certificates of services are left out, because they are valid for only one day. The alert IdentityExpires is
    // about them.
    expr: `min by (name) (${certificate}{${NAMESPACE},issuer_name!="identities"}) - time() < ${7 * DAY}`,
    for: '10m',
    fires: { [`${certificate}{${NAMESPACE},name="invoice-control-tls"}`]: still(DAY) },
    labels: { name: 'invoice-control-tls' },
    silent: {
      [`${certificate}{${NAMESPACE},name="invoice-control-tls"}`]: still(30 * DAY),
      [`${certificate}{${NAMESPACE},name="scan",issuer_name="identities"}`]: still(DAY),
    },
  },
  {
    name: 'IdentityExpires',
    severity: 'page',
    journey: 'decide',
    dashboard: 'service',
    summary: 'The certificate by which a service proves who it is expires within six hours and was not renewed.',
    expr: `min by (service_name) (${identityExpires}) < ${DAY / 4}`,
    for: '10m',
    fires: { [`${identityExpires}{service_name="scan"}`]: still(DAY / 5) },
    labels: { service_name: 'scan' },
    silent: { [`${identityExpires}{service_name="scan"}`]: still(DAY / 2) },
  },
  {
    name: 'CallerRefused',
    severity: 'ticket',
    journey: 'decide',
    dashboard: 'service',
    summary: 'A service calls what it may not call.',
    // A counter of refusals begins with its first refusal, which Prometheus does not see as an increase. The second
    // part of the expression therefore matches counters that did not exist ten minutes ago.
    expr: `sum by (service_name, caller, rpc) (increase(${rpcRefused}[10m]) > 0 or ${rpcRefused} unless ${rpcRefused} offset 10m) > 0`,
    for: '0m',
    fires: { [`${rpcRefused}{service_name="organization",caller="webhooks",rpc="x"}`]: '_x75 1x15' },
    labels: { service_name: 'organization', caller: 'webhooks', rpc: 'x' },
    silent: { [`${rpcRefused}{service_name="organization",caller="webhooks",rpc="x"}`]: flat },
  },
  {
    name: 'NatsReplicaMissing',
    severity: 'ticket',
    journey: 'events',
    dashboard: 'stores',
    summary: 'A server of the broker is not ready, so the loss of another one would stop events.',
    expr: `max(${natsReady}{${NAMESPACE},statefulset="nats"}) < max(${natsReplicas}{${NAMESPACE},statefulset="nats"})`,
    for: '10m',
    fires: {
      [`${natsReady}{${NAMESPACE},statefulset="nats"}`]: still(2),
      [`${natsReplicas}{${NAMESPACE},statefulset="nats"}`]: still(3),
    },
    silent: {
      [`${natsReady}{${NAMESPACE},statefulset="nats"}`]: still(3),
      [`${natsReplicas}{${NAMESPACE},statefulset="nats"}`]: still(3),
    },
  },
  {
    name: 'VolumeFull',
    severity: 'ticket',
    journey: 'data',
    dashboard: 'stores',
    summary: 'A volume will be full within four days.',
    expr: `predict_linear(${volume}{${NAMESPACE}}[1h], ${4 * DAY}) < 0`,
    for: '10m',
    fires: { [`${volume}{${NAMESPACE},persistentvolumeclaim="data-nats-0"}`]: '1000-1x90' },
    labels: { namespace: 'invoice-control', persistentvolumeclaim: 'data-nats-0' },
    silent: { [`${volume}{${NAMESPACE},persistentvolumeclaim="data-nats-0"}`]: still(1_000) },
  },
  {
    name: 'TelemetryAbsent',
    severity: 'ticket',
    journey: 'telemetry',
    dashboard: 'service',
    summary: 'A service has ready pods and exports no metric.',
    // Kubernetes deployments and services have the same names, so an alert joins their metrics by name.
    expr: `label_replace(sum by (deployment) (${ready}{${NAMESPACE},deployment!~"operator|mongodb-exporter"}) > 0, "service_name", "$1", "deployment", "(.*)") unless on (service_name) sum by (service_name) (${broker} >= 0)`,
    for: '10m',
    fires: { [`${ready}{${NAMESPACE},deployment="scan"}`]: still(2), [`${broker}{service_name="webhooks"}`]: still(1) },
    labels: { deployment: 'scan', service_name: 'scan' },
    silent: { [`${ready}{${NAMESPACE},deployment="scan"}`]: still(2), [`${broker}{service_name="scan"}`]: still(0) },
  },
];
