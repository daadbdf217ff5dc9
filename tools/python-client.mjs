// Checks the Python client: its types with mypy, then its tests. With INVOICE_CONTROL_URL and INVOICE_CONTROL_API_KEY
// it also runs the examples of its README against that API. The packages that it needs are downloaded once into
// .cache/python.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasPython, installPythonPackages } from './python-packages.mjs';

const STEP_MS_MAX = 300_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const client = `${root}clients/python`;

if (!hasPython()) {
  console.log('skipped  python-client: Python 3.11 or newer with venv is not installed');
  process.exit(0);
}
const bin = installPythonPackages();
const work = `${root}.cache/python/work`;
mkdirSync(work, { recursive: true });
const example = `${work}/example.py`;
const blocks = readFileSync(`${client}/README.md`, 'utf8').split('```python\n').slice(1);
writeFileSync(example, blocks.map((block) => block.slice(0, block.indexOf('```'))).join('\n'));

step('mypy', `${bin}/mypy`, ['--config-file', 'pyproject.toml', '--cache-dir', `${work}/mypy`]);
step('mypy of the examples', `${bin}/mypy`, ['--strict', '--cache-dir', `${work}/mypy`, example]);
step('tests', `${bin}/python`, ['-m', 'unittest', 'discover', '--start-directory', 'tests']);
if (process.env.INVOICE_CONTROL_URL !== undefined) step('examples', `${bin}/python`, [example]);

function step(name, command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: client,
    encoding: 'utf8',
    timeout: STEP_MS_MAX,
    env: { ...process.env, PYTHONPATH: `${client}/src`, MYPYPATH: `${client}/src`, PYTHONDONTWRITEBYTECODE: '1' },
  });
  if (error) throw error;
  console.log(`${status === 0 ? 'ok      ' : 'FAILED  '} ${name}`);
  if (status !== 0 || name === 'examples') console.log(`${stdout}${stderr}`);
  if (status !== 0) process.exit(1);
}
