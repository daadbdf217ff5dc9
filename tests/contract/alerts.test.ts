import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findPromtool } from '@invoicecontrol/dev/promtool';
import { alerts } from '@invoicecontrol/observability/alerts';
import { dashboards } from '@invoicecontrol/observability/dashboards';
import { bucket, count, knownSeries, series, seriesIn } from '@invoicecontrol/observability/names';
import { objectives } from '@invoicecontrol/observability/objectives';
import { alertNames, ruleGroups, ruleTests } from '@invoicecontrol/observability/rules';
import { prometheusLabel } from '@invoicecontrol/runtime/telemetry/prometheus-names';
import { declarationOf, metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { MetricName } from '@invoicecontrol/runtime/telemetry/schema';
import { stringify } from 'yaml';
import { root } from './kubernetes-objects.js';
import { skipWithout } from './skip-without.js';

const TEST_MS_MAX = 300_000;

const promtool = await findPromtool(() => {}).catch((error: Error) => skipWithout('promtool', error.message));
const directory = mkdtempSync(join(tmpdir(), 'rules-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(promtool?.binary ?? '', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function write(name: string, content: unknown): string {
  const file = join(directory, name);
  writeFileSync(file, stringify(content, { aliasDuplicateObjects: false }));
  return file;
}

describe.skipIf(promtool === undefined)('promtool', () => {
  test('accepts every rule', () => {
    const checked = run('check', 'rules', write('all.yml', { groups: ruleGroups }));
    expect(checked).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') });
  });

  test(
    'sees each alert fire with the samples that it names, and stay silent with the others',
    () => {
      const files = ruleTests().map(({ groups, tests }, at) => {
        write(`rules-${at}.yml`, { groups });
        // Every five minutes is often enough for all alerts, and takes a fifth of the time.
        return write(`tests-${at}.yml`, { rule_files: [`rules-${at}.yml`], evaluation_interval: '5m', tests });
      });
      expect(run('test', 'rules', ...files)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') });
    },
    TEST_MS_MAX,
  );

  test('accepts every expression of a dashboard', () => {
    const rules = dashboards.flatMap(({ uid, panels }) =>
      panels.flatMap(({ title, targets }) =>
        targets.map(({ expr }, at) => ({
          record: `dashboard:panel:${at}`,
          // Grafana replaces its variables before Prometheus reads the expression.
          expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'any'),
          labels: { uid, title },
        })),
      ),
    );
    expect(rules.length).toBeGreaterThan(40);
    const checked = run('check', 'rules', write('dashboards.yml', { groups: [{ name: 'dashboards', rules }] }));
    expect(checked).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') });
  });
});

describe('rules', () => {
  const rules = ruleGroups.flatMap((group) => group.rules);

  test('use only metrics of the schema and named ones of others', () => {
    const known = knownSeries();
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
    ];
    const unknown = expressions.flatMap(seriesIn).filter((name) => !known.has(name));
    expect([...new Set(unknown)]).toEqual([]);
    expect(seriesIn('sum by (le) (rate(invented_total{le="5"}[5m])) > 3')).toEqual(['invented_total']);
  });

  test('select only values that the schema declares, in rules, dashboards and samples', () => {
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
      ...alerts.flatMap(({ fires, silent }) => [...Object.keys(fires), ...Object.keys(silent)]),
    ];
    expect([...new Set(expressions.flatMap(undeclaredSelections))]).toEqual([]);
    expect(undeclaredSelections('max(invoicecontrol_jobs_stuck{kind=~"usage|invented"}) > 0')).toEqual([
      'invoicecontrol_jobs_stuck has no kind="invented"',
    ]);
  });

  test('compare durations with limits of buckets', () => {
    const limits = new Set(
      Object.values(metrics).flatMap((metric) => ('buckets' in metric ? metric.buckets.map(String) : [])),
    );
    const compared = objectives.flatMap(({ bad }) => /le=~"([\d.]+)\(/.exec(bad('5m'))?.[1] ?? []);
    expect(compared.length).toBeGreaterThan(3);
    expect(compared.filter((limit) => !limits.has(limit))).toEqual([]);
  });

  test('lead to a dashboard, and to a section of the runbooks with what to do', () => {
    const page = readFileSync(join(root, 'docs/runbooks/alerts.md'), 'utf8');
    const sections = new Map(
      page
        .split(/^### /m)
        .slice(1)
        .map((text) => [text.split('\n')[0], text]),
    );
    expect(new Set(sections.keys())).toEqual(new Set(alertNames));
    for (const [name, text] of sections) {
      const parts = [...text.matchAll(/^- \*\*(Meaning|Impact|Look|Do|Do not):\*\* \S/gm)].map(([, part]) => part);
      expect({ name, parts }).toEqual({ name, parts: ['Meaning', 'Impact', 'Look', 'Do', 'Do not'] });
    }
    const uids = dashboards.map(({ uid }) => `/d/${uid}`);
    for (const { alert, labels, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
      expect(uids).toContain(annotations?.['dashboard']);
      expect(annotations?.['runbook_url']).toBe(`docs/runbooks/alerts.md#${alert?.toLowerCase()}`);
      expect(labels?.['severity']).toMatch(/^(?:page|ticket)$/);
      expect(labels?.['journey']).toMatch(/^\w+$/);
    }
  });
});

/** Returns the labels and values that an expression selects although the schema does not declare them. */
function undeclaredSelections(expression: string): string[] {
  return [...expression.matchAll(/([a-z_]+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) => {
    const declared = attributesOfSeries.get(name);
    if (declared === undefined) return [];
    return [...selector.matchAll(/(\w+)(=~?)"([^"]*)"/g)].flatMap(([, label = '', operator, text = '']) => {
      const values = declared.get(label);
      if (values === undefined) return [];
      const selected = operator === '=' ? [text] : text.split('|');
      return selected.filter((value) => !values.includes(value)).map((value) => `${name} has no ${label}="${value}"`);
    });
  });
}

/** The closed sets of values of each series, by the names that Prometheus gives to series and attributes. */
const attributesOfSeries = new Map(
  (Object.keys(metrics) as MetricName[]).flatMap((name) => {
    const labels = new Map(
      Object.entries(declarationOf(name).attributes).flatMap(([attribute, declared]) =>
        'values' in declared ? [[prometheusLabel(attribute), declared.values] as const] : [],
      ),
    );
    return [series(name), count(name), bucket(name)].map((one) => [one, labels] as const);
  }),
);

describe('dashboards', () => {
  test('have ids of their own, a description, and a unit for each panel', () => {
    const uids = dashboards.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(13);
    for (const { description, panels, templating } of dashboards) {
      expect(description).toMatch(/\.$/);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'environment', 'service']);
      for (const { title, datasource, fieldConfig, targets } of panels) {
        expect({ title, unit: fieldConfig.defaults.unit }).toEqual({ title, unit: expect.stringMatching(/\w/) });
        expect(datasource.uid).toBe('$datasource');
        expect(targets.length).toBeGreaterThan(0);
      }
    }
  });
});
