import { prometheusName } from '@invoicecontrol/runtime/telemetry/prometheus-names';
import { metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { MetricName } from '@invoicecontrol/runtime/telemetry/schema';

/**
 * Names of metrics of other exporters: kube-state-metrics, cAdvisor, the kubelet, cert-manager and database exporters.
 */
export const foreignMetrics = [
  'certmanager_certificate_expiration_timestamp_seconds',
  'container_memory_working_set_bytes',
  'gnatsd_varz_connections',
  'gnatsd_varz_mem',
  'jetstream_server_total_message_bytes',
  'kube_cronjob_status_last_successful_time',
  'kube_deployment_spec_replicas',
  'kube_deployment_status_replicas_ready',
  'kube_horizontalpodautoscaler_spec_max_replicas',
  'kube_horizontalpodautoscaler_status_current_replicas',
  'kube_pod_container_resource_limits',
  'kube_pod_container_status_restarts_total',
  'kube_statefulset_replicas',
  'kube_statefulset_status_replicas_ready',
  'kubelet_volume_stats_available_bytes',
  'mongodb_rs_members_state',
  'mongodb_ss_connections',
] as const;

/** Returns the Prometheus name of a metric of the schema. A name that is not in the schema does not compile. */
export function series(name: MetricName): string {
  return prometheusName(name, metrics[name]);
}

export const bucket = (name: MetricName): string => `${series(name)}_bucket`;
export const count = (name: MetricName): string => `${series(name)}_count`;
/**
 * Prometheus 3 writes the upper limit of a histogram bucket with a decimal point, and earlier versions write it without
 * one.
 */
export const below = (limit: number): string => `le=~"${limit}(\\\\.0)?"`;

/** Returns every metric name that an expression may use, including the series of histograms. */
export function knownSeries(): ReadonlySet<string> {
  const names = (Object.keys(metrics) as MetricName[]).flatMap((name) =>
    metrics[name].instrument === 'histogram'
      ? ['_bucket', '_count', '_sum'].map((suffix) => `${series(name)}${suffix}`)
      : [series(name)],
  );
  return new Set([...names, ...foreignMetrics]);
}

/**
 * Returns the names of metrics in a Prometheus expression: all names except functions, labels, keywords and recorded
 * series.
 */
export function seriesIn(expression: string): string[] {
  const withoutLabels = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const words = withoutLabels.match(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g) ?? [];
  const isKeyword = (word: string): boolean => /^(?:and|or|unless|bool|offset|by|on|group_left|inf)$/i.test(word);
  return words.filter((word) => !isKeyword(word) && !word.includes(':') && word.includes('_'));
}
