// Runs the static checks of `npm test` and `npm run check`. It prints one line for each check, shows the output of a
// check only if the check fails, and exits with code 1 if any check failed. Run `node tools/setup.mjs` first, as both
// scripts do. Names on the command line select checks: `npm run check -- lint format`.
import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const AT_ONCE = 2;
const TIMEOUT_MS = 300_000;

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

// The longest static check is first, so that the parallel run of all checks ends early.
const checks = [
  {
    name: 'format',
    // The Prettier cache depends on the contents of files, because a checkout or a rebase updates the times of
    // unchanged files. Without the cache, the check takes 16 s of CPU time.
    command: [
      'prettier',
      '--check',
      '--log-level=warn',
      '--cache',
      '--cache-strategy=content',
      '--cache-location=.cache/prettier',
      '.',
    ],
  },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', '--format=unix'] },
  { name: 'boundaries', command: ['node', 'tools/check-boundaries.mjs'] },
  { name: 'regular-expressions', command: ['node', 'tools/check-regular-expressions.mjs'] },
  { name: 'dead-code', command: ['knip', '--no-progress'] },
  { name: 'contracts', command: ['buf', 'lint'] },
  { name: 'documents', command: ['node', 'tools/check-documents.mjs'] },
  { name: 'words', command: ['node', 'tools/check-words.mjs'] },
  { name: 'events-page', command: ['node', 'tools/generate/events-page.mjs', '--check'] },
  { name: 'errors-page', command: ['node', 'tools/generate/errors-page.mjs', '--check'] },
  { name: 'findings-page', command: ['node', 'tools/generate/findings-page.mjs', '--check'] },
  { name: 'telemetry-page', command: ['node', 'tools/generate/telemetry-page.mjs', '--check'] },
  { name: 'architecture-page', command: ['node', 'tools/generate/architecture-page.mjs', '--check'] },
  { name: 'postman', command: ['node', 'tools/generate/postman-collection.mjs', '--check'] },
  { name: 'python-client', command: ['node', 'tools/generate/python-client.mjs', '--check'] },
  { name: 'deployment', command: ['node', 'tools/generate/deployment.mjs', '--check'] },
  { name: 'broker', command: ['node', 'tools/generate/broker.mjs', '--check'] },
  { name: 'observability', command: ['node', 'tools/observability/dist/print.js', '--check'] },
  { name: 'compatibility', run: compatibility },
];

const usage = `Runs the static checks. Without names, all of them run.

  npm run check
  npm run check -- lint format

Checks: ${checks.map(({ name }) => name).join(', ')}

npm run format mends what \`format\` reports. npm test runs all checks before the tests.`;

if (process.argv.slice(2).some((name) => name === '--help' || name === '-h')) {
  console.log(usage);
  process.exit(0);
}

const started = Date.now();
const chosen = choose(process.argv.slice(2));
const queue = [...chosen];
let failures = 0;
await Promise.all(Array.from({ length: AT_ONCE }, worker));
console.log(`${chosen.length} static checks, ${failures} failed, ${seconds(started)}`);
process.exitCode = failures > 0 ? 1 : 0;

async function worker() {
  for (let check = queue.shift(); check; check = queue.shift()) {
    const begun = Date.now();
    const { passed, output, note = '' } = await (check.run ?? (() => execute(check.command)))();
    if (!passed) failures += 1;
    console.log(
      `${passed ? 'ok    ' : 'FAILED'} ${check.name.padEnd(19)} ${seconds(begun).padStart(6)} ${note}`.trimEnd(),
    );
    if (!passed) console.log(output.trimEnd());
  }
}

/**
 * The contracts must stay compatible with those of the main branch, because messages in transit and stored events were
 * written with the contracts of the main branch.
 */
async function compatibility() {
  const branch = await firstBranch(['main', 'origin/main']);
  if (branch === undefined) return { passed: true, note: 'skipped: this clone has no branch main to compare with' };
  const listed = await execute(['git', 'ls-tree', '--name-only', branch, 'buf.yaml', 'proto/invoicecontrol/']);
  if (listed.output.trim().split('\n').length < 2) return { passed: true, note: 'skipped: main has no contracts yet' };

  // Exports the contracts of the main branch instead of using buf's git input, because buf would clone the repository,
  // which fails in shallow clones and worktrees.
  const before = `.cache/contracts-of-main-${process.pid}`;
  await mkdir(before, { recursive: true });
  try {
    const exported = await execute(['sh', '-c', 'git archive "$0" buf.yaml proto | tar -x -C "$1"', branch, before]);
    return exported.passed ? await execute(['buf', 'breaking', '--against', before]) : exported;
  } finally {
    await rm(before, { recursive: true, force: true });
  }
}

async function firstBranch(candidates) {
  for (const candidate of candidates) {
    if ((await execute(['git', 'rev-parse', '--quiet', '--verify', `${candidate}^{commit}`])).passed) return candidate;
  }
  return undefined;
}

/**
 * Runs the command of one static check.
 * @returns {Promise<{ passed: boolean, output: string }>}
 */
function execute([command, ...args]) {
  const env = {
    ...process.env,
    PATH: `${root}node_modules/.bin:${process.env.PATH}`,
    BUF_CACHE_DIR: `${root}.cache/buf`,
    NO_COLOR: '1',
  };
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => resolve({ passed: false, output: `${command} cannot be run: ${error.message}` }));
    child.once('close', (code, signal) => {
      const ending = signal ? `\n${command} was ended by ${signal} (limit ${TIMEOUT_MS / 1000} s)` : '';
      resolve({ passed: code === 0, output: Buffer.concat(output).toString() + ending });
    });
  });
}

function choose(names) {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown check ${unknown.join(', ')}: choose from ${checks.map(({ name }) => name).join(', ')}.`);
    process.exit(1);
  }
  return names.length > 0 ? checks.filter(({ name }) => names.includes(name)) : checks;
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
