// Generates clients from the API description with the generators that people use, compiles them and, with --api and --key, makes three
// calls with each: list the finding types, post an invoice, list findings. It prints a table of the results. `npm run clients -- --help` lists the options. The generators
// are fetched once into .cache/clients. A client whose language is not installed is skipped with a message.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename } from 'node:path';
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
const DENO = '2.9.6';
/** Packages of the npm registry, by the directory in which they are installed. */
const NPM_PACKAGES = {
  orval: ['orval@7.13.2'],
  lint: ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0'],
  deno: [`deno@${DENO}`],
};
const OGEN = 'v1.25.0';
const TIMEOUT_MS = 600_000;
/** The invoice that the second call of each generated API client posts. */
const INVOICE = JSON.stringify({
  supplier: { name: 'Mill Lane Couriers Ltd' },
  invoice_number: 'C-1',
  issue_date: '2026-11-03',
  currency: 'GBP',
  gross_amount: '310.00',
});

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}.cache/clients`;
const python = `${cache}/venv/bin/python`;
const jar = `${homedir()}/.m2/repository/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;

/** The API clients that are generated and tried. `calls` makes three calls with one of them. */
const clients = {
  lint: { version: 'spectral 6.16.3, redocly 2.77.0', needs: ['npm'], generate: lint },
  'openapi-generator-python': {
    version: OPENAPI_GENERATOR,
    needs: ['java', 'mvn', 'python3'],
    generate: generated('python'),
    compile: compilePython,
    calls: callPython('openapi_generator.py'),
  },
  'openapi-generator-java': {
    version: OPENAPI_GENERATOR,
    needs: ['java', 'javac', 'mvn'],
    generate: generated('java', ['--library', 'native']),
    compile: compileJava,
    calls: callJava,
  },
  'openapi-generator-go': {
    version: OPENAPI_GENERATOR,
    needs: ['java', 'mvn', 'go'],
    generate: generated('go'),
    compile: compileGo,
    calls: callGo('openapi_generator.go'),
  },
  'openapi-generator-csharp': { version: OPENAPI_GENERATOR, needs: ['java', 'mvn'], generate: generated('csharp') },
  'openapi-generator-typescript-fetch': {
    version: OPENAPI_GENERATOR,
    needs: ['java', 'mvn', 'npm'],
    generate: generated('typescript-fetch', ['--additional-properties', 'importFileExtension=.js']),
    compile: compileTypescript,
    calls: callTypescriptFetch,
  },
  'oapi-codegen': {
    version: OAPI_CODEGEN,
    needs: ['go'],
    generate: oapiCodegen,
    compile: compileGo,
    calls: callGo('oapi_codegen.go'),
  },
  ogen: { version: OGEN, needs: ['go'], generate: ogen, compile: compileGo, calls: callGo('ogen.go') },
  'datamodel-code-generator': {
    version: '0.89.0',
    needs: ['python3'],
    generate: datamodels,
    compile: importModels,
    calls: callPython('datamodels.py'),
  },
  'openapi-python-client': {
    version: '0.29.1',
    needs: ['python3'],
    generate: pythonClient,
    compile: importPythonClient,
    calls: callPython('openapi_python_client.py'),
  },
  'openapi-typescript': {
    version: 'as in tools/generate',
    needs: ['npm'],
    generate: typescriptTypes,
    compile: compileTypescript,
    calls: callTypescriptTypes,
  },
  // Tests the TypeScript client of the product in Deno. Deno needs no compilation, so the step `compile` only lets the
  // client verify a webhook.
  'product-client-deno': {
    version: DENO,
    needs: ['npm'],
    generate: () => npmCommand('deno', 'deno'),
    compile: (folder) => runDeno(folder),
    calls: (folder) => runDeno(folder, '--calls'),
  },
  orval: { version: '7.13.2', needs: ['npm'], generate: orval, compile: compileTypescript, calls: callOrval },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    description: { type: 'string' },
    api: { type: 'string' },
    key: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(`Generates clients from services/gateway/openapi.json and compiles them.

  npm run clients                          all of them
  npm run clients -- orval oapi-codegen    the named ones
  npm run clients -- --description FILE    another description than services/gateway/openapi.json
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
const whole = values.description ?? `${root}services/gateway/openapi.json`;
// The OpenAPI description without webhooks, which equals `/openapi-without-webhooks.json`.
const withoutWebhooks = `${cache}/openapi-without-webhooks.json`;
const { webhooks: _, ...paths } = JSON.parse(readFileSync(whole, 'utf8'));
writeFileSync(withoutWebhooks, JSON.stringify(paths));

const rows = [];
const faults = [];
for (const [name, client] of Object.entries(clients)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const row = { name, version: client.version, generates: '', compiles: '', calls: '', seconds: '' };
  rows.push(row);
  const missing = client.needs.filter((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0);
  if (missing.length > 0) {
    row.generates = `skipped: ${missing.join(', ')} is not installed`;
    continue;
  }
  const folder = `${cache}/${name}`;
  const started = Date.now();
  const steps = [
    ['generates', client.generate],
    ['compiles', client.compile],
    ['calls', values.api === undefined || values.key === undefined ? undefined : client.calls],
  ];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [step, work] of steps) {
    if (work === undefined) continue;
    try {
      work(folder);
      row[step] = step === 'calls' ? '3' : 'yes';
    } catch (error) {
      row[step] = 'FAILED';
      faults.push(`${name} ${step}:\n${error.message}`);
      break;
    }
  }
  row.seconds = String(Math.round((Date.now() - started) / 1_000));
  console.error(`${name}: ${row.seconds} s`);
}
printTable(rows);
for (const fault of faults) console.log(`\n${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Prints the results of the generated API clients as a table, in Markdown. */
function printTable(found) {
  const head = {
    name: 'client',
    version: 'version',
    generates: 'generates',
    compiles: 'compiles',
    calls: 'calls',
    seconds: 's',
  };
  const keys = Object.keys(head);
  const widths = Object.fromEntries(
    keys.map((key) => [key, Math.max(...[head, ...found].map((row) => row[key].length))]),
  );
  const line = (row) => `| ${keys.map((key) => row[key].padEnd(widths[key])).join(' | ')} |`;
  const rule = `| ${keys.map((key) => '-'.repeat(widths[key])).join(' | ')} |`;
  console.log([line(head), rule, ...found.map(line)].join('\n'));
}

/** Runs a command for the API clients, and throws an Error with the end of its output if it fails. */
function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 256 * 1024 ** 2,
    ...options,
    env: { ...process.env, API: values.api, KEY: values.key, INVOICE, ...options.env },
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

/**
 * Installs npm packages in a directory, without running their install scripts, and returns the path of one of their
 * commands.
 */
function npmCommand(group, name) {
  const directory = `${cache}/npm-${group}`;
  const command = `${directory}/node_modules/.bin/${name}`;
  if (!existsSync(command)) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/package.json`, '{ "private": true }');
    run('npm', ['install', '--silent', '--ignore-scripts', ...NPM_PACKAGES[group]], { cwd: directory });
  }
  return command;
}

/** Installs a Go module and returns the path of its command. */
function goCommand(module, version) {
  const bin = `${cache}/bin`;
  const command = `${bin}/${basename(module)}`;
  if (!existsSync(command)) run('go', ['install', `${module}@${version}`], { env: { GOBIN: bin } });
  return command;
}

/** Lints the API description. The two lint configurations state the rules that do not apply, with the reasons. */
function lint() {
  const settings = `${root}services/gateway`;
  run(npmCommand('lint', 'spectral'), ['lint', '--fail-severity', 'warn', '-r', `${settings}/spectral.yaml`, whole]);
  const { stderr } = spawnSync(npmCommand('lint', 'redocly'), ['lint', '--config', `${settings}/redocly.yaml`, whole], {
    encoding: 'utf8',
  });
  if (/You have \d+ (?:warning|error)|failed/.test(stderr)) throw new Error(stderr.slice(-3_000));
}

/** Imports every module of a Python package, which finds errors that compiling alone does not find. */
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
  // The tests that the generator adds to the Go client are removed, because they import a module path that is a
  // placeholder.
  rmSync(`${folder}/test`, { recursive: true, force: true });
  run('go', ['mod', 'tidy'], { cwd: folder });
  run('go', ['vet', './...'], { cwd: folder });
}

function oapiCodegen(folder) {
  const command = goCommand('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', OAPI_CODEGEN);
  run('go', ['mod', 'init', 'example.com/client'], { cwd: folder });
  run(command, ['-generate', 'types,client', '-package', 'client', '-o', `${folder}/client.go`, withoutWebhooks]);
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

function runDeno(folder, ...args) {
  const rights = ['--no-prompt', '--allow-net', '--allow-read', '--allow-env=API,KEY,INVOICE'];
  run(npmCommand('deno', 'deno'), ['run', ...rights, `${root}tools/clients/deno.mjs`, ...args], {
    cwd: folder,
    env: { DENO_NO_UPDATE_CHECK: '1' },
  });
}

/** Runs one of the programs in tools/clients with the generated package of an API client. */
function callPython(program) {
  return (folder) => run(python, [`${root}tools/clients/${program}`], { cwd: folder, env: { PYTHONPATH: folder } });
}

function callJava(folder) {
  run('mvn', ['-q', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'], { cwd: folder });
  const classes = `${folder}/target/classes:${readFileSync(`${folder}/classpath.txt`, 'utf8').trim()}`;
  run('java', ['-cp', classes, `${root}tools/clients/Call.java`], { cwd: folder });
}

function callGo(program) {
  return (folder) => {
    mkdirSync(`${folder}/call`);
    copyFileSync(`${root}tools/clients/${program}`, `${folder}/call/main.go`);
    run('go', ['run', './call'], { cwd: folder });
  };
}

function ogen(folder) {
  const command = goCommand('github.com/ogen-go/ogen/cmd/ogen', OGEN);
  run('go', ['mod', 'init', 'example.com/client'], { cwd: folder });
  // The generator ogen distinguishes alternatives of one type only by a discriminator. It therefore leaves out the JSON
  // body of POST /payment-runs, in which an account is written in one of three ways. The XML body remains.
  writeFileSync(`${folder}/ogen.yml`, 'generator:\n  ignore_not_implemented: ["discriminator inference"]\n');
  run(
    command,
    ['--config', 'ogen.yml', '--target', `${folder}/client`, '--package', 'client', '--clean', withoutWebhooks],
    {
      cwd: folder,
    },
  );
}

function typescriptTypes(folder) {
  run(`${root}tools/generate/node_modules/.bin/openapi-typescript`, [whole, '-o', `${folder}/types.ts`]);
}

function orval(folder) {
  run(npmCommand('orval', 'orval'), ['--input', whole, '--output', `${folder}/client.ts`, '--client', 'fetch'], {
    cwd: folder,
  });
}

function compileTypescript(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const options = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  run(`${root}node_modules/.bin/tsc`, [...options, '--ignoreConfig', '--lib', 'es2022,dom', '--types', '', ...files], {
    cwd: folder,
  });
}

/** Runs a program as a module beside the compiled API client. The program fails if a response is a refusal. */
function runModule(folder, program) {
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  writeFileSync(`${folder}/call.js`, `const { API, KEY, INVOICE } = process.env;\n${program}`);
  run('node', ['call.js'], { cwd: folder });
}

function callOrval(folder) {
  runModule(
    folder,
    `import { analyzeInvoice, listFindings, listFindingTypes } from './client.js';
const real = globalThis.fetch;
// The generator orval leaves the address of the server to the caller of its functions.
globalThis.fetch = (url, init) => real(API + url, init);
const options = { headers: { authorization: 'Bearer ' + KEY } };
const answers = [await listFindingTypes(options), await analyzeInvoice(JSON.parse(INVOICE), options), await listFindings({ limit: 1 }, options)];
if (answers.some(({ status }) => status >= 400)) throw new Error(JSON.stringify(answers));`,
  );
}

function callTypescriptFetch(folder) {
  runModule(
    folder,
    `import { Configuration, FindingTypesApi, FindingsApi, InvoiceFromJSON, InvoicesApi } from './index.js';
const settings = new Configuration({ basePath: API, accessToken: KEY });
const types = await new FindingTypesApi(settings).listFindingTypes();
const posted = await new InvoicesApi(settings).analyzeInvoice({ invoice: InvoiceFromJSON(JSON.parse(INVOICE)) });
const found = await new FindingsApi(settings).listFindings({ limit: 1 });
if (types.items.length <= 50 || posted.decision === undefined || found.items.length > 1) throw new Error('wrong answers');`,
  );
}

/** The generator openapi-typescript writes only types, so a program that uses the types is compiled and run. */
function callTypescriptTypes(folder) {
  writeFileSync(
    `${folder}/typed.ts`,
    `import type { components, paths } from './types.js';
type Ok<P extends keyof paths, M extends keyof paths[P], S extends number> = paths[P][M] extends { responses: { [Status in S]: { content: { 'application/json': infer Body } } } } ? Body : never;
export async function call(api: string, key: string, invoice: components['schemas']['Invoice']): Promise<boolean> {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const get = async (path: string): Promise<unknown> => (await fetch(api + path, { headers })).json();
  const types = (await get('/finding-types')) as Ok<'/finding-types', 'get', 200>;
  const response = await fetch(api + '/invoices', { method: 'POST', headers, body: JSON.stringify(invoice) });
  const posted = (await response.json()) as Ok<'/invoices', 'post', 202>;
  const found = (await get('/findings?limit=1')) as Ok<'/findings', 'get', 200>;
  return types.items.length > 50 && posted.decision !== undefined && found.items.length <= 1;
}`,
  );
  compileTypescript(folder);
  runModule(
    folder,
    `import { call } from './typed.js';\nif (!(await call(API, KEY, JSON.parse(INVOICE)))) throw new Error('wrong answers');`,
  );
}
