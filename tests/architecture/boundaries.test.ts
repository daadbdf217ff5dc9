import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixtures = join(root, 'tests/architecture/fixtures');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** The part of the JSON report of dependency-cruiser that this test reads. */
interface Report {
  modules: { source: string }[];
  summary: { violations: { from: string; rule: { name: string } }[]; ruleSetUsed: { forbidden: { name: string }[] } };
}

describe('the rules of .dependency-cruiser.mjs', () => {
  let report: Report;

  beforeAll(async () => {
    report = await cruise(fixtures, ['packages', 'services']);
  });

  test('report each fixture by the rule it is named after, and nothing else', () => {
    const reported = report.summary.violations.map(({ from, rule }) => ({
      file: basename(from).split('.')[0],
      rule: rule.name,
    }));
    expect(reported.filter(({ file, rule }) => file !== rule)).toEqual([]);
  });

  test('all have a fixture that they report', () => {
    const rules = new Set(report.summary.ruleSetUsed.forbidden.map(({ name }) => name));
    const reporting = new Set(report.summary.violations.map(({ rule }) => rule.name));
    expect(reporting).toEqual(rules);
  });

  test('report every fixture that is named after a rule', () => {
    const rules = report.summary.ruleSetUsed.forbidden.map(({ name }) => name);
    const named = report.modules
      .map(({ source }) => source)
      .filter((source) => rules.includes(basename(source).split('.')[0] ?? ''));
    const reported = new Set(report.summary.violations.map(({ from }) => from));
    // An import cycle is reported once, at the file where it was entered.
    expect(named.filter((source) => !reported.has(source) && !source.includes('no-cycles'))).toEqual([]);
  });
});

describe('the rules of .oxlintrc.json', () => {
  test.each(['no-process-env', 'no-console', 'no-default-export', 'no-restricted-imports', 'no-warning-comments'])(
    '%s reports its fixture',
    async (rule) => {
      expect(await lint(`lint/${rule}.ts`)).toEqual([expect.stringContaining(`(${rule})`)]);
    },
  );

  test.each(['no-restricted-imports', 'no-restricted-globals', 'no-danger'])(
    'of the web application: %s reports its fixture',
    async (rule) => {
      expect(await lint(`lint/console/${rule}.tsx`)).toEqual([expect.stringContaining(`(${rule})`)]);
    },
  );

  test('a default that hides values of a union is reported', async () => {
    const rule = 'switch-exhaustiveness-check';
    expect(await lint(`lint/${rule}.ts`, '--type-aware')).toEqual([expect.stringContaining(`(${rule})`)]);
  });

  test('let config.ts read the environment', async () => {
    expect(await lint('lint/config.ts')).toEqual([]);
  });
});

async function cruise(directory: string, trees: string[]): Promise<Report> {
  const args = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...trees];
  return JSON.parse(await outputOf('depcruise', args, directory)) as Report;
}

/** @returns the names of the rules that report the fixture, as oxlint writes them: "eslint(no-console)" */
async function lint(fixture: string, ...options: string[]): Promise<string[]> {
  // The configuration passes over the fixtures, which are wrong on purpose: here it is used without that line.
  const settings = (await readFile(join(root, '.oxlintrc.json'), 'utf8')).replace(/^ *"ignorePatterns".*\n/m, '');
  const directory = await mkdtemp(join(tmpdir(), 'lint-rules-'));
  try {
    await writeFile(join(directory, '.oxlintrc.json'), settings);
    const output = await outputOf(
      'oxlint',
      ['--config', join(directory, '.oxlintrc.json'), '--format', 'json', ...options, fixture],
      fixtures,
    );
    return (JSON.parse(output) as { diagnostics: { code: string }[] }).diagnostics.map(({ code }) => code);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Returns the output of a tool. The exit code of the tool is ignored, because the caller reads its findings in the
 * output.
 */
async function outputOf(tool: string, args: string[], cwd: string): Promise<string> {
  const options = { cwd, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    return (await promisify(execFile)(join(root, 'node_modules/.bin', tool), args, options)).stdout;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout;
  }
}
