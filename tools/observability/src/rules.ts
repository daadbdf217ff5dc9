import { alerts } from './alerts.js';
import type { Given } from './given.js';
import { objectives } from './objectives.js';
import type { Objective } from './objectives.js';

/** A recording or alerting rule in the form of Prometheus. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

/** Time ranges for which the share of bad events of an objective is recorded. */
const RANGES = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Range = (typeof RANGES)[number];

/**
 * Speeds at which the error budget of an objective over 30 days is used up. Each speed is measured over a long time
 * range and confirmed over a short one (SRE workbook, chapter 5).
 */
const BURN_RATES: readonly {
  long: Range;
  short: Range;
  factor: number;
  severity: 'page' | 'ticket';
  seconds: number;
}[] = [
  { long: '1h', short: '5m', factor: 14.4, severity: 'page', seconds: 3_600 },
  { long: '6h', short: '30m', factor: 6, severity: 'page', seconds: 21_600 },
  { long: '1d', short: '2h', factor: 3, severity: 'ticket', seconds: 86_400 },
  { long: '3d', short: '6h', factor: 1, severity: 'ticket', seconds: 259_200 },
];
/** Number of bad events of an objective below which no alert fires, whatever their share. */
const BAD_EVENTS_MIN = 10;

const ratioName = (range: Range): string => `slo:errors:ratio_rate${range}`;

/**
 * Returns an expression for the share of bad events of an objective. Without the added zero, the share would have no
 * value until the first bad event.
 */
function ratioOf({ ratio, bad, all }: Objective, range: Range): string {
  if (ratio !== undefined) return ratio(range);
  return `(${bad(range)} or vector(0)) / (${all(range)} > 0)`;
}

function annotations(name: string, summary: string, dashboard: string): Record<string, string> {
  return {
    summary,
    runbook_url: `docs/runbooks/alerts.md#${name.toLowerCase()}`,
    dashboard: `/d/invoice-control-${dashboard}`,
  };
}

function burnAlerts(objective: Objective): Rule[] {
  const { name, journey, promise, budget, bad, ratio } = objective;
  return BURN_RATES.map(({ long, short, factor, severity, seconds }) => {
    const over = (range: Range): string => `${ratioName(range)}{slo="${name}"} > ${factor} * ${budget}`;
    const enough = `(${bad(long)}) * ${seconds} >= ${BAD_EVENTS_MIN}`;
    return {
      alert: 'ErrorBudgetBurn',
      expr: `${over(long)} and ${over(short)}${ratio === undefined && severity === 'page' ? ` and on () ${enough}` : ''}`,
      for: '2m',
      labels: { severity, journey, slo: name, window: long },
      annotations: annotations('ErrorBudgetBurn', `The promise is broken too often: ${promise}`, 'journeys'),
    };
  });
}

export const ruleGroups: readonly RuleGroup[] = [
  ...objectives.map((objective) => ({
    name: `slo-${objective.name}`,
    interval: '1m',
    rules: [
      ...RANGES.map((range) => ({
        record: ratioName(range),
        expr: ratioOf(objective, range),
        labels: { slo: objective.name },
      })),
      ...burnAlerts(objective),
    ],
  })),
  {
    name: 'alerts',
    interval: '1m',
    rules: alerts.map(({ name, severity, journey, dashboard, summary, expr, for: pending }) => ({
      alert: name,
      expr,
      for: pending,
      labels: { severity, journey },
      annotations: annotations(name, summary, dashboard),
    })),
  },
];

/** Returns the names of all alerts, each of which is a heading in the runbook of alerts. */
export const alertNames: readonly string[] = ['ErrorBudgetBurn', ...alerts.map(({ name }) => name)];

const EVALUATED_AT = '80m';

/** A file of rules and the tests of promtool for it. */
export interface RuleTest {
  readonly groups: readonly RuleGroup[];
  readonly tests: readonly object[];
}

/**
 * Builds the tests of promtool: each alert fires with the samples that it names, and does not fire with the other
 * samples.
 */
export function ruleTests(): RuleTest[] {
  const groups = { objectives: ruleGroups.slice(0, -1), alerts: ruleGroups.slice(-1) };
  const named = new Map(groups.alerts.flatMap(({ rules }) => rules).map((rule) => [rule.alert, rule]));
  const ofObjectives = objectives.flatMap((objective) => {
    // The longest time range of the alert is longer than the test, so every time range contains the outage and all four
    // burn rates are exceeded.
    const burning = burnAlerts(objective).map((rule) => expected(rule));
    return [
      test(`${objective.name} burns`, objective.outage, 'ErrorBudgetBurn', burning),
      test(`${objective.name} is healthy`, objective.healthy, 'ErrorBudgetBurn', []),
    ];
  });
  const ofAlerts = alerts.flatMap(({ name, fires, labels, silent }) => {
    const rule = named.get(name);
    if (rule === undefined) throw new Error(`There is no rule ${name}.`);
    return [test(`${name} fires`, fires, name, [expected(rule, labels)]), test(`${name} is silent`, silent, name, [])];
  });
  return [
    {
      groups: groups.objectives,
      tests: [...ofObjectives, test('nothing is known', {}, 'ErrorBudgetBurn', [])],
    },
    { groups: groups.alerts, tests: ofAlerts },
  ];
}

function expected(rule: Rule, labels: object = {}): object {
  return { exp_labels: { ...labels, ...rule.labels }, exp_annotations: rule.annotations };
}

function test(name: string, given: Given, alert: string, fired: readonly object[]): object {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(given).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: EVALUATED_AT, alertname: alert, exp_alerts: fired }],
  };
}
