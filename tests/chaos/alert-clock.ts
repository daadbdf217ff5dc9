// Computes when the alert rules of production would fire for the metrics that a running product exports.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ruleGroups } from '@invoicecontrol/observability/rules';
import { seriesIn } from '@invoicecontrol/observability/names';
import { prometheusLabel, prometheusName } from '@invoicecontrol/runtime/telemetry/prometheus-names';
import { declarationOf, metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { MetricName } from '@invoicecontrol/runtime/telemetry/schema';
import { stringify } from 'yaml';
import type { ReceivedPoint } from '../e2e/otlp-receiver.js';

/** An alert with the labels that distinguish it from alerts of the same name. */
export interface WatchedAlert {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AlertClock {
  /** Records the current values of all metrics. Must be called once in each interval. */
  take(points: readonly ReceivedPoint[]): void;
  /**
   * Evaluates the alert rules with all recorded values.
   * @returns number of seconds from the first values until the alert fires, or undefined if it does not fire
   */
  firedAfter(alert: WatchedAlert): Promise<number | undefined>;
}

/** Interval in seconds at which Prometheus reads the metrics. */
export const TAKE_EACH_SECONDS = 15;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Runs the rules of `k8s/components/telemetry-rules` with promtool, which evaluates them as Prometheus does.
 * @param promtool path of the program
 * @param directory directory into which the rules and the values are written
 */
export function startAlertClock(promtool: string, directory: string): AlertClock {
  const values = new Map<string, (number | undefined)[]>();
  let taken = 0;
  return {
    take(points) {
      for (const [series, value] of points.flatMap(seriesOf)) {
        const own = values.get(series) ?? [];
        own[taken] = value;
        values.set(series, own);
      }
      taken += 1;
    },
    async firedAfter({ name, labels = {} }) {
      const groups = groupsOf(name, labels);
      const wanted = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => seriesIn(expr))));
      const input = [...values].filter(([series]) => wanted.has(series.slice(0, series.indexOf('{'))));
      const times = Array.from({ length: taken }, (_, index) => `${index * TAKE_EACH_SECONDS}s`);
      const test = {
        interval: `${TAKE_EACH_SECONDS}s`,
        input_series: input.map(([series, own]) => ({
          series,
          values: Array.from({ length: taken }, (_, index) => own[index] ?? '_').join(' '),
        })),
        alert_rule_test: times.map((time) => ({ eval_time: time, alertname: name, exp_alerts: [] })),
      };
      const rulesFile = join(directory, 'drill-rules.yml');
      const testFile = join(directory, 'drill-test.yml');
      await writeFile(rulesFile, stringify({ groups }, { aliasDuplicateObjects: false }));
      await writeFile(
        testFile,
        stringify({ rule_files: [rulesFile], evaluation_interval: `${TAKE_EACH_SECONDS}s`, tests: [test] }),
      );
      return firstFailure(await outputOf(promtool, testFile), name);
    },
  };
}

/**
 * Returns the rule groups that contain this alert, without the other alerts. The recording rules of these groups are
 * kept.
 */
function groupsOf(name: string, labels: Readonly<Record<string, string>>) {
  const groups = ruleGroups
    .map((group) => ({
      ...group,
      rules: group.rules.filter(
        (rule) =>
          rule.alert === undefined ||
          (rule.alert === name && Object.entries(labels).every(([label, value]) => rule.labels?.[label] === value)),
      ),
    }))
    .filter(({ rules }) => rules.some(({ alert }) => alert !== undefined));
  if (groups.length === 0) throw new Error(`There is no alert ${name} with the labels ${JSON.stringify(labels)}.`);
  return groups;
}

/**
 * The promtool test expects that the alert never fires. The first failure that it reports is therefore the time at
 * which the alert fires.
 */
async function outputOf(promtool: string, testFile: string): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(promtool, ['test', 'rules', testFile], {
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return stdout + stderr;
  }
}

function firstFailure(output: string, name: string): number | undefined {
  const times = [...output.matchAll(/alertname: (\w+), time: (\S+?),/g)].map(([, , time = '']) => secondsOf(time));
  if (times.length === 0 && !output.includes('SUCCESS')) throw new Error(`promtool cannot test ${name}: ${output}`);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Reads a duration of Prometheus, such as `2m15s`. */
function secondsOf(duration: string): number {
  const [, hours = '0', minutes = '0', seconds = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** Returns the Prometheus series for a received metric data point. A histogram has several series. */
function seriesOf(point: ReceivedPoint): (readonly [series: string, value: number])[] {
  if (!(point.name in metrics)) return [];
  const { instrument, unit } = declarationOf(point.name as MetricName);
  const name = prometheusName(point.name, { instrument, unit });
  const labels = {
    service_name: point.service,
    service_instance_id: point.instance,
    ...Object.fromEntries(
      Object.entries(point.attributes).map(([attribute, value]) => [prometheusLabel(attribute), String(value)]),
    ),
  };
  const series = (suffix: string, more: Readonly<Record<string, string>> = {}): string =>
    `${name}${suffix}{${Object.entries({ ...labels, ...more })
      .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
      .join(',')}}`;
  if (instrument !== 'histogram') return [[series(''), point.value]];
  let below = 0;
  return [
    ...point.counts.map((count, index): readonly [string, number] => {
      below += count;
      return [series('_bucket', { le: String(point.boundaries[index] ?? '+Inf') }), below];
    }),
    [series('_count'), below],
    [series('_sum'), point.sum],
  ];
}
