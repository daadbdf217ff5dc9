// Installs the packages that generate and check the Python client into .cache/python. They are pinned with their hashes.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const requirements = `${root}clients/python/requirements-dev.txt`;
const environment = `${root}.cache/python`;
const INSTALL_MS_MAX = 300_000;

/** Tells whether this machine has a Python that can run the client. */
export function hasPython() {
  return spawnSync('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))']).status === 0;
}

/**
 * Returns the directory of the installed Python commands. Installs the packages first if the pins have changed.
 * @throws Error if the packages cannot be installed
 */
export function installPythonPackages() {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const stamp = `${environment}/installed`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return `${environment}/bin`;
  rmSync(environment, { recursive: true, force: true });
  run('python3', ['-m', 'venv', environment]);
  const pins = ['--require-hashes', '--only-binary', ':all:', '--requirement', requirements];
  run(`${environment}/bin/python`, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pins]);
  writeFileSync(stamp, wanted);
  return `${environment}/bin`;
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
}
