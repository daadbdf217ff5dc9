// Prepares a clone for `npm start`, `npm test` and the other scripts: it installs packages, generates code and compiles
// everything. The scripts call this program themselves, because ignore-scripts=true (.npmrc) also disables npm's pre
// and post scripts. It is plain JavaScript without dependencies, because it runs before anything is installed. When
// nothing has changed, it ends quickly and prints nothing.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const NODE_MINIMUM = [20, 19];
const NPM_TIMEOUT_MS = 15 * 60_000;
/** Folder with the source of the web application. */
const CONSOLE = 'console';
const LOCK_WAIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 200;
/**
 * On a terminal, each step of the set-up shows its duration every second. Elsewhere, it prints a line every five
 * seconds.
 */
const TICK_MS = 1_000;
const LINE_EACH_MS = 5_000;
const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

// The state of the set-up is stored inside node_modules, so that removing node_modules resets it.
const stateFile = 'node_modules/.setup.json';
const lockFile = '.cache/setup.lock';

requireNode();
if (todo().length > 0) {
  // Two concurrent commands in a fresh clone must not install packages and compile at the same time.
  await lock();
  await install();
  await generate();
  await writeSite();
  await build();
  await buildConsole();
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1])) return;
  fail(
    `Node ${NODE_MINIMUM.join('.')} or newer is needed and this is ${process.versions.node}: install a newer Node and run the command again.`,
  );
}

/** Returns the steps of the set-up that are out of date. */
function todo() {
  const state = readState();
  return [
    state.lock !== lockHash() && 'install',
    (state.contracts !== contractsHash() || !isGenerated()) && 'generate',
    (state.site !== siteHash() || !existsSync('services/gateway/gen/site/index.json')) && 'site',
    (state.sources !== sourcesHash() || !isBuilt()) && 'build',
    existsSync(CONSOLE) && (state.console !== consoleHash() || !existsSync(`${CONSOLE}/dist/app`)) && 'console',
  ].filter(Boolean);
}

async function install() {
  if (!todo().includes('install')) return;
  if (!isInstalled()) {
    await step(
      'installing packages (about a minute the first time)',
      installPackages,
      () => `packages so far: ${arrived()}`,
    );
  }
  saveState({ lock: lockHash() });
}

async function installPackages() {
  const npm = await run(
    'npm',
    ['ci', '--no-progress', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
    { timeout: NPM_TIMEOUT_MS, env: { ...process.env, ...npmCache() } },
  );
  if (npm.status === 0) return;
  const advice = OFFLINE.test(npm.output)
    ? 'npm could not reach its registry. Check the network (or the registry setting and proxy of npm), then run the command again.'
    : '`npm ci` failed; its output is above.';
  fail(advice, npm.output);
}

/** Counts the packages of the lock file that are in node_modules. Their final number depends on the platform. */
function arrived() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.keys(packages).filter(
    (path) => path.includes('node_modules/') && existsSync(join(path, 'package.json')),
  ).length;
}

async function generate() {
  if (!todo().includes('generate')) return;
  const contracts = contractsHash();
  await step('generating code from proto/ and openapi.json', async () => {
    const generated = await run(process.execPath, ['tools/generate/generate.mjs']);
    if (generated.status !== 0) fail('Code could not be generated: correct what is listed above.', generated.output);
  });
  saveState({ contracts });
}

async function writeSite() {
  if (!todo().includes('site')) return;
  const site = siteHash();
  await step('writing the documentation site', async () => {
    const written = await run(process.execPath, ['tools/generate/site/site.mjs']);
    if (written.status !== 0) fail('The documentation site could not be written: see above.', written.output);
  });
  saveState({ site });
}

async function build() {
  if (!todo().includes('build')) return;
  // The hash of the sources is computed before compiling, so that edits made during the compilation are compiled by the
  // next run.
  const sources = sourcesHash();
  await step('compiling', async () => {
    const compiled = await run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '--pretty', 'false']);
    if (compiled.status !== 0) fail('The code does not compile: correct what is listed above.', compiled.output);
  });
  saveState({ sources });
}

/** Builds the web application, which the gateway serves. */
async function buildConsole() {
  if (!todo().includes('console')) return;
  const console = consoleHash();
  await step('building the web application', async () => {
    // Vite is loaded from the workspace of the web application, because the tests use another version of Vite.
    const vite = createRequire(join(root, CONSOLE, 'package.json')).resolve('vite/package.json');
    const built = await run(process.execPath, [join(dirname(vite), 'bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: CONSOLE,
    });
    if (built.status !== 0) fail('The web application cannot be built: correct what is listed above.', built.output);
  });
  saveState({ console });
}

/** Checks whether npm has already installed the packages of the lock file, as after `npm install <package>`. */
function isInstalled() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  return Object.entries(wanted)
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, entry]) => {
      const found = installed[path];
      if (found === undefined) return entry.optional === true;
      return found.version === entry.version && found.integrity === entry.integrity && found.link === entry.link;
    });
}

/** Checks whether every TypeScript project is compiled. A compiled project has a build information file. */
function isBuilt() {
  const { references } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  return references.every(({ path }) => existsSync(join(path, 'dist/.tsbuildinfo')));
}

function lockHash() {
  return hash([readFileSync('package-lock.json')]);
}

function isGenerated() {
  return ['packages/contracts/src/gen', 'packages/client/src/gen'].every((path) => existsSync(path));
}

function contractsHash() {
  const inputs = [
    'buf.gen.yaml',
    'services/gateway/openapi.json',
    'tools/generate/generate.mjs',
    'package-lock.json',
    ...files('proto', (name) => name.endsWith('.proto')),
  ];
  return hash(inputs.flatMap((path) => [path, readFileSync(path)]));
}

/**
 * The documentation site is made from Markdown, from the description of the API and from the programs and styles of the
 * site.
 */
function siteHash() {
  const inputs = [
    'services/gateway/openapi.json',
    'package-lock.json',
    ...files('packages', (name) => name === 'README.md' || name === 'postman-collection.json'),
    'clients/python/README.md',
    ...files('docs', () => true),
    ...files('tools/generate/site', () => true),
  ];
  return hash(inputs.flatMap((path) => [path, readFileSync(path)]));
}

/**
 * The hash covers all inputs of the web application: its sources, the sources of our packages that it imports, and the
 * lock file.
 */
function consoleHash() {
  const packages = ['client', 'ledger-csv', 'values'].flatMap((name) => files(`packages/${name}/src`, () => true));
  const inputs = ['package-lock.json', ...files(CONSOLE, () => true), ...packages];
  return hash(inputs.flatMap((path) => [path, readFileSync(path)]));
}

/**
 * Returns a hash of the sizes and modification times of the sources. The contents are left out, because this hash only
 * decides whether to run tsc, which compares the contents.
 */
function sourcesHash() {
  const isSource = (name) => /\.tsx?$/.test(name) || name === 'package.json' || name.startsWith('tsconfig');
  const inputs = ['packages', 'services', 'simulators', 'tools', 'tests', CONSOLE]
    .filter((path) => existsSync(path))
    .flatMap((path) => files(path, isSource));
  return hash(
    [...inputs, 'tsconfig.json', 'tsconfig.base.json'].map((path) => {
      const { size, mtimeMs } = statSync(path);
      return `${path} ${size} ${mtimeMs}\n`;
    }),
  );
}

function files(directory, isWanted) {
  return readdirSync(directory, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory())
        return entry.name === 'node_modules' || entry.name === 'dist' ? [] : files(path, isWanted);
      return isWanted(entry.name) ? [path] : [];
    });
}

function hash(parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

function readState() {
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8'));
  } catch {
    return {};
  }
}

function saveState(done) {
  writeFileSync(stateFile, JSON.stringify({ ...readState(), ...done }, null, 2));
}

/**
 * npm stores its cache under HOME. If HOME is unset or read-only, as on some build machines, the cache is in
 * .cache/npm.
 */
function npmCache() {
  if (process.env.npm_config_cache) return {};
  try {
    mkdirSync(join(process.env.HOME || process.env.USERPROFILE || '/dev/null', '.npm'), { recursive: true });
    return {};
  } catch {
    return { npm_config_cache: join(root, '.cache/npm') };
  }
}

/**
 * Waits for the lock of the set-up. The lock is released when this process ends, and the lock of an ended process is
 * taken over.
 */
async function lock() {
  mkdirSync('.cache', { recursive: true });
  if (tryLock()) return;
  const wait = async () => {
    const deadline = Date.now() + LOCK_WAIT_MS;
    while (!tryLock()) {
      if (Date.now() > deadline)
        fail(
          `Another set-up (process ${lockOwner()}) holds ${lockFile}: end it or remove the file, then run the command again.`,
        );
      await delay(LOCK_POLL_MS);
    }
  };
  await step(`waiting for another set-up in this directory (process ${lockOwner() ?? 'starting'})`, wait);
}

function tryLock() {
  const owner = lockOwner();
  if (owner !== undefined && !isAlive(owner)) rmSync(lockFile, { force: true });
  try {
    const file = openSync(lockFile, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  process.on('exit', () => rmSync(lockFile, { force: true }));
  return true;
}

function lockOwner() {
  try {
    return Number(readFileSync(lockFile, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Runs a command of the set-up.
 * @returns the exit status, null when it was ended or cannot be started, and everything that it printed
 */
function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', ({ message }) => resolve({ status: null, output: `${output}${message}\n` }));
    child.on('close', (status) => resolve({ status, output }));
  });
}

/**
 * Runs one step of the set-up. Progress goes to standard error, because standard output belongs to the program that is
 * started next.
 * @param detail returns the progress of the step, called while the step runs
 */
async function step(what, work, detail = () => '') {
  const isTerminal = process.stderr.isTTY === true;
  const started = Date.now();
  let linesShown = 1;
  process.stderr.write(`set-up: ${what}\n`);
  const ticker = setInterval(() => {
    const elapsedMs = Date.now() - started;
    if (!isTerminal && elapsedMs < linesShown * LINE_EACH_MS) return;
    linesShown += 1;
    const text = [`set-up: ${Math.round(elapsedMs / 1_000)} s`, detail()].filter(Boolean).join(', ');
    process.stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }, TICK_MS);
  try {
    await work();
  } finally {
    clearInterval(ticker);
    if (isTerminal) process.stderr.write('\r\u001b[K');
  }
  console.error(`set-up: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function fail(sentence, output = '') {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (output) process.stderr.write(output.endsWith('\n') ? output : `${output}\n`);
  console.error(`set-up: ${sentence}`);
  process.exit(1);
}
