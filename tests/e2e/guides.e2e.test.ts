// Runs the commands of the README and the guides as a reader would paste them, and compares their output with the
// pages.
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '@invoicecontrol/dev/free-port';
import { START_MS_MAX, npmStart, untilReady } from './npm-start.js';
import type { Demo, Started } from './npm-start.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE_MS_MAX = 300_000;
const DAY_MS = 86_400_000;

let clone: string;
let started: Started;
let demo: Demo;
/** Port of the receiver in the guide of webhooks, which is 4100 in the page. */
let webhookPort: number;
async function startForReaders(settings: Readonly<Record<string, string>>): Promise<void> {
  clone = await mkdtemp(join(tmpdir(), 'invoice-control-guides-'));
  git('init', '--quiet');
  await cp(join(root, '.gitignore'), join(clone, '.gitignore'));
  // The clone contains only the files that npm needs, so that files created by the guides can be recognised.
  for (const name of ['package.json', 'package-lock.json', 'tools', 'docs', 'node_modules', '.npmrc']) {
    await symlink(join(root, name), join(clone, name));
  }
  git('add', '--all', '--force');
  webhookPort = await freePort();
  started = npmStart(join(clone, '.data'), [], settings);
  demo = await untilReady(started, join(clone, '.data'));
}

async function stop(): Promise<void> {
  started.signal('SIGTERM');
  await started.ended;
  await rm(clone, { recursive: true, force: true });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
}

/** A block of commands in a guide, and the response that the guide shows. */
interface Step {
  readonly commands: string;
  readonly answer: string | undefined;
}

// Pages run in the order of the README on one system, so the commands of a page must not depend on data of an earlier
// page. The guide of webhooks starts the product with settings of its own.
describe.each([
  {
    settings: {},
    pages: [
      'README.md',
      'docs/guides/first-integration.md',
      'docs/guides/scanning-history.md',
      'docs/guides/checking-a-payment-run.md',
      'docs/guides/verifying-accounts.md',
      'docs/guides/reviewing-findings.md',
      'docs/guides/trying-with-test-keys.md',
      'docs/guides/uploading-documents.md',
      'docs/guides/connecting-an-erp.md',
      'docs/guides/submitting-to-ksef.md',
      'docs/guides/receiving-from-ksef.md',
    ],
  },
  {
    settings: { EGRESS_ALLOW_CIDRS: '127.0.0.1/32', EGRESS_ALLOW_HTTP: 'true' },
    pages: ['docs/guides/receiving-webhooks.md'],
  },
])('with the settings $settings', ({ settings, pages }) => {
  beforeAll(() => startForReaders(settings), START_MS_MAX);
  afterAll(stop);

  test.each(pages)(
    'the commands of %s do what the page shows, and leave the working tree clean',
    async (page) => {
      const before = git('status', '--short');
      const text = ofToday(await readFile(join(root, page), 'utf8'));
      const steps = stepsOf(text.replaceAll('4100', String(webhookPort)));
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
});

/**
 * Returns the output of each block. All blocks run in one shell, because later blocks use variables and functions of
 * earlier ones.
 */
function run(blocks: readonly string[]): string[] {
  const mark = (index: number) => `printf '\\n=== block ${index} ===\\n'`;
  const script = blocks.flatMap((block, index) => [mark(index), block]).join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-u', '-o', 'pipefail', '-c', script], {
    cwd: clone,
    encoding: 'utf8',
    timeout: GUIDE_MS_MAX,
    // Environment of the commands in the guides, with the address of the started system. npm must not use the directory
    // of the test run as the reader's directory.
    env: { ...process.env, INIT_CWD: clone, NODE_OPTIONS: '', PORT: String(webhookPort) },
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
    // Commands that start the product are skipped, because the system is already running.
    if (language !== 'sh' || /^(?:\w+=\S+ )*npm (?:start|test)/m.test(body)) return [];
    const next = blocks[index + 1];
    const answer = next !== undefined && ['', 'json'].includes(next.language) ? next.body : undefined;
    return [{ commands: body.replaceAll('http://127.0.0.1:8080/v1', demo.baseUrl), answer }];
  });
}

/**
 * Moves the dates in November 2026 that the pages contain by whole weeks to the weeks before today, because they would
 * become too old.
 */
function ofToday(text: string): string {
  const shownAt = Date.UTC(2026, 10, 9);
  const weeksMs = Math.floor((Date.now() - shownAt) / (7 * DAY_MS)) * 7 * DAY_MS;
  return text.replaceAll(/\b2026-1[0-2]-[0-3]\d\b/g, (day) =>
    new Date(Date.parse(day) + weeksMs).toISOString().slice(0, 10),
  );
}

/**
 * Returns the first line of a page's response that was not printed in order. `...` matches any text, lines may be
 * missing between two lines of the page, and layout is ignored.
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
