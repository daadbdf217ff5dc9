// Generates clients from the API description with the generators that people use, compiles them and, with --api and --key, makes three
// calls with each: list the finding types, post an invoice, list findings. `npm run clients -- --help` lists the options. The generators
// are fetched once into .cache/clients. A client whose language is not installed is skipped with a message.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const OPENAPI_GENERATOR = '7.16.0';
const OAPI_CODEGEN = 'v2.8.2';
const PYTHON_PACKAGES = [
  'datamodel-code-generator==0.89.0',
  'openapi-python-client==0.29.1',
  'httpx==0.28.1',
  'email-validator',
  'urllib3',
  'python-dateutil',
  'lazy-imports',
  'typing_extensions',
];
const NPM_PACKAGES = ['orval@7.13.2', '@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0'];
const TIMEOUT_MS = 600_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}.cache/clients`;
const python = `${cache}/venv/bin/python`;
const jar = `${homedir()}/.m2/repository/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;

const clients = {
  lint: { needs: ['npm'], generate: lint },
  'openapi-generator-python': {
    needs: ['java', 'mvn', 'python3'],
    generate: generated('python'),
    compile: compilePython,
  },
  'openapi-generator-java': {
    needs: ['java', 'javac', 'mvn'],
    generate: generated('java', ['--library', 'native']),
    compile: compileJava,
  },
  'openapi-generator-go': { needs: ['java', 'mvn', 'go'], generate: generated('go'), compile: compileGo },
  'openapi-generator-csharp': { needs: ['java', 'mvn'], generate: generated('csharp') },
  'oapi-codegen': { needs: ['go'], generate: oapiCodegen, compile: compileGo },
  'datamodel-code-generator': { needs: ['python3'], generate: datamodels, compile: importModels },
  'openapi-python-client': {
    needs: ['python3'],
    generate: pythonClient,
    compile: importPythonClient,
    call: callPythonClient,
  },
  'openapi-typescript': { needs: ['npm'], generate: typescriptTypes, compile: compileTypescript },
  orval: { needs: ['npm'], generate: orval, compile: compileTypescript, call: callOrval },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { api: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
});
if (values.help) {
  console.log(`Generates clients from services/gateway/openapi.json and compiles them.

  npm run clients                          all of them
  npm run clients -- orval oapi-codegen    the named ones
  npm run clients -- --api http://127.0.0.1:8080/v1 --key ick_live_...   also makes three calls with those that can

Clients: ${Object.keys(clients).join(', ')}`);
  process.exit(0);
}
const unknown = positionals.filter((name) => clients[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown client ${unknown.join(', ')}: choose from ${Object.keys(clients).join(', ')}.`);
  process.exit(1);
}

mkdirSync(cache, { recursive: true });
const whole = `${root}services/gateway/openapi.json`;
// The same document as /openapi-without-webhooks.json.
const withoutWebhooks = `${cache}/openapi-without-webhooks.json`;
const { webhooks: _, ...paths } = JSON.parse(readFileSync(whole, 'utf8'));
writeFileSync(withoutWebhooks, JSON.stringify(paths));

let failures = 0;
for (const [name, { needs, generate, compile, call }] of Object.entries(clients)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const missing = needs.filter((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0);
  if (missing.length > 0) {
    console.log(`skipped  ${name}: ${missing.join(', ')} is not installed`);
    continue;
  }
  const folder = `${cache}/${name}`;
  const started = Date.now();
  const done = [];
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    generate(folder);
    done.push(name === 'lint' ? 'no warning' : 'generated');
    if (compile !== undefined) {
      compile(folder);
      done.push('compiled');
    }
    if (call !== undefined && values.api !== undefined && values.key !== undefined) {
      call(folder);
      done.push('three calls made');
    }
    console.log(`ok       ${name}: ${done.join(', ')} (${Math.round((Date.now() - started) / 1_000)} s)`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED   ${name} after ${done.join(', ') || 'nothing'}:\n${error.message}`);
  }
}
process.exitCode = failures > 0 ? 1 : 0;

/** Runs a command, and throws an Error with the end of its output if it fails. */
function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 256 * 1024 ** 2,
    ...options,
    env: { ...process.env, API: values.api, KEY: values.key, ...options.env },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${(stdout + stderr).slice(-3_000)}`);
  return stdout;
}

function generated(language, more = []) {
  return (folder) => {
    if (!existsSync(jar)) {
      const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
      run('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
    }
    run('java', ['-jar', jar, 'generate', '-i', withoutWebhooks, '-g', language, '-o', folder, ...more]);
  };
}

function needPython() {
  if (existsSync(`${cache}/venv/bin/datamodel-codegen`)) return;
  run('python3', ['-m', 'venv', `${cache}/venv`]);
  run(python, ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES]);
}

/** Returns the command of an npm package, which is installed without its scripts. */
function npmCommand(name) {
  if (!existsSync(`${cache}/npm/node_modules/.bin/orval`)) {
    mkdirSync(`${cache}/npm`, { recursive: true });
    writeFileSync(`${cache}/npm/package.json`, '{ "private": true }');
    run('npm', ['install', '--silent', '--ignore-scripts', ...NPM_PACKAGES], { cwd: `${cache}/npm` });
  }
  return `${cache}/npm/node_modules/.bin/${name}`;
}

/** Lints the description. The two configurations state the rules that do not apply, with their reasons. */
function lint() {
  const settings = `${root}services/gateway`;
  run(npmCommand('spectral'), ['lint', '--fail-severity', 'warn', '-r', `${settings}/spectral.yaml`, whole]);
  const { stderr } = spawnSync(npmCommand('redocly'), ['lint', '--config', `${settings}/redocly.yaml`, whole], {
    encoding: 'utf8',
  });
  if (/You have \d+ (?:warning|error)|failed/.test(stderr)) throw new Error(stderr.slice(-3_000));
}

/** Imports every module of a Python package, which finds what compiling alone does not. */
function importAll(folder, packageName) {
  const program = `import importlib, pkgutil, ${packageName} as top
for module in pkgutil.walk_packages(top.__path__, '${packageName}.'):
    importlib.import_module(module.name)`;
  run(python, ['-c', program], { cwd: folder, env: { PYTHONPATH: folder } });
}

function compilePython(folder) {
  needPython();
  importAll(folder, 'openapi_client');
}

function compileJava(folder) {
  run('mvn', ['-q', 'compile'], { cwd: folder });
}

function compileGo(folder) {
  // The generated tests import a module path that is a placeholder.
  rmSync(`${folder}/test`, { recursive: true, force: true });
  run('go', ['mod', 'tidy'], { cwd: folder });
  run('go', ['vet', './...'], { cwd: folder });
}

function oapiCodegen(folder) {
  const bin = `${cache}/bin`;
  if (!existsSync(`${bin}/oapi-codegen`)) {
    run('go', ['install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`], {
      env: { GOBIN: bin },
    });
  }
  run('go', ['mod', 'init', 'example.com/client'], { cwd: folder });
  run(`${bin}/oapi-codegen`, [
    '-generate',
    'types,client',
    '-package',
    'client',
    '-o',
    `${folder}/client.go`,
    withoutWebhooks,
  ]);
}

function datamodels(folder) {
  needPython();
  const kind = ['--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel'];
  run(`${cache}/venv/bin/datamodel-codegen`, ['--input', whole, ...kind, '--output', `${folder}/models.py`]);
}

function importModels(folder) {
  run(python, ['-c', 'import models; models.Finding, models.TypedFinding'], {
    cwd: folder,
    env: { PYTHONPATH: folder },
  });
}

function pythonClient(folder) {
  needPython();
  const target = ['--output-path', `${folder}/invoice_control`, '--meta', 'none', '--overwrite'];
  run(`${cache}/venv/bin/openapi-python-client`, ['generate', '--path', withoutWebhooks, ...target], { cwd: folder });
}

function importPythonClient(folder) {
  importAll(folder, 'invoice_control');
}

function callPythonClient(folder) {
  const program = `import os
from invoice_control import AuthenticatedClient
from invoice_control.api.findings import list_findings
from invoice_control.api.finding_types import list_finding_types
from invoice_control.api.invoices import analyze_invoice
from invoice_control.models import Invoice
client = AuthenticatedClient(base_url=os.environ['API'], token=os.environ['KEY'], raise_on_unexpected_status=True)
types = list_finding_types.sync(client=client)
posted = analyze_invoice.sync(client=client, body=Invoice.from_dict({
    'supplier': {'name': 'Mill Lane Couriers Ltd'}, 'invoice_number': 'PY-1', 'issue_date': '2026-11-03',
    'currency': 'GBP', 'gross_amount': '310.00'}))
found = list_findings.sync(client=client, limit=1)
assert len(types.items) > 50 and posted.decision and len(found.items) <= 1`;
  run(python, ['-c', program], { cwd: folder, env: { PYTHONPATH: folder } });
}

function typescriptTypes(folder) {
  run(`${root}tools/generate/node_modules/.bin/openapi-typescript`, [whole, '-o', `${folder}/types.ts`]);
}

function orval(folder) {
  run(npmCommand('orval'), ['--input', whole, '--output', `${folder}/client.ts`, '--client', 'fetch'], { cwd: folder });
}

function compileTypescript(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const options = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  run(`${root}node_modules/.bin/tsc`, [...options, '--ignoreConfig', '--lib', 'es2022,dom', '--types', '', ...files], {
    cwd: folder,
  });
}

function callOrval(folder) {
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  const program = `import { analyzeInvoice, listFindings, listFindingTypes } from './client.js';
const { API, KEY } = process.env;
const real = globalThis.fetch;
// orval leaves the address of the server to its caller.
globalThis.fetch = (url, init) => real(API + url, init);
const options = { headers: { authorization: 'Bearer ' + KEY } };
const invoice = { supplier: { name: 'Mill Lane Couriers Ltd' }, invoice_number: 'TS-1', issue_date: '2026-11-03', currency: 'GBP', gross_amount: '310.00' };
const answers = [await listFindingTypes(options), await analyzeInvoice(invoice, options), await listFindings({ limit: 1 }, options)];
if (answers.some(({ status }) => status >= 400)) throw new Error(JSON.stringify(answers));`;
  writeFileSync(`${folder}/call.js`, program);
  run('node', ['call.js'], { cwd: folder });
}
