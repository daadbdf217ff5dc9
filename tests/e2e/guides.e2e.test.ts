// The commands of the README and the guides, run as a reader pastes them, with the answers that the pages show.
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_MS_MAX, npmStart, untilReady } from './npm-start.js';
import type { Demo, Started } from './npm-start.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE_MS_MAX = 300_000;
const DAY_MS = 86_400_000;

let clone: string;
let started: Started;
let demo: Demo;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'invoice-control-guides-'));
  git('init', '--quiet');
  await cp(join(root, '.gitignore'), join(clone, '.gitignore'));
  // Everything else is that of this directory; what npm needs is named, so that what the guides add is seen.
  for (const name of ['package.json', 'package-lock.json', 'tools', 'node_modules', '.npmrc']) {
    await symlink(join(root, name), join(clone, name));
  }
  git('add', '--all', '--force');
  started = npmStart(join(clone, '.data'));
  demo = await untilReady(started, join(clone, '.data'));
}, START_MS_MAX);
afterAll(async () => {
  started.signal('SIGTERM');
  await started.ended;
  await rm(clone, { recursive: true, force: true });
});

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
}

/** A block of commands, and what the page shows as their answer. */
interface Step {
  readonly commands: string;
  readonly answer: string | undefined;
}

// Pages run in the order of the README, on one system for all: the commands of a page must not find what the page before sent.
test.each([
  'README.md',
  'docs/guides/first-integration.md',
  'docs/guides/scanning-history.md',
  'docs/guides/reviewing-findings.md',
  'docs/guides/uploading-documents.md',
  'docs/guides/connecting-an-erp.md',
  'docs/guides/submitting-to-ksef.md',
])(
  'the commands of %s do what the page shows, and leave the working tree clean',
  async (page) => {
    const before = git('status', '--short');
    const steps = stepsOf(ofToday(await readFile(join(root, page), 'utf8')));
    const answers = run(steps.map(({ commands }) => commands));
    expect(steps.length).toBeGreaterThan(0);
    for (const [index, { commands, answer }] of steps.entries()) {
      if (answer === undefined) continue;
      const shown = answers[index] ?? '';
      expect({ commands, shown, missing: missingOf(answer, shown) }).toEqual({ commands, shown, missing: undefined });
    }
    expect(git('status', '--short')).toBe(before);
  },
  GUIDE_MS_MAX,
);

/** Returns the output of each block. All run in one shell, because later blocks use variables and functions of earlier ones. */
function run(blocks: readonly string[]): string[] {
  const mark = (index: number) => `printf '\\n=== block ${index} ===\\n'`;
  const script = blocks.flatMap((block, index) => [mark(index), block]).join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-u', '-o', 'pipefail', '-c', script], {
    cwd: clone,
    encoding: 'utf8',
    timeout: GUIDE_MS_MAX,
    // The address of a reader's own start; npm must not take the directory of the test run for the reader's.
    env: { ...process.env, INIT_CWD: clone, NODE_OPTIONS: '' },
  });
  expect({
    status,
    stderr: stderr.match(/.*(?:not found|No such file|unbound variable|SyntaxError|TypeError).*/g),
  }).toEqual({
    status: 0,
    stderr: null,
  });
  return stdout.split(/^=== block \d+ ===\n/m).slice(1);
}

function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].map(([, language = '', body = '']) => ({
    language,
    body,
  }));
  return blocks.flatMap(({ language, body }, index) => {
    // The system is running already.
    if (language !== 'sh' || /^npm (?:start|test)/m.test(body)) return [];
    const next = blocks[index + 1];
    const answer = next !== undefined && ['', 'json'].includes(next.language) ? next.body : undefined;
    return [{ commands: body.replaceAll('http://127.0.0.1:8080/v1', demo.baseUrl), answer }];
  });
}

/** The pages name days of November 2026, which would be long ago one day: moved by whole weeks to the weeks before today. */
function ofToday(text: string): string {
  const shownAt = Date.UTC(2026, 10, 9);
  const weeksMs = Math.floor((Date.now() - shownAt) / (7 * DAY_MS)) * 7 * DAY_MS;
  return text.replaceAll(/\b2026-1[0-2]-[0-3]\d\b/g, (day) =>
    new Date(Date.parse(day) + weeksMs).toISOString().slice(0, 10),
  );
}

/**
 * Finds the first line of a page's response that was not printed, in order. `...` matches anything, lines may be left out between two of
 * the page, and layout does not count.
 */
function missingOf(answer: string, printed: string): string | undefined {
  const squeeze = (text: string) => text.replaceAll(/\s+/g, '');
  const parts = answer
    .replaceAll(/[0-9a-f-]*\.{3}/g, '\n')
    .split('\n')
    .map(squeeze);
  const rest = squeeze(printed);
  let from = 0;
  for (const part of parts) {
    const wanted = part.replace(/,$/, '');
    const found = rest.indexOf(wanted, from);
    if (found < 0) return wanted;
    from = found + wanted.length;
  }
  return undefined;
}
