import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './kubernetes-objects.js';
import { skipWithout } from './skip-without.js';

// The npm package contains the JSON schemas of every Kubernetes version that is named here, so the tests download
// nothing.
const PACKAGE = 'kubernetes-validate==1.37.0';
const INSTALL_TIMEOUT_MS = 90_000;
const VALIDATE_TIMEOUT_MS = 60_000;

/** Result of validating a list of objects against the schemas of one Kubernetes version. */
export interface ValidationResult {
  /** Names of the valid Kubernetes objects, such as `deployment/gateway`. */
  readonly valid: string[];
  /** Faults in Kubernetes objects, one line each: an unknown field, a wrong type, or a kind without a schema. */
  readonly faults: string[];
}

export type Validate = (yaml: string, kubernetesVersion: string) => ValidationResult;

/**
 * A check against the strict Kubernetes schemas, in which an unknown field is a fault. The checking tool is installed
 * once into `.cache/`. Undefined if it cannot be installed and the tests may be skipped.
 * @throws Error with a sentence that explains how to install the tool, on a machine that has no Python with pip or
 * cannot reach its package index
 */
export function schemaValidator(): Validate | undefined {
  const home = join(root, '.cache', PACKAGE.replace('==', '-'));
  if (!existsSync(home)) {
    const failure = install(home);
    if (failure !== undefined) {
      const sentence = `${PACKAGE} cannot be installed (${failure}). It needs Python 3 with pip and a package index.`;
      return skipWithout('kubernetes-validate', sentence);
    }
  }
  return (yaml, kubernetesVersion) => {
    const { stdout, stderr, error } = spawnSync(
      'python3',
      ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', kubernetesVersion, '-'],
      { input: yaml, encoding: 'utf8', env: { ...process.env, PYTHONPATH: home }, timeout: VALIDATE_TIMEOUT_MS },
    );
    if (error !== undefined) throw error;
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    const passed = lines.map((line) => /^INFO .* passed for resource (\S+) against version/.exec(line)?.[1]);
    return {
      valid: passed.filter((name) => name !== undefined),
      faults: lines.filter((_, index) => passed[index] === undefined),
    };
  };
}

/**
 * Installs the tool that validates Kubernetes manifests. An unfinished installation never gets the final name.
 * @returns the reason of a failure, or undefined
 */
function install(home: string): string | undefined {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const unfinished = mkdtempSync(`${home}-`);
  try {
    const pip = spawnSync(
      'python3',
      ['-m', 'pip', 'install', '--quiet', '--retries', '1', '--timeout', '10', '--target', unfinished, PACKAGE],
      { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS },
    );
    if (pip.status !== 0) return pip.error?.message ?? pip.stderr.trim().split('\n').at(-1) ?? 'pip failed';
    renameSync(unfinished, home);
    return undefined;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
